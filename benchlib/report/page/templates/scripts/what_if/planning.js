// ---- planning: what benchlib.scaling.planning computes, from the same draws by the same formulas ----

const ROUNDING = 1e-9; // a load that fits to this share is not moved to another node by rounding
const SHARES = [0.5, 0.8, 0.95];
const MONTHS_KNOWN = 1200;

const sorted = (values) => Float64Array.from(values).sort();
const enough = (inOrder, share) => inOrder[Math.ceil(share * inOrder.length * (1 - ROUNDING)) - 1];

// Where a rising row reaches what is wanted: `below` before its start, infinite beyond the first `count` places.
const crossing = (load, rows, rowLogs, draw, count, wanted, logWanted, below) => {
  const from = draw * load.places;
  if (rows[from] >= wanted) return below;
  if (!(rows[from + count - 1] >= wanted)) return Infinity;
  let before = 0; // the last that is below
  let after = count - 1; // the first that is not
  while (after - before > 1) {
    const middle = (before + after) >> 1;
    if (rows[from + middle] >= wanted) after = middle;
    else before = middle;
  }
  const [low, high] = [rowLogs[from + before], rowLogs[from + after]];
  const share = high > low ? (logWanted - low) / (high - low) : 1;
  return Math.exp(load.logPlaces[before] + share * (load.logPlaces[after] - load.logPlaces[before]));
};

// The value of a row with so many in flight: straight on logarithms of both.
const valueWith = (load, rowLogs, draw, flying) => {
  if (!Number.isFinite(flying)) return Infinity;
  const { logPlaces, places } = load;
  const held = Math.min(Math.max(Math.log(flying), logPlaces[0]), logPlaces[places - 1]);
  let after = 1;
  while (after < places - 1 && logPlaces[after] < held) after += 1;
  const share = (held - logPlaces[after - 1]) / (logPlaces[after] - logPlaces[after - 1]);
  const from = draw * places;
  return Math.exp(rowLogs[from + after - 1] + share * (rowLogs[from + after] - rowLogs[from + after - 1]));
};

const placesUpTo = (load, most) => load.concurrency.filter((one) => one <= most).length;

const inFlight = (load, each, size) => {
  const count = placesUpTo(load, size);
  const found = new Float64Array(load.draws);
  const logEach = Math.log(each);
  for (let draw = 0; draw < load.draws; draw += 1) {
    const below = (each / load.climb[draw * load.places]) * load.concurrency[0];
    found[draw] = crossing(load, load.climb, load.logClimb, draw, count, each, logEach, below);
  }
  return found;
};

// The largest load at which no latency exceeds the limit.
const loadWithin = (load, limit, size) => {
  const count = placesUpTo(load, Math.min(size, load.upTo));
  const found = new Float64Array(load.draws);
  const logLimit = Math.log(limit);
  const [first, last] = [load.concurrency[0], load.concurrency[count - 1]];
  for (let draw = 0; draw < load.draws; draw += 1) {
    const from = draw * load.places;
    if (load.waits[from] > limit) continue; // even the fewest in flight take longer
    const breaks = crossing(load, load.waits, load.logWaits, draw, count, limit, logLimit, 0);
    const reached = Number.isFinite(breaks) ? breaks : last;
    let before = 0;
    while (before < count - 1 && load.concurrency[before + 1] <= reached) before += 1;
    const there = valueWith(load, load.logThroughput, draw, Math.max(reached, first));
    found[draw] = Math.max(load.climb[from + before], there);
  }
  return found;
};

// What does not hang on the target is computed once; of limits only the last few are kept.
const remembered = (load, key, compute) => {
  if (!load.kept.has(key)) {
    if (load.kept.size > 60) load.kept.clear();
    load.kept.set(key, compute());
  }
  return load.kept.get(key);
};

const nodeOf = (load, size, limit) => {
  const place = load.concurrency.indexOf(size);
  const full = remembered(load, `full ${size}`, () => {
    const values = Float64Array.from({ length: load.draws }, (_, draw) => load.throughput[draw * load.places + place]);
    return { values, inOrder: sorted(values) };
  });
  const within = limit === null ? null : remembered(load, `${limit} ${size}`, () => loadWithin(load, limit, size));
  return { full, within };
};

// How many nodes each draw needs, in order.
const needed = ({ full, within }, { target, headroom, survive }) => {
  const found = new Float64Array(full.values.length);
  for (let draw = 0; draw < found.length; draw += 1) {
    const free = full.values[draw] * (1 - headroom);
    const each = within === null ? free : Math.min(free, within[draw]);
    found[draw] = survive + Math.max(Math.ceil((target / each) * (1 - ROUNDING)), 1);
  }
  return found.sort();
};

