// SPDX-License-Identifier: Apache-2.0
// Tables of the report: a click on a column's head sorts by it, a field above longer ones filters their rows.
"use strict";

const LONG = 8;  // rows from which a filter is worth its place

/** "1.20× (9)", "47%", "1,500" as numbers; dashes after everything else; words as they are. */
function key(text) {
  if (text === "–" || text === "") return null;
  const number = /^[-+]?[0-9][0-9,]*(\.[0-9]+)?(e[-+]?[0-9]+)?(?=$|[ ×%†‡])/.exec(text);
  return number ? parseFloat(number[0].replaceAll(",", "")) : text;
}

function compare(a, b) {
  if (a === null || b === null) return (a === null) - (b === null);
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a).localeCompare(String(b), undefined, {numeric: true});
}

function sortable(table) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    if (!head.textContent) return;
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      // Numbers start with the largest, words with the first.
      const cells = [...table.tBodies[0].rows].map(row => [key(row.cells[column].textContent), row]);
      const words = cells.some(([value]) => typeof value === "string");
      const now = head.getAttribute("aria-sort");
      const up = now ? now === "descending" : words;
      heads.forEach(other => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
      cells.sort(([a], [b]) => a === null || b === null || up ? compare(a, b) : compare(b, a));
      table.tBodies[0].append(...cells.map(([, row]) => row));
    });
  });
}

function filterable(table) {
  const rows = [...table.tBodies[0].rows];
  if (rows.length < LONG) return;
  const field = document.createElement("input");
  const shown = document.createElement("output");
  field.type = "search";
  field.placeholder = "Filter rows";
  field.setAttribute("aria-label", "Filter rows: every word must occur");
  const apply = () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every(word => text.includes(word));
    }
    const count = rows.filter(row => !row.hidden).length;
    shown.textContent = words.length ? `${count} of ${rows.length} rows` : `${rows.length} rows`;
  };
  field.addEventListener("input", apply);
  const line = document.createElement("div");
  line.className = "filter";
  line.append(field, shown);
  table.closest(".scroll").before(line);
  apply();
}

for (const table of document.querySelectorAll("table")) {
  sortable(table);
  filterable(table);
}
// What scrolls within its box says so.
const hint = () => document.querySelectorAll(".scroll").forEach(
  box => box.classList.toggle("wide", box.scrollWidth > box.clientWidth + 1));
for (const event of ["resize", "toggle"]) addEventListener(event, hint, true);
hint();
// A link into something folded, and paper, want it open.
addEventListener("hashchange", () => document.getElementById(location.hash.slice(1))?.closest("details")?.setAttribute("open", ""));
addEventListener("beforeprint", () => document.querySelectorAll("main details").forEach(details => details.open = true));
if (matchMedia("(max-width: 45rem)").matches) document.querySelector("nav details").open = false;
