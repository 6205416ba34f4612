"""Back ends of clusters from a document of settings: wrong options are named."""

from pathlib import Path
from typing import Any

import pytest

from confinement.containers.engine import EngineError
from confinement.containers.engines import cluster_named
from confinement.containers.kubernetes import Kubernetes
from confinement.containers.slurm import Slurm


def test_a_cluster_gets_its_options(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    slurm = cluster_named(
        "slurm", tmp_path / "s", {"launcher": "charliecloud", "options": ["--nice"], "exclusive": True}
    )
    assert isinstance(slurm, Slurm)
    assert (slurm.site.launcher, slurm.site.exclusive, slurm.is_alone("x")) == ("charliecloud", True, True)

    monkeypatch.setenv("KUBERNETES_SERVICE_HOST", "10.0.0.1")
    kubernetes = cluster_named("kubernetes", tmp_path, {"namespace": "runs", "node_selector": {"a": "b"}})
    assert isinstance(kubernetes, Kubernetes)
    assert (kubernetes.settings.namespace, kubernetes.settings.folder) == ("runs", tmp_path)


@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        ("slurm", {"launcher": "docker"}, "'docker' is no launcher; known are podman, charliecloud, apptainer"),
        ("slurm", {"partitions": "x"}, "slurm has no option 'partitions'; known are account"),
        ("slurm", {"exclusive": "yes"}, "slurm: exclusive is str"),
        ("slurm", {"options": "--nice"}, "slurm: options is str"),
        ("kubernetes", {"node_selector": "a=b"}, "kubernetes: node_selector is str"),
        ("nomad", {}, "'nomad' is no cluster; known are slurm, kubernetes"),
    ],
)
def test_wrong_options_are_named(tmp_path: Path, name: str, options: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        cluster_named(name, tmp_path, options)


def test_kubernetes_outside_a_pod_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)
    with pytest.raises(EngineError, match="does not run in a Pod"):
        cluster_named("kubernetes", tmp_path, {})
