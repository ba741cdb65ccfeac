// ---- data: the blocks of this page that are packed, and the elements it is made of ----

const root = document.documentElement;
// A page that is opened as paper, by page.html?paper, to be a PDF: it is drawn for paper at once and stays so.
const asPaper = location.search === "?paper";

const unpacked = async (id) => {
  const packed = bytesOfText(document.querySelector(`script#${id}`).textContent.trim());
  return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
};

// Filled in by start; until then there is nothing to show.
const page = { charts: [], evidence: [], rows: [], theme: {} };

const element = (name, attributes = {}, ...children) => {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children); // text is text: no name becomes markup here
  return made;
};

// Sliders come to life by a script of their own: all that have, once they have.
const lively = () => Promise.all([...document.querySelectorAll(".what-if")].map((block) => new Promise((go) => {
  const came = () => { if (block.dataset.live) go(block); };
  new MutationObserver(came).observe(block, { attributeFilter: ["data-live"] });
  came();
})));
