"""Kubernetes as a back end: each container is one Job with one Pod.

The runner and the nodes share a volume. Images go to a registry of the cluster. A Pod that vanishes, is evicted or is
ended by the cluster is a fault of the platform's side.
"""

import contextlib
import os
import select
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import requests

from confinement.containers import registries
from confinement.containers.client import USER, moment
from confinement.containers.engine import LABEL_BATCH, LABEL_LEASE, Ending, EngineError, Remains, Sample, Start
from confinement.containers.kubernetes_objects import (
    APP,
    CONTAINER,
    LABEL_INSTALLATION,
    ClusterSettings,
    Object,
    job,
    job_name,
    network_policy,
)
from confinement.limits import MIB

_POLL_SECONDS = 1.0
_UNREACHABLE_SECONDS = 300.0
_SECONDS = (10.0, 30.0)
_WAIT_SECONDS = 0.2
_GONE_SECONDS = 60.0
_APPEARING_SECONDS = 120.0
"""Time in which a Job has to get its Pod."""
_CANNOT_PULL = {
    "CreateContainerConfigError",
    "ErrImageNeverPull",
    "ErrImagePull",
    "ImagePullBackOff",
    "InvalidImageName",
}
_CANNOT_CREATE = {"ContainerCannotRun", "CreateContainerError", "RunContainerError", "StartError"}
_NO_PROGRAM = ("no such file or directory", "executable file not found", "permission denied", "exec format error")
_BY_THE_CLUSTER = {"NodeLost", "NodeShutdown", "Preempting", "Shutdown", "Terminated", "UnexpectedAdmissionError"}
_SERVICE_ACCOUNT = Path("/var/run/secrets/kubernetes.io/serviceaccount")


class Interface(Protocol):
    """Calls of the interface of a cluster."""

    def call(
        self, method: str, path: str, *, content: Object | None = None, query: Mapping[str, str] | None = None
    ) -> Object:
        """Return the answer of a call."""

    def follow(self, path: str, *, query: Mapping[str, str]) -> requests.Response:
        """Return an answer that is read as it arrives."""


class Api:
    """Interface of a cluster over HTTPS.

    Parameters
    ----------
    server
        Address of the cluster's API server.
    token
        File with the runner's token, read for each call, since Kubernetes renews it.
    authority
        File with the certificate authority of the server.
    """

    def __init__(self, server: str, *, token: Path | None = None, authority: Path | None = None) -> None:
        self._server, self._token = server.rstrip("/"), token
        self._session = requests.Session()
        self._session.trust_env = False
        if authority is not None:
            self._session.verify = str(authority)

    @classmethod
    def of_pod(cls) -> "Api":
        """Return the interface as the Pod of a runner sees it.

        Raises
        ------
        EngineError
            Outside a cluster.
        """
        host, port = os.environ.get("KUBERNETES_SERVICE_HOST"), os.environ.get("KUBERNETES_SERVICE_PORT", "443")
        if not host:
            raise EngineError("this program does not run in a Pod of Kubernetes")
        host = f"[{host}]" if ":" in host else host
        return cls(f"https://{host}:{port}", token=_SERVICE_ACCOUNT / "token", authority=_SERVICE_ACCOUNT / "ca.crt")

    def call(
        self, method: str, path: str, *, content: Object | None = None, query: Mapping[str, str] | None = None
    ) -> Object:
        """Call the server and return its answer; an empty object if what is deleted or asked for is not there.

        Raises
        ------
        EngineError
            If the server cannot be reached or refuses the call.
        """
        answer = self._request(method, path, json=content, params=query)
        if answer.status_code == requests.codes.not_found and method in ("GET", "DELETE"):
            return {}
        if not answer.ok:
            raise EngineError(f"kubernetes {method} {path}: {answer.status_code} {_message(answer)}")
        try:
            value: Object = answer.json()
        except ValueError as error:
            raise EngineError(f"kubernetes {method} {path}: no JSON in the answer") from error
        return value

    def follow(self, path: str, *, query: Mapping[str, str]) -> requests.Response:
        """Return an answer that is read as it arrives.

        Raises
        ------
        EngineError
            If the server cannot be reached or refuses the call.
        """
        answer = self._request("GET", path, params=query, stream=True)
        if not answer.ok:
            raise EngineError(f"kubernetes GET {path}: {answer.status_code} {_message(answer)}")
        return answer

    def _request(self, method: str, path: str, **options: Any) -> requests.Response:
        try:
            headers = {"Authorization": f"Bearer {self._token.read_text().strip()}"} if self._token else {}
            return self._session.request(
                method, f"{self._server}{path}", headers=headers, timeout=_SECONDS, allow_redirects=False, **options
            )
        except (OSError, requests.RequestException) as error:
            raise EngineError(f"kubernetes {method} {path}: {error}") from error


