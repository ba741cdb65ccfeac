// ---- planning: what benchlib.scaling.planning computes, from the same draws by the same formulas ----

const ROUNDING = 1e-9; // a load that fits to this share is not moved to another node by rounding
const SHARES = [0.5, 0.8, 0.95];
const MONTHS_KNOWN = 1200;

const sorted = (values) => Float64Array.from(values).sort();
const drawsIn = (share, draws) => Math.ceil(share * draws * (1 - ROUNDING));
const heldIn = (inOrder, share) => inOrder[drawsIn(share, inOrder.length) - 1];

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

// The load between a place and the next at which a draw takes what is wanted, as a logarithm.
const between = (load, draw, at, count, logWanted) => {
  const before = draw * load.places + at;
  const after = draw * load.places + Math.min(at + 1, count - 1);
  const rise = load.logWaits[after] - load.logWaits[before];
  const share = rise === 0 ? 0 : Math.min(Math.max((logWanted - load.logWaits[before]) / rise, 0), 1);
  return load.logClimb[before] + share * (load.logClimb[after] - load.logClimb[before]);
};

// From which to which loads the latency is within the limit: a draw has a stretch, or several, or none.
const loadsWithin = (load, limit, size) => {
  const count = placesUpTo(load, Math.min(size, load.upTo));
  const stretches = [];
  const breaks = new Float64Array(load.draws); // the load beyond which the limit is exceeded at every load
  const logLimit = Math.log(limit);
  for (let draw = 0; draw < load.draws; draw += 1) {
    const kept = (at) => at >= 0 && at < count && load.logWaits[draw * load.places + at] <= logLimit;
    let from = 0;
    for (let at = 0; at < count; at += 1) {
      if (kept(at) && !kept(at - 1)) from = at === 0 ? 0 : Math.exp(between(load, draw, at - 1, count, logLimit));
      if (!kept(at) || kept(at + 1)) continue;
      const to = Math.exp(between(load, draw, at, count, logLimit));
      stretches.push({ draw, from, to });
      breaks[draw] = Math.max(breaks[draw], to);
    }
  }
  return { stretches, breaks, rising: stretches.every(({ from }) => from === 0) };
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
  const within = limit === null ? null : remembered(load, `${limit} ${size}`, () => loadsWithin(load, limit, size));
  return { full, within };
};

// From how many to how many nodes are enough, for each stretch of each draw: the ends in order, null where more never harm.
const needed = ({ full, within }, { target, headroom, survive }) => {
  const draws = full.values.length;
  const fewest = (each) => Math.max(Math.ceil((target / each) * (1 - ROUNDING)), 1);
  if (within === null) return { draws, least: full.values.map((one) => survive + fewest(one * (1 - headroom))).sort(), most: null };
  const [least, most] = [[], []];
  within.stretches.forEach(({ draw, from, to }) => {
    const first = fewest(Math.min(full.values[draw] * (1 - headroom), to));
    const last = Math.floor((target / from) * (1 + ROUNDING));
    if (first > last) return;
    least.push(survive + first);
    most.push(survive + last);
  });
  return { draws, least: sorted(least), most: within.rising ? null : sorted(most) };
};

// How many values are below, or at most, a number.
const countBelow = (inOrder, number, orEqual) => {
  let [low, high] = [0, inOrder.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (inOrder[middle] < number || (orEqual && inOrder[middle] === number)) low = middle + 1;
    else high = middle;
  }
  return low;
};

// In how many draws a count is enough.
const drawsWith = ({ least, most }, nodes) => countBelow(least, nodes, true) - (most ? countBelow(most, nodes, false) : 0);

// The smallest count that is enough in a share of the draws.
const enough = (counts, share) => {
  const { draws, least, most } = counts;
  const wanted = drawsIn(share, draws);
  for (let at = wanted - 1; at < least.length; at += 1) {
    if (!most || drawsWith(counts, least[at]) >= wanted) return least[at];
  }
  return Infinity;
};

const estimate = (load, inOrder, unit, change = (one) => one) => {
  const [low, value, high] = load.ranks.map((rank) => change(inOrder[rank]));
  return { low, value, high, unit };
};

