// ---- paper: charts as wide as A4, folds open, evidence as numbered notes; and back ----

const PAPER = { width: 678 }; // CSS pixels: between the margins of an A4 page, less a hair for borders
const USUAL = 320, LOW = 270; // a chart that asked for the usual height or less is low: three of them fill a sheet
const TALLEST = 900; // a chart that is taller than a page would be cut in two
const LANE = { height: 20, letters: 11, around: 130 }; // of a forest plot whose names stand beside its marks
const SHEET = 1000; // what a page holds, less a line that may break elsewhere than here
const FIRST = { least: 215, most: 460 }; // the figure of a first page takes what the words around it leave
const LEAST_LETTERS = 9; // CSS pixels
const LONGEST_FOOT = 110; // letters
const ROWS_IN_A_NOTE = 4;
const MOST_IN_A_ROW = 4;
let onPaper = false;
const drawn = () => plots.filter((plot) => plot.classList.contains("drawn"));

const isBare = (one) => /^[\d,]+$/.test(one.textContent);

// Cells of a row that are of the same lines, a time and a size of one run, share a note, which names the lines alone.
const noteKey = (one, linesAlone, inWords) => {
  const number = one.dataset.e || one.closest("tr").dataset.e;
  if (one.localName !== "td" || inWords.has(number)) return number;
  const { rows, more } = page.evidence[Number(number)];
  const lines = `${rows.map(([place]) => place).join()} ${more}`;
  if (!linesAlone.has(lines)) linesAlone.set(lines, `lines of ${number}`);
  return linesAlone.get(lines);
};
const evidenceOfNote = (key) => {
  const found = page.evidence[Number(key.split(" ").at(-1))];
  return key.startsWith("lines") ? { ...found, rows: found.rows.map(([place]) => [place, ""]) } : found;
};

// One mark for figures that stand side by side and come from the same rows; one a row of a table.
const markNotes = () => {
  const numbers = new Map();
  const linesAlone = new Map();
  const inWords = new Set([...document.querySelectorAll("main span[data-e]")].map((one) => one.dataset.e));
  const marked = [];
  for (const one of document.querySelectorAll("main :is(span, td)[data-e]")) {
    if (one.closest("tbody.more")) continue;
    const number = noteKey(one, linesAlone, inWords);
    const card = one.closest(".card"); // its value has the mark, what is said of it goes without
    const together = card ?? (one.localName === "td" ? one.parentNode : one.closest("p, li, div, td, dd"));
    const before = marked.at(-1);
    if (before?.number === number && before.together === together) {
      if (card || (isBare(one) && !isBare(before.one))) continue;
      marked.pop();
    }
    marked.push({ one, number, together });
  }
  // Behind a bare level a mark would read as its exponent: where the sentence has figures with units, these are marked.
  const told = new Set(marked.filter(({ one }) => !isBare(one)).map(({ together }) => together));
  for (const { one, number, together } of marked) {
    const row = one.localName === "td" ? marked.filter((other) => other.together === together) : [];
    if (row.length > MOST_IN_A_ROW && row[0].one !== one) continue; // its first figure is of all of them
    if (isBare(one) && one.localName === "span" && told.has(together)) continue;
    if (!numbers.has(number)) numbers.set(number, numbers.size + 1);
    // "4 worse" on a card is marked behind its word.
    const marks = (isBare(one) && one.closest(".card-value")) || one;
    marks.dataset.note = numbers.get(number);
  }
  return [...numbers.keys()].map(evidenceOfNote);
};

// Lines of one file that follow each other name it once.
const placesOf = (rows) => {
  let before = "";
  return rows.map(([place, value]) => {
    const file = place.slice(0, place.lastIndexOf(":") + 1);
    const told = file && file === before ? place.slice(file.length - 1) : place;
    before = file;
    return value ? `${told} ${value}` : told;
  }).join("; ");
};

// Of several files each has a place among those that are shown: a ratio is of two.
const shownOf = (rows) => {
  const fileOf = ([place]) => place.slice(0, place.lastIndexOf(":") + 1);
  const firsts = rows.filter((row, at) => rows.findIndex((one) => fileOf(one) === fileOf(row)) === at);
  const chosen = [...new Set([...firsts, ...rows])].slice(0, ROWS_IN_A_NOTE);
  return rows.filter((row) => chosen.includes(row));
};

