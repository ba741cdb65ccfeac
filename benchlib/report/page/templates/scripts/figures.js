// ---- figures: every number with evidence can be reached and opened without a mouse ----
// Tab reaches the first figure of a sentence, list, row of cards or table; arrow keys go on from there.

const GROUPS = "table, ul, .cards, .verdict, dl, p";

const evidenceOf = (figure) => {
  const cell = figure.closest("[data-e]");
  const number = cell.dataset.e || cell.closest("tr").dataset.e;
  return page.evidence[Number(number)];
};

const makeFigures = (within) => {
  if (asPaper) return; // nobody presses a button there, and each would be one more thing for a screen reader to tell
  for (const one of within.querySelectorAll("[data-e]:not(tr)")) {
    let figure = one;
    if (one.localName === "td") { // a cell stays a cell: the figure stands in it
      figure = element("span", {}, ...one.childNodes);
      one.append(figure);
    }
    figure.classList.add("figure");
    figure.role = "button";
    figure.ariaHasPopup = "dialog";
    figure.tabIndex = -1;
  }
};

const openToTab = (within) => {
  const seen = new Set();
  for (const figure of within.querySelectorAll(".figure")) {
    const group = figure.closest(GROUPS) ?? figure;
    if (!seen.has(group)) figure.tabIndex = 0;
    seen.add(group);
  }
};

const moveFrom = (figure, key) => {
  const group = figure.closest(GROUPS);
  const figures = [...group.querySelectorAll(".figure")].filter((one) => one.checkVisibility());
  const place = figures.indexOf(figure);
  const cell = figure.closest("td");
  const column = (one) => one.closest("td").cellIndex === cell.cellIndex;
  const next = {
    ArrowRight: () => figures[place + 1],
    ArrowLeft: () => figures[place - 1],
    ArrowDown: () => (cell ? figures.slice(place + 1).find(column) : figures[place + 1]),
    ArrowUp: () => (cell ? figures.slice(0, place).findLast(column) : figures[place - 1]),
    Home: () => figures[0],
    End: () => figures.at(-1),
  }[key]?.();
  if (!next) return;
  figure.tabIndex = -1;
  next.tabIndex = 0;
  next.focus();
};

document.addEventListener("keydown", (event) => {
  if (!event.target.matches?.(".figure") || event.altKey || event.ctrlKey || event.metaKey) return;
  if (event.key === "Enter" || event.key === " ") showEvidence(event.target);
  else if (/^(Arrow|Home|End)/.test(event.key)) moveFrom(event.target, event.key);
  else return;
  event.preventDefault();
});
document.addEventListener("click", (event) => {
  const figure = event.target.closest?.(".figure");
  // Who selects text to copy it asks for no evidence.
  if (figure && !String(getSelection())) showEvidence(figure);
});
