// ---- deck: slides shown by reveal.js; `data-ready` and `data-drawn` on <html> turn "1" as on a page ----

const SLIDE = { width: 960, height: 540 }; // CSS pixels: a slide of 10 by 5.625 inches

const main = document.querySelector("main");
main.querySelectorAll("pre, dialog").forEach((one) => { one.tabIndex = 0; });

const REVEAL = {
  ...SLIDE, margin: 0.02, center: false, hash: true, transition: "none", backgroundTransition: "none",
  display: "grid", viewDistance: 1000, mobileViewDistance: 1000, // every slide has its size: charts can be drawn
  scrollActivationWidth: null, // a phone shows the slide smaller: slides of one size are no text to scroll
  help: false, keyboard: { 83: openSpeaker }, // S
  // Keys that move between figures turn no page.
  keyboardCondition: () => !document.activeElement?.closest(".figure, dialog, input, select, .what-if"),
};

// Names and reasons may be long: words are drawn smaller until their slide holds them.
const LEAST = 0.5;
const shrink = (slide) => {
  slide.style.removeProperty("--shrink");
  for (let size = 1; size >= LEAST && slide.scrollHeight > SLIDE.height; size -= 0.05) {
    slide.style.setProperty("--shrink", size.toFixed(2));
  }
};

// As large as its place on the slide: what a chart asks for on a page is another matter.
const fit = (plot) => {
  const { layout } = page.charts[Number(plot.dataset.chart) - 1];
  layout.font = { ...layout.font, family: getComputedStyle(plot).fontFamily };
  layout.height = plot.clientHeight;
  layout.width = plot.clientWidth;
};

const startDeck = async () => {
  const reveal = unpacked("reveal-bundle");
  const source = plots.length ? unpacked("plotly-bundle") : "";
  const data = unpacked("page-data");
  try {
    Object.assign(page, JSON.parse(await data));
    makeFigures(main);
    openToTab(main);
    load(await reveal);
    await Reveal.initialize(REVEAL);
    Reveal.on("slidechanged", showNotes);
    main.querySelectorAll("section.slide").forEach(shrink);
    root.dataset.ready = "1";
    // Their slide has its size only then.
    (await lively()).forEach((one) => shrink(one.closest("section.slide")));
    if (plots.length) load(await source);
    plots.forEach(fit);
    await drawSeen();
    await drawOthers();
    root.dataset.drawn = "1";
  } catch (error) {
    sayNotDrawn(error);
    root.dataset.ready ??= "failed";
    root.dataset.drawn = "failed";
    throw error;
  }
};
startDeck();
