"use strict";
// The page's one script: it unpacks data and plotly.js, draws the charts, opens evidence, sorts and saves tables.
const root = document.documentElement;
const $$ = (query, within = document) => [...within.querySelectorAll(query)];
const element = (name, attributes = {}, ...children) => {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children); // text is text: no name becomes markup here
  return made;
};

const page = { charts: [], evidence: [], rows: [] }; // charts, evidence and rows, once they are unpacked

// ---- packed blocks: gzip in base 85, as benchlib/render/packing.py writes them ----
const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%,.)*+-;:=[?]^_`{|}~";
const unpacked = async (id) => {
  const text = document.querySelector(`script#${id}`).textContent.trim();
  const codes = new Uint8Array(128).fill(84);
  [...DIGITS].forEach((digit, place) => { codes[digit.charCodeAt(0)] = place; });
  const words = Math.ceil(text.length / 5);
  const bytes = new DataView(new ArrayBuffer(4 * words));
  for (let at = 0; at < words; at++) {
    let word = 0;
    for (let place = 5 * at; place < 5 * at + 5; place++) word = 85 * word + (place < text.length ? codes[text.charCodeAt(place)] : 84);
    bytes.setUint32(4 * at, word);
  }
  const whole = new Uint8Array(bytes.buffer, 0, 4 * words - (5 * words - text.length));
  return new Response(new Blob([whole]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
};

// ---- charts ----
const loadPlotly = async () => {
  const script = element("script");
  script.textContent = await unpacked("plotly-bundle");
  document.head.append(script);
};
// A chart in a fold is drawn when the fold opens: before that it has no width.
const drawCharts = async (within) => {
  for (const plot of $$(".plot[data-chart]:empty", within).filter((one) => one.checkVisibility())) {
    const { data, layout } = page.charts[Number(plot.dataset.chart)];
    const names = layout.yaxis?.automargin && layout.yaxis.ticktext; // on a phone half of the width is the dots'
    if (names && plot.clientWidth < 480) layout.yaxis.ticktext = names.map((name) => (name.length > 22 ? `${name.slice(0, 10)}…${name.slice(-11)}` : name));
    await Plotly.newPlot(plot, data, layout, { responsive: true, displayModeBar: false, typesetMath: false });
    $$(".main-svg", plot).forEach((svg) => { svg.ariaHidden = "true"; }); // the group has the words
  }
};

// With #charts=png in the address every chart is put into the page as a data address, for files of their own.
const exportCharts = async (format) => {
  await openAll();
  for (const plot of $$(".plot[data-chart]")) {
    const words = [plot.closest("figure").querySelector(".finding"), plot.parentElement.querySelector(".panel-title")];
    const title = words.map((one) => one?.textContent.trim()).filter(Boolean).join(": ");
    const { height } = plot._fullLayout;
    const src = await Plotly.toImage(plot, { format, width: 960, height, scale: format === "png" ? 2 : 1 });
    document.body.append(element("img", { class: "drawn", alt: title, src }));
  }
};

// ---- evidence: the rows behind a number ----
const behind = element("dialog", { "aria-labelledby": "behind" });
const rowsOf = ({ n, rows, more }) => `${n.toLocaleString("en")} ${n === 1 ? "value" : "values"}${more ? `, of which ${rows.length} are shown` : ""}`;
const openEvidence = (number, evidence) => {
  const { formula, rows, ...counts } = evidence[Number(number.dataset.e)];
  const close = element("button", { type: "button" }, "Close");
  close.addEventListener("click", () => behind.close());
  const list = element("ul", {}, ...rows.map(([place, value]) => element("li", {}, element("code", {}, place), element("span", {}, value))));
  behind.replaceChildren(element("h2", { id: "behind" }, `Behind ${number.textContent}`), element("p", { class: "muted" }, formula), element("p", {}, rowsOf({ rows, ...counts })), list, close);
  if (!behind.isConnected) document.body.append(behind);
  behind.showModal();
  const { left, bottom, top } = number.getBoundingClientRect();
  behind.style.left = `${Math.max(8, Math.min(left, root.clientWidth - behind.offsetWidth - 8))}px`;
  behind.style.top = `${bottom + behind.offsetHeight + 14 < innerHeight ? bottom + 6 : Math.max(8, top - behind.offsetHeight - 6)}px`;
};
behind.addEventListener("click", (event) => { if (event.target === behind) behind.close(); });
// Tab reaches the first number of a sentence, a list or a table; arrow keys go on from there.
const GROUPS = "table, ul, .facts, p, h1, dl";
const makeNumbers = (within) => {
  const seen = new Set();
  for (const number of $$("[data-e]", within)) {
    if (number.closest("summary")) continue; // which is a button itself: the fold has the numbers again
    const group = number.closest(GROUPS);
    Object.assign(number, { role: "button", tabIndex: seen.has(group) ? -1 : 0, ariaHasPopup: "dialog" });
    seen.add(group);
  }
};
const moveFrom = (number, step) => {
  const numbers = $$("[data-e]", number.closest(GROUPS)).filter((other) => other.checkVisibility());
  const next = numbers[numbers.indexOf(number) + step];
  if (!next) return;
  number.tabIndex = -1;
  next.tabIndex = 0;
  next.focus();
};
const makeEvidence = (evidence) => {
  makeNumbers(document);
  const asked = (event) => event.target.closest?.("[data-e]");
  document.addEventListener("click", (event) => {
    if (!asked(event) || String(getSelection())) return;
    event.preventDefault(); // a number in the line of a fold opens its rows, not the fold
    openEvidence(asked(event), evidence);
  });
  document.addEventListener("keydown", (event) => {
    const number = asked(event);
    if (!number || event.altKey || event.ctrlKey || event.metaKey) return;
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (step) moveFrom(number, step);
    else if (event.key === "Enter" || event.key === " ") openEvidence(number, evidence);
    else return;
    event.preventDefault();
  });
};

// ---- tables: sorted by value, copied, saved as CSV ----
const unfold = (table) => {
  for (const body of $$("tbody[data-rows]", table)) {
    body.innerHTML = page.rows[Number(body.dataset.rows)]; // markup that the page's writer has escaped
    delete body.dataset.rows;
    makeNumbers(body);
  }
};
const cellsOf = (table) => [...table.rows].map((row) => [...row.cells].map((cell) => cell.textContent.trim()));
const sortBy = (table, place, direction) => {
  unfold(table);
  const rows = [...table.tBodies].flatMap((body) => [...body.rows]);
  const key = (row) => (row.cells[place].dataset.v === undefined ? row.cells[place].textContent : Number(row.cells[place].dataset.v));
  const order = (one, other) => (typeof key(one) === "number" && typeof key(other) === "number" ? key(one) - key(other) : String(key(one)).localeCompare(String(key(other)), "en", { numeric: true }));
  rows.sort((one, other) => direction * order(one, other));
  for (const body of table.tBodies) body.append(...rows.splice(0, body.rows.length));
};
// A spreadsheet takes a cell that begins like a formula for one.
const inert = (text) => (/^\s*[=+\-@]/.test(text) && !/^[+-]?[\d.,]+$/.test(text) ? `'${text}` : text);
const makeTable = (table) => {
  [...table.tHead.rows[0].cells].forEach((head, place) => {
    if (!head.textContent.trim()) return;
    const button = element("button", { type: "button", class: "sort" }, ...head.childNodes);
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const direction = head.ariaSort === "ascending" ? -1 : 1;
      [...head.parentNode.cells].forEach((other) => { other.ariaSort = null; });
      head.ariaSort = direction === 1 ? "ascending" : "descending";
      sortBy(table, place, direction);
    });
  });
  const foot = element("div", { class: "table-foot" });
  const more = table.querySelector("tbody.more");
  if (more) {
    more.classList.add("folded");
    const open = element("button", { type: "button" }, more.dataset.label);
    open.addEventListener("click", () => { unfold(table); open.textContent = more.classList.toggle("folded") ? more.dataset.label : "Fewer rows"; });
    foot.append(open);
  }
  const save = element("button", { type: "button", "aria-label": `Save as CSV: ${table.caption.textContent}` }, "CSV");
  save.addEventListener("click", () => {
    const quoted = (text) => `"${inert(text).replaceAll('"', '""')}"`;
    unfold(table);
    const text = cellsOf(table).map((row) => row.map(quoted).join(",")).join("\r\n");
    const place = URL.createObjectURL(new Blob(["\ufeff", text], { type: "text/csv;charset=utf-8" }));
    element("a", { href: place, download: "table.csv" }).click();
    setTimeout(() => URL.revokeObjectURL(place), 10_000);
  });
  foot.append(save);
  table.closest(".table-box").after(foot);
};

