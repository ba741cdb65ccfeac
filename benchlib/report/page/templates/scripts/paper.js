// ---- paper: charts as wide as A4, folds open, evidence as numbered notes; and back ----

const PAPER = { width: 680, height: 320 }; // CSS pixels: between the margins of an A4 page
const TALLEST = 900; // a chart that is taller than a page would be cut in two
const FIRST = 215; // the figure of a first page shares it with all that leads up to it and follows from it
const ROWS_IN_A_NOTE = 4;
let onPaper = false;
const drawn = () => plots.filter((plot) => plot.classList.contains("drawn"));

// One mark for figures that stand side by side and come from the same rows; one a row of a table.
const markNotes = () => {
  const numbers = new Map();
  const marked = [];
  for (const one of document.querySelectorAll("main :is(span, td)[data-e]")) {
    if (one.closest("tbody.more")) continue;
    const number = one.dataset.e || one.closest("tr").dataset.e;
    if (!numbers.has(number)) numbers.set(number, numbers.size + 1);
    const card = one.closest(".card"); // its value has the mark, what is said of it goes without
    const together = card ?? (one.localName === "td" ? one.parentNode : one.closest("p, li, div, td, dd"));
    const before = marked.at(-1);
    if (before?.number === number && before.together === together) {
      if (card) continue;
      marked.pop();
    }
    marked.push({ one, number, together });
  }
  for (const { one, number } of marked) one.dataset.note = numbers.get(number);
  return [...numbers.keys()].map((number) => page.evidence[Number(number)]);
};

const noteOf = ({ formula, n, rows, more }) => {
  const left = more + rows.length - ROWS_IN_A_NOTE;
  const places = rows.slice(0, ROWS_IN_A_NOTE).join(", ") + (left > 0 ? ` and ${counted(left, "more place")}` : "");
  return element("li", {}, `${formula}. n = ${n.toLocaleString("en")}: ${places}`);
};

const addNotes = () => {
  const found = markNotes();
  if (!found.length) return;
  const title = element("h2", {}, "Notes: where the numbers come from");
  const notes = element("section", { class: "notes" }, title, element("ol", {}, ...found.map(noteOf)));
  document.querySelector("main").append(notes);
};

const removeNotes = () => {
  document.querySelector("main > .notes")?.remove();
  document.querySelectorAll("[data-note]").forEach((one) => { delete one.dataset.note; });
};

// What is wider than the sheet would make the browser shrink every page: it alone is drawn smaller.
const fitTables = () => {
  document.querySelectorAll(".table-box").forEach((box) => {
    box.style.width = `${PAPER.width}px`;
    const wide = box.firstElementChild.offsetWidth;
    if (wide > PAPER.width) box.firstElementChild.style.zoom = (0.98 * PAPER.width) / wide;
    box.style.width = "";
  });
};

// The figure that stands among the cards and findings of a first page.
const isFirst = (plot) => plot.closest("figure")?.matches(".cards + figure:has(~ .first-heading, ~ .todo)");

// A chart that asked for a height of its own (many rows) keeps it, up to that of a page.
const heightOnPaper = (plot) => {
  const own = Math.min(Number(plot.dataset.height) || PAPER.height, TALLEST);
  return isFirst(plot) ? Math.min(own, FIRST) : own;
};

const fitToPaper = () => {
  if (onPaper) return;
  onPaper = true;
  root.classList.add("paper");
  document.querySelectorAll("details").forEach((one) => {
    one.dataset.wasOpen = one.open ? "1" : "";
    one.open = true;
  });
  unfold(document, PACKED);
  fitTables();
  addNotes();
  drawn().forEach((plot) => Plotly.relayout(plot, { ...PAPER, height: heightOnPaper(plot) }));
};

const fitToScreen = () => {
  onPaper = false;
  root.classList.remove("paper");
  document.querySelectorAll(".table-box > table").forEach((table) => { table.style.zoom = ""; });
  document.querySelectorAll("details").forEach((one) => { one.open = one.dataset.wasOpen === "1"; });
  removeNotes();
  drawn().forEach((plot) => Plotly.relayout(plot, { autosize: true, width: null, height: Number(plot.dataset.height) || null }));
};

addEventListener("beforeprint", fitToPaper);
addEventListener("afterprint", fitToScreen);