const countUpTo = (inOrder, most) => {
  let [low, high] = [0, inOrder.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (inOrder[middle] <= most) low = middle + 1;
    else high = middle;
  }
  return low;
};

const estimate = (load, inOrder, unit, change = (one) => one) => {
  const [low, value, high] = load.ranks.map((rank) => change(inOrder[rank]));
  return { low, value, high, unit };
};

// A kind of node, sized for the target.
const sized = (load, kind, asked) => {
  const node = nodeOf(load, kind.size, asked.limit);
  const inOrder = needed(node, asked);
  const nodes = enough(inOrder, load.share);
  const left = nodes - asked.survive;
  const each = Number.isFinite(left) ? asked.target / left : NaN;
  const flying = Number.isFinite(left) ? inFlight(load, each, kind.size) : new Float64Array(load.draws).fill(Infinity);
  return {
    ...kind,
    node,
    nodes,
    nodesAt: SHARES.map((share) => enough(inOrder, share)),
    probability: Number.isFinite(nodes) ? countUpTo(inOrder, nodes) / load.draws : 0,
    left,
    load: each,
    flying,
    flyingInOrder: sorted(flying),
    totalCores: kind.cores === null ? NaN : nodes * kind.cores,
    cost: kind.price === null ? NaN : nodes * kind.price,
    weight: kind.price ?? kind.cores ?? 1,
  };
};

// Which kind to take, and which comes next.
const ranked = (kinds) => {
  const feasible = kinds.filter((one) => Number.isFinite(one.nodes));
  return feasible.sort((one, other) => one.nodes * one.weight - other.nodes * other.weight || one.nodes - other.nodes);
};

// How many nodes each condition adds.
const spentOn = (load, best, asked) => {
  const without = {
    latency: [{ ...best.node, within: null }, asked],
    headroom: [best.node, { ...asked, headroom: 0 }],
    survive: [best.node, { ...asked, survive: 0 }],
  };
  return Object.entries(without).map(([name, [node, other]]) => [name, best.nodes - enough(needed(node, other), load.share)]);
};

const monthsUntil = (capacity, target, growth) => {
  if (capacity < target) return 1;
  if (growth <= 0) return Infinity;
  const grown = Math.floor((Math.log(Math.max(capacity, 1e-300) / target) / Math.log1p(growth)) * (1 + 1e-12)) + 2;
  return grown > MONTHS_KNOWN ? Infinity : grown;
};

const usedUp = (load, { node, left }, { target, growth }) => {
  const { full, within } = node;
  const months = full.values.map((one, draw) =>
    monthsUntil(left * (within === null ? one : Math.min(one, within[draw])), target, growth));
  return estimate(load, months.sort(), "");
};

// What is said of the kind that is taken.
const detailed = (load, best, asked) => {
  const { within } = best.node;
  return {
    delivered: estimate(load, best.node.full.inOrder, load.unit, (one) => one * best.left),
    headroom: estimate(load, best.node.full.inOrder, "ratio", (one) => 1 - asked.target / (one * best.left)),
    flying: estimate(load, best.flyingInOrder, ""),
    limited: within && estimate(load, best.flying.map((one, draw) => valueWith(load, load.logWaits, draw, one)).sort(), "sec"),
    breaks: within && estimate(load, sorted(within), load.unit),
    spent: spentOn(load, best, asked),
    usedUp: asked.growth === null ? null : usedUp(load, best, asked),
  };
};

const eachOf = (load, one) => estimate(load, one.node.full.inOrder, load.unit);

const meanLatency = (load, one) => estimate(load, one.flyingInOrder, "sec", (flying) =>
  (Number.isFinite(flying) ? (flying / one.load) * load.seconds : Infinity));

// The nearest limit that holds in the share of draws asked for, with the nodes that it takes.
const nearestLimit = (load, kinds, asked) => {
  const seconds = enough(Float64Array.from({ length: load.draws }, (_, draw) => load.waits[draw * load.places]).sort(), load.share);
  const step = Number(`1e${magnitude(seconds) - 1}`);
  const limit = Math.ceil((seconds / step) * (1 - 1e-12)) * step; // told with two digits, and tried as told
  const widest = kinds.at(-1);
  return { limit, widest, nodes: enough(needed(nodeOf(load, widest.size, limit), asked), load.share) };
};

// asked: { target, headroom, survive, limit or null, growth or null, kinds by rising size }
const planned = (load, asked) => {
  const kinds = asked.kinds.map((kind) => sized(load, kind, asked));
  const [best = null, next = null] = ranked(kinds);
  if (best) return { kinds, best, next, ...detailed(load, best, asked) };
  return { kinds, best, next, nearest: asked.limit === null ? null : nearestLimit(load, kinds, asked) };
};
