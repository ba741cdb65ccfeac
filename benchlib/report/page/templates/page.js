"use strict";
// Unpack the one plotly.js of this page and draw its charts. Nothing is asked of the network: the
// page's content security policy would refuse it. `data-ready` on <html> turns "1" when all is drawn.
(async () => {
  const root = document.documentElement;
  const PAPER = { width: 680, height: 320 }; // CSS pixels: between the margins of an A4 page
  const OPTIONS = {
    responsive: true, displaylogo: false, showSendToCloud: false, plotlyServerURL: "", displayModeBar: "hover",
    modeBarButtonsToRemove: ["select2d", "lasso2d", "autoScale2d"],
  };
  const readJson = (id) => JSON.parse(document.getElementById(id).textContent);
  const plots = [...document.querySelectorAll(".plot[data-chart]")];

  const bundleText = async () => {
    const packed = Uint8Array.from(atob(document.getElementById("plotly-bundle").textContent), (c) => c.charCodeAt(0));
    const plain = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Response(plain).text();
  };

  const draw = async (plot, theme) => {
    const { data, layout } = readJson(plot.dataset.chart);
    layout.template = theme;
    plot.dataset.height = layout.height || "";
    // On a touch screen a drag over a chart must scroll the page, not zoom the chart.
    if (matchMedia("(pointer: coarse)").matches) layout.dragmode = false;
    await Plotly.newPlot(plot, data, layout, OPTIONS);
    plot.classList.add("drawn");
  };

  const fitToPaper = () => {
    document.querySelectorAll("details").forEach((one) => {
      one.dataset.wasOpen = one.open ? "1" : "";
      one.open = true;
    });
    // A chart that asked for a height of its own (many rows) keeps it.
    plots.forEach((plot) => Plotly.relayout(plot, plot.dataset.height ? { width: PAPER.width } : PAPER));
  };
  const fitToScreen = () => {
    document.querySelectorAll("details").forEach((one) => { one.open = one.dataset.wasOpen === "1"; });
    plots.forEach((plot) => Plotly.relayout(plot, { autosize: true, width: null, height: Number(plot.dataset.height) || null }));
  };

  try {
    const script = document.createElement("script");
    script.textContent = await bundleText();
    document.head.append(script);
    const theme = readJson("chart-theme");
    for (const plot of plots) await draw(plot, theme);
    addEventListener("beforeprint", fitToPaper);
    addEventListener("afterprint", fitToScreen);
    root.dataset.ready = "1";
  } catch (error) {
    plots.filter((plot) => !plot.classList.contains("drawn")).forEach((plot) => {
      plot.textContent = "This chart could not be drawn (" + error.message + "). Its numbers are in the tables.";
    });
    root.dataset.ready = "failed";
    throw error;
  }
})();
