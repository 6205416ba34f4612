"""Uploads: a hundred people at once, and one archive of gigabytes whose connection breaks five times.

The platform runs as `make run` starts it. The client is the code of the `podium` command. Bytes are random, so they
cannot be compressed on the way. Next to the time, the row's name shows the peak memory of the web process.

`PODIUM_BENCH_PEOPLE` (100), `PODIUM_BENCH_MEGABYTES` (50) and `PODIUM_BENCH_GIGABYTES` (5) change the amount of data.
"""

import os
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

PEOPLE = int(os.environ.get("PODIUM_BENCH_PEOPLE", "100"))
MEGABYTES = int(os.environ.get("PODIUM_BENCH_MEGABYTES", "50"))
GIGABYTES = float(os.environ.get("PODIUM_BENCH_GIGABYTES", "5"))
BREAKS = 5
MIB = 1024**2
PEOPLE_CODE = """
import json, pathlib
from datetime import timedelta
from django.conf import settings
from django.utils import timezone
from accounts.models import User
from accounts.services import issue_token
from challenges.models import Phase, Task
from challenges.services import create_challenge, create_phase, join_with_team
from operations.services.examples import example
from datastore.test_sets.services.sealing import create_test_set
source = example("hippocampus")
cases = [path.name.removesuffix(".nii.gz") for path in sorted((source.folder / "references").iterdir())][:3]
olga = User.objects.create_user("olga", "olga@example.org")
challenge = create_challenge(actor=olga, organizers=[olga], slug="large", title="Large", summary="Many.", is_public=True)
task = Task.objects.create(challenge=challenge, slug="large", name="Large")
now = timezone.now()
phase = create_phase(actor=olga, task=task, assessment=source.content["assessment"], slug="all", name="All",
    opens_at=now - timedelta(days=1), closes_at=now + timedelta(days=1),
    results=Phase.Results.CASES, leaderboard=Phase.Leaderboard.PUBLIC)
create_test_set(phase=phase, references=source.folder / "references", cases=cases)
tokens = []
for number in range({people}):
    user = User.objects.create_user(f"p{{number}}", f"p{{number}}@example.org")
    join_with_team(user=user, challenge=challenge, team_name=f"Team {{number}}")
    tokens.append(issue_token(user=user, name="bench", scopes=["submit", "read"], days=1)[1])
pathlib.Path({answer!r}).write_text(json.dumps({{"phase": phase.pk, "tokens": tokens}}))
"""


class Timing(NamedTuple):
    """One row of the table: our seconds, the bar, and those of a peer."""

    name: str
    seconds: float
    limit: float | None
    peer: str
    peer_seconds: float | None


