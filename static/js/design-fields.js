// Around the fields of a design: the bar below each, what is told of a field once it was left, the next open one,
// and whether all is saved.
(() => {
  "use strict";

  const field = (element) => element?.closest?.(".design-field");
  const item = (section) => document.getElementById(`n-${section.id.slice(2)}`);
  // What an answer made needed on this page is open as well, until its own answer is saved.
  const isOpen = (section) => {
    const mark = item(section)?.dataset.mark;
    return ["needed", "error"].includes(mark) || (mark === "idle" && section.querySelector(".design-idle.is-asked[data-needed]") !== null);
  };

  // ---- One bar: a button shows and hides what it is about -------------------------------------------------------
  const show = (button, open) => {
    button.setAttribute("aria-expanded", String(open));
    document.getElementById(button.dataset.drawer).hidden = !open;
  };
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-drawer]");
    if (button) show(button, button.getAttribute("aria-expanded") !== "true");
  });

  // ---- Nothing is called wrong before somebody was at it --------------------------------------------------------
  // What is told takes room: not while a button is held, or it would slip away from under the pointer.
  const left = new Set();
  let isHeld = false;
  const tell = () => {
    for (const section of left) section.classList.add("is-left");
    left.clear();
  };
  document.addEventListener("pointerdown", () => {
    isHeld = true;
  });
  for (const end of ["click", "pointercancel"]) {
    document.addEventListener(end, () => {
      isHeld = false;
      setTimeout(tell);
    });
  }
  document.addEventListener("focusout", (event) => {
    const section = field(event.target);
    if (!section || !event.relatedTarget || section.contains(event.relatedTarget)) return;
    left.add(section);
    if (!isHeld) tell();
  });

  // ---- What applies follows from other answers on the page: its line says so; nothing moves under the hand -------
  document.addEventListener("htmx:afterSwap", (event) => {
    const told = event.detail.target.querySelector?.("[data-applicable]");
    if (!told) return;
    const keys = new Set(told.dataset.applicable.split(" "));
    for (const fold of document.querySelectorAll(".design-idle")) {
      const applies = keys.has(field(fold).id.slice(2));
      fold.classList.toggle("is-asked", applies);
      fold.querySelector("[data-applies]").textContent = applies ? "applies now" : "does not apply here";
    }
  });

  // ---- The next open field, by button and key -------------------------------------------------------------------
  const enter = (section) => {
    const fold = section.querySelector(".design-idle");
    if (fold) fold.open = true;
    section.scrollIntoView({ block: "start" });
    const inputs = section.querySelectorAll("form.design-form :is(input, select, textarea):not([type=hidden])");
    ([...inputs].find((input) => input.checkVisibility()) ?? section.querySelector("button"))?.focus({ preventScroll: true });
  };
  const next = document.querySelector("[data-next-open]");
  let last = null;
  // What was written a moment ago is saved a moment later: the page stays until then, and some seconds at most.
  let written = -Infinity;
  document.addEventListener("input", () => {
    written = performance.now();
  });
  const leaveFor = (address) => {
    const asked = performance.now();
    const look = () => {
      const waited = performance.now() - asked;
      const isBusy = document.querySelector("form.design-form.htmx-request") || (asked - written < 3000 && waited < 400);
      if (isBusy && waited < 8000) setTimeout(look, 50);
      else window.location.assign(address);
    };
    look();
  };
  const goOn = () => {
    const sections = [...document.querySelectorAll(".design-field")].filter((section) => section.checkVisibility());
    const at = sections.indexOf(field(document.activeElement) ?? last);
    const found = [...sections.slice(at + 1), ...sections.slice(0, Math.max(at, 0))];
    const after = sections.slice(at + 1).find(isOpen);
    const target = after ?? (next.dataset.elsewhere ? null : found.find(isOpen));
    if (target) {
      last = target;
      enter(target);
    } else if (next.dataset.elsewhere) {
      leaveFor(next.dataset.elsewhere);
    } else {
      next.textContent = "Nothing needed is open";
    }
  };
  if (next) {
    next.addEventListener("click", goOn);
    document.addEventListener("focusin", (event) => {
      last = field(event.target) ?? last;
    });
    document.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      event.target.dispatchEvent(new Event("change", { bubbles: true }));
      goOn();
    });
    const asked = location.hash.startsWith("#f-") && document.getElementById(location.hash.slice(1));
    // The browser goes to the part of the address once the page is loaded, and takes the focus with it.
    if (asked) window.addEventListener("load", () => setTimeout(() => enter(asked)), { once: true });
  }

  // The list of sections is longer than the window: begin where one is.
  document.querySelector(".design-nav [aria-current=page]")?.scrollIntoView({ block: "nearest" });

  // ---- Whether all is saved --------------------------------------------------------------------------------------
  const saved = document.querySelector("[data-saved]");
  const says = (text) => {
    if (saved) saved.textContent = text;
  };
  const isSave = (event) => event.detail.requestConfig?.verb === "post" && event.detail.elt.matches?.("form.design-form");
  document.addEventListener("htmx:beforeRequest", (event) => {
    if (isSave(event)) says("Saving …");
  });
  document.addEventListener("htmx:afterRequest", (event) => {
    if (isSave(event)) says(event.detail.successful ? "Saved just now" : "Not all is saved");
  });
})();
