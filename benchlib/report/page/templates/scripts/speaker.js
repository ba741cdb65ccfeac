// ---- speaker: the notes of a slide in a window of their own (S), for the screen that the room does not see ----

let speaker = null;
const begun = Date.now();

const minutes = () => {
  const seconds = Math.floor((Date.now() - begun) / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
};

const showNotes = () => {
  if (!speaker || speaker.closed) return;
  const slides = Reveal.getSlides();
  const at = slides.indexOf(Reveal.getCurrentSlide());
  const heading = (slide) => slide?.querySelector("h1, h2")?.textContent.trim() ?? "the end";
  const said = slides[at].querySelector(".notes");
  const clock = element("p", { id: "clock" }, minutes());
  const notes = element("div", {}, ...[...(said?.children ?? [])].map((one) => one.cloneNode(true)));
  const next = element("p", { class: "next" }, `Next: ${heading(slides[at + 1])}`);
  const style = "font: 18px/1.5 Arial, sans-serif; margin: 1.5rem; max-width: 42rem";
  const { document: there } = speaker;
  there.title = `Notes: ${document.title}`;
  there.body.style = style;
  there.body.replaceChildren(clock, element("h1", {}, `${at + 1}. ${heading(slides[at])}`), notes, next);
};

const openSpeaker = () => {
  speaker = open("", "benchlib-speaker", "popup,width=680,height=760");
  if (!speaker) return; // the browser let no window open
  showNotes();
  // Its own keys turn the pages too: the presenter looks at the notes.
  speaker.onkeydown = (event) => {
    if (["ArrowRight", "PageDown", " "].includes(event.key)) Reveal.next();
    if (["ArrowLeft", "PageUp"].includes(event.key)) Reveal.prev();
  };
};

setInterval(() => {
  const clock = speaker && !speaker.closed ? speaker.document.getElementById("clock") : null;
  if (clock) clock.textContent = minutes();
}, 1000);
