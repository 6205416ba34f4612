// Resumable upload of an archive, or of loose files and folders packed here in the browser: of the submit page, and of
// the page where organizers send references (a form with data-upload, a drop zone and the parts of upload_progress.html).
// The bytes go by one of the senders, upload-direct.js or upload-tus.js.
// Without this file the form posts the archive in one go, through the same services.
(() => {
  "use strict";

  const form = document.querySelector("form[data-upload]");
  const senders = window.podiumSenders ?? {};
  // Straight to the object store where the page offers it and the browser can, else through the platform.
  const sender = (form?.dataset.direct && senders.direct) || senders.tus;
  if (!form || !sender) return;

  const ARCHIVE = /\.(zip|tar|tgz|tar\.gz|tar\.zst)$/i;
  const COMPRESSED = /\.(gz|png|zip)$/i;
  // The ZIP writer knows no ZIP64; greater amounts are packed with a program of one's own.
  const PACK_LIMIT = 3.9e9;
  const PIECE = 8 * 1024 * 1024;

  const zone = form.querySelector("[data-dropzone]");
  const input = zone.querySelector('input[type="file"]');
  const shown = zone.querySelector("[data-dropzone-file]");
  const area = document.getElementById("upload-progress");
  const label = area.querySelector("[data-upload-label]");
  const text = area.querySelector("[data-upload-text]");
  const bar = area.querySelector("[data-upload-bar]");
  const pause = area.querySelector("[data-upload-pause]");
  const cancel = area.querySelector("[data-upload-cancel]");
  const problem = document.getElementById("upload-error");
  const button = form.querySelector('button[type="submit"]');

  // Browsers compute digests of whole files in memory only; of larger files the platform computes them.
  const DIGEST_LIMIT = 256 * 1024 * 1024;

  let chosen = [];
  let sent = 0;
  let upload = null;

  const size = (bytes) => {
    const units = ["B", "kB", "MB", "GB", "TB"];
    let at = 0;
    while (bytes >= 1000 && at < units.length - 1) {
      bytes /= 1000;
      at += 1;
    }
    return `${at ? bytes.toFixed(1) : bytes} ${units[at]}`;
  };

  // ---- What was chosen ----------------------------------------------------------------------------------------
  const walk = async (entry, folder = "") => {
    if (entry.isFile) {
      const file = await new Promise((resolve, reject) => entry.file(resolve, reject));
      return [{ file, path: folder + file.name }];
    }
    const reader = entry.createReader();
    const found = [];
    for (;;) {
      // A reader hands out its entries in batches until an empty one.
      const batch = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
      if (!batch.length) return found;
      for (const child of batch) found.push(...(await walk(child, `${folder}${entry.name}/`)));
    }
  };

  zone.addEventListener(
    "drop",
    (event) => {
      const entries = [...event.dataTransfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
      if (!entries.some((entry) => entry.isDirectory)) return;
      event.preventDefault();
      zone.classList.remove("is-over");
      Promise.all(entries.map((entry) => walk(entry))).then((lists) => {
        chosen = lists.flat().filter(({ file }) => !file.name.startsWith("."));
        zone.classList.add("is-chosen");
        input.required = false;
        shown.textContent = `${chosen.length} files, ${size(chosen.reduce((sum, { file }) => sum + file.size, 0))}`;
      });
    },
    true,
  );

  zone.addEventListener("podium:files", (event) => {
    chosen = [...event.detail.files].map((file) => ({ file, path: file.name }));
    problem.hidden = true;
  });

  // ---- Packing ------------------------------------------------------------------------------------------------
  const pack = async (files) => {
    const total = files.reduce((sum, { file }) => sum + file.size, 0);
    if (total > PACK_LIMIT) throw new Error("These files are too large to be packed here. Pack them into one archive first.");
    const parts = [];
    let pending = [];
    let pendingBytes = 0;
    const keep = () => {
      if (pending.length) parts.push(new Blob(pending));
      pending = [];
      pendingBytes = 0;
    };
    let failure = null;
    const zip = new window.fflate.Zip((error, data) => {
      if (error) failure = error;
      else {
        pending.push(data);
        pendingBytes += data.length;
        // A Blob may be kept on disk by the browser, an array may not.
        if (pendingBytes > PIECE) keep();
      }
    });
    let done = 0;
    for (const { file, path } of [...files].sort((a, b) => (a.path < b.path ? -1 : 1))) {
      const entry = COMPRESSED.test(file.name)
        ? new window.fflate.ZipPassThrough(path)
        : new window.fflate.ZipDeflate(path, { level: 3 });
      // The same files give the same archive, so that an interrupted upload of them can go on.
      entry.mtime = new Date(Math.max(file.lastModified, Date.UTC(1980, 0, 2)));
      zip.add(entry);
      for (let at = 0; at < file.size || at === 0; at += PIECE) {
        const piece = new Uint8Array(await file.slice(at, at + PIECE).arrayBuffer());
        entry.push(piece, at + PIECE >= file.size);
        done += piece.length;
        show("Packing", done, total);
        if (failure) throw failure;
      }
    }
    zip.end();
    keep();
    return new Blob(parts, { type: "application/zip" });
  };

  const archiveOf = async (files) => {
    if (files.length === 1 && ARCHIVE.test(files[0].file.name)) return { blob: files[0].file, name: files[0].file.name };
    return { blob: await pack(files), name: form.dataset.name || "predictions.zip" };
  };

  const sha256Of = async (blob) => {
    if (!window.crypto?.subtle || blob.size > DIGEST_LIMIT) return "";
    const digest = new Uint8Array(await window.crypto.subtle.digest("SHA-256", await blob.arrayBuffer()));
    return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
  };

  const fingerprint = (files) =>
    `podium-${form.dataset.upload}-${form.dataset.phase}-${form.elements.again?.checked ? "again-" : ""}${files.map(({ file, path }) => `${path}|${file.size}|${file.lastModified}`).sort().join(",")}`;

  // ---- Sending ------------------------------------------------------------------------------------------------
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

  const send = async (files) => {
    const { blob, name } = await archiveOf(files);
    if (blob.size > Number(form.dataset.maxBytes)) {
      throw new Error(`The archive has ${size(blob.size)}; at most ${size(Number(form.dataset.maxBytes))} are taken.`);
    }
    const key = form.elements.client_token?.value;
    sent += 1;
    upload = sender({
      sha256: key ? await sha256Of(blob) : "",
      token: key && `${key}-${sent}`,
      form,
      blob,
      name,
      fingerprint: fingerprint(files),
      onProgress: (done, total) => show("Uploading", done, total),
      onError: fail,
      onSuccess: (address) => {
        show(form.dataset.arrived || "Arrived; validation begins", blob.size, blob.size);
        // Going to a place on the page that is shown would not load it anew.
        if (address && !address.includes("#")) window.location.assign(address);
        else window.location.reload();
      },
    });
    show("Uploading", 0, blob.size);
    await upload.start();
  };

  form.addEventListener("submit", (event) => {
    if (!chosen.length) return;
    event.preventDefault();
    if (button.disabled) return;
    button.disabled = true;
    problem.hidden = true;
    send(chosen).catch((error) => fail(error.message));
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
