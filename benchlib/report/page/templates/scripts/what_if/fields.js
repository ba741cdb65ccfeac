// ---- fields: a setting is a number with a label, and a slider that writes it ----

const element = (name, attributes = {}, ...children) => {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children); // text is text: no name becomes markup here
  return made;
};

const plain = (value) => String(Number(value.toPrecision(12)));
const rounded = (value) => plain(Number(value.toPrecision(3)));

// Where a slider stands for a value, and what it writes: by factors, even steps, or one of a list.
const byFactors = (middle, decades) => ({
  most: 200 * decades,
  text: (at) => rounded(middle * 10 ** (at / 100 - decades)),
  place: (value) => 100 * (Math.log10(value / middle) + decades),
});
const bySteps = (most) => ({ most, text: String, place: (value) => value });
const ofList = (list) => ({
  most: list.length - 1,
  text: (at) => String(list[at]),
  place: (value) => list.findLastIndex((one) => one <= value),
});

let made = 0;

// accepts: what a number must be; wrong: what is said of another.
const makeField = ({ label, unit, value, slider, accepts, wrong, optional = false }, changed) => {
  made += 1;
  const id = `what-if-field-${made}`;
  const first = value === null ? "" : plain(value);
  const number = element("input", { type: "number", id, step: "any", value: first, "aria-describedby": `${id}-wrong` });
  const range = element("input", { type: "range", min: 0, max: slider.most, step: 1, "aria-labelledby": `${id}-label` });
  const fault = element("p", { class: "what-if-wrong", id: `${id}-wrong`, role: "alert" });
  const name = element("label", { for: id, id: `${id}-label` }, label);
  const follow = () => {
    const at = slider.place(Number(number.value));
    if (number.value && Number.isFinite(at)) range.value = Math.round(Math.min(Math.max(at, 0), slider.most));
    range.ariaValueText = number.value ? `${number.value} ${unit}`.trim() : "none";
  };
  const field = {
    box: element("div", { class: "what-if-field" }, name, range, number, element("span", { class: "what-if-unit" }, unit), fault),
    get text() { return number.value; },
    // The plan's own number stays itself, whatever a text loses of it.
    get value() {
      if (number.value === first) return value;
      return number.value === "" ? null : Number(number.value);
    },
    get sound() { return number.value === "" ? optional && !number.validity.badInput : accepts(Number(number.value)); },
    // Nothing is said of what is sound.
    check: (more = "") => {
      const told = more || (field.sound ? "" : wrong);
      if (fault.textContent !== told) fault.textContent = told;
      number.ariaInvalid = told ? "true" : null;
      return !told;
    },
    enable: (on) => { number.disabled = range.disabled = !on; },
    reset: () => { number.value = first; follow(); },
  };
  range.addEventListener("input", () => {
    number.value = slider.text(Number(range.value));
    range.ariaValueText = `${number.value} ${unit}`.trim();
    changed();
  });
  number.addEventListener("input", () => { follow(); changed(); });
  follow();
  return field;
};