const noteOf = ({ formula, n, rows, more }) => {
  const left = more + rows.length - ROWS_IN_A_NOTE;
  const rest = left > 0 ? ` and ${counted(left, unlisted(rows))}` : "";
  return element("li", {}, `${formula}. ${size(n, rows)}: ${placesOf(shownOf(rows))}${rest}`);
};

const addNotes = () => {
  const found = markNotes();
  if (!found.length) return;
  const title = element("h2", {}, "Notes: where the numbers come from");
  const notes = element("section", { class: "footnotes" }, title, element("ol", {}, ...found.map(noteOf)));
  document.querySelector("main").append(notes);
};

const removeNotes = () => {
  document.querySelector("main > .footnotes")?.remove();
  document.querySelectorAll("[data-note]").forEach((one) => { delete one.dataset.note; });
};

// Measured as it will be printed, before it is: a page that is opened as paper has the rules of paper already.
const asPrinted = (measure) => {
  const rules = asPaper ? [] : [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules]).filter((rule) => rule.media);
  const media = rules.map((rule) => rule.media.mediaText);
  const main = document.querySelector("main");
  rules.forEach((rule, place) => {
    if (media[place] === "print") rule.media.mediaText = "all";
    else if (media[place].startsWith("screen")) rule.media.mediaText = "not all"; // those of a narrow window too
  });
  document.body.style.width = main.style.maxWidth = `${PAPER.width + 2}px`;
  try {
    measure();
  } finally {
    document.body.style.width = main.style.maxWidth = "";
    rules.forEach((rule, place) => { rule.media.mediaText = media[place]; });
  }
};

// What is wider than the sheet would make the browser shrink every page: it alone is drawn smaller.
const fitTables = () => {
  const tables = [...document.querySelectorAll(".table-box > table")];
  const wide = tables.map((table) => table.offsetWidth); // all at once: each change is a layout of its own
  tables.forEach((table, place) => {
    if (wide[place] > PAPER.width) table.style.zoom = (0.98 * PAPER.width) / wide[place];
  });
};

// The figure that stands among the cards and findings of a first page takes what these leave.
const FIRST_PLOT = document.querySelector(".cards + figure:has(~ .first-heading, ~ .todo) .plot");
const isFirst = (plot) => plot === FIRST_PLOT;
let room = FIRST.least;
const measureRoom = () => {
  const last = document.querySelector("main :is(.todo, .alerts):has(+ h2)");
  if (!last || !FIRST_PLOT) return;
  const taken = last.getBoundingClientRect().bottom - document.body.getBoundingClientRect().top - FIRST_PLOT.offsetHeight;
  room = Math.min(FIRST.most, Math.max(FIRST.least, SHEET - taken));
};

// A chart that asked for a height of its own (many rows) keeps it, up to that of a page.
const heightOnPaper = (plot) => {
  if (isFirst(plot)) return room;
  const lanes = laneNames(layoutOf(plot)).length;
  if (lanes) return Math.min(LANE.around + LANE.height * Math.max(lanes, 3), TALLEST);
  const asked = Number(plot.dataset.height) || USUAL;
  return Math.min(asked, asked > USUAL ? TALLEST : LOW);
};

// Below the first figure its legend lies on no name of a panel, however many lines it has; without names there is
// nothing above it.
const isNamed = ({ annotations }) => (annotations ?? []).some(({ yref }) => yref === "paper" || yref?.endsWith("domain"));
const below = (layout) => ({
  legend: { yref: "container", y: 0, yanchor: "bottom" }, margin: { t: isNamed(layout) ? 30 : 10 },
});
const layoutOf = (plot) => page.charts[Number(plot.dataset.chart) - 1].layout;

// Names of lanes stand above their marks for the sake of narrow screens: a sheet has room beside them, and more rows.
const besideMarks = (layout) => {
  const names = laneNames(layout);
  if (!names.length) return {};
  const ticktext = names.map(({ text }) => text.replaceAll("<br>", " "));
  return {
    annotations: layout.annotations.filter((one) => !names.includes(one)),
    yaxis: { showticklabels: true, automargin: true, tickfont: { size: LANE.letters }, ticktext },
  };
};

