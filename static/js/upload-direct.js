// Sending an archive straight to the object store of the platform: in parts, several at once, each to an address that
// takes exactly its content. What has arrived is asked for first, so that it goes on after any interruption.
// A sender gets what is to be sent and whom to tell, and gives start, pause and cancel (see upload.js).
(() => {
  "use strict";

  // Digests are needed for every part; browsers compute them on secure pages only. Elsewhere tus does the work.
  if (!window.crypto?.subtle) return;

  const LANES = 3;
  const PAUSES = [0, 1000, 2000, 4000, 8000, 15000, 30000, 60000, 60000];
  // Worth trying again: parts that did not arrive or arrived damaged, and servers that are away.
  const AGAIN = [409, 423, 429, 500, 502, 503, 504];
  const GONE = [404, 410];
  const KEPT = "What has arrived is kept; submit again to go on.";

  class RefusedError extends Error {
    constructor(message, status) {
      super(message);
      this.status = status;
    }
  }

  const sleep = (time) => new Promise((resolve) => setTimeout(resolve, time));

  const digestOf = async (piece) => {
    const digest = await window.crypto.subtle.digest("SHA-256", await piece.arrayBuffer());
    return btoa(String.fromCharCode(...new Uint8Array(digest)));
  };

  const put = ({ url, headers }, piece, signal, sent) =>
    new Promise((resolve, reject) => {
      const request = new XMLHttpRequest();
      request.open("PUT", url);
      for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
      request.upload.addEventListener("progress", (event) => sent(event.loaded));
      request.addEventListener("load", () => {
        if (request.status < 300) resolve();
        else reject(new Error(`The storage did not take a part (status ${request.status}). ${KEPT}`));
      });
      for (const end of ["error", "abort", "timeout"]) {
        request.addEventListener(end, () => reject(new Error(`There is no connection to the storage. ${KEPT}`)));
      }
      signal.addEventListener("abort", () => request.abort(), { once: true });
      if (signal.aborted) reject(signal.reason);
      else request.send(piece);
    });

  const direct = ({ form, blob, name, fingerprint, sha256, token, onProgress, onError, onSuccess }) => {
    const key = `podium-direct::${fingerprint}`;
    const digests = [];
    let address = localStorage.getItem(key);
    let going = null;
    let arrivedOnce = 0;

    const remember = (value) => {
      address = value;
      if (value) localStorage.setItem(key, value);
      else localStorage.removeItem(key);
    };

    const ask = async (method, target, content, signal, more = {}) => {
      let response;
      try {
        response = await fetch(target, {
          method,
          signal,
          headers: { "Content-Type": "application/json", "X-CSRFToken": form.elements.csrfmiddlewaretoken.value, ...more },
          body: content && JSON.stringify(content),
        });
      } catch {
        throw new Error(`There is no connection to the server. ${KEPT}`);
      }
      if (response.ok) return response.status === 204 ? null : response.json();
      const said = await response.json().catch(() => ({}));
      const fields = Object.values(said.errors ?? {}).flat().filter((words) => typeof words === "string");
      if (response.status === 401) throw new RefusedError("Your session has ended. Sign in again; what has arrived is kept.", 401);
      throw new RefusedError(fields.join(" ") || said.detail || `The server could not take it (status ${response.status}). ${KEPT}`, response.status);
    };

    const known = async (signal) => {
      if (!address) return null;
      try {
        const state = await ask("GET", address, undefined, signal);
        return ["receiving", "complete"].includes(state.state) && state.size === blob.size ? state : null;
      } catch (error) {
        if (GONE.includes(error.status)) return null;
        throw error;
      }
    };

    const attempt = async (signal) => {
      let state = await known(signal);
      if (!state) {
        state = await ask("POST", form.dataset.direct, {
          phase: Number(form.dataset.phase),
          filename: name,
          size: blob.size,
          accept_incomplete: Boolean(form.elements.accept_incomplete?.checked),
          again: Boolean(form.elements.again?.checked),
          sha256,
        }, signal, token && { "Idempotency-Key": `"${token}"` });
        remember(state.address);
      }
      if (state.state === "complete") return state.page;
      const count = Math.ceil(blob.size / state.part_bytes);
      const arrived = new Map(state.arrived.map((part) => [part.number, part.sha256]));
      const sent = new Map();
      const report = (number, bytes) => {
        sent.set(number, bytes);
        onProgress([...sent.values()].reduce((sum, each) => sum + each, 0), blob.size);
      };
      let next = 1;
      const lane = async () => {
        while (next <= count && !signal.aborted) {
          const number = next;
          next += 1;
          const piece = blob.slice((number - 1) * state.part_bytes, number * state.part_bytes);
          digests[number - 1] ??= await digestOf(piece);
          const isThere = arrived.has(number) && (arrived.get(number) ?? digests[number - 1]) === digests[number - 1];
          if (!isThere && !state.is_ending) {
            const wanted = { parts: [{ number, sha256: digests[number - 1] }] };
            const { parts } = await ask("POST", `${address}parts/`, wanted, signal);
            await put(parts[0], piece, signal, (bytes) => report(number, Math.min(bytes, piece.size)));
            arrivedOnce += 1;
          }
          report(number, piece.size);
        }
      };
      await Promise.all(Array.from({ length: LANES }, lane));
      if (signal.aborted) throw signal.reason;
      return (await ask("POST", `${address}end/`, { sha256: digests }, signal)).page;
    };

    const start = async () => {
      const run = new AbortController();
      going = run;
      let tries = 0;
      let before = arrivedOnce;
      while (!run.signal.aborted) {
        // Where one lane breaks off, the others do, too: the next attempt asks what has arrived.
        const lanes = new AbortController();
        run.signal.addEventListener("abort", () => lanes.abort(), { once: true });
        try {
          const page = await attempt(lanes.signal);
          remember(null);
          onSuccess(page);
          return;
        } catch (error) {
          lanes.abort();
          if (run.signal.aborted) return;
          if (arrivedOnce > before) tries = 0;
          before = arrivedOnce;
          const isFinal = error.status && !AGAIN.includes(error.status);
          if (isFinal || tries >= PAUSES.length) {
            if (GONE.includes(error.status)) remember(null);
            onError(error.message);
            return;
          }
          await sleep(PAUSES[tries]);
          tries += 1;
        }
      }
    };

    return {
      start,
      pause: () => going?.abort(),
      async cancel() {
        going?.abort();
        const ended = address;
        remember(null);
        if (ended) await ask("DELETE", ended).catch(() => {});
      },
    };
  };

  window.podiumSenders = { ...window.podiumSenders, direct };
})();
