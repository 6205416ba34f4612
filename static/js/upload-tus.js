// Sending an archive through the platform, by tus: in pieces with check sums, going on where it stopped.
// A sender gets what is to be sent and whom to tell, and gives start, pause and cancel (see upload.js).
(() => {
  "use strict";

  if (!window.tus?.isSupported) return;

  // Each piece carries its digest, so that the server throws a damaged one away instead of keeping it.
  const base = window.tus.defaultOptions.httpStack;
  const stackOf = (onRepeated) => ({
    getName: () => "checksum",
    createRequest(method, url) {
      const request = base.createRequest(method, url);
      if (method === "POST") {
        const post = request.send.bind(request);
        request.send = async (body) => {
          const response = await post(body);
          // The same file was submitted before: nothing has to be sent, and there is no upload to go on with.
          if (!response.getHeader("Podium-Submission")) return response;
          onRepeated(response.getHeader("Podium-Submission"));
          return new Promise(() => {});
        };
        return request;
      }
      if (method !== "PATCH" || !window.crypto?.subtle) return request;
      const [send, abort] = [request.send.bind(request), request.abort.bind(request)];
      let aborted = false;
      request.abort = () => {
        aborted = true;
        return abort();
      };
      request.send = async (body) => {
        if (body) {
          const digest = await window.crypto.subtle.digest("SHA-256", await new Blob([body]).arrayBuffer());
          if (aborted) return new Promise(() => {});
          request.setHeader("Upload-Checksum", `sha256 ${btoa(String.fromCharCode(...new Uint8Array(digest)))}`);
        }
        return send(body);
      };
      return request;
    },
  });

  const reasonOf = (error) => {
    const response = error.originalResponse;
    if (!response) return "There is no connection to the server. What has arrived is kept; submit again to go on.";
    const body = response.getBody();
    const isPlain = (response.getHeader("Content-Type") || "").startsWith("text/plain");
    if (isPlain && body) return body;
    return `The server could not take it (status ${response.getStatus()}). What has arrived is kept; submit again to go on.`;
  };

  const tus = ({ form, blob, name, fingerprint, sha256, token, onProgress, onError, onSuccess }) => {
    let address = null;
    const upload = new window.tus.Upload(blob, {
      endpoint: form.dataset.upload,
      chunkSize: Number(form.dataset.chunkBytes),
      retryDelays: [0, 1000, 2000, 4000, 8000, 15000, 30000, 60000, 60000],
      removeFingerprintOnSuccess: true,
      fingerprint: async () => fingerprint,
      metadata: {
        filename: name,
        phase: form.dataset.phase,
        accept_incomplete: String(Boolean(form.elements.accept_incomplete?.checked)),
        again: String(Boolean(form.elements.again?.checked)),
        sha256,
        kind: form.elements.kind?.value || "",
        reason: form.elements.reason?.value || "",
        merge_rule: form.elements.merge_rule?.value || "",
      },
      headers: { "X-CSRFToken": form.elements.csrfmiddlewaretoken.value, ...(token && { "Idempotency-Key": `"${token}"` }) },
      httpStack: stackOf(onSuccess),
      onProgress,
      onAfterResponse: (_request, response) => {
        address = ["Podium-Submission", "Podium-Page", "Podium-File"].map((header) => response.getHeader(header)).find(Boolean) || address;
      },
      onError: (error) => onError(reasonOf(error)),
      onSuccess: () => onSuccess(address),
    });
    let begun = false;
    return {
      async start() {
        if (!begun) {
          const [previous] = await upload.findPreviousUploads();
          if (previous) upload.resumeFromPreviousUpload(previous);
          begun = true;
        }
        upload.start();
      },
      pause: () => upload.abort(),
      cancel: () => upload.abort(true).catch(() => {}),
    };
  };

  window.podiumSenders = { ...window.podiumSenders, tus };
})();