// A kind of node, sized for the target.
const sized = (load, kind, asked) => {
  const node = nodeOf(load, kind.size, asked.limit);
  const counts = needed(node, asked);
  const nodes = enough(counts, load.share);
  const left = nodes - asked.survive;
  const each = Number.isFinite(left) ? asked.target / left : NaN;
  const flying = Number.isFinite(left) ? inFlight(load, each, kind.size) : new Float64Array(load.draws).fill(Infinity);
  return {
    ...kind,
    node,
    nodes,
    nodesAt: SHARES.map((share) => enough(counts, share)),
    probability: Number.isFinite(nodes) ? drawsWith(counts, nodes) / load.draws : 0,
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

const EITHER = "either of headroom and latency";

// How many nodes each condition adds; under the name of both what only leaving out both saves.
const spentOn = (load, best, asked) => {
  const boundless = { ...best.node, within: null };
  const roomless = { ...asked, headroom: 0 };
  const without = {
    latency: [boundless, asked],
    headroom: [best.node, roomless],
    survive: [best.node, { ...asked, survive: 0 }],
    [EITHER]: [boundless, roomless],
  };
  const spent = Object.entries(without).map(([name, [node, other]]) => [name, best.nodes - enough(needed(node, other), load.share)]);
  spent[3][1] = Math.max(spent[3][1] - spent[0][1] - spent[1][1], 0);
  return spent;
};

const monthsUntil = (capacity, target, growth) => {
  if (capacity < target) return 1;
  if (growth <= 0) return Infinity;
  const grown = Math.floor((Math.log(Math.max(capacity, 1e-300) / target) / Math.log1p(growth)) * (1 + 1e-12)) + 2;
  return grown > MONTHS_KNOWN ? Infinity : grown;
};

// What the nodes that are left deliver within the limit, in order.
const capacityOf = ({ node, left }) => {
  const { full, within } = node;
  return sorted(full.values.map((one, draw) => left * (within === null ? one : Math.min(one, within.breaks[draw]))));
};

const usedUp = (load, capacity, { target, growth }) =>
  estimate(load, capacity.map((one) => monthsUntil(one, target, growth)).sort(), "");

// What is said of the kind that is taken.
const detailed = (load, best, asked) => {
  const { within } = best.node;
  const capacity = capacityOf(best);
  return {
    delivered: estimate(load, best.node.full.inOrder, load.unit, (one) => one * best.left),
    headroom: estimate(load, capacity, "ratio", (one) => 1 - asked.target / one),
    limited: within && estimate(load, best.flying.map((one, draw) => valueWith(load, load.logWaits, draw, one)).sort(), "sec"),
    breaks: within && estimate(load, sorted(within.breaks), load.unit),
    spent: spentOn(load, best, asked),
    usedUp: asked.growth === null ? null : usedUp(load, capacity, asked),
  };
};

const eachOf = (load, one) => estimate(load, one.node.full.inOrder, load.unit);

const flyingOf = (load, one) => estimate(load, one.flyingInOrder, "");

const meanLatency = (load, one) => estimate(load, one.flyingInOrder, "sec", (flying) =>
  (Number.isFinite(flying) ? (flying / one.load) * load.seconds : Infinity));

const NEAREST_ROOM = 1.1; // a limit that is only just kept takes many nodes, all nearly idle

const roundedUp = (seconds) => {
  const step = Number(`1e${magnitude(seconds) - 1}`);
  return Math.ceil((seconds / step) * (1 - 1e-12)) * step; // told with two digits, and tried as told
};

// What to try: the fastest of all concurrencies in the share of draws asked for, then that of the fewest.
const limitsToTry = (load, widest) => {
  const count = placesUpTo(load, Math.min(widest, load.upTo));
  const each = Array.from({ length: count }, (_, place) =>
    heldIn(Float64Array.from({ length: load.draws }, (_, draw) => load.waits[draw * load.places + place]).sort(), load.share));
  return [Math.min(...each), each[0]].map((one) => roundedUp(NEAREST_ROOM * one));
};

// The nearest limit that some count of nodes keeps, and that plan.
const nearestPlan = (load, asked) => {
  for (const limit of limitsToTry(load, asked.kinds.at(-1).size)) {
    const [best] = ranked(asked.kinds.map((kind) => sized(load, kind, { ...asked, limit })));
    if (best) return { limit, best };
  }
  return null;
};

// asked: { target, headroom, survive, limit or null, growth or null, kinds by rising size }
const planned = (load, asked) => {
  const kinds = asked.kinds.map((kind) => sized(load, kind, asked));
  const [best = null, next = null] = ranked(kinds);
  if (best) return { kinds, best, next, ...detailed(load, best, asked) };
  return { kinds, best, next, nearest: asked.limit === null ? null : nearestPlan(load, asked) };
};
