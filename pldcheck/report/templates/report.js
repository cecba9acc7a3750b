"use strict";
/* Tables of so many lines or more are given a filter. */
const MANY = 8;
/* A column of more different texts than these is no choice. */
const MOST_CHOICES = 60;
const order = new Intl.Collator("en", {numeric: true});

function make(tag, properties, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

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
  lines.sort((a, b) => {
    if (!numbers) return (down ? -1 : 1) * order.compare(a.text, b.text);
    if (a.value === null || b.value === null) return (a.value === null) - (b.value === null);
    return (down ? -1 : 1) * (a.value < b.value ? -1 : a.value > b.value ? 1 : 0);
  });
  body.append(...lines.map(each => each.line));
}
function sortable(table) {
  const heads = Array.from(table.tHead.rows[0].cells);
  heads.forEach((head, column) => {
    const button = make("button", {type: "button"}, ...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      heads.forEach(other => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      sort(table, column, down);
    });
  });
}

/* A line is shown if it has all words that are asked for, in the page's search and in the table's own filter. */
const pageWords = [];
const refreshers = [];
function words(text) {
  return text.toLowerCase().split(/\s+/).filter(Boolean);
}
function choice(table, column, refresh) {
  const texts = new Set(Array.from(table.tBodies[0].rows, line => line.cells[column].textContent));
  if (texts.size < 2 || texts.size > MOST_CHOICES) return null;
  const name = table.tHead.rows[0].cells[column].textContent;
  const select = make("select", {}, make("option", {value: "", textContent: "all"}));
  for (const text of Array.from(texts).sort(order.compare)) {
    select.append(make("option", {value: text, textContent: text}));
  }
  select.addEventListener("change", refresh);
  return {select, column, label: make("label", {}, `${name} `, select)};
}
function filterable(table) {
  const lines = Array.from(table.tBodies[0].rows);
  let texts = null;
  const field = make("input", {type: "search", autocomplete: "off"});
  const told = make("output", {});
  const fold = table.closest("details");
  const refresh = () => {
    const own = words(field.value);
    const asked = own.concat(pageWords);
    const chosen = choices.filter(each => each.select.value);
    texts = texts || lines.map(line => Array.from(line.cells, cell => cell.textContent).join("\n").toLowerCase());
    let count = 0;
    lines.forEach((line, place) => {
      const fits = asked.every(word => texts[place].includes(word)) &&
        chosen.every(each => line.cells[each.column].textContent === each.select.value);
      line.hidden = !fits;
      count += fits;
    });
    told.textContent = asked.length || chosen.length ? `${count} of ${lines.length} lines` : "";
    if (fold && pageWords.length) fold.open = count > 0;
    return count;
  };
  const heads = Array.from(table.tHead.rows[0].cells);
  const choices = heads.map((head, column) => "choice" in head.dataset ? choice(table, column, refresh) : null)
    .filter(Boolean);
  field.addEventListener("input", refresh);
  refreshers.push(refresh);
  if (lines.length >= MANY) {
    const label = make("label", {}, "filter ", field);
    const bar = make("div", {className: "filter"}, label, ...choices.map(each => each.label), told);
    table.closest(".scroll").before(bar);
  }
}
function searchable() {
  const field = make("input", {type: "search", autocomplete: "off"});
  const told = make("output", {});
  const bar = make("div", {className: "filter"}, make("label", {}, "search all tables ", field), told);
  bar.setAttribute("role", "search");
  field.addEventListener("input", () => {
    pageWords.splice(0, pageWords.length, ...words(field.value));
    const count = refreshers.reduce((sum, refresh) => sum + refresh(), 0);
    told.textContent = pageWords.length ? `${count} lines` : "";
  });
  document.querySelector("nav").append(bar);
}

/* A command has a button that copies it; where a browser forbids that, the command is selected instead. */
function copyable(command) {
  const button = make("button", {type: "button", className: "copy", textContent: "copy"});
  button.setAttribute("aria-label", `copy: ${command.textContent}`);
  const say = text => {
    button.textContent = text;
    setTimeout(() => { button.textContent = "copy"; }, 1500);
  };
  button.addEventListener("click", () => {
    const select = () => {
      getSelection().selectAllChildren(command);
      say("selected");
    };
    if (!navigator.clipboard) select();
    else navigator.clipboard.writeText(command.textContent).then(() => say("copied"), select);
  });
  command.after(" ", button);
}

for (const table of document.querySelectorAll("table.sortable")) {
  filterable(table);
  sortable(table);
}
searchable();
document.querySelectorAll("code.command").forEach(copyable);
