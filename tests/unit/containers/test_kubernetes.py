"""Kubernetes: objects that the published schema accepts, and a stand-in for the API server that validates them."""

import copy
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from confinement.containers import making
from confinement.containers.batches import Batch, BatchReport, CaseInput, Expected, Taken
from confinement.containers.engine import EngineError, Mount, Start
from confinement.containers.images import take_image
from confinement.containers.kubernetes import Api, Kubernetes, state_of
from confinement.containers.kubernetes_objects import ClusterSettings, job, job_name, network_policy
from confinement.containers.layout import write_layout
from confinement.containers.limits import ImageLimits, RunLimits
from confinement.containers.runner import run_batch
from confinement.limits import MIB
from tests.unit.containers.cluster_stand_in import Cluster, problems, unrestricted

LIMITS = RunLimits(case_seconds=20, start_seconds=10, memory_bytes=256 * MIB, cpus=1.5, gpus=1)
SETTINGS = ClusterSettings(
    folder=Path("/runs"),
    runtime_class="gvisor",
    node_selector={"podium.org/runs": "yes"},
    tolerations=({"key": "podium.org/runs", "operator": "Exists", "effect": "NoSchedule"},),
    priority_class="low",
    labels={"kueue.x-k8s.io/queue-name": "runs"},
    pull_secret="registry",
    seccomp_profile="podium.json",
)
IMAGE = f"registry.example:5000/podium/images@sha256:{'a' * 64}"


def start_of(**changes: Any) -> Start:
    base = Start(
        name="podium-b7-1",
        batch="b7",
        lease="lease-7",
        image_id=f"sha256:{'a' * 64}",
        output=Path("/runs/lease-7/working/output"),
        limits=LIMITS,
        seconds=30,
        folder=Path("/runs/lease-7/working/engine"),
        mounts=[Mount(Path("/runs/lease-7/working/input"), "/input")],
        environment={"HOME": "/tmp", "WORD": "$(PATH) costs $5"},
    )
    return replace(base, **changes)


@pytest.mark.parametrize("settings", [ClusterSettings(), SETTINGS], ids=["default", "everything"])
def test_objects_are_accepted_by_the_published_schema(settings: ClusterSettings) -> None:
    own = job(start_of(), settings, image=IMAGE, installation="site-a")

    assert problems(own) == []
    assert problems(network_policy(settings)) == []
    assert unrestricted(own["spec"]["template"]["spec"]) == []


def test_the_schema_is_read_strictly() -> None:
    own = job(start_of(), SETTINGS, image=IMAGE, installation="site-a")
    for place, key, value in (("spec", "backoffLimits", 0), ("spec", "backoffLimit", "none")):
        wrong = copy.deepcopy(own)
        wrong[place][key] = value
        assert problems(wrong), key


def test_a_job_has_the_registered_limits_and_nothing_to_escape_with() -> None:
    own = job(start_of(), SETTINGS, image=IMAGE, installation="site-a")
    pod = own["spec"]["template"]["spec"]
    container = pod["containers"][0]

    assert container["resources"]["limits"] == {
        "cpu": "1500m",
        "memory": str(256 * MIB),
        "ephemeral-storage": "64Mi",
        "nvidia.com/gpu": "1",
    }
    assert container["resources"]["requests"] == container["resources"]["limits"]
    assert pod["activeDeadlineSeconds"] > 30
    assert own["spec"]["backoffLimit"] == 0
    assert pod["automountServiceAccountToken"] is False
    assert pod["hostUsers"] is False
    assert container["securityContext"]["readOnlyRootFilesystem"] is True
    assert (pod["runtimeClassName"], pod["nodeSelector"]) == ("gvisor", {"podium.org/runs": "yes"})
    writable = [mount["mountPath"] for mount in container["volumeMounts"] if not mount.get("readOnly")]
    assert sorted(writable) == ["/dev/shm", "/output", "/tmp"]
    assert {"name": "WORD", "value": "$$(PATH) costs $5"} in container["env"]
    labels = own["spec"]["template"]["metadata"]["labels"]
    assert network_policy(SETTINGS)["spec"]["podSelector"]["matchLabels"].items() <= labels.items()


def test_what_is_not_on_the_shared_volume_is_not_mounted() -> None:
    with pytest.raises(EngineError, match="/etc lies outside the shared volume"):
        job(start_of(mounts=[Mount(Path("/etc"), "/input")]), SETTINGS, image=IMAGE, installation="a")


def test_names_of_jobs_are_accepted_and_differ() -> None:
    names = [job_name(name) for name in ("podium-B1-1", "podium-b1-1", "podium-" + "x" * 80, "podium-" + "x" * 81)]

    assert len(set(names)) == 4
    assert all(len(name) <= 63 for name in names)


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    with Cluster().served() as own:
        yield own