// What a chart has on paper beside its size: parts of its layout, and the same by path with what stood there before.
const partsOnPaper = (plot) => ({ ...(isFirst(plot) ? below(layoutOf(plot)) : {}), ...besideMarks(layoutOf(plot)) });
const byPath = (parts) => Object.fromEntries(Object.entries(parts).flatMap(([part, all]) =>
  Array.isArray(all) ? [[part, all]] : Object.entries(all).map(([name, value]) => [`${part}.${name}`, value])));
const standing = (layout, paths) => Object.fromEntries(paths.map((path) =>
  [path, path.split(".").reduce((within, name) => within?.[name], layout) ?? null]));

// The title of an axis that is shorter than its words is written smaller.
const fitTitle = (plot) => {
  const { _length: length, title } = plot._fullLayout.yaxis ?? {};
  const written = plot.querySelector(".ytitle")?.getBoundingClientRect().height ?? 0;
  if (written <= length) return;
  Plotly.relayout(plot, { "yaxis.title.font.size": Math.max(LEAST_LETTERS, (title.font.size * length) / written) });
};

// What stands below every sheet beside its number, as a string of CSS.
const footOf = (title) => {
  const letters = [...title];
  const words = letters.length > LONGEST_FOOT ? `${letters.slice(0, LONGEST_FOOT - 1).join("")}…` : title;
  return `"${words.replace(/["\\]/g, "\\$&")}"`;
};

const fitToPaper = () => {
  if (onPaper) return;
  onPaper = true;
  root.classList.add("paper");
  root.style.setProperty("--foot", footOf(document.title));
  document.querySelectorAll("details").forEach((one) => {
    one.dataset.wasOpen = one.open ? "1" : "";
    one.open = true;
  });
  unfold(document, PACKED);
  addNotes();
  asPrinted(() => {
    fitTables();
    measureRoom();
  });
  for (const plot of drawn()) {
    const changed = byPath(partsOnPaper(plot));
    plot.onScreen = standing(layoutOf(plot), Object.keys(changed));
    Plotly.relayout(plot, { ...PAPER, height: heightOnPaper(plot), ...changed });
    if (isFirst(plot)) fitTitle(plot);
    thinTicks(plot);
  }
};

const fitToScreen = () => {
  if (asPaper) return;
  onPaper = false;
  root.classList.remove("paper");
  root.style.removeProperty("--foot");
  document.querySelectorAll(".table-box > table").forEach((table) => { table.style.zoom = ""; });
  document.querySelectorAll("details").forEach((one) => { one.open = one.dataset.wasOpen === "1"; });
  removeNotes();
  for (const plot of drawn()) {
    const own = { autosize: true, width: null, height: Number(plot.dataset.height) || null };
    Plotly.relayout(plot, { ...own, ...plot.onScreen, ...(isFirst(plot) ? { "yaxis.title.font.size": null } : {}) });
    thinTicks(plot);
  }
};

// A page that is opened to be a PDF: nobody asked for its long folds.
const leaveLongFolds = () => {
  for (const fold of document.querySelectorAll("details[data-long]")) {
    const said = fold.querySelector("summary")?.textContent.trim() ?? "Details";
    fold.replaceWith(element("p", { class: "left-on-screen" }, `${said}: on the HTML page.`));
  }
};

// One tile of a pattern: where each of its strokes begins, and how it goes on from there.
const strokesOf = (tile, wide, high) => {
  if (tile.localName === "circle") {
    const [x, y, r] = ["cx", "cy", "r"].map((name) => Number.parseFloat(tile.getAttribute(name)));
    return [{ x: x - r, y, on: `a${r},${r} 0 1 0 ${2 * r},0a${r},${r} 0 1 0 ${-2 * r},0` }];
  }
  const lines = [...tile.getAttribute("d").matchAll(/M([^,]+),([^Ll]+)([Ll])([^,]+),([^M]+)/g)];
  return lines.map(([, x, y, kind, toX, toY]) => {
    const [fromX, fromY] = kind === "L" ? [x, y] : [0, 0];
    return { x: Number(x), y: Number(y), on: `l${(toX - fromX).toFixed(2)},${(toY - fromY).toFixed(2)}` };
  }).filter(({ x, y }) => x >= 0 && x <= wide && y >= 0 && y <= high); // others are ends of those of a neighbour
};

