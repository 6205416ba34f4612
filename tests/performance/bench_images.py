"""Upload of an image of gigabytes: the connection breaks twice, and a second team's copy is stored only once.

The platform runs as `make run` starts it, with a worker that checks images. The bytes are random, so they cannot be
compressed on the way. The upload works like that of a browser: pieces with checksums, and a query for the offset after
a break. `PODIUM_BENCH_GIGABYTES` (5) changes the size: `PODIUM_BENCH_GIGABYTES=5 python -m tests.performance images`.
"""

import base64
import hashlib
import io
import json
import os
import tarfile
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import requests

from confinement.containers import making
from tests.e2e.installation import Installation, embedded
from tests.performance.bench_uploads import MIB, Half, Timing, highest_memory, web_memory

GIGABYTES = float(os.environ.get("PODIUM_BENCH_GIGABYTES", "5"))
PIECE = 8 * MIB
LAYERS = 4
HOURS = 4
TUS = {"Tus-Resumable": "1.0.0"}
PEOPLE = """
import json, pathlib
from datetime import timedelta
from django.test import Client
from django.utils import timezone
from accounts.models import User
from challenges.models import Phase, Task
from challenges.services import create_challenge, create_phase, join_with_team
from evaluation.running.registered import Registered
from operations.services.examples import example
olga = User.objects.create_user("olga-of-images", "olga@images.example.org")
challenge = create_challenge(
    actor=olga, organizers=[olga], slug="images", title="Images", summary="Large ones.", is_public=True)
task = Task.objects.create(challenge=challenge, slug="images", name="Images")
now = timezone.now()
phase = create_phase(actor=olga, task=task, assessment=example("hippocampus").content["assessment"], slug="all", name="All",
    opens_at=now - timedelta(days=1), closes_at=now + timedelta(days=1), results=Phase.Results.AGGREGATE,
    leaderboard=Phase.Leaderboard.SEALED, algorithms=Registered.of({{}}).document())
sessions = []
for name in ("ada-of-images", "bo-of-images"):
    user = User.objects.create_user(name, f"{{name}}@images.example.org")
    join_with_team(user=user, challenge=challenge, team_name=name)
    client = Client()
    client.force_login(user)
    sessions.append(client.cookies["sessionid"].value)
pathlib.Path({answer!r}).write_text(json.dumps({{"phase": phase.pk, "sessions": sessions}}))
"""
STORED = """
import json, pathlib
from executions.models import AlgorithmArchive, Blob
from executions.services import storing
from datastore.uploads.storage import private
rows = list(AlgorithmArchive.objects.filter(phase={phase}).order_by("created_at"))
blobs = list(Blob.objects.filter(parts__archive__phase={phase}).distinct())
pathlib.Path({answer!r}).write_text(json.dumps({{
    "archives": [[row.state, row.digest, row.reason] for row in rows],
    "blobs": len(blobs),
    "bytes": sum(private().size(blob.file) for blob in blobs),
    "incoming": sum(private().exists(f"algorithms/incoming/{{row.upload_id}}") for row in rows),
}}))
"""


def benchmarks() -> Iterator[Timing]:
    """Upload an image with two breaks, and the same once more by another team."""
    with tempfile.TemporaryDirectory() as name, embedded(Path(name) / "data") as installed:
        folder = Path(name)
        size, image_id = written_image(folder / "image.tar", int(GIGABYTES * 1024 * MIB))
        before = web_memory(installed.data)
        with highest_memory(installed.data) as peak:
            sent = sent_by_two_teams(installed, folder / "image.tar", image_id)
        gib = size / 1024 / MIB
        rate = size / MIB / sent.first_seconds
        yield Timing(
            f"{gib:.2f} GiB, line broken twice, {rate:.0f} MiB/s, web {before:.0f} → {peak[0]:.0f} MiB",
            sent.first_seconds, None, "–", None,
        )  # fmt: skip
        yield Timing(f"{gib:.2f} GiB checked and stored by a worker", sent.first_check, None, "–", None)
        yield Timing("the same by another team, sent", sent.second_seconds, None, "–", None)
        yield Timing("the same checked, nothing stored anew", sent.second_check, None, "–", None)


@dataclass
class Sent:
    """Times for sending and checking the image of each team, and the offsets at which connections broke."""

    first_seconds: float = 0
    first_check: float = 0
    second_seconds: float = 0
    second_check: float = 0
    broken_at: list[int] = field(default_factory=list)


