// ---- settings: what can be asked of a load, and how it is written for a terminal ----

const MOST_SIZES = 12; // that a message lists

const kindFields = (load, kind, at, changed) => {
  const which = load.nodes.length > 1 ? ` ${at + 1}` : "";
  const sizes = load.concurrency.filter(Number.isInteger);
  const told = sizes.length > MOST_SIZES ? `${sizes[0]} to ${sizes.at(-1)}` : sizes.join(", ");
  const size = makeField({
    label: `Node${which}: size`, unit: "cores", value: kind.size, slider: ofList(sizes),
    accepts: (one) => sizes.includes(one), wrong: `the draws speak of nodes of ${told} cores; choose one of them`,
  }, changed);
  const price = makeField({
    label: `Node${which}: cost`, unit: `${load.currency} per hour`.trim(), value: kind.price, optional: true,
    slider: byFactors(kind.price ?? 1, 1), accepts: (one) => one > 0 && one < 1e9, wrong: "a cost is a number above 0 and below 10⁹, or left out",
  }, changed);
  return { size: load.counts === "cores" ? size : null, price, kind };
};

const makeSettings = (load, changed) => {
  const { limit } = load;
  const held = element("input", { type: "checkbox", id: `what-if-limit-${(made += 1)}` });
  held.checked = limit.seconds !== null;
  const settings = {
    load,
    held,
    target: makeField({
      label: "Target", unit: load.unit.replace(/\/sec$/, "/s"), value: load.target,
      slider: byFactors(load.target, 1), accepts: (one) => one > 0 && one < 1e15, wrong: "a target is a number above 0 and below 10¹⁵",
    }, changed),
    headroom: makeField({
      label: "Headroom", unit: "%", value: 100 * load.headroom, slider: bySteps(90),
      accepts: (one) => one >= 0 && one < 100, wrong: "headroom is from 0 to below 100 %",
    }, changed),
    survive: makeField({
      label: "Nodes that may be lost", unit: "", value: load.survive, slider: bySteps(10),
      accepts: (one) => Number.isInteger(one) && one >= 0 && one <= 1000, wrong: "nodes that may be lost are a whole number from 0 to 1,000",
    }, changed),
    limit: makeField({
      label: `Limit of the ${metricName(limit.metric)}`, unit: "ms", value: (limit.seconds ?? Number((4 * limit.fastest).toPrecision(2))) * 1e3,
      slider: byFactors((limit.seconds ?? 4 * limit.fastest) * 1e3, 2), accepts: (one) => one > 0 && one < 1e9, wrong: "a limit is a time above 0 and below 10⁹ ms",
    }, changed),
    growth: makeField({
      label: "Growth", unit: "% a month", value: 100 * load.monthly, slider: bySteps(30),
      accepts: (one) => one > -100 && one < 9900, wrong: "growth is between −100 and 9,900 % a month",
    }, changed),
    kinds: load.nodes.map((kind, at) => kindFields(load, kind, at, changed)),
  };
  held.addEventListener("change", changed);
  return settings;
};

const fieldsOf = ({ target, headroom, survive, limit, growth, kinds }) =>
  [target, headroom, survive, limit, growth, ...kinds.flatMap(({ size, price }) => (size ? [size, price] : [price]))];

const resetSettings = (settings) => {
  fieldsOf(settings).forEach((one) => one.reset());
  settings.held.checked = settings.load.limit.seconds !== null;
};

// What contradicts what, said at the field that can mend it.
const contradictions = ({ kinds }) => {
  const priced = kinds.filter(({ price }) => price.text !== "");
  return new Map(kinds.flatMap(({ size, price }, at) => {
    const found = [];
    if (size && kinds.slice(0, at).some((other) => other.size.text === size.text)) found.push([size, `two kinds of node have ${size.text} cores; change one`]);
    if (priced.length && price.text === "" && kinds.length > 1) found.push([price, "give all kinds a cost, or none"]);
    return found;
  }));
};

const areSound = (settings) => {
  const { held, limit } = settings;
  limit.enable(held.checked);
  const faults = contradictions(settings);
  return fieldsOf(settings).map((one) => one.check(faults.get(one))).every(Boolean);
};

// The question, in the numbers that Python makes of the same words.
const askedOf = ({ load, target, headroom, survive, held, limit, growth, kinds }) => {
  const untouched = (field, own, change) => (field.value === own.field ? own.exact : change(field.value));
  return {
    target: target.value,
    headroom: untouched(headroom, { field: 100 * load.headroom, exact: load.headroom }, (one) => one / 100),
    survive: survive.value,
    limit: !held.checked ? null : untouched(limit, { field: load.limit.seconds * 1e3, exact: load.limit.seconds }, (one) => one * 1e-3),
    growth: growth.value === 0 ? null : untouched(growth, { field: 100 * load.monthly, exact: load.monthly }, (one) => 1 + one / 100 - 1),
    growthWritten: growth.value === 100 * load.monthly ? load.growth : `${growth.text}%/month`,
    kinds: kinds
      .map(({ size, price, kind }) => ({ size: size ? size.value : kind.size, cores: size ? size.value : kind.cores, price: price.value }))
      .sort((one, other) => one.size - other.size),
  };
};

// A limit of the study is taken back in words; what a command leaves out is the study's own.
const limitOption = ({ load, held, limit }) => {
  if (held.checked) return [`--slo ${load.limit.metric}=${limit.text}ms`];
  return load.limit.seconds === null ? [] : ["--slo none"];
};

// The same question for a terminal.
const commandOf = (asked) => {
  const { load, target, headroom, survive, growth, kinds } = asked;
  return [
    "benchlib capacity STUDY",
    `--target ${target.text}/${load.unit.split("/").at(-1)}`,
    `--headroom ${headroom.text}%`,
    `--survive ${survive.text}`,
    ...limitOption(asked),
    ...(growth.value === 0 && !load.growth ? [] : [`--growth ${growth.text}%/month`]),
    ...(load.start ? [`--from ${load.start}`] : []),
    ...kinds
      .filter(({ kind, size }) => size || kind.cores !== null)
      .map(({ size, price, kind }) => `--node cores=${size ? size.text : kind.cores}${price.text && `,cost=${price.text}${load.currency}/h`}`),
    ...load.options,
  ].join(" ");
};