def benchmarks() -> Iterator[Timing]:
    """Send the archives of all people at once, then the large one."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "client"))
    with tempfile.TemporaryDirectory() as folder, platform(Path(folder)) as (place, phase, tokens):
        os.environ["XDG_CONFIG_HOME"] = folder
        before = web_memory(place.data)
        small = written(Path(folder) / "small.bin", MEGABYTES * MIB)
        with highest_memory(place.data) as peak:
            seconds = all_at_once(place.url, phase, tokens, small)
        rate = PEOPLE * MEGABYTES / seconds
        yield Timing(
            f"{PEOPLE} × {MEGABYTES} MiB at once, {rate:.0f} MiB/s, web {before:.0f} → {peak[0]:.0f} MiB",
            seconds, None, "–", None,
        )  # fmt: skip
        large = written(Path(folder) / "large.bin", int(GIGABYTES * 1024 * MIB))
        with highest_memory(place.data) as peak:
            seconds = interrupted(place.url, phase, tokens[0], large)
        rate = GIGABYTES * 1024 / seconds
        yield Timing(
            f"{GIGABYTES:g} GiB broken off {BREAKS} times, {rate:.0f} MiB/s, web ≤ {peak[0]:.0f} MiB",
            seconds, None, "–", None,
        )  # fmt: skip


@contextmanager
def platform(folder: Path) -> Iterator[tuple[Any, int, list[str]]]:
    """Yield an installation as `make run` starts it, with a phase and people who have tokens."""
    import json

    from tests.e2e.installation import embedded

    answer = folder / "people.json"
    with embedded(folder / "data") as place:
        place.manage("shell", "-v0", "-c", PEOPLE_CODE.format(people=PEOPLE, answer=str(answer)))
        content = json.loads(answer.read_text())
        yield place, content["phase"], content["tokens"]


def all_at_once(url: str, phase: int, tokens: list[str], path: Path) -> float:
    """Seconds until the last of all uploads has arrived whole."""
    from podium_client.connection import Connection

    started = time.monotonic()
    with ThreadPoolExecutor(len(tokens)) as people:
        list(people.map(lambda token: send_once(Connection(url, token), phase, path), tokens))
    return time.monotonic() - started


def interrupted(url: str, phase: int, token: str, path: Path) -> float:
    """Seconds for an upload whose connection breaks in the middle of a piece, several times."""
    from podium_client.connection import Connection

    size = path.stat().st_size
    at = [size * (number + 1) // (BREAKS + 1) for number in range(BREAKS)]

    class Breaking(Connection):
        """Goes away after half a piece, whenever the next of the places is reached."""

        def request(self, method: str, address: str, **more: Any) -> Any:
            offset = int(more.get("headers", {}).get("Upload-Offset", -1))
            if method == "PATCH" and at and offset >= at[0]:
                at.pop(0)
                more["data"] = Half(more["data"])
            return super().request(method, address, **more)

    started = time.monotonic()
    send(Breaking(url, token), phase, path)
    if at:
        raise RuntimeError("the connection was not broken as often as it should have been")
    return time.monotonic() - started


class Half:
    """A request body that declares its full length, sends half of it, and then loses the connection."""

    def __init__(self, content: bytes) -> None:
        self._whole, self._left = len(content), content[: len(content) // 2]

    def __len__(self) -> int:
        return self._whole

    def read(self, size: int = -1) -> bytes:
        if not self._left:
            raise ConnectionResetError("broken off on purpose")
        size = len(self._left) if size < 0 else size
        piece, self._left = self._left[:size], self._left[size:]
        return piece


def send_once(connection: Any, phase: int, path: Path) -> None:
    """Upload without remembering how far it is: the people of this machine would share that memory."""
    from podium_client import uploading

    size = path.stat().st_size
    wanted = {"filename": "predictions.zip", "phase": phase, "accept_incomplete": True, "again": True}
    address = uploading._begin(connection, "large", size, wanted, {})
    assert isinstance(address, str)
    uploading._send(connection, address, path, size, lambda _sent, _all: None)


def send(connection: Any, phase: int, path: Path) -> None:
    """Upload with the client, without pauses after a break."""
    from podium_client.uploading import upload

    upload(
        connection,
        challenge="large",
        phase=phase,
        path=path,
        name="predictions.zip",
        accept_incomplete=True,
        again=True,
        progress=lambda _sent, _all: None,
        sleep=lambda _seconds: None,
    )


def written(path: Path, size: int) -> Path:
    """Write random bytes, in pieces."""
    with path.open("wb") as target:
        for start in range(0, size, MIB):
            target.write(os.urandom(min(MIB, size - start)))
    return path


def web_memory(data: Path) -> float:
    """Resident memory of the processes that serve pages, in MiB."""
    needle = f"PODIUM_DATA={data}".encode()
    total = 0.0
    for entry in Path("/proc").iterdir():
        try:
            ours = entry.name.isdigit() and needle in (entry / "environ").read_bytes().split(b"\0")
            if ours and b"gunicorn" in (entry / "cmdline").read_bytes():
                pages = (entry / "statm").read_text().split()
                total += int(pages[1]) * os.sysconf("SC_PAGE_SIZE") / MIB
        except OSError:
            continue
    return total


@contextmanager
def highest_memory(data: Path) -> Iterator[list[float]]:
    """Keep the highest value of `web_memory` in the list that is given."""
    peak, done = [web_memory(data)], threading.Event()

    def watch() -> None:
        while not done.wait(0.2):
            peak[0] = max(peak[0], web_memory(data))

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield peak
    finally:
        done.set()
        watcher.join()
