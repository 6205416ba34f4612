"""Objects of Kubernetes for one container, built without side effects.

A container becomes a Job with one Pod: no token of a service account, a read-only root, no capabilities, bounded
memory, processors and temporary space, and no network by a policy that denies everything. Bounds that a Pod cannot
express, such as the number of processes, are settings of the nodes; the probe reports them where they are missing.
"""

import hashlib
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from confinement.containers.client import BACKSTOP_SECONDS, USER
from confinement.containers.engine import LABEL_BATCH, LABEL_LEASE, EngineError, Start

CONTAINER = "algorithm"
APP = "podium-run"
PULLING_SECONDS = 900
"""Time in which a node may pull an image that it does not have."""
LABEL_INSTALLATION = "org.podium.installation"
_VOLUME = "shared"
_KEPT_SECONDS = 3_600
_NAME_LENGTH = 63
_NAME = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?")

Object = dict[str, Any]


@dataclass(frozen=True)
class ClusterSettings:
    """Properties of a cluster that an operator sets once."""

    namespace: str = "podium-runs"
    claim: str = "podium-runs"
    """PersistentVolumeClaim that the runner and all nodes mount (ReadWriteMany)."""
    folder: Path = Path("/runs")
    """Folder at which the runner sees that volume; everything that a Job mounts lies in it."""
    registry: str = ""
    """Registry inside the cluster that takes images, such as `registry.podium.svc:5000`."""
    pull_secret: str = ""
    runtime_class: str = ""
    """RuntimeClass of Jobs, such as `gvisor`, `kata` or `nvidia`."""
    node_selector: Mapping[str, str] = field(default_factory=dict)
    tolerations: Sequence[Mapping[str, str]] = ()
    priority_class: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    """More labels of Jobs, such as `kueue.x-k8s.io/queue-name`."""
    gpu_resource: str = "nvidia.com/gpu"
    user_namespaces: bool = True
    """True if users of a container are mapped to other users of the node (Kubernetes 1.33, or 1.30 with a feature gate)."""
    seccomp_profile: str = ""
    """Profile on the nodes below kubelet's folder; empty for the runtime's own filter."""


def job_name(name: str) -> str:
    """Return the name of a Job for the name of a container: lower case, at most 63 characters, unique.

    Examples
    --------
    >>> job_name("podium-b1-1")
    'podium-b1-1'
    >>> job_name("podium-B1-1")
    'podium-b1-1-65af9feb'
    """
    if len(name) <= _NAME_LENGTH and _NAME.fullmatch(name):
        return name
    short = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[: _NAME_LENGTH - 9].rstrip("-")
    return f"{short}-{hashlib.sha256(name.encode()).hexdigest()[:8]}"


def job(start: Start, settings: ClusterSettings, *, image: str, installation: str) -> Object:
    """Return the Job for a start.

    Parameters
    ----------
    start
        The start, whose registered limits become the limits of the Pod.
    settings
        Properties of the cluster.
    image
        Reference of the image by its digest, ``registry/name@sha256:…``.
    installation
        Label value by which objects of this installation are recognised.

    Raises
    ------
    EngineError
        For a folder outside the shared volume.
    """
    labels = {**settings.labels, "app.kubernetes.io/name": APP, LABEL_INSTALLATION: installation}
    notes = {LABEL_BATCH: start.batch, LABEL_LEASE: start.lease, "org.podium.container": start.name}
    pod = _pod(start, settings, image)
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {
            "name": job_name(start.name),
            "namespace": settings.namespace,
            "labels": labels,
            "annotations": notes,
        },
        "spec": {
            # A failure is judged and repeated by the platform, never by the cluster.
            "backoffLimit": 0,
            "completions": 1,
            "parallelism": 1,
            "podReplacementPolicy": "Failed",
            "ttlSecondsAfterFinished": _KEPT_SECONDS,
            "template": {"metadata": {"labels": labels, "annotations": notes}, "spec": pod},
        },
    }


