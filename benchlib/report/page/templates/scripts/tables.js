// ---- tables: sorted by value, copied, and saved as CSV, folded rows and all ----

const PLAIN = /^[+−-]?(\d{1,3}(,\d{3})+|\d+)(\.\d+)?$/;
// The rows of a table that stands within a fold.
const PACKED = "tbody[data-rows]:not(.more)";
const said = element("p", { class: "said", role: "status" });

const rowsOf = (table) => {
  unfold(table);
  return [...table.tBodies].flatMap((body) => [...body.rows]);
};

// Long folds are packed away; they become rows when they are first needed.
const unfold = (within, which = "tbody[data-rows]") => {
  for (const body of within.querySelectorAll(which)) {
    if (!page.rows.length) return; // not unpacked yet
    body.innerHTML = page.rows[Number(body.dataset.rows)]; // markup that the page's writer has escaped
    delete body.dataset.rows;
    makeFigures(body);
    if (!body.classList.contains("more")) openToTab(body.closest("table"));
  }
};
document.addEventListener("toggle", (event) => unfold(event.target, PACKED), { capture: true });

const amount = (cell) => {
  if (cell.dataset.v !== undefined) return Number(cell.dataset.v);
  const found = /[+−-]?\d[\d,]*(\.\d+)?(e[+-]?\d+)?/.exec(cell.textContent.replace(/^\d+ %: /, ""));
  return found ? Number(found[0].replace("−", "-").replaceAll(",", "")) : NaN;
};

const sortBy = (table, place, direction) => {
  const rows = rowsOf(table);
  rows.forEach((row, order) => { row.dataset.order ??= order; });
  // Words that carry a number, "1.02x higher" and "3.9 % lower", are sorted by it.
  const number = table.tHead.rows[0].cells[place].classList.contains("num")
    || rows.some((row) => row.cells[place].dataset.v !== undefined);
  const key = (row) => (number ? amount(row.cells[place]) : row.cells[place].textContent.trim());
  const keyed = rows.map((row) => ({ row, key: direction ? key(row) : Number(row.dataset.order) }));
  keyed.sort((one, other) => {
    if (typeof one.key === "string") return direction * one.key.localeCompare(other.key, "en", { numeric: true });
    // What has no number stays last, whichever way.
    if (Number.isNaN(one.key) || Number.isNaN(other.key)) return Number.isNaN(one.key) - Number.isNaN(other.key);
    return (direction || 1) * (one.key - other.key) || one.row.dataset.order - other.row.dataset.order;
  });
  let from = 0;
  const places = [...table.tBodies].map((body) => [body, body.rows.length]); // before rows move between them
  for (const [body, count] of places) {
    body.append(...keyed.slice(from, from + count).map((one) => one.row));
    from += count;
  }
};

const makeSortable = (table) => {
  if (asPaper) return; // nothing is sorted there
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, place) => {
    const button = element("button", { type: "button", class: "sort" }, ...head.childNodes);
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const next = { ascending: "descending", descending: "" }[head.ariaSort] ?? "ascending";
      heads.forEach((one) => { one.ariaSort = null; });
      if (next) head.ariaSort = next;
      sortBy(table, place, { ascending: 1, descending: -1 }[next] ?? 0);
    });
  });
};

// A spreadsheet takes a cell that begins like a formula for one; a number is none.
const inert = (text) =>
  /^\s*[=+\-@＝＋－＠]/.test(text) && !/^[+-][\d.,]+(e[+-]?\d+)? ?[%\w/µ]*$/.test(text) ? `'${text}` : text;
const words = (cell) => cell.textContent.replace(/[\s\u00a0]+/g, " ").trim();
const plain = (text) => (PLAIN.test(text) ? text.replace("−", "-").replaceAll(",", "") : text);

// As shown; where a figure carries its number, that stands in a column of its own, in base units.
const columnsOf = (table, rows, numbers) => [...table.tHead.rows[0].cells].flatMap((head, place) => {
  const cells = rows.map((row) => row.cells[place]);
  const shown = [words(head), ...cells.map((cell) => plain(words(cell)))];
  const scaled = cells.some((cell) => cell.dataset.v !== undefined && !PLAIN.test(words(cell)));
  return numbers && scaled ? [shown, [`${words(head)} (value)`, ...cells.map((cell) => cell.dataset.v ?? "")]] : [shown];
});

const written = (table, separator, quote, numbers) => {
  const columns = columnsOf(table, rowsOf(table), numbers);
  return columns[0].map((_, line) => columns.map((one) => quote(inert(one[line]))).join(separator)).join("\r\n") + "\r\n";
};

const copied = async (text) => {
  try {
    await navigator.clipboard.writeText(text);
  } catch { // without leave for the clipboard, as some browsers are for a page from disk
    const box = element("textarea", { readonly: "", "aria-hidden": "true", class: "said" });
    box.value = text;
    document.body.append(box);
    box.select();
    document.execCommand("copy");
    box.remove();
  }
  said.textContent = "Table copied.";
};

const saved = (text, name) => {
  const place = URL.createObjectURL(new Blob(["\ufeff", text], { type: "text/csv;charset=utf-8" }));
  const link = element("a", { href: place, download: `${name}.csv` });
  link.click();
  setTimeout(() => URL.revokeObjectURL(place), 10_000);
  said.textContent = "Table saved as CSV.";
};

const makeFold = (table, body) => {
  const button = element("button", { type: "button", class: "fold", "aria-expanded": "false" }, body.dataset.label);
  body.classList.add("folded");
  button.addEventListener("click", () => {
    unfold(table);
    const open = body.classList.toggle("folded") === false;
    button.ariaExpanded = String(open);
    button.textContent = open ? "Fewer rows" : body.dataset.label;
  });
  return button;
};

const makeTable = (table, number) => {
  const caption = table.caption?.textContent.trim() || `Table ${number + 1}`;
  const box = table.closest(".table-box");
  box.ariaLabel = caption;
  const fold = table.querySelector("tbody.more");
  if (table.tBodies[0]?.rows.length > 1 || table.querySelector(PACKED)) makeSortable(table);
  const copy = element("button", { type: "button", "aria-label": `Copy table: ${caption}` }, "Copy");
  copy.addEventListener("click", () => copied(written(table, "\t", (text) => text.replaceAll("\t", " "), false)));
  const save = element("button", { type: "button", "aria-label": `Save table as CSV: ${caption}` }, "CSV");
  const name = caption.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "").slice(0, 60) || "table";
  const quoted = (text) => (/[",\r\n;]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  save.addEventListener("click", () => saved(written(table, ",", quoted, true), name));
  const tools = element("span", { class: "table-tools" }, copy, save);
  box.after(element("div", { class: "table-foot" }, ...(fold ? [makeFold(table, fold)] : []), tools));
};

const makeTables = () => {
  document.querySelectorAll(".table-box > table").forEach((table, number) => { if (table.tHead) makeTable(table, number); });
  document.body.append(said);
};
