"""Algorithms of an example as container images, built and submitted on this machine.

The images are built from the scripts next to the description of the example.
"""

import gzip
import io
import shutil
import tarfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import structlog

from challenges.models import Challenge, Phase, Team
from confinement.containers import making
from datastore.uploads.storage import working_folder
from executions.models import AlgorithmArchive
from executions.models.archives import Kind
from executions.services import arriving, hosts
from submissions.models import Submission
from submissions.services import algorithms

log = structlog.get_logger(__name__)


def can_run() -> bool:
    """Return whether this machine can build and run an image of an example."""
    return hosts.engine_name() != "none" and shutil.which("busybox") is not None


def image(folder: Path, described: Mapping[str, Any], target: Path) -> Path:
    """Build the image of an algorithm into a folder; the same scripts always give the same image."""
    scripts = [making.Entry(f"opt/{name}", (folder / name).read_bytes(), 0o755) for name in described["files"]]
    program = shutil.which("busybox") or "/bin/busybox"
    built_image = making.image(
        [making.busybox(program), making.layer(scripts)], entrypoint=["/bin/sh", f"/opt/{described['run']}"]
    )
    path = target / f"{described['team']}.tar.gz"
    making.write(path, built_image, kind="docker")
    return path


def offered(folder: Path, described: Mapping[str, Any]) -> bytes:
    """Return the image of an algorithm, for users who try the submit page."""
    with working_folder() as build_folder:
        return image(folder, described, build_folder).read_bytes()


def weights(folder: Path, names: Sequence[str]) -> bytes:
    """Pack weights; the same files always give the same bytes."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name in names:
            content = (folder / name).read_bytes()
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return gzip.compress(out.getvalue(), mtime=0)


def hand_in(folder: Path, described: Mapping[str, Any], challenge: Challenge, team: Team) -> Iterator[Submission]:
    """Hand in an algorithm in every open phase, through the services behind the browser's upload; once each."""
    phases = [
        phase
        for phase in Phase.objects.filter(task__challenge=challenge).select_related("task__challenge")
        if phase.is_open and phase.algorithms and not Submission.objects.filter(phase=phase, team=team).exists()
    ]
    if not phases:
        return
    with working_folder() as build_folder:
        path = image(folder, described, build_folder)
        sent = _send(phases[0], team, Kind.IMAGE, path.name, path.read_bytes())
        model = None
        if described.get("model"):
            model = _send(phases[0], team, Kind.MODEL, "weights.tar.gz", weights(folder, described["model"]))
    user = team.members.select_related("user").get().user
    for phase in phases:
        yield algorithms.hand_in(user=user, phase=phase, team=team, image=sent, model=model)


def _send(phase: Phase, team: Team, kind: str, name: str, content: bytes) -> AlgorithmArchive:
    return arriving.send_file(
        user=team.members.select_related("user").get().user,
        phase=phase,
        team=team,
        kind=kind,
        file_name=name,
        read=io.BytesIO(content).read,
        size=len(content),
    )