class Kubernetes:
    """Engine that creates Jobs.

    Parameters
    ----------
    api
        Interface of the cluster.
    settings
        Properties of the cluster.
    installation
        Name of this installation among those that use the same namespace: a label value.
    registry
        Session with the credentials of the registry.
    """

    name = "kubernetes"
    owner = USER
    separates_output = False
    starting_seconds = float("inf")
    """A Pod may wait for a node for days; whoever runs the batch decides how long it may wait."""

    def __init__(
        self,
        api: Interface,
        settings: ClusterSettings,
        *,
        installation: str = "podium",
        registry: requests.Session | None = None,
    ) -> None:
        self.api, self.settings, self._installation = api, settings, installation
        self._registry = registry or requests.Session()
        self._references: dict[str, str] = {}
        self._versions: dict[str, str] = {}
        self._pods = _Pods(self._listed_pods)

    def versions(self) -> dict[str, str]:
        """Return the version of the cluster and the runtime class."""
        if not self._versions:
            version = self.api.call("GET", "/version")
            self._versions = {
                "engine": f"kubernetes {version.get('gitVersion', '')}",
                "runtime": self.settings.runtime_class or "the cluster's default",
                "kernel": "of the node",
            }
        return dict(self._versions)

    def images(self) -> list[str]:
        """Ids of the images that this process stored in the registry."""
        return sorted(self._references)

    def load(self, layout: Path, image_id: str) -> None:
        """Store an image in the registry of the cluster; what the registry has already is not sent again.

        Raises
        ------
        EngineError
            When it fails or the layout is that of another image.
        """
        if not self.settings.registry:
            raise EngineError("no registry is set for the images of this cluster")
        address = self.settings.registry
        address = address if "://" in address else f"https://{address}"
        self._references[image_id] = registries.store(self._registry, address, layout, image_id)

    def remove_image(self, image_id: str) -> None:
        """Forget an image; the registry's own rules decide how long it is stored there."""
        self._references.pop(image_id, None)

    def protect(self) -> None:
        """Create the policy that denies Jobs all traffic, or replace it by the current one.

        Raises
        ------
        EngineError
            If the cluster refuses it.
        """
        policy = network_policy(self.settings)
        path = f"/apis/networking.k8s.io/v1/namespaces/{self.settings.namespace}/networkpolicies"
        named = f"{path}/{policy['metadata']['name']}"
        if existing := self.api.call("GET", named):
            version = existing.get("metadata", {}).get("resourceVersion", "")
            content = {**policy, "metadata": {**policy["metadata"], "resourceVersion": version}}
            self.api.call("PUT", named, content=content)
        else:
            self.api.call("POST", path, content=policy)

    def start(self, start: Start) -> "PodContainer":
        """Create a Job.

        Raises
        ------
        EngineError
            When the image is not there, or the cluster refuses the Job.
        """
        image = self._references.get(start.image_id)
        if image is None:
            raise EngineError(f"image not known: {start.image_id}")
        self.api.call(
            "POST", self._jobs(), content=job(start, self.settings, image=image, installation=self._installation)
        )
        return PodContainer(self, start)

    def containers(self) -> list[Remains]:
        """Jobs of this installation."""
        listed = self.api.call("GET", self._jobs(), query={"labelSelector": self._selector()})
        remains = []
        for entry in listed.get("items", ()):
            notes = entry["metadata"].get("annotations", {})
            is_running = bool(entry.get("status", {}).get("active"))
            name = notes.get("org.podium.container", entry["metadata"]["name"])
            remains.append(Remains(name, notes.get(LABEL_BATCH, ""), notes.get(LABEL_LEASE, ""), is_running))
        return remains

    def is_alone(self, name: str) -> bool:  # noqa: ARG002 (neighbours on a node are not visible)
        """Return False: whether other Pods run on the node is not known."""
        return False

    def remove(self, name: str) -> None:
        """Delete a Job with its Pod, and wait a bounded time until the Pod is gone."""
        self.delete(name)
        until = time.monotonic() + _GONE_SECONDS
        while time.monotonic() < until and self.pod(name) is not None:
            time.sleep(_WAIT_SECONDS)

    def delete(self, name: str) -> None:
        """Delete a Job with its Pod."""
        options = {"apiVersion": "v1", "kind": "DeleteOptions", "propagationPolicy": "Foreground"}
        self.api.call("DELETE", f"{self._jobs()}/{job_name(name)}", content=options)

    def pod(self, name: str) -> Object | None:
        """Return the Pod of a container, at most a second old, or None without one."""
        return self._pods.pod(job_name(name))

    def pod_log(self, pod: str, limit: int) -> requests.Response:
        """Return what a Pod prints, as it arrives."""
        path = f"/api/v1/namespaces/{self.settings.namespace}/pods/{pod}/log"
        return self.api.follow(path, query={"container": CONTAINER, "follow": "true", "limitBytes": str(limit)})

    def _listed_pods(self) -> Object:
        path = f"/api/v1/namespaces/{self.settings.namespace}/pods"
        return self.api.call("GET", path, query={"labelSelector": self._selector()})

    def _jobs(self) -> str:
        return f"/apis/batch/v1/namespaces/{self.settings.namespace}/jobs"

    def _selector(self) -> str:
        return f"app.kubernetes.io/name={APP},{LABEL_INSTALLATION}={self._installation}"


