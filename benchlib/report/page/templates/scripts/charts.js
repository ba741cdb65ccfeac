// ---- charts: drawn by the page's own plotly.js, which asks nobody for anything ----

const plots = [...document.querySelectorAll(".plot[data-chart]")];
const OPTIONS = {
  responsive: true, displaylogo: false, showSendToCloud: false, plotlyServerURL: "", displayModeBar: "hover",
  typesetMath: false, // a name between dollars is a name
  modeBarButtonsToRemove: ["select2d", "lasso2d", "autoScale2d"],
};

// Names of ticks that would overprint each other are left out, but for those of both ends.
const GAP = 5; // CSS pixels
const thinTicks = (plot) => {
  const changed = {};
  for (const [name, axis] of Object.entries(plot._fullLayout).filter(([key]) => /^[xy]axis\d*$/.test(key))) {
    const own = plot.ownTicks?.[name] ?? (axis.tickmode === "array" ? { vals: [...axis.tickvals], text: axis.ticktext } : null);
    if (!own || !axis.tickfont) continue; // without names
    plot.ownTicks = { ...plot.ownTicks, [name]: own };
    const size = axis.tickfont.size;
    const half = (place) => (name[0] === "y" ? 0.5 * size : 0.3 * size * String(own.text?.[place] ?? own.vals[place]).length);
    const spans = own.vals.map((value, place) => {
      const at = axis.d2p(value);
      return { place, low: at - half(place), high: at + half(place) };
    }).sort((one, other) => one.low - other.low);
    const end = spans.at(-1);
    const kept = [];
    for (const span of spans) {
      const before = kept.at(-1);
      const free = !before || span.low >= before.high + (name[0] === "x" ? GAP : 0);
      if (span === end && before && !free && kept.length > 1) kept.pop();
      if (free || span === end) kept.push(span);
    }
    const places = kept.map((span) => span.place).sort((one, other) => one - other);
    if (places.length === axis.tickvals.length) continue;
    changed[`${name}.tickvals`] = places.map((place) => own.vals[place]);
    if (own.text) changed[`${name}.ticktext`] = places.map((place) => own.text[place]);
  }
  return Object.keys(changed).length ? Plotly.relayout(plot, changed) : undefined;
};

// On a small screen, words that are wider than the chart take more lines: plotly would cut them.
const SMALL = 480, LETTER = 6.5; // CSS pixels: of a chart, and of a letter in the mean
const folded = (words, most) => {
  const lines = [];
  for (const word of words.split(" ")) {
    const longer = lines.length ? `${lines.at(-1)} ${word}` : word;
    if (lines.length && longer.length <= most) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines.join("<br>");
};
const foldNames = (width, data, layout) => {
  if (layout.showlegend === false) return;
  const before = layout.height;
  for (const trace of data.filter(({ name, showlegend }) => name && showlegend !== false)) {
    trace.name = folded(trace.name, (width - 60) / LETTER); // its mark takes the rest
    if (before) layout.height += 14 * (trace.name.split("<br>").length - 1);
  }
};
// Lanes of a forest plot have a tick each, without a label: its name stands above its marks.
const laneNames = (layout) => {
  const names = (layout.annotations ?? []).filter(({ xref, x, xanchor }) => xref === "paper" && x === 0 && xanchor === "left");
  return names.length === layout.yaxis?.tickvals?.length ? names : [];
};
// Names beside the marks would leave a narrow chart no room for these: there they stand above them, as in a forest plot.
const STACKED = { lane: 18, letters: 11, above: 0.2 }; // CSS pixels that a lane is higher; the last is a share of a lane
const stackNames = (layout) => {
  const { automargin, ticktext, tickvals, range } = layout.yaxis ?? {};
  if (!automargin || !ticktext || !range || range[0] < range[1]) return; // rows count downwards
  const names = ticktext.map((text, place) => ({
    text, x: 0, xref: "paper", xanchor: "left", y: tickvals[place] - STACKED.above, yanchor: "bottom",
    showarrow: false, font: { size: STACKED.letters }, borderpad: 0,
  }));
  layout.annotations = [...(layout.annotations ?? []), ...names];
  Object.assign(layout.yaxis, { showticklabels: false, ticktext: null, range: [range[0], range[1] - 0.3] });
  if (layout.height) layout.height += STACKED.lane * names.length;
};
// Where one takes two lines, every lane is higher.
const foldLanes = (width, layout) => {
  const names = laneNames(layout);
  let most = 1;
  for (const name of names) {
    Object.assign(name, { text: folded(name.text, (width - 30) / LETTER), align: "left" });
    most = Math.max(most, name.text.split("<br>").length);
  }
  if (most > 1 && layout.height) layout.height += 15 * (most - 1) * names.length;
};
const foldTitles = (plot) => {
  const changed = {};
  for (const [name, axis] of Object.entries(plot._fullLayout).filter(([key]) => /^xaxis\d*$/.test(key))) {
    const words = plot.layout[name]?.title?.text ?? "", most = (axis._length + 2 * plot._fullLayout._size.r) / LETTER;
    if (folded(words, most) !== words) changed[`${name}.title.text`] = folded(words, most);
  }
  return Object.keys(changed).length ? Plotly.relayout(plot, changed) : undefined;
};

// A chart of panels that is wider than the screen says so, and can be scrolled by keys.
const sayScrolling = () => {
  for (const figure of document.querySelectorAll("figure.chart")) {
    const scrolls = figure.scrollWidth > figure.clientWidth + 1;
    figure.classList.toggle("scrolls", scrolls);
    if (scrolls) figure.tabIndex = 0;
    else figure.removeAttribute("tabindex");
  }
};
addEventListener("resize", sayScrolling);

const draw = async (plot) => {
  const { data, layout } = page.charts[Number(plot.dataset.chart) - 1];
  layout.template = page.theme;
  const small = !asPaper && plot.clientWidth < SMALL;
  if (small) {
    foldNames(plot.clientWidth, data, layout);
    stackNames(layout);
    foldLanes(plot.clientWidth, layout);
  }
  plot.dataset.height = layout.height || "";
  // On a touch screen a drag over a chart must scroll the page, not zoom the chart.
  if (matchMedia("(pointer: coarse)").matches) layout.dragmode = false;
  await Plotly.newPlot(plot, data, layout, OPTIONS);
  if (small) await foldTitles(plot);
  // The chart's words are those of its group; a hundred ticks and dots would only be read out one by one.
  plot.querySelectorAll(".main-svg").forEach((svg) => { svg.ariaHidden = "true"; });
  plot.classList.add("drawn");
  await thinTicks(plot);
};

const isSeen = (plot) => {
  const { top, bottom } = plot.getBoundingClientRect();
  return bottom > 0 && top < innerHeight;
};

const load = (source) => {
  const script = document.createElement("script");
  script.textContent = source;
  document.head.append(script);
};

// What the reader sees is drawn at once, the others one by one whenever the browser has nothing better to do.
const drawSeen = async () => {
  for (const plot of plots.filter(isSeen)) await draw(plot);
  sayScrolling();
};
const drawOthers = async () => {
  for (const plot of plots.filter((one) => !one.classList.contains("drawn"))) {
    await new Promise((go) => { (globalThis.requestIdleCallback ?? setTimeout)(go, { timeout: 100 }); });
    await draw(plot);
    sayScrolling();
  }
};

const sayNotDrawn = (error) => {
  for (const plot of plots.filter((one) => !one.classList.contains("drawn"))) {
    plot.textContent = `This chart could not be drawn (${error.message}). Its numbers are in the tables.`;
  }
};