// A PDF keeps a pattern as a picture of many dots: here its tile is repeated, within the shape that it fills, as one
// path: an element for each tile would be a quarter of all that is laid out.
const MOST_TILES = 20_000;
const drawHatching = (plot) => {
  plot.querySelectorAll(".pattern_filled").forEach((shape, number) => {
    const pattern = plot.querySelector(/#[\w-]+/.exec(shape.style.fill)?.[0] ?? "pattern");
    const scaled = pattern.getAttribute("patternTransform"); // smaller in a legend
    const scale = Number(/[\d.]+/.exec(scaled)?.[0] ?? 1);
    const [wide, high] = ["width", "height"].map((side) => Number.parseFloat(pattern.getAttribute(side)));
    const [across, along, right, low] = [shape.getBBox()].flatMap(({ x, y, width, height }) =>
      [x, y, x + width, y + height].map((edge) => edge / scale));
    if ((right - across) * (low - along) > MOST_TILES * wide * high) return;
    const tile = pattern.lastElementChild.cloneNode();
    const strokes = strokesOf(tile, wide, high);
    const drawn = [];
    for (let x = Math.floor(across / wide) * wide; x < right; x += wide) {
      for (let y = Math.floor(along / high) * high; y < low; y += high) {
        for (const one of strokes) drawn.push(`M${(x + one.x).toFixed(2)},${(y + one.y).toFixed(2)}${one.on}`);
      }
    }
    const hatching = document.createElementNS(tile.namespaceURI, "path");
    for (const { name, value } of tile.attributes) if (!/^(c[xy]|r|d)$/.test(name)) hatching.setAttribute(name, value);
    hatching.setAttribute("d", drawn.join(""));
    hatching.setAttribute("transform", scaled);
    const clip = `${pattern.id}-${number}`;
    const ground = pattern.querySelector("rect");
    shape.style.fill = ground?.getAttribute("fill") ?? "none";
    shape.style.fillOpacity = ground?.getAttribute("fill-opacity") ?? "";
    shape.insertAdjacentHTML("afterend", `<clipPath id="${clip}"><path d="${shape.getAttribute("d")}"/></clipPath>
      <g clip-path="url(#${clip})" transform="${shape.getAttribute("transform") ?? ""}">${hatching.outerHTML}</g>`);
  });
};

// The room that names of rows and a legend below all take: left to find it out, plotly draws the chart twice.
const BESIDE_NAMES = 14, LEGEND_LINE = 29; // CSS pixels
const pen = document.createElement("canvas").getContext("2d");
const widthOfNames = ({ ticktext, tickfont, ticksuffix }, { size, family }) => {
  pen.font = `${tickfont?.size ?? size}px ${family}`;
  const lines = ticktext.flatMap((name) => `${name}${ticksuffix ?? ""}`.split("<br>"));
  return Math.max(...lines.map((line) => pen.measureText(line).width));
};
const marginOnPaper = ({ yaxis, legend, showlegend, font, margin }) => {
  const named = yaxis?.automargin && yaxis.ticktext && yaxis.showticklabels !== false;
  const isBelow = showlegend !== false && legend?.yref === "container" && legend.yanchor === "bottom";
  return {
    ...margin,
    ...(named ? { l: Math.max(margin.l, BESIDE_NAMES + widthOfNames(yaxis, font)) } : {}),
    ...(isBelow ? { b: margin.b + LEGEND_LINE } : {}),
  };
};

const drawOnPaper = async () => {
  await lively();
  root.hidden = false;
  fitToPaper();
  Object.assign(OPTIONS, { staticPlot: true, responsive: false });
  for (const plot of plots) {
    const layout = layoutOf(plot);
    plot.dataset.height = layout.height || ""; // what its author asked for
    Object.assign(layout, PAPER, { height: heightOnPaper(plot) });
    for (const [part, all] of Object.entries(partsOnPaper(plot))) {
      layout[part] = Array.isArray(all) ? all : { ...layout[part], ...all };
    }
    layout.margin = marginOnPaper(layout);
    await draw(plot);
    if (isFirst(plot)) fitTitle(plot);
    drawHatching(plot);
  }
};

addEventListener("beforeprint", fitToPaper);
addEventListener("afterprint", fitToScreen);