def _pod(start: Start, settings: ClusterSettings, image: str) -> Object:
    limits = start.limits
    mounts: list[Object] = [_mounted(start.output, "/output", settings, is_read_only=False)]
    mounts += [_mounted(mount.source, mount.target, settings, is_read_only=True) for mount in start.mounts]
    mounts += [{"name": "scratch", "mountPath": "/tmp"}, {"name": "shm", "mountPath": "/dev/shm"}]  # noqa: S108
    resources = {"cpu": f"{math.ceil(limits.cpus * 1000)}m", "memory": str(limits.memory_bytes)}
    resources["ephemeral-storage"] = "64Mi"
    if gpus := max(len(start.gpus), limits.gpus):
        resources[settings.gpu_resource] = str(gpus)
    seccomp = {"type": "RuntimeDefault"}
    if settings.seccomp_profile:
        seccomp = {"type": "Localhost", "localhostProfile": settings.seccomp_profile}
    container: Object = {
        "name": CONTAINER,
        "image": image,
        "imagePullPolicy": "IfNotPresent",
        "env": [{"name": name, "value": _literal(value)} for name, value in start.environment.items()],
        "resources": {"limits": resources, "requests": dict(resources)},
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "capabilities": {"drop": ["ALL"]},
            "privileged": False,
            "readOnlyRootFilesystem": True,
            "runAsNonRoot": True,
            "runAsUser": USER,
            "runAsGroup": USER,
            "seccompProfile": seccomp,
        },
        "volumeMounts": mounts,
        "terminationMessagePolicy": "File",
    }
    pod: Object = {
        # Of the Pod and not of the Job: the time in the queue does not count.
        "activeDeadlineSeconds": math.ceil(start.seconds) + BACKSTOP_SECONDS + PULLING_SECONDS,
        "automountServiceAccountToken": False,
        "containers": [container],
        "dnsPolicy": "None",
        "dnsConfig": {"nameservers": ["127.0.0.1"]},
        "enableServiceLinks": False,
        "hostIPC": False,
        "hostNetwork": False,
        "hostPID": False,
        "hostname": "podium",
        "restartPolicy": "Never",
        "securityContext": {
            "runAsNonRoot": True,
            "runAsUser": USER,
            "runAsGroup": USER,
            "supplementalGroups": [],
            "seccompProfile": seccomp,
        },
        "terminationGracePeriodSeconds": 1,
        "volumes": [
            {"name": _VOLUME, "persistentVolumeClaim": {"claimName": settings.claim}},
            {"name": "scratch", "emptyDir": {"medium": "Memory", "sizeLimit": str(limits.scratch_bytes)}},
            {"name": "shm", "emptyDir": {"medium": "Memory", "sizeLimit": str(limits.shm_bytes)}},
        ],
    }
    if settings.user_namespaces:
        pod["hostUsers"] = False
    if settings.runtime_class:
        pod["runtimeClassName"] = settings.runtime_class
    if settings.node_selector:
        pod["nodeSelector"] = dict(settings.node_selector)
    if settings.tolerations:
        pod["tolerations"] = [dict(toleration) for toleration in settings.tolerations]
    if settings.priority_class:
        pod["priorityClassName"] = settings.priority_class
    if settings.pull_secret:
        pod["imagePullSecrets"] = [{"name": settings.pull_secret}]
    return pod


def network_policy(settings: ClusterSettings) -> Object:
    """Return the policy that denies all traffic to and from Jobs.

    It has an effect only with a network plugin that enforces policies; the probe tries to get out.
    """
    return {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "NetworkPolicy",
        "metadata": {"name": f"{APP}-deny-all", "namespace": settings.namespace},
        "spec": {
            "podSelector": {"matchLabels": {"app.kubernetes.io/name": APP}},
            "policyTypes": ["Ingress", "Egress"],
            "ingress": [],
            "egress": [],
        },
    }


def _mounted(source: Path, target: str, settings: ClusterSettings, *, is_read_only: bool) -> Object:
    try:
        inner = PurePosixPath(source).relative_to(settings.folder)
    except ValueError as error:
        raise EngineError(f"{source} lies outside the shared volume {settings.folder}") from error
    return {"name": _VOLUME, "mountPath": target, "subPath": str(inner), "readOnly": is_read_only}


def _literal(value: str) -> str:
    """Return a value whose `$(NAME)` is not replaced by Kubernetes."""
    return value.replace("$(", "$$(")