def engine_of(cluster: Cluster, folder: Path) -> Kubernetes:
    settings = replace(SETTINGS, folder=folder, registry=cluster.address)
    own = Kubernetes(Api(cluster.address), settings, installation="site-a")
    own.owner = folder.stat().st_uid
    return own


def loaded(engine: Kubernetes, folder: Path) -> str:
    image = making.image([making.layer([making.Entry("opt/run", b"#!/bin/sh\n", 0o755)])], entrypoint=["/opt/run"])
    for name in ("store", "layout"):
        (folder / name).mkdir()
    making.write(folder / "image.tar", image)
    report = take_image(folder / "image.tar", folder / "store", limits=ImageLimits())
    stored = {layer.diff_id: folder / "store" / layer.stored_name for layer in report.layers}
    config = (folder / "store" / "config.json").read_bytes()
    write_layout(folder / "layout", config, report.layers, stored.__getitem__)
    engine.load(folder / "layout", report.image_id)
    return report.image_id


def run(cluster: Cluster, folder: Path, **options: Any) -> BatchReport:
    engine = engine_of(cluster, folder)
    image = loaded(engine, folder)
    case = folder / "in.txt"
    case.write_text("case\n")
    batch = Batch("b1", 1, "lease-1", image, [CaseInput("c1", {"in.txt": case})], [Expected("out.txt")], {}, LIMITS)
    batch = replace(batch, **options.pop("batch", {}))
    report = run_batch(engine, batch, folder / "lease-1", **options)
    assert cluster.refused == []
    assert engine.containers() == []
    return report


def container_state(**state: Any) -> dict[str, Any]:
    return {"containerStatuses": [{"name": "algorithm", "state": state}]}


def ended(**values: Any) -> dict[str, Any]:
    times = {"startedAt": "2026-11-29T10:00:00Z", "finishedAt": "2026-11-29T10:00:04Z"}
    return {
        "phase": "Succeeded",
        **container_state(terminated={"exitCode": 0, "reason": "Completed", **times, **values}),
    }


def test_a_batch_runs_as_a_job_and_its_outputs_are_collected(cluster: Cluster, tmp_path: Path) -> None:
    looks: list[int] = []

    def fate(own: dict[str, Any]) -> dict[str, Any]:
        looks.append(1)
        if len(looks) < 2:
            return {"phase": "Pending"}
        if len(looks) < 3:
            return {"phase": "Running", **container_state(running={"startedAt": "2026-11-29T10:00:00Z"})}
        mounts = own["spec"]["template"]["spec"]["containers"][0]["volumeMounts"]
        output = tmp_path / next(mount["subPath"] for mount in mounts if mount["mountPath"] == "/output")
        if output.exists():
            (output / "c1").mkdir(exist_ok=True)
            (output / "c1" / "out.txt").write_text("result\n")
        return ended(exitCode=3)

    cluster.fate, cluster.printed = fate, b"printed\n"
    report = run(cluster, tmp_path)

    assert (report.fault, report.exit_code, report.wall_seconds) == ("", 3, 4.0)
    assert report.files["c1"]["out.txt"].taken is Taken.TAKEN
    assert report.log.text() == "printed\n"
    assert (report.cpu_seconds, report.peak_memory_bytes) == (None, None)
    assert len(cluster.manifests) == 1
    assert report.versions["engine"] == "kubernetes v1.33.1"


def test_memory_kills_and_programs_that_are_not_there_count_against_the_image(cluster: Cluster, tmp_path: Path) -> None:
    cluster.fate = lambda _job: ended(exitCode=137, reason="OOMKilled")
    assert run(cluster, tmp_path).out_of_memory

    missing = {"exitCode": 128, "reason": "StartError", "message": 'exec: "/x": stat /x: no such file or directory'}
    state = state_of({"status": container_state(terminated=missing)})
    assert (state.is_not_started, state.fault, state.is_running) == (True, "", False)


