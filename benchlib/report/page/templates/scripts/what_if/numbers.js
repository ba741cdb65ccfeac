// ---- numbers: written as Python writes them, benchlib.units.show before all ----

const MINUS = "−";
const DASH = "–";

// The exact decimal digits of a number, cut after so many; what is left decides, and a half goes to the even digit.
const cut = (digits, kept) => {
  const rest = digits.slice(kept);
  const half = "5".padEnd(rest.length, "0");
  const head = BigInt(digits.slice(0, kept) || "0");
  return head + (rest > half || (rest === half && head % 2n) ? 1n : 0n);
};

// f"{value:,.{places}f}"
const fixed = (value, places = 0) => {
  const size = Math.abs(value);
  const [whole, part] = size < 1e21 ? size.toFixed(100).split(".") : [String(BigInt(size)), "0".repeat(100)];
  const digits = String(cut(whole + part, whole.length + places)).padStart(places + 1, "0");
  const point = digits.length - places;
  const grouped = digits.slice(0, point).replace(/\B(?=(\d{3})+$)/g, ",");
  return `${value < 0 || Object.is(value, -0) ? "-" : ""}${grouped}${places ? `.${digits.slice(point)}` : ""}`;
};

// The parts of f"{value:.{places}e}", of a number that is not negative.
const exponential = (value, places) => {
  const [mantissa, power] = value.toExponential(100).split("e");
  let digits = String(cut(mantissa.replace(".", ""), places + 1));
  let exponent = Number(power);
  if (digits.length > places + 1) [digits, exponent] = [digits.slice(0, -1), exponent + 1]; // 9.99 became 10.0
  return { digits, exponent };
};