// ---- paper: the sheet has its width before charts are drawn to it, and numbered notes say where numbers come from ----
const PAPER = "688px"; // of A4, between its margins
const ROWS_IN_A_NOTE = 4;
const noteOf = ({ formula, n, rows }) => element("li", {}, `${formula}: ${rows.slice(0, ROWS_IN_A_NOTE).map(([place, value]) => `${place} ${value}`.trim()).join("; ")}${n > ROWS_IN_A_NOTE ? `; ${n} in all` : ""}`);
const resizeCharts = () => $$(".plot.js-plotly-plot").forEach((plot) => Plotly.Plots.resize(plot));
const toPaper = () => {
  const numbers = new Map();
  for (const number of $$("main [data-e]")) {
    if (number.closest("details:not([open])")) continue;
    if (!numbers.has(number.dataset.e)) numbers.set(number.dataset.e, numbers.size + 1);
    number.dataset.note = numbers.get(number.dataset.e);
  }
  const notes = [...numbers.keys()].map((key) => noteOf(page.evidence[Number(key)]));
  if (notes.length) document.querySelector("main").append(element("section", { class: "notes" }, element("h2", {}, "Where the numbers come from"), element("ol", {}, ...notes)));
  document.body.style.width = PAPER;
  resizeCharts();
};
const toScreen = () => {
  $$("[data-note]").forEach((number) => { delete number.dataset.note; });
  document.querySelector(".notes")?.remove();
  document.body.style.width = "";
  resizeCharts();
};
addEventListener("beforeprint", toPaper);
addEventListener("afterprint", toScreen);