class _Pods:
    """All Pods of this installation, asked for once per second for all containers together."""

    def __init__(self, listed: Callable[[], Object]) -> None:
        self._listed = listed
        self._lock = threading.Lock()
        self._pods: dict[str, Object] = {}
        self._asked = self._answered = float("-inf")

    def pod(self, job: str) -> Object | None:
        with self._lock:
            now = time.monotonic()
            if now - self._asked >= _POLL_SECONDS:
                self._asked = now
                try:
                    items = self._listed().get("items", ())
                except EngineError:
                    # A server that restarts loses no Pod.
                    if now - self._answered > _UNREACHABLE_SECONDS:
                        raise
                else:
                    self._pods = {_job_of(pod): pod for pod in items}
                    self._answered = time.monotonic()
            return self._pods.get(job)


@dataclass(frozen=True)
class _State:
    """State of a Pod, reduced to what decides how its container ended."""

    is_running: bool = False
    has_started: bool = False
    ended: Mapping[str, Any] | None = None
    fault: str = ""
    is_not_started: bool = False


class PodContainer:
    """A container that is the Pod of a Job."""

    def __init__(self, engine: Kubernetes, start: Start) -> None:
        self._engine, self._start = engine, start
        self._created = time.monotonic()
        self._has_pod = self._is_killed = False
        self._last = _State(is_running=True)
        self._pipe: tuple[int, int] | None = None
        self._reader: threading.Thread | None = None
        self._response: requests.Response | None = None

    def started(self) -> bool:
        """Return whether its first process has started."""
        self.running()
        return self._last.has_started

    def running(self) -> bool:
        """Return whether its first process has not ended, or has not started yet."""
        pod = self._engine.pod(self._start.name)
        if pod is None:
            if not self._has_pod and time.monotonic() - self._created < _APPEARING_SECONDS and not self._is_killed:
                return True
            reason = "vanished" if self._has_pod else "was not created"
            if self._last.ended is None and not self._last.fault:
                self._last = _State(has_started=self._last.has_started, fault=f"the Pod {reason}")
            return False
        self._has_pod = True
        self._last = state_of(pod)
        return self._last.is_running

    def wait(self, seconds: float) -> None:
        """Wait so long, or until its first process has ended."""
        until = time.monotonic() + max(seconds, _WAIT_SECONDS)
        while time.monotonic() < until and self.running():
            time.sleep(_WAIT_SECONDS)

    def log(self, seconds: float) -> bytes | None:
        """Return the next printed output, empty after `seconds` without output and None at the end."""
        if self._pipe is None:
            is_running = self.running()
            pod = self._engine.pod(self._start.name)
            if pod is None or not (self._last.has_started or self._last.ended):
                time.sleep(min(seconds, _WAIT_SECONDS))
                return b"" if is_running else None
            self._pipe = os.pipe()
            self._reader = threading.Thread(
                target=self._copy, args=(pod["metadata"]["name"], self._pipe[1]), daemon=True
            )
            self._reader.start()
        ready, _, _ = select.select([self._pipe[0]], [], [], seconds)
        if not ready:
            return b""
        return os.read(self._pipe[0], MIB) or None

    def sample(self) -> Sample | None:
        """Return None: the memory of another machine is not read while the Pod runs."""
        return None

    def kill(self) -> None:
        """End all of its processes: delete the Job with its Pod."""
        self._is_killed = True
        self._engine.delete(self._start.name)

    def ending(self) -> Ending:
        """Return how the container ended."""
        until = time.monotonic() + _GONE_SECONDS
        while self.running() and time.monotonic() < until:
            time.sleep(_WAIT_SECONDS)
        state = self._last
        if state.is_running:
            # Its processes may still write: nothing of it is used.
            return Ending(None, None, None, fault="kubernetes: the node does not confirm that the container has ended")
        if state.ended is not None:
            return _ending_of(state)
        if self._is_killed:
            return Ending(None, None, None)
        return Ending(None, None, None, fault=f"kubernetes: {state.fault or 'the Pod has no end'}")

    def remove(self) -> None:
        """Leave nothing of it in the cluster."""
        self._engine.remove(self._start.name)
        if self._response is not None:
            self._response.close()
        if self._pipe is not None:
            os.close(self._pipe[0])
            if self._reader is not None:
                self._reader.join(_SECONDS[0])
            self._pipe = None

    def _copy(self, pod: str, target: int) -> None:
        """Copy the log into a pipe, which bounds what is not read yet."""
        with contextlib.suppress(EngineError, requests.RequestException, OSError, AttributeError):
            self._response = self._engine.pod_log(pod, self._start.limits.log_bytes + MIB)
            for piece in self._response.iter_content(64 * 1024):
                view = memoryview(piece)
                while view:
                    view = view[os.write(target, view) :]
        os.close(target)


