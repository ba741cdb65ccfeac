// ---- words: what benchlib.report.wording.plan_words and what_if say of a plan ----

const HOURS = 730;
const FULL = 0.999; // a node whose limit breaks so near to what it delivers at most is full before it is slow

const counted = (number) => (Number.isNaN(number) ? DASH : Number.isFinite(number) ? fixed(number) : "none");
const plural = (number, noun) => `${fixed(number)} ${noun}${number === 1 ? "" : "s"}`;
const metricName = (metric) => `${metric.replace("latency_", "")} latency`;

const chanceWords = (share) => {
  if (share > 0.99) return "more than 99 %";
  return share < 0.01 ? "less than 1 %" : percent(share);
};

const money = (cost, load) =>
  (Number.isFinite(cost) ? `${fixed(cost, 2)}${load.currency && ` ${load.currency}`}` : "none");

const costWords = ({ cost }, load) => `${money(cost, load)} per hour, ${money(cost * HOURS, load)} per month`;

const sizeWords = ({ size }, load) =>
  (load.counts === "cores" ? plural(size, "core") : `the machine measured, full with ${size} in flight`);

const planWords = (one, load) => {
  let told = `${counted(one.nodes)} node${one.nodes === 1 ? "" : "s"} of ${sizeWords(one, load)}`;
  const alone = one.nodes === 1 && load.counts === "cores"; // then the kind has said it
  if (!Number.isNaN(one.totalCores) && !alone) told += ` (${plural(one.totalCores, "core")} in all)`;
  return Number.isNaN(one.cost) ? told : `${told}, ${costWords(one, load)}`;
};

const sureWords = ({ probability, nodesAt }) => {
  const counts = nodesAt.map((nodes, at) => `${counted(nodes)} for ${percent(SHARES[at])}`);
  return `enough with a probability of ${chanceWords(probability)}; nodes: ${counts.join(", ")}`;
};

const limitedWords = (limited, load) => {
  if (!limited) return load.unjudged || "no limit";
  const { metric } = load.limit;
  return metric === "latency_mean" ? "the mean has it" : `${metricName(metric)} ${both(limited)}`;
};

const breaksWords = (breaks, each) => {
  if (!breaks) return DASH;
  const full = breaks.value >= FULL * each.value;
  return `${full ? "the limit holds until a node is full, at" : "the limit breaks at"} ${both(breaks)}`;
};

const bindingWords = (spent) => {
  const most = spent.reduce((found, one) => (one[1] > found[1] ? one : found), ["throughput", 0]);
  const adds = spent.filter(([, nodes]) => nodes).map(([name, nodes]) => `${name} ${counted(nodes)}`);
  return adds.length ? `${most[0]}; nodes that a condition adds: ${adds.join(", ")}` : `${most[0]}: no condition adds a node`;
};

const monthOf = (start, month) => {
  if (!start || !Number.isFinite(month)) return "";
  const [first, number] = start.split("-").map(Number);
  const since = number - 1 + month - 1;
  const year = String(first + Math.floor(since / 12)).padStart(4, "0");
  return `${year}-${String((since % 12) + 1).padStart(2, "0")}`;
};

const writtenGrowth = (asked) => asked.replace(/^(.*?) *% *\/? *(\w+)$/, "$1 % a $2");
const growthWords = (used, asked, { start }) => {
  if (!used) return "none asked for";
  if (used.value === Infinity) return `${writtenGrowth(asked)}: the headroom is not used up within 100 years`;
  const [low, high] = [used.low, used.high].map((month) => (Number.isFinite(month) ? String(month) : "never"));
  const told = monthOf(start, used.value);
  return `${writtenGrowth(asked)}: the headroom is used up in month ${used.value} (${low} to ${high})`
    + (told && `, ${told} (${monthOf(start, used.low)} to ${monthOf(start, used.high) || "never"})`);
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
const unmetWords = ({ nearest }, load, asked) => {
  if (asked.limit === null) {
    return `${load.name}: no count of nodes meets the target with the probability asked; `
      + "ask for a lower probability, or repeat every level at least 3 times";
  }
  const { metric, fastest } = load.limit;
  return `${load.name}: no count of nodes keeps ${metric} within ${askedQuantity(asked.limit, "sec")} at `
    + `${show(asked.target, load.unit)} with a probability of ${askedShare(load.share)}; the fastest ${metric} is ${show(fastest, "sec")}; ${nearestWords(nearest, load)}`;
};

const nearestWords = (nearest, load) => {
  if (!nearest) return "ask for a slower limit, or for another target";
  const { limit, best } = nearest;
  const told = `nearest: ${load.limit.metric}=${show(limit, "sec", 2)} takes ${plural(best.nodes, "node")} of ${best.cores ?? best.size} cores`;
  return Number.isNaN(best.cost) ? told : `${told}, ${money(best.cost, load)} per hour`;
};

// Load, what is in flight and the mean with the digits that Little's law takes: benchlib.report.wording.littles_law.
const TOLERANCE = Math.log(1.01);
const PLAN_DIGITS = 4;
const MOST_MORE = 4; // with so many more than two no rounding is left that a digit mends

// How far the number that is printed lies from a value, on logarithms: so misses of factors add up.
const rounding = (value, unit, digits, carried = undefined) => {
  const number = Number(show(value, unit, digits, value, carried).split(" ")[0].replaceAll(",", ""));
  return Math.abs(Math.log((number * scaled(value, unit)[0]) / value));
};

// How many digits more than the intervals carry, where the load misses by so much already.
const digitsLacking = (lost, pair) => {
  if (!pair.every(({ value }) => Number.isFinite(value) && value)) return 0;
  const parting = pair.map(partingDigits);
  let more = 0;
  const roundings = () => pair.map((one, at) => {
    const told = more + parting[at];
    return rounding(one.value, one.unit, PLAN_DIGITS + told, carriedDigits(one.value, one, told));
  });
  while (more < MOST_MORE && roundings().reduce((sum, one) => sum + one, lost) > TOLERANCE) more += 1;
  return more;
};

const littleFigures = (load, one) => {
  const pair = [flyingOf(load, one), meanLatency(load, one)];
  const more = digitsLacking(rounding(one.load, load.unit, PLAN_DIGITS), pair);
  const [flying, mean] = pair.map((each) => ({ value: figure(each, more), ends: ends(each, more) }));
  return { flying, mean };
};

const planLines = (plan, load, asked) => {
  const { best, next } = plan;
  if (!best) return { nodes: unmetWords(plan, load, asked) };
  const little = littleFigures(load, best);
  return {
    nodes: planWords(best, load),
    sure: sureWords(best),
    delivered: both(plan.delivered),
    headroom: both(plan.headroom),
    load: `${show(best.load, load.unit, PLAN_DIGITS)} with ${little.flying.value} (${little.flying.ends}) in flight`,
    mean: `${little.mean.value} (${little.mean.ends})`,
    limited: limitedWords(plan.limited, load),
    breaks: breaksWords(plan.breaks, eachOf(load, best)),
    binding: bindingWords(plan.spent),
    used_up: growthWords(plan.usedUp, asked.growthWritten, load),
    next: next ? planWords(next, load) : DASH,
    mind: mindWords(best, load),
  };
};

const kindRow = (one, load) => [
  sizeWords(one, load),
  ...one.nodesAt.map(counted),
  counted(one.totalCores),
  Number.isNaN(one.cost) ? DASH : money(one.cost, load),
  figure(eachOf(load, one)),
  ends(eachOf(load, one)),
  littleFigures(load, one).mean.value,
];
