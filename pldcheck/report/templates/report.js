"use strict";
/* Heads become buttons that sort: numbers as numbers, what is missing last. */
function key(text) {
  const value = Number(text.replace(/[\s\u202f%]/g, "") || "x");
  return Number.isNaN(value) ? (text === "inf" ? Infinity : null) : value;
}
function sort(table, column, down) {
  const body = table.tBodies[0];
  const lines = Array.from(body.rows, line => {
    const text = line.cells[column].textContent;
    return {line, text, value: key(text)};
  });
  const numbers = lines.some(each => each.value !== null);
  const order = new Intl.Collator("en", {numeric: true});
  lines.sort((a, b) => {
    if (!numbers) return (down ? -1 : 1) * order.compare(a.text, b.text);
    if (a.value === null || b.value === null) return (a.value === null) - (b.value === null);
    return (down ? -1 : 1) * (a.value < b.value ? -1 : a.value > b.value ? 1 : 0);
  });
  body.append(...lines.map(each => each.line));
}
for (const table of document.querySelectorAll("table.sortable")) {
  const heads = Array.from(table.tHead.rows[0].cells);
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      heads.forEach(other => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      sort(table, column, down);
    });
  });
}