def sent_by_two_teams(place: Installation, path: Path, image_id: str) -> Sent:
    """Upload an image by two teams, the first one with two breaks in the middle of a piece.

    Raises
    ------
    RuntimeError
        When it is not taken twice, or stored more than once.
    """
    answer = path.with_suffix(".json")
    place.manage("shell", "-v0", "-c", PEOPLE.format(answer=str(answer)))
    people = json.loads(answer.read_text())
    phase, size = people["phase"], path.stat().st_size
    first, second = (Browser(place.url, phase, session) for session in people["sessions"])
    timing = Sent()

    def wait(count: int) -> dict:
        stored = {}

        def is_checked() -> bool:
            place.manage("shell", "-v0", "-c", STORED.format(phase=phase, answer=str(answer)))
            stored.update(json.loads(answer.read_text()))
            # What arrived is deleted once its parts are stored.
            return not stored["incoming"] and all(state in ("ready", "refused") for state, _, _ in stored["archives"])

        place.wait(is_checked, "the check of the image", seconds=HOURS * 3600)
        if stored["archives"] != [["ready", image_id, ""]] * count:
            raise RuntimeError(f"the image is not there as it was sent: {stored}")
        return stored

    began = time.monotonic()
    timing.broken_at = first.send(path, breaks=[size // 3, 2 * size // 3])
    timing.first_seconds, began = time.monotonic() - began, time.monotonic()
    once = wait(1)
    timing.first_check, began = time.monotonic() - began, time.monotonic()
    second.send(path)
    timing.second_seconds, began = time.monotonic() - began, time.monotonic()
    twice = wait(2)
    timing.second_check = time.monotonic() - began
    if len(timing.broken_at) != 2:
        raise RuntimeError("the line did not break twice")
    if (once["blobs"], once["bytes"]) != (twice["blobs"], twice["bytes"]):
        raise RuntimeError(f"the image is stored twice: {once['bytes']:,} bytes, then {twice['bytes']:,}")
    return timing


class Browser:
    """Sends an image to a phase as the submit page does."""

    def __init__(self, url: str, phase: int, session: str) -> None:
        self.url, self.phase, self.session = url, phase, session

    def send(self, path: Path, *, breaks: list[int] | None = None) -> list[int]:
        """Send a file; the line breaks in the middle of the piece at each of the places. Returns where it went on."""
        size, left, broken = path.stat().st_size, list(breaks or []), []
        metadata = ",".join(
            f"{key} {base64.b64encode(value.encode()).decode()}"
            for key, value in (("filename", path.name), ("kind", "image"))
        )
        begun = self._ask(
            "POST",
            f"/challenges/images/algorithms/uploads/{self.phase}/",
            {"Upload-Length": str(size), "Upload-Metadata": metadata},
        )
        address, offset = begun.headers["Location"], 0
        with path.open("rb") as source:
            while offset < size:
                source.seek(offset)
                piece = source.read(PIECE)
                is_cut = bool(left) and offset >= left[0]
                headers = {
                    "Content-Type": "application/offset+octet-stream",
                    "Upload-Offset": str(offset),
                    "Upload-Checksum": f"sha256 {base64.b64encode(hashlib.sha256(piece).digest()).decode()}",
                }
                try:
                    response = self._ask("PATCH", address, headers, Half(piece) if is_cut else piece)
                except requests.ConnectionError:
                    left.pop(0)
                    response = self._again(address)
                    broken.append(int(response.headers["Upload-Offset"]))
                offset = int(response.headers["Upload-Offset"])
        return broken

    def _again(self, address: str) -> requests.Response:
        """Return the upload offset after the server has noticed that the connection is gone."""
        for _ in range(100):
            response = self._ask("HEAD", address, {}, may_fail=True)
            if response.status_code != 423:
                response.raise_for_status()
                return response
            time.sleep(0.1)
        response.raise_for_status()
        return response

    def _ask(
        self, method: str, address: str, headers: dict[str, str], data: object = None, *, may_fail: bool = False
    ) -> requests.Response:
        token = "a" * 32
        for _ in range(600):
            response = requests.request(
                method,
                self.url + address,
                headers={**TUS, **headers, "X-CSRFToken": token},
                cookies={"sessionid": self.session, "csrftoken": token},
                data=data,  # type: ignore[arg-type]
                timeout=600,
            )
            # As browsers do: the server may still be at the piece whose line broke.
            if may_fail or response.status_code != 423 or not isinstance(data, (bytes, type(None))):
                break
            time.sleep(0.1)
        if not may_fail and not response.ok:
            raise RuntimeError(f"{method} {address}: {response.status_code} {response.text[:300]}")
        return response


class Noise(io.RawIOBase):
    """A layer with one file of random bytes, as a tar archive of known size, with its digest once it was read."""

    def __init__(self, name: str, size: int) -> None:
        info = tarfile.TarInfo(name)
        info.size = size
        self._head = info.tobuf()
        self._left = size
        self._tail = bytes(-size % 512 + 1024)
        self.size = len(self._head) + size + len(self._tail)
        self.digest = hashlib.sha256()

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        most = self.size if size < 0 else size
        if self._head:
            piece, self._head = self._head[:most], self._head[most:]
        elif self._left:
            piece = os.urandom(min(most, self._left, MIB))
            self._left -= len(piece)
        else:
            piece, self._tail = self._tail[:most], self._tail[most:]
        self.digest.update(piece)
        if piece and len(piece) < most:
            # tarfile takes a short answer for the end of the file.
            return piece + self.read(most - len(piece))
        return piece


def written_image(path: Path, size: int) -> tuple[int, str]:
    """Write an image of about `size` bytes as `docker save` does and return its size and id.

    The image is never completely in memory.
    """
    base = making.layer([making.Entry("run", b"#!/bin/sh\n", 0o755)])
    layers = [Noise(f"noise-{number}", size // LAYERS) for number in range(LAYERS)]
    with tarfile.open(path, "w") as archive:
        for number, layer in enumerate(layers):
            info = tarfile.TarInfo(f"layer-{number}.tar")
            info.size = layer.size
            archive.addfile(info, layer)
        _add(archive, "base.tar", base.tar)
        digests = [base.diff_id, *(f"sha256:{layer.digest.hexdigest()}" for layer in layers)]
        config = json.loads(making.image([base], entrypoint=["/run"]).config)
        config["rootfs"]["diff_ids"] = digests
        content = json.dumps(config).encode()
        _add(archive, "config.json", content)
        names = ["base.tar", *(f"layer-{number}.tar" for number in range(LAYERS))]
        manifest = [{"Config": "config.json", "RepoTags": None, "Layers": names}]
        _add(archive, "manifest.json", json.dumps(manifest).encode())
    return path.stat().st_size, f"sha256:{hashlib.sha256(content).hexdigest()}"


def _add(archive: tarfile.TarFile, name: str, content: bytes) -> None:
    info = tarfile.TarInfo(name)
    info.size = len(content)
    archive.addfile(info, io.BytesIO(content))
