// The form of a design: rows of tables, and nothing lost when the network or the session goes.
// Saving itself is HTMX on the form of each field.
(() => {
  "use strict";

  const form = (element) => element.closest?.("form.design-form");
  const changed = (target) => target?.dispatchEvent(new Event("change", { bubbles: true }));

  // ---- Rows ---------------------------------------------------------------------------------------------------
  const nextIndex = (list) => {
    const taken = [...list.querySelectorAll("[name^='row.']")].map((input) => Number(input.name.split(".")[1]));
    return Math.max(-1, ...taken) + 1;
  };

  document.addEventListener("click", (event) => {
    const add = event.target.closest("[data-row-add]");
    if (add) {
      const table = add.closest("[data-rows]");
      const list = table.querySelector("[data-rows-list]");
      const index = String(nextIndex(list));
      const copy = table.querySelector("template[data-row-template]").content.cloneNode(true);
      for (const node of copy.querySelectorAll("[name], [id], [for], [aria-describedby]")) {
        for (const attribute of ["name", "id", "for", "aria-describedby"]) {
          const value = node.getAttribute(attribute);
          if (value?.includes("__n__")) node.setAttribute(attribute, value.replaceAll("__n__", index));
        }
      }
      const first = copy.querySelector("input, select, textarea");
      list.append(copy);
      first?.focus();
    }
    const remove = event.target.closest("[data-row-remove]");
    if (remove) {
      const owner = form(remove);
      const row = remove.closest("[data-row]");
      const next = row.nextElementSibling?.querySelector("summary") ?? owner.querySelector("[data-row-add]");
      row.remove();
      next?.focus();
      changed(owner);
    }
    const suggestion = event.target.closest("[data-suggest]");
    if (suggestion) {
      const text = document.getElementById(suggestion.dataset.suggestFor);
      text.value = text.value.trim() ? `${text.value.trim()}\n${suggestion.dataset.suggest}: ` : `${suggestion.dataset.suggest}: `;
      text.focus();
      changed(text);
    }
  });

  // ---- What could not be sent is kept in this browser until it can --------------------------------------------
  const place = (owner) => `podium.design:${location.pathname}:${owner.dataset.field}`;
  const says = (owner, text) => {
    const status = document.getElementById(`s-${owner.dataset.field}`);
    if (status) {
      const words = document.createElement("span");
      words.className = "design-status__bad";
      words.textContent = text;
      status.replaceChildren(words);
    }
  };
  const connection = (text) => {
    for (const element of document.querySelectorAll("[data-connection]")) element.textContent = text;
  };

  const keep = (owner) => {
    const entries = [...new FormData(owner).entries()].filter(([name]) => name !== "csrfmiddlewaretoken");
    try {
      localStorage.setItem(place(owner), JSON.stringify(entries));
    } catch {
      says(owner, "Not saved, and this browser keeps nothing. Copy your text before you leave.");
      return;
    }
    owner.dataset.unsent = "true";
  };

  const failed = (event, reason) => {
    const owner = form(event.detail.elt);
    if (!owner) return;
    keep(owner);
    says(owner, reason);
    connection("Some of your text is not on the server yet; it is kept in this browser.");
  };
  document.addEventListener("htmx:sendError", (event) => failed(event, "Not saved: no connection. It is sent again by itself."));
  document.addEventListener("htmx:timeout", (event) => failed(event, "Not saved: no answer. It is sent again by itself."));
  document.addEventListener("htmx:responseError", (event) =>
    failed(
      event,
      event.detail.xhr.status === 401
        ? "Not saved: you are signed out. Sign in in another tab; it is sent again by itself."
        : "Not saved: the server could not take it. It is sent again by itself.",
    ),
  );
  // ---- An answer never replaces rows that were written in while it was under way; the next save brings a newer one ----
  const sent = new WeakMap();
  const opened = new WeakMap();
  // What unfolds in a row, by its kind: titles follow what is written in the row.
  const foldsOf = (row) => [...row.querySelectorAll("details")].map((fold) => [fold.dataset.fold ?? "", fold]);
  const written = (owner) =>
    JSON.stringify([...new FormData(owner).entries()].filter(([name]) => name !== "csrfmiddlewaretoken" && name !== "revision"));
  document.addEventListener("htmx:beforeRequest", (event) => {
    const owner = event.detail.requestConfig.verb === "post" && form(event.detail.elt);
    if (owner) sent.set(owner, written(owner));
  });
  document.addEventListener("htmx:oobBeforeSwap", (event) => {
    const rows = event.detail.target.closest?.("[data-rows-list]");
    const owner = rows && form(rows);
    if (!owner) return;
    // A row that is still blank is not in the answer: it would vanish under the hand that has just opened it.
    const blank = rows.querySelectorAll("[data-row]").length > event.detail.fragment.querySelectorAll("[data-row]").length;
    if (blank || (sent.has(owner) && sent.get(owner) !== written(owner))) event.detail.shouldSwap = false;
    else {
      const folds = [...rows.querySelectorAll("[data-row]")].map((row) => new Map(foldsOf(row).map(([name, fold]) => [name, fold.open])));
      const at = rows.contains(document.activeElement) ? document.activeElement : null;
      opened.set(rows, { folds, name: at?.name, selection: at?.selectionStart });
    }
  });
  document.addEventListener("htmx:oobAfterSwap", (event) => {
    const rows = event.detail.target.closest?.("[data-rows-list]");
    const before = rows && opened.get(rows);
    if (!before) return;
    rows.querySelectorAll("[data-row]").forEach((row, index) => {
      for (const [name, fold] of foldsOf(row)) fold.open = before.folds[index]?.get(name) ?? fold.open;
    });
    // The hand stays where it writes.
    const again = before.name && [...rows.querySelectorAll("[name]")].find((input) => input.name === before.name);
    if (again && document.activeElement !== again) {
      again.focus({ preventScroll: true });
      if (Number.isInteger(before.selection)) again.setSelectionRange(before.selection, before.selection);
    }
  });

  document.addEventListener("htmx:afterRequest", (event) => {
    const owner = form(event.detail.elt);
    if (!owner || !event.detail.successful || event.detail.requestConfig.verb !== "post") return;
    delete owner.dataset.unsent;
    localStorage.removeItem(place(owner));
    if (!document.querySelector("form.design-form[data-unsent]")) connection("");
  });

  // After signing in again in another tab the token has changed too: the fresh one is in the cookie's page.
  const freshToken = async () => {
    const answer = await fetch(location.href, { credentials: "same-origin" });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const token = page.querySelector("form.design-form [name=csrfmiddlewaretoken]")?.value;
    if (token) for (const input of document.querySelectorAll("[name=csrfmiddlewaretoken]")) input.value = token;
    return Boolean(token);
  };
  const retry = async () => {
    const waiting = [...document.querySelectorAll("form.design-form[data-unsent]")];
    if (!waiting.length) return;
    try {
      if (!(await freshToken())) return;
    } catch {
      return;
    }
    for (const owner of waiting) owner.dispatchEvent(new Event("design:retry", { bubbles: true }));
  };
  window.addEventListener("online", retry);
  setInterval(retry, 15000);

  window.addEventListener("beforeunload", (event) => {
    if (document.querySelector("form.design-form[data-unsent]")) event.preventDefault();
  });

  // ---- Text of an earlier visit that never arrived is offered again -------------------------------------------
  const fill = (owner, entries) => {
    const list = owner.querySelector("[data-rows-list]");
    const rows = new Set(entries.filter(([name]) => name.startsWith("row.")).map(([name]) => name.split(".")[1]));
    if (list) for (let have = list.children.length; have < rows.size; have += 1) owner.querySelector("[data-row-add]").click();
    for (const box of owner.querySelectorAll("input[type=checkbox]")) box.checked = false;
    for (const [name, value] of entries) {
      if (name === "revision") continue;
      for (const input of [...owner.elements].filter((each) => each.name === name)) {
        if (input.type === "radio" || input.type === "checkbox") input.checked = input.checked || input.value === value;
        else input.value = value;
      }
    }
  };
  const offer = () => {
    for (const owner of document.querySelectorAll("form.design-form")) {
      const stored = localStorage.getItem(place(owner));
      if (!stored) continue;
      const status = document.getElementById(`s-${owner.dataset.field}`);
      const box = document.createElement("p");
      const words = document.createElement("span");
      words.textContent = "Text of yours from an earlier visit was never saved. ";
      const again = document.createElement("button");
      again.type = "button";
      again.className = "btn btn--small";
      again.textContent = "Put it back";
      again.addEventListener("click", () => {
        fill(owner, JSON.parse(stored));
        changed(owner);
      });
      const drop = document.createElement("button");
      drop.type = "button";
      drop.className = "btn btn--small btn--quiet";
      drop.textContent = "Drop it";
      drop.addEventListener("click", () => {
        localStorage.removeItem(place(owner));
        box.remove();
      });
      box.append(words, again, drop);
      status?.replaceChildren(box);
    }
  };
  // On wide windows the section list stands open beside the form.
  const wide = window.matchMedia("(min-width: 62rem)");
  const openNavigation = () => {
    for (const box of document.querySelectorAll(".design-nav__box")) box.open = wide.matches;
  };
  wide.addEventListener("change", openNavigation);
  openNavigation();
  offer();
})();