@pytest.mark.parametrize(
    ("status", "words"),
    [
        ({"phase": "Failed", "reason": "Evicted", "message": "The node was low on resource: memory."}, "Evicted"),
        ({"phase": "Failed", "reason": "NodeLost"}, "on node-a: NodeLost"),
        ({"phase": "Failed", "reason": "DeadlineExceeded", **ended()}, "DeadlineExceeded"),
        (
            {"conditions": [{"type": "DisruptionTarget", "status": "True", "reason": "DeletionByTaintManager"}]},
            "DeletionByTaintManager",
        ),
        (container_state(waiting={"reason": "ErrImagePull", "message": "no route to host"}), "ErrImagePull: no route"),
        (container_state(terminated={"reason": "StartError", "message": "cgroup: no space left"}), "no space left"),
        ({"phase": "Failed", "reason": "Other"}, "without an end of its container"),
    ],
)
def test_what_the_cluster_does_to_a_pod_is_a_fault_of_ours(status: dict[str, Any], words: str) -> None:
    state = state_of({"spec": {"nodeName": "node-a"}, "status": status})

    assert words in state.fault
    assert not state.is_running
    assert state.ended is None


def test_too_much_in_a_bounded_folder_is_its_own_doing() -> None:
    message = 'Usage of EmptyDir volume "scratch" exceeds the limit "8Mi".'
    state = state_of({"status": {"phase": "Failed", "reason": "Evicted", "message": message}})

    assert state.fault == ""
    assert state.ended is not None


def test_a_pod_that_vanishes_is_a_fault_of_ours(cluster: Cluster, tmp_path: Path) -> None:
    looks: list[int] = []

    def fate(_: dict[str, Any]) -> dict[str, Any]:
        looks.append(1)
        return {"phase": "Running", **container_state(running={})} if len(looks) < 3 else {}

    cluster.fate = fate
    report = run(cluster, tmp_path)

    assert "the Pod vanished" in report.fault


def test_a_cancelled_run_deletes_its_job_and_the_time_limit_too(cluster: Cluster, tmp_path: Path) -> None:
    cluster.fate = lambda _job: {"phase": "Running", **container_state(running={})}
    report = run(cluster, tmp_path, cancelled=lambda: True)

    assert report.cancelled
    assert any(path.endswith("/jobs/podium-b1-1") for path in cluster.deleted)


def test_the_time_limit_ends_it(cluster: Cluster, tmp_path: Path) -> None:
    cluster.fate = lambda _job: {"phase": "Running", **container_state(running={})}
    report = run(cluster, tmp_path, batch={"limits": replace(LIMITS, case_seconds=0.5, start_seconds=0.5)})

    assert (report.timed, report.fault) == (True, "")


def test_a_server_that_restarts_loses_no_pod(cluster: Cluster, tmp_path: Path) -> None:
    cluster.fate = lambda _job: {"phase": "Running", **container_state(running={})}
    beats: list[int] = []

    def beat() -> None:
        beats.append(1)
        cluster.is_down = len(beats) == 1
        if len(beats) > 2:
            cluster.fate = lambda _job: ended()

    report = run(cluster, tmp_path, beat=beat)

    assert (report.fault, report.exit_code) == ("", 0)


def test_an_object_that_the_cluster_refuses_is_a_fault_of_ours(cluster: Cluster, tmp_path: Path) -> None:
    engine = engine_of(cluster, tmp_path)
    engine.settings = replace(engine.settings, labels={"wrong": 7})  # type: ignore[dict-item]
    engine._references[f"sha256:{'a' * 64}"] = IMAGE
    start = start_of(output=tmp_path / "o", folder=tmp_path / "f", mounts=[])

    with pytest.raises(EngineError, match=r"kubernetes POST .*/jobs: 422 .*7 is not of type 'string'"):
        engine.start(start)


def test_what_a_registry_refuses_and_another_image_are_errors(cluster: Cluster, tmp_path: Path) -> None:
    engine = engine_of(cluster, tmp_path)
    loaded(engine, tmp_path)
    with pytest.raises(EngineError, match="the layout is not that of sha256:bb"):
        engine.load(tmp_path / "layout", f"sha256:{'b' * 64}")


def test_the_policy_that_denies_everything_is_created_and_replaced(cluster: Cluster, tmp_path: Path) -> None:
    engine = engine_of(cluster, tmp_path)
    engine.protect()
    engine.protect()

    policies = [own for path, own in cluster.objects.items() if "/networkpolicies/" in path]
    assert [own["spec"]["policyTypes"] for own in policies] == [["Ingress", "Egress"]]
    assert policies[0]["spec"]["egress"] == []


def test_jobs_of_a_killed_runner_are_known_by_their_leases(cluster: Cluster, tmp_path: Path) -> None:
    engine = engine_of(cluster, tmp_path)
    engine._references[f"sha256:{'a' * 64}"] = IMAGE
    engine.start(start_of(name="podium-B7-1", output=tmp_path / "o", mounts=[]))

    assert [(own.name, own.batch, own.lease) for own in engine.containers()] == [("podium-B7-1", "b7", "lease-7")]
    engine.remove("podium-B7-1")
    assert engine.containers() == []
