// ---- evidence: the rows and the formula behind one figure, beside it ----

const panel = element("dialog", { class: "behind", "aria-labelledby": "behind-title" });

const counted = (number, noun) => `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;

// Where each row is a value it is values that are left out, else places.
const unlisted = (rows) => (rows[0]?.[1] ? "more value" : "more place");

// What several units stand behind is told by its lines, each of which may hold a value of every metric.
const size = (n, rows) => (rows[0]?.[1] ? `n = ${counted(n, "value")}` : counted(n, "line"));

const behind = ({ formula, n, rows, more }) => [
  element("p", { class: "behind-formula" }, formula),
  element("p", { class: "behind-n" }, `${size(n, rows)}:`),
  element("ul", { class: "behind-rows" }, ...rows.map(([place, value]) => element("li", {}, element("code", {}, place), element("span", {}, value)))),
  ...(more ? [element("p", {}, `and ${counted(more, unlisted(rows))}, in answers.json`)] : []),
];

const showEvidence = (figure) => {
  const found = evidenceOf(figure);
  if (!found) return;
  const close = element("button", { type: "button", class: "behind-close" }, "Close");
  close.addEventListener("click", () => panel.close());
  const title = element("h2", { id: "behind-title" }, `Behind ${figure.textContent}`);
  panel.replaceChildren(element("div", {}, title, ...behind(found), close));
  figure.focus();
  if (!panel.isConnected) document.body.append(panel);
  panel.showModal(); // Escape closes it, and the figure has the focus again
  panel.scrollTop = 0;
  const place = figure.getBoundingClientRect();
  const room = innerHeight - panel.offsetHeight - 8;
  const below = place.bottom + 6;
  panel.style.left = `${Math.max(8, Math.min(place.left, root.clientWidth - panel.offsetWidth - 8))}px`;
  panel.style.top = `${Math.max(8, below <= room ? below : Math.min(room, place.top - panel.offsetHeight - 6))}px`;
};

panel.addEventListener("click", (event) => { if (event.target === panel) panel.close(); });
