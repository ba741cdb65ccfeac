// ---- panel: the block comes to life; without it, or where it fails, the plan stands there as a table ----

// Between a number and its unit no line is broken.
const unbroken = (text) => text.replace(/(\d) (?=%|[nµm]?s\b|[KMGT]?i?B\b)/g, "$1\u00a0");

const makeFieldset = (title, ...children) => element("fieldset", {}, element("legend", {}, title), ...children);

const makeControls = (settings) => {
  const { load, held, target, headroom, survive, limit, growth, kinds } = settings;
  const tick = element("p", { class: "what-if-tick" }, held, element("label", { for: held.id }, `Hold the ${metricName(load.limit.metric)} to a limit`));
  return element("div", { class: "what-if-controls" },
    makeFieldset("Load", target.box, headroom.box, survive.box, growth.box),
    makeFieldset("Latency", tick, limit.box),
    makeFieldset(kinds.length > 1 ? "Kinds of node" : "Node", ...kinds.flatMap(({ size, price }) => (size ? [size.box, price.box] : [price.box]))));
};

const makeLines = (labels) => {
  const { nodes, ...others } = labels;
  const places = { nodes: element("strong", { "data-line": "nodes" }) };
  const list = element("dl", { class: "what-if-lines" });
  for (const [name, label] of Object.entries(others)) {
    places[name] = element("dd", { "data-line": name });
    list.append(element("div", {}, element("dt", {}, label), places[name]));
  }
  return { list, places };
};

const makeTable = (heads) => {
  const body = element("tbody");
  const head = element("tr", {}, ...heads.map((one, at) => element("th", { scope: "col", class: at ? "num" : "" }, one)));
  const table = element("table", { class: "numbers" }, element("caption", {}, "Every kind of node"), element("thead", {}, head), body);
  return { box: element("div", { class: "table-box", tabindex: 0, role: "region", "aria-label": "Every kind of node" }, table), body };
};

const settingsWords = ({ load, target, headroom, survive, held, limit, growth }) => [
  `${load.name}: target ${show(Number(target.text), load.unit, 4)}`,
  `headroom ${headroom.text} %`,
  `${plural(Number(survive.text), "node")} may be lost`,
  held.checked ? `${metricName(load.limit.metric)} within ${limit.text} ms` : "no limit of latency",
  growth.value === 0 ? "no growth" : `growth ${growth.text} % a month`,
].join(", ");

const makeLive = (load, { labels, heads, note }) => {
  let waiting = 0;
  const said = element("p", { class: "what-if-said", role: "status" });
  const { list, places } = makeLines(labels);
  const { box, body } = makeTable(heads);
  const asked = element("p", { class: "what-if-asked" });
  const command = element("code");
  const brief = element("span", { class: "what-if-brief" });
  const headline = element("p", { class: "what-if-headline" }, places.nodes, " ", brief);
  const answer = element("div", { class: "what-if-answer" }, asked, list, element("p", { class: "what-if-note" }, note));
  const live = element("div", { class: "what-if-live" });

  const update = () => {
    const sound = areSound(settings);
    live.classList.toggle("what-if-stale", !sound);
    if (!sound) {
      brief.textContent = "of the settings before: one of these cannot be meant";
      return;
    }
    const question = askedOf(settings);
    const plan = planned(load, question);
    const lines = planLines(plan, load, question);
    for (const [name, place] of Object.entries(places)) place.textContent = unbroken(lines[name] ?? DASH);
    body.replaceChildren(...plan.kinds.map((one) => element("tr", { class: one === plan.best ? "what-if-best" : "" },
      ...kindRow(one, load).map((text, at) => element("td", { class: at ? "num" : "" }, text)))));
    asked.textContent = settingsWords(settings);
    command.textContent = commandOf(settings);
    brief.textContent = plan.best ? unbroken(lines.sure.split(";")[0]) : "";
    // A screen reader is told once the slider rests.
    clearTimeout(waiting);
    waiting = setTimeout(() => { said.textContent = headline.textContent; }, 600);
  };

  const settings = makeSettings(load, update);
  const back = element("button", { type: "button", class: "what-if-back" }, "Back to the plan");
  back.addEventListener("click", () => { resetSettings(settings); update(); });
  const controls = makeControls(settings);
  controls.append(back);
  live.append(element("div", { class: "what-if-top" }, headline, controls), answer, box, element("p", { class: "what-if-command" }, "The same in a terminal: ", command), said);
  update();
  return live;
};

const revive = async (block) => {
  const { words, loads } = await readLoads(block.querySelector("script").textContent);
  const place = element("div");
  const choose = (at) => place.replaceChildren(makeLive(loads[at].get(), words));
  choose(0);
  const shown = [place];
  if (loads.length > 1) {
    const chosen = element("select", { id: `what-if-load-${(made += 1)}` }, ...loads.map((one, at) => element("option", { value: at }, one.name)));
    chosen.addEventListener("change", () => choose(Number(chosen.value)));
    shown.unshift(element("p", { class: "what-if-load" }, element("label", { for: chosen.id }, "Plan for "), chosen));
  }
  block.querySelector(".what-if-plan").replaceChildren(...shown);
  block.dataset.live = "1";
};

// What a reader sees first is made ready first.
const atLeisure = globalThis.requestIdleCallback ?? setTimeout;

document.querySelectorAll(".what-if").forEach((block) => {
  atLeisure(() => revive(block).catch((error) => {
    block.dataset.live = "failed";
    throw error;
  }), { timeout: 500 });
});
