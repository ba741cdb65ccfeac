// ---- charts: drawn by the page's own plotly.js, which asks nobody for anything ----

const plots = [...document.querySelectorAll(".plot[data-chart]")];
const OPTIONS = {
  responsive: true, displaylogo: false, showSendToCloud: false, plotlyServerURL: "", displayModeBar: "hover",
  typesetMath: false, // a name between dollars is a name
  modeBarButtonsToRemove: ["select2d", "lasso2d", "autoScale2d"],
};

const draw = async (plot) => {
  const { data, layout } = page.charts[Number(plot.dataset.chart) - 1];
  layout.template = page.theme;
  plot.dataset.height = layout.height || "";
  // On a touch screen a drag over a chart must scroll the page, not zoom the chart.
  if (matchMedia("(pointer: coarse)").matches) layout.dragmode = false;
  await Plotly.newPlot(plot, data, layout, OPTIONS);
  // The chart's words are those of its group; a hundred ticks and dots would only be read out one by one.
  plot.querySelectorAll(".main-svg").forEach((svg) => { svg.ariaHidden = "true"; });
  plot.classList.add("drawn");
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
};
const drawOthers = async () => {
  for (const plot of plots.filter((one) => !one.classList.contains("drawn"))) {
    await new Promise((go) => { (globalThis.requestIdleCallback ?? setTimeout)(go, { timeout: 100 }); });
    await draw(plot);
  }
};

const sayNotDrawn = (error) => {
  for (const plot of plots.filter((one) => !one.classList.contains("drawn"))) {
    plot.textContent = `This chart could not be drawn (${error.message}). Its numbers are in the tables.`;
  }
};
