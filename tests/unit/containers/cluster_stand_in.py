"""A stand-in for a cluster's API server and registry: it validates every object against the published schema of Kubernetes.

What happens to a Pod is scripted; a Job that the schema or the rules of the restricted security level do not accept is
refused, as a cluster refuses it.
"""

import hashlib
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import kubernetes_validate

VERSIONS = ("1.30", "1.33", "1.37")
Object = dict[str, Any]
Fate = Callable[[Object], Object]
"""Status of the Pod of a Job."""


def problems(value: Object) -> list[str]:
    """Return what the schemas of all supported versions, read strictly, do not accept of an object."""
    said = []
    for version in VERSIONS:
        try:
            kubernetes_validate.validate(value, version, strict=True)
        except kubernetes_validate.ValidationError as error:
            said.append(f"{version}: {'/'.join(map(str, error.path))}: {error.message}")
    return said


def unrestricted(pod: Object) -> list[str]:
    """Return what of a Pod the security level *restricted* of Kubernetes does not allow."""
    found = [name for name in ("hostNetwork", "hostPID", "hostIPC") if pod.get(name)]
    allowed = {
        "configMap",
        "csi",
        "downwardAPI",
        "emptyDir",
        "ephemeral",
        "persistentVolumeClaim",
        "projected",
        "secret",
    }
    found += [f"volume {own['name']}" for own in pod.get("volumes", ()) if not (set(own) - {"name"}) <= allowed]
    outer = pod.get("securityContext", {})
    for container in (*pod.get("initContainers", ()), *pod["containers"]):
        own = {**outer, **container.get("securityContext", {})}
        checks = {
            "allowPrivilegeEscalation": own.get("allowPrivilegeEscalation") is False,
            "privileged": not own.get("privileged"),
            "capabilities": "ALL" in own.get("capabilities", {}).get("drop", ())
            and set(own["capabilities"].get("add", ())) <= {"NET_BIND_SERVICE"},
            "runAsNonRoot": own.get("runAsNonRoot") is True and own.get("runAsUser") != 0,
            "seccompProfile": own.get("seccompProfile", {}).get("type") in ("RuntimeDefault", "Localhost"),
        }
        found += [f"{container['name']}: {name}" for name, holds in checks.items() if not holds]
    return found


class Cluster:
    """State of the server."""

    def __init__(self) -> None:
        self.objects: dict[str, Object] = {}
        self.blobs: dict[str, bytes] = {}
        self.manifests: dict[str, bytes] = {}
        self.refused: list[str] = []
        self.deleted: list[str] = []
        self.fate: Fate = lambda _job: {"phase": "Pending"}
        self.printed = b""
        self.is_down = False
        self.address = ""

    @contextmanager
    def served(self) -> Iterator["Cluster"]:
        cluster = self

        class Handler(_Handler):
            state = cluster

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        self.address = f"http://127.0.0.1:{server.server_address[1]}"
        try:
            yield self
        finally:
            server.shutdown()
            server.server_close()
            thread.join()

    def created(self, path: str, value: Object) -> str:
        """Accept a new object, or return why not."""
        said = problems(value)
        if value["kind"] == "Job":
            template = value["spec"]["template"]["spec"]
            said += unrestricted(template)
            said += [] if template.get("automountServiceAccountToken") is False else ["has a token"]
        name = value["metadata"]["name"]
        if f"{path}/{name}" in self.objects:
            said.append("exists")
        if not said:
            self.objects[f"{path}/{name}"] = value
        self.refused += said
        return "; ".join(said)

    def pods(self) -> list[Object]:
        """Return a Pod for each Job."""
        pods = []
        for path, job in self.objects.items():
            if "/jobs/" in path:
                template, name = job["spec"]["template"], job["metadata"]["name"]
                if status := self.fate(job):
                    labels = {**template["metadata"]["labels"], "batch.kubernetes.io/job-name": name}
                    metadata = {"name": f"{name}-x7f2k", "labels": labels}
                    spec = {**template["spec"], "nodeName": "node-a"}
                    pods.append(
                        {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec, "status": status}
                    )
        return pods


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    state: Cluster

    def log_message(self, *_: object) -> None:
        pass

    def _answer(self, status: int, value: Any = None, *, headers: dict[str, str] | None = None) -> None:
        content = value if isinstance(value, bytes) else json.dumps(value if value is not None else {}).encode()
        self.send_response(status)
        for name, text in {"Content-Length": str(len(content)), **(headers or {})}.items():
            self.send_header(name, text)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def _read(self) -> bytes:
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))

    def do_HEAD(self) -> None:
        self._answer(200 if self.path.rpartition("/")[2] in self.state.blobs else 404)

    def do_GET(self) -> None:
        path = urlsplit(self.path).path
        if self.state.is_down:
            self._answer(503, {"message": "the server is restarting"})
        elif path == "/version":
            self._answer(200, {"gitVersion": "v1.33.1"})
        elif path.endswith("/log"):
            self._answer(200, self.state.printed)
        elif path.endswith("/pods"):
            self._answer(200, {"items": self.state.pods()})
        elif path.endswith("/jobs"):
            jobs = [{**own, "status": {"active": 1}} for name, own in self.state.objects.items() if "/jobs/" in name]
            self._answer(200, {"items": jobs})
        elif path in self.state.objects:
            stored = self.state.objects[path]
            self._answer(200, {**stored, "metadata": {**stored["metadata"], "resourceVersion": "7"}})
        else:
            self._answer(404, {"message": "not found"})

    def do_POST(self) -> None:
        content = self._read()
        if self.path.startswith("/v2/"):
            self._answer(202, headers={"Location": f"{self.path}upload-1"})
            return
        said = self.state.created(urlsplit(self.path).path, value := json.loads(content))
        self._answer(422 if said else 201, {"message": said} if said else value)

    def do_PUT(self) -> None:
        content, parts = self._read(), urlsplit(self.path)
        digest = f"sha256:{hashlib.sha256(content).hexdigest()}"
        if "/manifests/" in parts.path:
            manifest = json.loads(content)
            named = {own["digest"] for own in (manifest["config"], *manifest["layers"])}
            is_complete = parts.path.endswith(digest) and named <= set(self.state.blobs)
            self.state.manifests |= {digest: content} if is_complete else {}
            self._answer(201 if is_complete else 400)
        elif parts.path.startswith("/v2/"):
            is_right = parse_qs(parts.query).get("digest") == [digest]
            self.state.blobs |= {digest: content} if is_right else {}
            self._answer(201 if is_right else 400)
        else:
            value = json.loads(content)
            is_current = value["metadata"].get("resourceVersion") == "7"
            self.state.objects[parts.path] = value
            self._answer(200 if is_current else 409, value)

    def do_DELETE(self) -> None:
        self._read()
        path = urlsplit(self.path).path
        self.state.deleted.append(path)
        self._answer(200 if self.state.objects.pop(path, None) else 404)