def state_of(pod: Object) -> _State:
    """Return the state of a Pod.

    Everything that the cluster does to a Pod is a fault; only what its container did itself counts against it.
    """
    status = pod.get("status", {})
    listed = status.get("containerStatuses") or [{}]
    container = next((entry for entry in listed if entry.get("name") == CONTAINER), listed[0])
    state = container.get("state", {})
    ended, waiting = state.get("terminated"), state.get("waiting", {})
    message = str(status.get("message", ""))[:300]
    reason = str(status.get("reason", ""))
    disrupted = next(
        (
            entry
            for entry in status.get("conditions") or ()
            if entry.get("type") == "DisruptionTarget" and entry.get("status") == "True"
        ),
        None,
    )
    if reason == "Evicted" and "exceeds the limit" in message:
        # It wrote more than its bounded folders take, which counts against it.
        return _State(has_started=True, ended=ended or {"reason": reason})
    if reason in _BY_THE_CLUSTER | {"Evicted", "DeadlineExceeded"} or disrupted is not None:
        words = reason or str((disrupted or {}).get("reason", ""))
        node = pod.get("spec", {}).get("nodeName", "")
        where = f" on {node}" if node else ""
        return _State(fault=f"the cluster ended the Pod{where}: {words} {message}".strip())
    for entry in (ended or {}, waiting):
        if entry.get("reason") in _CANNOT_CREATE:
            text = str(entry.get("message", ""))[:400]
            is_its_own = any(words in text.lower() for words in _NO_PROGRAM)
            return _State(
                is_not_started=is_its_own, ended=entry if is_its_own else None, fault="" if is_its_own else text
            )
    if waiting.get("reason") in _CANNOT_PULL:
        return _State(fault=f"{waiting['reason']}: {str(waiting.get('message', ''))[:400]}")
    if ended is not None:
        return _State(has_started=True, ended=ended)
    if status.get("phase") in ("Succeeded", "Failed"):
        return _State(fault=f"the Pod is {status['phase']} without an end of its container: {reason} {message}".strip())
    return _State(is_running=True, has_started="running" in state)


def _ending_of(state: _State) -> Ending:
    ended = state.ended or {}
    code = ended.get("exitCode")
    if state.is_not_started:
        return Ending(code if isinstance(code, int) else None, None, None, not_started=True)
    return Ending(
        code if isinstance(code, int) and code >= 0 else None,
        moment(ended.get("startedAt")),
        moment(ended.get("finishedAt")),
        out_of_memory=ended.get("reason") == "OOMKilled",
    )


def _job_of(pod: Object) -> str:
    labels = pod["metadata"].get("labels", {})
    return str(labels.get("batch.kubernetes.io/job-name") or labels.get("job-name") or "")


def _message(answer: requests.Response) -> str:
    with contextlib.suppress(ValueError, AttributeError):
        return str(answer.json().get("message", ""))[:400]
    return answer.text[:400]
