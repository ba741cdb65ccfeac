// ---- words: what benchlib.report.wording.what_if says of a plan ----

const HOURS = 730;
const NO_COUNT = "no count of nodes is enough";

const whole = (number) => (Number.isNaN(number) ? DASH : Number.isFinite(number) ? fixed(number) : "none");
const counted = (number, noun) => `${fixed(number)} ${noun}${number === 1 ? "" : "s"}`;
const listed = (words) => `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
const metricName = (metric) => `${metric.replace("latency_", "")} latency`;

const chance = (share) => {
  if (share > 0.99) return "more than 99 %";
  return share < 0.01 ? "less than 1 %" : percent(share);
};

const money = (cost, load) =>
  (Number.isFinite(cost) ? `${fixed(cost, 2)}${load.currency && ` ${load.currency}`}` : "none");

const costWords = ({ cost }, load) =>
  (Number.isFinite(cost) ? `${money(cost, load)} per hour, ${money(cost * HOURS, load)} per month` : "no price");

const sizeWords = ({ size }, load) =>
  (load.counts === "cores" ? `${size} core${size === 1 ? "" : "s"}` : `the machine measured, full with ${size} in flight`);

const nodesWords = (one, load) => {
  if (!Number.isFinite(one.nodes)) return NO_COUNT;
  const told = `${whole(one.nodes)} node${one.nodes === 1 ? "" : "s"} of ${sizeWords(one, load)}`;
  return Number.isNaN(one.totalCores) ? told : `${told}: ${whole(one.totalCores)} cores in all`;
};

const sureWords = ({ probability, nodesAt }) =>
  `enough with ${chance(probability)}; ${listed(nodesAt.map(whole))} nodes are enough with ${listed(SHARES.map(percent))}`;

const limitedWords = (limited, { metric }) => {
  if (!limited) return "no limit";
  return metric === "latency_mean" ? "the mean has it" : `${metricName(metric)} ${withInterval(limited)}`;
};

const bindingWords = (spent) => {
  const adding = spent.filter(([, nodes]) => nodes > 0);
  const most = adding.reduce((found, one) => (found && found[1] >= one[1] ? found : one), null);
  const told = adding.map(([name, nodes]) => `${name} adds ${counted(nodes, "node")}`);
  return `${most ? most[0] : "throughput"}: ${told.join(", ") || "no other condition adds a node"}`;
};

const monthOf = (start, month) => {
  if (!start || !Number.isFinite(month)) return "";
  const [first, number] = start.split("-").map(Number);
  const since = number - 1 + month - 1;
  const year = String(first + Math.floor(since / 12)).padStart(4, "0");
  return `${year}-${String((since % 12) + 1).padStart(2, "0")}`;
};

const usedUpWords = (used, { start }) => {
  if (!used) return "no growth asked for";
  if (!Number.isFinite(used.value)) return "not within 100 years";
  const [told, low, high] = [used.value, used.low, used.high].map((one) => monthOf(start, one));
  return `in month ${withInterval(used)}${told && `: ${told} (${low} to ${high || "never"})`}`;
};

const mindWords = ({ nodes, size }, load) => {
  const found = [];
  if (load.counts === "cores" && size > load.largest) {
    found.push(`a node of ${size} cores lies beyond the largest level (${load.largest})`);
  }
  if (nodes > 1) {
    const count = fixed(nodes);
    found.push(`${count} nodes are held to do ${count} times what one does: nothing between nodes was measured`);
  }
  return found.join("; ") || DASH;
};

// Why there is no plan, and what comes nearest.
const unmetWords = ({ nearest }, load) => {
  const sure = `${Number((100 * load.share).toPrecision(6))} %`;
  if (!nearest) {
    return `${load.name}: no count of nodes meets the target with the probability asked; `
      + "ask for a lower probability, or repeat every level at least 3 times";
  }
  const { metric, fastest, written } = load.limit;
  const { limit, widest, nodes } = nearest;
  return `${load.name}: no load keeps ${written} with a probability of ${sure}; the fastest ${metric} is `
    + `${show(fastest, "sec")}; nearest: ${metric}=${show(limit, "sec", 2)} takes ${fixed(nodes)} nodes `
    + `of ${widest.cores ?? widest.size} cores`;
};

const planLines = (plan, load) => {
  const { best, next } = plan;
  if (!best) return { nodes: unmetWords(plan, load) };
  return {
    nodes: nodesWords(best, load),
    sure: sureWords(best),
    cost: costWords(best, load),
    delivered: withInterval(plan.delivered),
    headroom: withInterval(plan.headroom),
    load: `${show(best.load, load.unit, 4)}, with ${withInterval(plan.flying)} in flight`,
    mean: withInterval(meanLatency(load, best)),
    limited: limitedWords(plan.limited, load.limit),
    breaks: plan.breaks ? `${withInterval(plan.breaks)} on a node` : "no limit",
    binding: bindingWords(plan.spent),
    used_up: usedUpWords(plan.usedUp, load),
    next: next ? `${nodesWords(next, load)}; ${costWords(next, load)}` : DASH,
    mind: mindWords(best, load),
  };
};

const kindRow = (one, load) => [
  sizeWords(one, load),
  ...one.nodesAt.map(whole),
  whole(one.totalCores),
  Number.isNaN(one.cost) ? DASH : money(one.cost, load),
  withInterval(estimate(load, one.node.full.inOrder, load.unit)),
  Number.isFinite(one.nodes) ? figure(meanLatency(load, one)) : DASH,
];
