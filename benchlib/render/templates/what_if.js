"use strict";
// A plan whose settings can be moved: sliders in place of its table. The formula is that of benchlib/capacity/one_node.py. After page.js.
const countNodes = (levels, target, { headroom, survive, limit }) => {
  const stop = levels.findIndex(({ latency }) => limit !== null && latency !== null && latency > limit);
  const allowed = stop < 0 ? levels : levels.slice(0, stop);
  if (!allowed.length) return null;
  const most = Math.max(...allowed.map(({ rates }) => rates[0]));
  const full = allowed.find(({ rates }) => rates[0] >= 0.99 * most);
  const needed = full.rates.map((rate) => Math.ceil((target / (rate * (1 - headroom))) * (1 - 1e-9)));
  return { level: full.level, latency: full.latency, nodes: needed.map((count) => survive + Math.max(count, 1)) };
};

const rounded = (value, digits = 3) => Number(value.toPrecision(digits)).toLocaleString("en", { maximumSignificantDigits: digits });
const time = (seconds) => (seconds < 1e-3 ? `${rounded(seconds * 1e6)} µs` : seconds < 1 ? `${rounded(seconds * 1e3)} ms` : `${rounded(seconds)} s`);
const SIGNS = { USD: "$", EUR: "€", GBP: "£", JPY: "¥" };
const money = (value, currency) => `about ${SIGNS[currency] ?? ""}${rounded(value, 2)}${SIGNS[currency] ? "" : ` ${currency}`} a month`;
const between = (counts) => {
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  return least === most ? least.toLocaleString("en") : `${least.toLocaleString("en")} to ${most.toLocaleString("en")}`;
};

// Limits of one and two digits along the latencies that were measured, and none.
const limitsOf = ({ loads, limit }) => {
  const measured = loads.flatMap(({ kinds }) => kinds.flatMap(({ levels }) => levels.map(({ latency }) => latency))).filter((value) => value !== null);
  const steps = new Set(limit === null ? [] : [limit]);
  const [first, last] = [Math.min(...measured), Math.max(...measured)];
  for (let power = Math.floor(Math.log10(first)); power <= Math.log10(last) + 1; power++) {
    for (const digit of [1, 2, 5]) if (digit * 10 ** power <= 2 * last && digit * 10 ** power >= first / 2) steps.add(Number((digit * 10 ** power).toPrecision(2)));
  }
  return [...steps].sort((one, other) => one - other).concat(null);
};

const controlsOf = (plan) => {
  const limits = plan.metric ? limitsOf(plan) : [];
  const controls = {
    load: { words: "Load", range: [-3, 3, 0.1, 0], read: (step) => Number(2 ** step), show: (factor) => `${rounded(factor * plan.loads[0].target)} ${plan.loads[0].unit}` },
    headroom: { words: "Free on every node", range: [0, 60, 5, 100 * plan.headroom], read: (percent) => percent / 100, show: (share) => `${Math.round(100 * share)}%` },
    survive: { words: "Nodes lost", range: [0, 5, 1, plan.survive], read: Number, show: String },
  };
  if (plan.metric) {
    const here = limits.indexOf(plan.limit);
    controls.limit = { words: plan.metric, range: [0, limits.length - 1, 1, here], read: (place) => limits[place], show: (limit) => (limit === null ? "no limit" : `within ${time(limit)}`) };
  }
  const priced = plan.loads[0].kinds.filter(({ price }) => price !== null).slice(0, 3);
  for (const { name, price } of priced) controls[`price ${name}`] = { words: `Price of ${name}, a month`, price: Math.round(price), read: Number, show: () => plan.currency };
  return controls;
};

const answersOf = (plan, settings) => {
  const [noun, nouns] = plan.axis;
  return plan.loads.flatMap((load) => load.kinds.map((kind) => {
    const answer = countNodes(kind.levels, load.target * settings.load, settings);
    if (answer === null) return [load.name, kind.name, "none", "–", `no level measured keeps ${plan.metric} within ${time(settings.limit)}`];
    const price = settings[`price ${kind.name}`] ?? kind.price;
    const cost = price === null || price === undefined ? "–" : money(Math.max(...answer.nodes) * price, plan.currency);
    const there = plan.metric && answer.latency !== null ? ` (${time(answer.latency)} there)` : "";
    return [load.name, kind.name, between(answer.nodes), cost, `${answer.level.toLocaleString("en")} ${answer.level === 1 ? noun : nouns}${there}`];
  }));
};

const answerTable = (plan) => {
  const heads = ["load", "node", "nodes", "cost", "a node is full at"].map((head) => element("th", { scope: "col" }, head));
  const body = element("tbody", { "aria-live": "polite" });
  const fill = (settings) => body.replaceChildren(...answersOf(plan, settings).map((row) => element("tr", {}, ...row.map((words, place) => element("td", place === 2 ? { class: "nodes" } : {}, words)))));
  return { fill, table: element("table", {}, element("thead", {}, element("tr", {}, ...heads)), body) };
};

const makeWhatIf = (block) => {
  const plan = JSON.parse(block.dataset.whatIf);
  const controls = controlsOf(plan);
  const { fill, table } = answerTable(plan);
  const settings = { limit: null };
  const fields = Object.entries(controls).map(([name, control], place) => {
    const id = `what-if-${name.replaceAll(" ", "-")}-${place}`;
    const [min, max, step, value] = control.range ?? [1, 1e9, "any", control.price];
    const input = element("input", { id, type: control.range ? "range" : "number", min, max, step, value });
    const output = element("output", { for: id });
    const read = () => {
      const number = Number(input.value);
      if (!(number >= min)) return;
      settings[name] = control.read(number);
      output.textContent = control.show(settings[name]);
      fill({ headroom: 0, survive: 0, load: 1, ...settings });
    };
    input.addEventListener("input", read);
    read();
    return element("div", {}, element("label", { for: id }, control.words), input, output);
  });
  block.replaceChildren(element("div", { class: "controls" }, ...fields), table);
};
$$(".what-if").forEach(makeWhatIf);
