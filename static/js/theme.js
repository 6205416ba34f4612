// Loaded before the first paint: applies the colours that the reader chose, if any.
(() => {
  "use strict";
  const KEY = "podium-theme";
  const root = document.documentElement;
  // What a script opens is closed from the first paint on, and open where no script runs.
  root.classList.add("js");
  const ORDER = ["system", "light", "dark"];
  const LABELS = { system: "Colours: system setting", light: "Colours: light", dark: "Colours: dark" };

  const stored = () => {
    try {
      const value = localStorage.getItem(KEY);
      return ORDER.includes(value) ? value : "system";
    } catch {
      return "system"; // storage may be forbidden; the page still works
    }
  };

  const apply = (theme) => {
    if (theme === "system") root.removeAttribute("data-theme");
    else root.setAttribute("data-theme", theme);
    root.setAttribute("data-theme-choice", theme);
  };

  const announce = () => document.dispatchEvent(new CustomEvent("podium:theme"));

  apply(stored());
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", announce);
  addEventListener("storage", (event) => {
    if (event.key === KEY) {
      apply(stored());
      announce();
    }
  });

  document.addEventListener("DOMContentLoaded", () => {
    const button = document.querySelector("[data-theme-toggle]");
    if (!button) return;
    const label = button.querySelector("[data-theme-label]");
    const show = () => {
      label.textContent = LABELS[stored()];
      button.title = LABELS[stored()];
    };
    button.hidden = false;
    show();
    button.addEventListener("click", () => {
      const next = ORDER[(ORDER.indexOf(stored()) + 1) % ORDER.length];
      try {
        localStorage.setItem(KEY, next);
      } catch {
        // not kept for the next page, but applied to this one
      }
      apply(next);
      show();
      announce();
    });
  });
})();