const scientific = (value, places) => {
  const { digits, exponent } = exponential(value, places);
  const power = `${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
  return `${digits[0]}${places ? `.${digits.slice(1)}` : ""}e${power}`;
};

const significant = (value, digits) => {
  if (Number.isNaN(value)) return DASH;
  if (!Number.isFinite(value)) return value > 0 ? "∞" : `${MINUS}∞`;
  if (Math.abs(value) < 1e-9) return "0";
  const whole = exponential(Math.abs(value), Math.max(digits - 1, 0)).exponent + 1;
  return fixed(value, Math.min(Math.max(0, digits - whole), 9)).replaceAll("-", MINUS);
};

const SCALES = {
  sec: [[1, "s"], [1e-3, "ms"], [1e-6, "µs"], [1e-9, "ns"]],
  B: [[2 ** 40, "TiB"], [2 ** 30, "GiB"], [2 ** 20, "MiB"], [2 ** 10, "KiB"], [1, "B"]],
};

const scaled = (value, unit) => {
  const slash = unit.indexOf("/");
  const [head, rest] = slash < 0 ? [unit, null] : [unit.slice(0, slash), unit.slice(slash + 1)];
  const below = rest === null ? "" : `/${rest === "sec" ? "s" : rest}`;
  const steps = SCALES[head];
  if (!steps || !Number.isFinite(value)) return [1, `${head === "sec" ? "s" : head}${below}`];
  const size = Math.abs(value);
  const first = steps.find(([step]) => size >= step * 0.9995) ?? (size ? steps.at(-1) : steps[0]);
  const [step, name] = size ? first : [1, head === "sec" ? "s" : "B"];
  return [step, `${name}${below}`];
};

// Times, sizes and what is so much of one thing for each of another; others count, and a count stays.
const MEASURED = /^(sec|B|[\p{L}\p{N}_.]+\/[\p{L}\p{N}_]+)$/u;

// A value whose whole part has no more digits than an interval carries.
const roundedWhole = (value, unit, carried, like = value) => {
  const [divisor] = scaled(like, unit);
  const size = Math.abs(value / divisor);
  if (!MEASURED.test(unit) || !(size >= 10 ** carried && size < Infinity)) return value;
  return Math.sign(value) * Number(scientific(size, carried - 1)) * divisor;
};

const show = (given, unit, most = 3, like = undefined, carried = undefined) => {
  const digits = carried === undefined ? most : Math.min(carried, most + 1);
  if (unit === "ratio") return `${significant(given * 100, digits)} %`;
  if (unit === "x") return `${significant(given, digits)}x`;
  const value = carried === undefined ? given : roundedWhole(given, unit, carried, like);
  const [divisor, name] = scaled(like ?? value, unit);
  const size = Math.abs((like ?? value) / divisor);
  if (value && Number.isFinite(value) && ((size > 0 && size < 1e-7) || size >= 1e15)) {
    return `${value < 0 ? MINUS : ""}${scientific(Math.abs(value) / divisor, digits - 1)} ${name}`.trim();
  }
  if (divisor === 1 && !unit.startsWith("sec") && Number.isInteger(value) && Math.abs(value) < 1e9) {
    return `${fixed(value)} ${name}`.trim().replaceAll("-", MINUS); // a count is exact
  }
  return `${significant(value / divisor, digits)} ${name}`.trim();
};

const percent = (share) => `${fixed(100 * share)} %`.replaceAll("-", MINUS);

// As exactly as it was asked for.
const askedQuantity = (value, unit) => {
  const [divisor, name] = scaled(value, unit);
  return `${Number((value / divisor).toPrecision(10)).toLocaleString("en", { maximumSignificantDigits: 10 })} ${name}`;
};

const askedShare = (share) => `${Number((100 * share).toPrecision(10))} %`;

// ---- estimates: { value, low, high, unit }, as benchlib.significant_digits and plan_words write them ----

const ALL_DIGITS = 17;
const MOST_FURTHER_DIGITS = 8;
const FIGURE_DIGITS = 4;

const magnitude = (value) => Number(Math.abs(value).toExponential().split("e")[1]);

const carriedBetween = (value, low, high) => {
  if (!Number.isFinite(low) || !Number.isFinite(high) || !value) return undefined;
  const width = (high - low) / 2;
  if (width <= 0 || !Number.isFinite(width) || !Number.isFinite(value)) return ALL_DIGITS;
  return Math.min(Math.max(magnitude(value) - magnitude(width) + 1, 2), ALL_DIGITS);
};

// The digits of a value that the interval of an estimate carries as it is shown, and so many more; none where there is
// no interval that could carry any.
const carriedDigits = (value, of, more = 0, like = undefined) => {
  const [divisor] = scaled(like ?? value, of.unit);
  const carried = carriedBetween(value / divisor, of.low / divisor, of.high / divisor);
  return carried === undefined ? undefined : carried + more;
};

const written = (value, of, more, like = undefined) =>
  show(value, of.unit, FIGURE_DIGITS + more, like, carriedDigits(value, of, more, like));

const sharedScale = (estimate, more) => {
  const { value, unit } = estimate;
  if (!Number.isFinite(value)) return undefined;
  const carried = carriedDigits(value, estimate, more);
  return carried === undefined ? value : roundedWhole(value, unit, carried);
};

// How many digits more than an interval carries its ends take to read as two numbers; none where no digit parts them.
const unpadded = (shown) => shown.replace(/(?:(\.\d*?[1-9])|\.)0+(?!\d)/g, "$1");
const partingDigits = (estimate) => {
  const { low, high } = estimate;
  if (!(low < high)) return 0;
  for (let more = 0; more < MOST_FURTHER_DIGITS; more += 1) {
    const like = sharedScale(estimate, more);
    const [lower, upper] = [low, high].map((end) => unpadded(written(end, estimate, more, like)));
    if (lower !== upper) return more;
  }
  return 0;
};

const figure = (estimate, more = 0) => (Math.abs(estimate.value) === Infinity
  ? "infinite" : written(estimate.value, estimate, more + partingDigits(estimate)));

const ends = (estimate, more = 0) => {
  const { low, high } = estimate;
  const digits = more + partingDigits(estimate);
  const [lower, upper] = [low, high].map((end) => written(end, estimate, digits));
  if (Number.isFinite(low) && Number.isFinite(high)) return `${lower} to ${upper}`;
  if (Number.isFinite(low)) return low > 0 ? `at least ${lower}` : "no bound";
  return Number.isFinite(high) ? `at most ${upper}` : DASH;
};

const both = (estimate) => `${figure(estimate)} (${ends(estimate)})`;
