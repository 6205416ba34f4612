// Drop zones: shows what is about to be dropped, what was chosen, and tells whoever listens.
//
// The native file input covers the zone, so choosing and dropping work without this file. On every choice the zone
// fires "podium:files" with detail.files (a FileList), which the upload script of a page listens to.
(() => {
  "use strict";

  const size = (bytes) => {
    const units = ["B", "kB", "MB", "GB", "TB"];
    let at = 0;
    while (bytes >= 1000 && at < units.length - 1) {
      bytes /= 1000;
      at += 1;
    }
    return `${at ? bytes.toFixed(1) : bytes} ${units[at]}`;
  };

  const setUp = (root) => {
    for (const zone of root.querySelectorAll("[data-dropzone]")) {
      const input = zone.querySelector('input[type="file"]');
      if (!input || zone.dataset.ready) continue;
      zone.dataset.ready = "true";
      for (const name of ["dragenter", "dragover"]) zone.addEventListener(name, () => zone.classList.add("is-over"));
      for (const name of ["dragleave", "drop", "dragend"]) zone.addEventListener(name, () => zone.classList.remove("is-over"));
      const shown = zone.querySelector("[data-dropzone-file]");
      input.addEventListener("change", () => {
        const files = [...input.files];
        zone.classList.toggle("is-chosen", files.length > 0);
        zone.classList.remove("is-bad");
        if (shown) {
          shown.textContent =
            files.length > 3
              ? `${files.length} files, ${size(files.reduce((sum, file) => sum + file.size, 0))}`
              : files.map((file) => `${file.name} (${size(file.size)})`).join(", ");
        }
        zone.dispatchEvent(new CustomEvent("podium:files", { bubbles: true, detail: { files: input.files } }));
      });
    }
  };

  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", () => setUp(document));
  else setUp(document);
  document.addEventListener("htmx:load", (event) => setUp(event.detail.elt.parentElement ?? document));
})();