// ---- folds: long ones are packed away until they are opened ----
const openFold = (fold) => {
  if (fold.dataset.rows !== undefined) {
    fold.insertAdjacentHTML("beforeend", page.rows[Number(fold.dataset.rows)]); // markup that the page's writer has escaped
    delete fold.dataset.rows;
    makeNumbers(fold);
    $$(".table-box > table", fold).forEach(makeTable);
  }
  return drawCharts(fold);
};
const openAll = async () => { // those that were packed in others too
  for (let fold; (fold = document.querySelector("details:not([open])"));) {
    fold.open = true;
    await openFold(fold);
  }
};
document.addEventListener("toggle", ({ target }) => { if (target.open && target.localName === "details") openFold(target); }, { capture: true });

const openTarget = () => {
  for (let place = document.getElementById(location.hash.slice(1)); place; place = place.parentElement) if (place.localName === "details") place.open = true;
};
addEventListener("hashchange", openTarget);

// ---- the list of reports: narrowed by words ----
const words = document.getElementById("words");
words?.addEventListener("input", () => {
  const asked = words.value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const row of $$(".index tbody tr")) row.hidden = !asked.every((word) => row.textContent.toLowerCase().includes(word));
});

const start = async () => {
  try {
    if (document.querySelector("script#page-data")) Object.assign(page, JSON.parse(await unpacked("page-data")));
    $$(".table-box > table").forEach(makeTable);
    makeEvidence(page.evidence);
    openTarget();
    if (page.charts.length) {
      await loadPlotly();
      await drawCharts(document);
    }
    const asked = /^#charts=(png|svg)$/.exec(location.hash);
    if (asked) await exportCharts(asked[1]);
    root.dataset.ready = "1";
  } catch (error) {
    root.dataset.ready = "failed";
    $$(".plot:empty").forEach((plot) => { plot.textContent = `This chart could not be drawn (${error.message}). Its numbers are in the tables.`; });
    throw error;
  }
};
start();
