// Files of a form, sent in pieces before the form is (a form with data-upload and data-sends-files, and the parts of
// upload_progress.html). What a broken line interrupts goes on where it stopped, also after the page was loaded anew and the
// same file chosen again. Without this file, or where the browser cannot, the form posts its files in one go.
(() => {
  "use strict";

  const form = document.querySelector("form[data-sends-files]");
  const sender = (window.podiumSenders ?? {}).tus;
  if (!form || !sender) return;

  const area = document.getElementById("upload-progress");
  const label = area.querySelector("[data-upload-label]");
  const text = area.querySelector("[data-upload-text]");
  const bar = area.querySelector("[data-upload-bar]");
  const pause = area.querySelector("[data-upload-pause]");
  const cancel = area.querySelector("[data-upload-cancel]");
  const problem = document.getElementById("upload-error");
  const button = form.querySelector('button[type="submit"]');
  let upload = null;

  const size = (bytes) => {
    const units = ["B", "kB", "MB", "GB"];
    let at = 0;
    while (bytes >= 1000 && at < units.length - 1) {
      bytes /= 1000;
      at += 1;
    }
    return `${at ? bytes.toFixed(1) : bytes} ${units[at]}`;
  };

  const show = (what, done, total) => {
    area.hidden = false;
    label.textContent = what;
    bar.max = total || 1;
    bar.value = done;
    text.textContent = `${size(done)} of ${size(total)}`;
  };

  const fail = (reason) => {
    problem.hidden = false;
    problem.querySelector("[data-upload-reason]").textContent = reason;
    area.hidden = true;
    button.disabled = false;
    upload = null;
  };

  // The id under which a whole file waits for the form stands in a hidden field beside that of the file.
  const name = (field, id) => {
    const given = form.elements[`${field}_sent`] ?? document.createElement("input");
    given.type = "hidden";
    given.name = `${field}_sent`;
    given.value = id;
    if (!given.isConnected) form.append(given);
  };

  const send = (input) =>
    new Promise((resolve, reject) => {
      const [file] = input.files;
      if (file.size > Number(form.dataset.maxBytes)) {
        reject(new Error(`${file.name} has ${size(file.size)}; at most ${size(Number(form.dataset.maxBytes))} are read.`));
        return;
      }
      upload = sender({
        form,
        blob: file,
        name: file.name,
        fingerprint: `podium-${form.dataset.upload}-${file.name}|${file.size}|${file.lastModified}`,
        onProgress: (done, total) => show(`Sending ${file.name}`, done, total),
        onError: (reason) => reject(new Error(reason)),
        onSuccess: (id) => {
          show(`${file.name} has arrived`, file.size, file.size);
          name(input.name, id);
          input.disabled = true;
          resolve();
        },
      });
      show(`Sending ${file.name}`, 0, file.size);
      upload.start();
    });

  form.addEventListener("submit", (event) => {
    const chosen = [...form.querySelectorAll('input[type="file"]')].filter((input) => input.files.length && !input.disabled);
    if (!chosen.length) return;
    event.preventDefault();
    if (button.disabled) return;
    button.disabled = true;
    problem.hidden = true;
    (async () => {
      for (const input of chosen) await send(input);
      upload = null;
      form.submit();
    })().catch((error) => {
      for (const input of chosen) input.disabled = false;
      fail(error.message);
    });
  });

  pause.addEventListener("click", () => {
    if (!upload) return;
    if (pause.dataset.paused) {
      delete pause.dataset.paused;
      pause.textContent = "Pause";
      upload.start();
    } else {
      pause.dataset.paused = "true";
      pause.textContent = "Go on";
      label.textContent = "Paused";
      upload.pause();
    }
  });

  cancel.addEventListener("click", async () => {
    if (!upload) return;
    const ended = upload;
    upload = null;
    await ended.cancel();
    area.hidden = true;
    button.disabled = false;
    delete pause.dataset.paused;
    pause.textContent = "Pause";
  });

  // Leaving while bytes are on their way is asked about; nothing would be lost, but nothing would arrive either.
  window.addEventListener("beforeunload", (event) => {
    if (upload && !pause.dataset.paused && bar.value < bar.max) event.preventDefault();
  });
})();
