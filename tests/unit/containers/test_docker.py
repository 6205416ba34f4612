"""The Docker engine by its command lines: a stand-in program records every call and answers like docker."""

import json
import tarfile
from pathlib import Path

import pytest

from confinement.containers import making
from confinement.containers.docker import Docker
from confinement.containers.engine import EngineError, Mount, Start
from confinement.containers.engines import engine_named
from confinement.containers.images import take_image
from confinement.containers.layout import write_layout
from confinement.containers.limits import ImageLimits, RunLimits

PROGRAM = """#!/bin/sh
echo "$@" >> {folder}/calls
env | sort > {folder}/environment
case "$1" in
info) echo '{{"ServerVersion": "25.0.5", "DefaultRuntime": "runc", "CgroupVersion": "2", "CgroupDriver": "systemd"}}' ;;
load) cp "$4" {folder}/loaded.tar; tar -xOf "$4" manifest.json | sed 's/.*"Config": "\\([0-9a-f]*\\).json".*/sha256:\\1/' > {folder}/held ;;
images) cat {folder}/held 2> /dev/null ;;
ps) echo '"podium-b1-1" "running" "b1" "lease1"' ;;
esac
exit 0
"""


@pytest.fixture
def docker(tmp_path: Path) -> Docker:
    program = tmp_path / "docker"
    program.write_text(PROGRAM.format(folder=tmp_path))
    program.chmod(0o755)
    (tmp_path / "subuid").write_text("somebody:100000:65536\ndockremap:700000:65536\n")
    return Docker(tmp_path / "engine", program=str(program), subuids=tmp_path / "subuid")


def a_layout(folder: Path) -> tuple[str, Path]:
    image = making.image(
        [making.layer([making.Entry("bin/sh", b"x", 0o755)])],
        entrypoint=["/bin/sh"],
        more={"Volumes": {"/output": {}}, "Healthcheck": {"Test": ["NONE"]}},
    )
    (folder / "store").mkdir()
    (folder / "layout").mkdir()
    making.write(folder / "image.tar", image)
    report = take_image(folder / "image.tar", folder / "store", limits=ImageLimits(), architectures=["amd64"])
    stored = {layer.diff_id: folder / "store" / layer.stored_name for layer in report.layers}
    config = (folder / "store" / "config.json").read_bytes()
    return image.image_id, write_layout(folder / "layout", config, report.layers, stored.__getitem__)


def a_start(folder: Path, image_id: str) -> Start:
    return Start(
        "podium-b1-1",
        "b1",
        "lease1",
        image_id,
        folder / "out",
        RunLimits(),
        60,
        folder,
        [Mount(folder / "in", "/input")],
    )


def test_an_image_is_loaded_without_its_volumes_and_known_by_its_own_id(docker: Docker, tmp_path: Path) -> None:
    image_id, layout = a_layout(tmp_path)

    docker.load(layout, image_id)

    assert docker.images() == [image_id]
    with tarfile.open(tmp_path / "loaded.tar") as tar:
        [listed] = json.loads(tar.extractfile("manifest.json").read())
        inner = json.loads(tar.extractfile(listed["Config"]).read())["config"]
        assert len(tar.extractfile(listed["Layers"][0]).read()) == 10_240
    assert listed["RepoTags"] is None
    assert inner == {"Entrypoint": ["/bin/sh"], "Env": ["PATH=/usr/local/bin:/usr/bin:/bin"]}


def test_the_call_has_every_bound(docker: Docker, tmp_path: Path) -> None:
    image_id, layout = a_layout(tmp_path)
    docker.load(layout, image_id)

    call = " ".join(docker.command(a_start(tmp_path, image_id)))

    for flag in (
        "--pull never --network none --read-only --cap-drop ALL --security-opt no-new-privileges",
        "--security-opt seccomp=",
        "--user 65534:65534",
        "--pids-limit 512",
        "--memory 8589934592 --memory-swap 8589934592 --cpus 2",
        "--no-healthcheck --hostname podium --log-driver none",
        f"--mount type=bind,source={tmp_path}/in,target=/input,readonly",
        "--label org.podium.lease=lease1",
    ):
        assert flag in call
    assert image_id not in call


def test_what_was_not_loaded_is_not_started(docker: Docker, tmp_path: Path) -> None:
    with pytest.raises(EngineError, match="does not hold"):
        docker.command(a_start(tmp_path, f"sha256:{'a' * 64}"))


def test_calls_have_an_environment_of_their_own(
    docker: Docker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("https_proxy", "http://user:secret@proxy.example.org")

    assert docker.versions()["engine"] == "docker 25.0.5"
    assert [own.lease for own in docker.containers()] == ["lease1"]
    assert "secret" not in (tmp_path / "environment").read_text()
    assert f"DOCKER_CONFIG={tmp_path}/engine/configuration" in (tmp_path / "environment").read_text()
    assert docker.owner == 700_000 + 65_534


def test_containers_of_another_installation_on_the_same_daemon_are_not_listed(docker: Docker, tmp_path: Path) -> None:
    image_id, layout = a_layout(tmp_path)
    docker.load(layout, image_id)
    other = Docker(tmp_path / "other", program=str(tmp_path / "docker"), subuids=tmp_path / "subuid")

    def asked_for(engine: Docker) -> str:
        engine.containers()
        [*_, call] = (line for line in (tmp_path / "calls").read_text().splitlines() if line.startswith("ps "))
        return call.partition("--filter label=")[2].partition(" ")[0]

    own = asked_for(docker)
    assert f"--label {own} " in " ".join(docker.command(a_start(tmp_path, image_id)))
    assert own != asked_for(other)


def test_engines_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert engine_named("none", tmp_path) is None
    monkeypatch.setenv("PATH", str(tmp_path))
    assert engine_named("docker", tmp_path) is None
    with pytest.raises(ValueError, match="known are podman, docker, none"):
        engine_named("lxc", tmp_path)
