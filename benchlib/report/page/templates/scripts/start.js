// ---- start: on <html> `data-ready` turns "1" when the page can be used, `data-drawn` when every chart is drawn ----

const start = async () => {
  // The largest piece is unpacked while the tables are made ready.
  const source = plots.length ? unpacked("plotly-bundle") : "";
  const data = unpacked("page-data");
  try {
    if (asPaper) leaveLongFolds();
    makeTables();
    makeFigures(document.querySelector("main"));
    openToTab(document.querySelector("main"));
    // What scrolls can be scrolled by keys.
    document.querySelectorAll("pre").forEach((one) => { one.tabIndex = 0; });
    Object.assign(page, JSON.parse(await data));
    document.querySelectorAll("details[open]").forEach((one) => unfold(one, PACKED)); // by somebody quicker
    if (plots.length) {
      load(await source);
      if (!asPaper) await drawSeen();
    }
    root.dataset.ready = "1";
    await (asPaper ? drawOnPaper() : drawOthers());
    root.dataset.drawn = "1";
  } catch (error) {
    root.hidden = false;
    sayNotDrawn(error);
    root.dataset.ready ??= "failed";
    root.dataset.drawn = "failed";
    throw error;
  }
};
start();
