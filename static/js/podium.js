// Behaviour of small components: menus, tab sets, copy buttons, messages, moments, and the HTMX set-up.
// Everything works on markup that is already useful without this file.
(() => {
  "use strict";

  // ---- Menus: a <details> that closes when the reader goes on -------------------------------------------------
  document.addEventListener("click", (event) => {
    for (const menu of document.querySelectorAll("details[data-menu][open]")) {
      if (!menu.contains(event.target)) menu.open = false;
    }
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    for (const menu of document.querySelectorAll("details[data-menu][open]")) {
      menu.open = false;
      menu.querySelector("summary").focus();
    }
  });
  document.addEventListener("focusout", (event) => {
    const menu = event.target.closest?.("details[data-menu][open]");
    if (menu && event.relatedTarget && !menu.contains(event.relatedTarget)) menu.open = false;
  });

  // ---- Tab sets: <div data-tabs><div role="tablist">…</div><div role="tabpanel">…</div></div> -----------------
  const select = (tab, { focus = false, remember = true } = {}) => {
    const list = tab.closest('[role="tablist"]');
    for (const other of list.querySelectorAll('[role="tab"]')) {
      const chosen = other === tab;
      other.setAttribute("aria-selected", String(chosen));
      other.tabIndex = chosen ? 0 : -1;
      const panel = document.getElementById(other.getAttribute("aria-controls"));
      if (panel) panel.hidden = !chosen;
    }
    if (focus) tab.focus();
    if (remember && tab.id) history.replaceState(history.state, "", `#${tab.id}`);
    document.dispatchEvent(new CustomEvent("podium:shown"));
  };

  const setUpTabs = (root) => {
    for (const set of root.querySelectorAll("[data-tabs]")) {
      if (set.dataset.ready) continue;
      set.dataset.ready = "true";
      const tabs = [...set.querySelectorAll('[role="tab"]')];
      if (!tabs.length) continue;
      const wanted =
        tabs.find((tab) => location.hash === `#${tab.id}`) ??
        tabs.find((tab) => tab.getAttribute("aria-selected") === "true") ??
        tabs[0];
      select(wanted, { remember: false });
      set.addEventListener("click", (event) => {
        const tab = event.target.closest('[role="tab"]');
        if (tab && tabs.includes(tab)) select(tab);
      });
      set.addEventListener("keydown", (event) => {
        const at = tabs.indexOf(event.target.closest('[role="tab"]'));
        if (at < 0) return;
        const next = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
        if (next === undefined) return;
        event.preventDefault();
        select(tabs[(next + tabs.length) % tabs.length], { focus: true });
      });
    }
  };

  // ---- Copy buttons -------------------------------------------------------------------------------------------
  document.addEventListener("click", async (event) => {
    const button = event.target.closest("[data-copy], [data-copy-target]");
    if (!button) return;
    const source = button.dataset.copyTarget ? document.querySelector(button.dataset.copyTarget) : null;
    const text = source ? (source.value ?? source.textContent) : button.dataset.copy;
    try {
      await navigator.clipboard.writeText(text.trim());
      toast("Copied.", "ok");
    } catch {
      toast("Your browser did not allow copying. Select the text instead.", "warn");
    }
  });

  // ---- Messages and toasts ------------------------------------------------------------------------------------
  document.addEventListener("click", (event) => {
    event.target.closest("[data-dismiss]")?.closest(".message").remove();
  });

  const toast = (text, kind = "info") => {
    const place = document.getElementById("toasts");
    if (!place) return;
    const box = document.createElement("div");
    box.className = `notice message notice--${kind}`;
    const words = document.createElement("p");
    words.textContent = text;
    box.append(words);
    place.append(box);
    // Long enough to read twice; a message that matters later belongs on the page, not into a toast.
    setTimeout(() => box.remove(), Math.max(5000, 120 * text.length));
  };
  // From the server: header HX-Trigger: {"podium:toast": {"text": "…", "kind": "ok"}}
  document.addEventListener("podium:toast", (event) => toast(event.detail.text, event.detail.kind));

  // ---- Moments: the reader's own time zone as a title ---------------------------------------------------------
  const setUpMoments = (root) => {
    const format = new Intl.DateTimeFormat("en-GB", { dateStyle: "full", timeStyle: "short" });
    const time = new Intl.DateTimeFormat("en-GB", { timeStyle: "short" });
    const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
    for (const moment of root.querySelectorAll("time[data-moment]")) {
      if (moment.title) continue;
      const own = new Date(moment.dateTime);
      moment.title = `${format.format(own)} (${zone})`;
      if ("local" in moment.dataset && own.getTimezoneOffset()) moment.after(` (${time.format(own)} your time)`);
    }
  };

  // ---- Choose all rows of a table -------------------------------------------------------------------------------
  const setUpChoices = (root) => {
    for (const all of root.querySelectorAll("input[data-choose-all]")) all.parentElement.hidden = false;
  };
  document.addEventListener("change", (event) => {
    const table = event.target.closest?.("table");
    const all = table?.querySelector("input[data-choose-all]");
    if (!all) return;
    const boxes = [...table.querySelectorAll(`input[type=checkbox][name="${all.dataset.chooseAll}"]`)];
    if (event.target === all) for (const box of boxes) box.checked = all.checked;
    const chosen = boxes.filter((box) => box.checked).length;
    all.checked = chosen > 0 && chosen === boxes.length;
    all.indeterminate = chosen > 0 && chosen < boxes.length;
  });

  // ---- Answers that open in place: <button data-opens aria-controls="…"> and what it controls, one at a time ------
  const open = (button, wanted) => {
    button.setAttribute("aria-expanded", String(wanted));
    document.getElementById(button.getAttribute("aria-controls"))?.classList.toggle("is-open", wanted);
  };
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-opens]");
    if (!button) return;
    const wanted = button.getAttribute("aria-expanded") !== "true";
    for (const other of button.closest("[data-panels]")?.querySelectorAll('[data-opens][aria-expanded="true"]') ?? []) open(other, false);
    open(button, wanted);
  });

  // ---- Rows of links that scroll, as on a phone: the current one is in sight, and one sees that there are more --------
  const ROWS = ".tabs, .site-nav ul, [data-scrolls]";
  const cue = (list) => {
    const rest = list.scrollWidth - list.clientWidth;
    list.classList.toggle("has-more-before", rest > 1 && list.scrollLeft > 1);
    list.classList.toggle("has-more-after", rest > 1 && list.scrollLeft < rest - 1);
  };
  const resized = new ResizeObserver((entries) => entries.forEach(({ target }) => cue(target)));
  const setUpRows = (root) => {
    for (const list of root.querySelectorAll(ROWS)) {
      if (list.dataset.ready) continue;
      list.dataset.ready = "true";
      list.addEventListener("scroll", () => cue(list), { passive: true });
      resized.observe(list);
    }
  };
  const showCurrent = (root) => {
    for (const current of root.querySelectorAll(".tabs [aria-current], .site-nav [aria-current]")) {
      const list = current.closest(ROWS);
      const [outer, inner] = [list.getBoundingClientRect(), current.getBoundingClientRect()];
      if (inner.left < outer.left || inner.right > outer.right) {
        list.scrollLeft += inner.left - outer.left - (outer.width - inner.width) / 2;
      }
    }
    for (const list of root.querySelectorAll("[data-shows-current]")) {
      const current = list.querySelector("[aria-current]");
      if (current) list.scrollTop = current.offsetTop - list.clientHeight / 2;
    }
  };

  // ---- Forms that came back with errors: the summary takes the focus ------------------------------------------
  const focusErrors = (root) => root.querySelector("[data-form-errors]")?.focus();

  // ---- HTMX ---------------------------------------------------------------------------------------------------
  document.addEventListener("htmx:configRequest", (event) => {
    const { elt, headers, verb } = event.detail;
    if (verb === "get") return;
    const token = (elt.closest("form") ?? document).querySelector("[name=csrfmiddlewaretoken]") ??
      document.querySelector("[name=csrfmiddlewaretoken]");
    if (token) headers["X-CSRFToken"] = token.value;
  });
  document.addEventListener("htmx:responseError", (event) => {
    const status = event.detail.xhr.status;
    toast(
      status === 403 ? "You may not do this, or the page is too old. Load it again."
        : status === 429 ? "Too many requests. Wait a moment and try again."
        : "The server could not do this. Try again in a moment.",
      "bad",
    );
  });
  document.addEventListener("htmx:sendError", () => toast("No connection to the server.", "bad"));

  const setUp = (root) => {
    setUpTabs(root);
    setUpMoments(root);
    setUpChoices(root);
    setUpRows(root);
  };
  const ready = () => {
    setUp(document);
    showCurrent(document);
    focusErrors(document);
  };
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", ready);
  else ready();
  document.addEventListener("htmx:load", (event) => setUp(event.detail.elt.parentElement ?? document));
})();
