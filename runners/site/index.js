// The list of episodes can be narrowed down; everything else of the page is there without this.
"use strict";
const rows = [...document.querySelectorAll(".episodes tbody tr")];
const textOf = (row, name) => row.querySelector(`[data-of="${name}"]`).textContent;

function choose() {
  const wanted = [...by("wish").querySelectorAll("select")].filter((select) => select.value);
  let count = 0;
  for (const row of rows) {
    row.hidden = !wanted.every((select) => textOf(row, select.name).startsWith(select.value));
    count += !row.hidden;
  }
  by("count").textContent = count === rows.length ? counted(count, "episode") : `${count} of ${counted(rows.length, "episode")}`;
}

by("wish").hidden = false;
by("wish").addEventListener("input", choose);
by("wish").addEventListener("reset", () => setTimeout(choose));
by("wish").addEventListener("submit", (event) => event.preventDefault());
