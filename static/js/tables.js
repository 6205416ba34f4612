// Tables: sorting of what is on the page, sticky heads while the table fits, scroll areas that the keyboard reaches.
//
// <table class="table" data-sortable> with <th data-sort="number|text|date"> and, where the shown text does not sort,
// <td data-value="0.8731">. Cells without a value (empty, "–") always come last, whichever way one sorts.
(() => {
  "use strict";

  const collator = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

  const valueOf = (row, column, kind) => {
    const cell = row.cells[column];
    const raw = (cell?.dataset.value ?? cell?.textContent ?? "").trim();
    if (raw === "" || raw === "–" || raw === "—") return null;
    if (kind === "number") {
      const number = Number.parseFloat(raw.replace(/[^\d.eE+-]/g, ""));
      return Number.isNaN(number) ? null : number;
    }
    if (kind === "date") {
      const time = Date.parse(raw);
      return Number.isNaN(time) ? null : time;
    }
    return raw;
  };

  const sort = (table, heading, direction) => {
    const column = [...heading.parentElement.cells].indexOf(heading);
    const kind = heading.dataset.sort || "text";
    for (const body of table.tBodies) {
      const rows = [...body.rows].map((row, index) => ({ row, index, value: valueOf(row, column, kind) }));
      rows.sort((a, b) => {
        if (a.value === null || b.value === null) return (a.value === null) - (b.value === null) || a.index - b.index;
        const order = kind === "text" ? collator.compare(a.value, b.value) : a.value - b.value;
        return (direction === "descending" ? -order : order) || a.index - b.index;
      });
      body.append(...rows.map(({ row }) => row));
    }
    for (const other of heading.parentElement.cells) other.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", direction);
  };

  const makeSortable = (table) => {
    for (const heading of table.tHead?.querySelectorAll("th[data-sort]") ?? []) {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "sort";
      button.append(...heading.childNodes);
      heading.append(button);
      button.addEventListener("click", () => {
        const now = heading.getAttribute("aria-sort");
        const first = heading.dataset.sortFirst === "descending" ? "descending" : "ascending";
        const second = first === "ascending" ? "descending" : "ascending";
        sort(table, heading, now === first ? second : first);
      });
    }
  };

  const fit = (wrap) => {
    if (wrap.classList.contains("table-wrap--tall")) {
      reach(wrap, wrap.scrollHeight > wrap.clientHeight + 1 || wrap.scrollWidth > wrap.clientWidth + 1);
      return;
    }
    wrap.classList.remove("is-fitting");
    const overflows = wrap.scrollWidth > wrap.clientWidth + 1;
    wrap.classList.toggle("is-fitting", !overflows);
    reach(wrap, overflows);
  };

  // A box that scrolls has to be reachable by keyboard and needs a name for that.
  const reach = (wrap, scrolls) => {
    if (!scrolls) {
      wrap.removeAttribute("tabindex");
      wrap.removeAttribute("role");
      return;
    }
    wrap.tabIndex = 0;
    wrap.setAttribute("role", "region");
    if (!wrap.hasAttribute("aria-label")) {
      const caption = wrap.querySelector("caption")?.textContent.trim();
      wrap.setAttribute("aria-label", caption || "Table");
    }
  };

  // A row that a phone shows in one line opens when it is tapped.
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-row-opens]");
    if (!button) return;
    const opened = button.closest("tr").classList.toggle("is-open");
    button.setAttribute("aria-expanded", String(opened));
  });

  const observer = new ResizeObserver((entries) => {
    for (const { target } of entries) {
      const wrap = target.closest(".table-wrap");
      // A table that was replaced is told of once more, outside of its box.
      if (wrap) fit(wrap);
      else observer.unobserve(target);
    }
  });

  const setUp = (root) => {
    for (const table of root.querySelectorAll("table[data-sortable]")) {
      if (table.dataset.ready) continue;
      table.dataset.ready = "true";
      makeSortable(table);
    }
    for (const wrap of root.querySelectorAll(".table-wrap")) {
      if (wrap.dataset.ready) continue;
      wrap.dataset.ready = "true";
      observer.observe(wrap);
    }
    for (const table of root.querySelectorAll(".table-wrap > table")) observer.observe(table);
  };

  document.addEventListener("podium:shown", () => document.querySelectorAll(".table-wrap").forEach(fit));
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", () => setUp(document));
  else setUp(document);
  document.addEventListener("htmx:load", (event) => setUp(event.detail.elt.parentElement ?? document));
})();
