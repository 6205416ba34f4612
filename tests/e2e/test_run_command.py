"""`manage.py run`: one command starts everything, keeps the data, and leaves nothing behind."""

import os
import signal
import sqlite3
import time
from contextlib import closing, suppress
from pathlib import Path

import pytest

from tests.e2e.installation import PATIENCE, embedded

pytestmark = pytest.mark.skipif(
    bool(os.environ.get("DATABASE_URL")), reason="the embedded default is tested without services"
)


def processes_on(data: Path) -> list[int]:
    """All processes that were started for this data folder, found by their environment."""
    needle = f"PODIUM_DATA={data}".encode()
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and needle in (entry / "environ").read_bytes().split(b"\0"):
                found.append(int(entry.name))
        except OSError:
            continue
    return found


def commands_on(data: Path) -> dict[int, str]:
    commands = {}
    for pid in processes_on(data):
        try:
            commands[pid] = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
        except OSError:
            continue
    return commands


def name_of(pid: int) -> str:
    """Return the kernel's name of a process, or an empty string if the process has ended."""
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return ""


def workers_on(data: Path) -> set[int]:
    """Workers without the processes of their pools, which they bring back themselves."""
    return {pid for pid in processes_on(data) if name_of(pid) == "podium-worker" != name_of(parent(pid))}


def origins_on(data: Path, *, without: int) -> set[int]:
    """Processes that the workers of an installation were forked from, without one worker that was killed."""
    origins = set()
    for pid in workers_on(data) - {without}:
        with suppress(FileNotFoundError):
            origins.add(parent(pid))
    return origins


def parent(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def gone(data: Path, seconds: float = PATIENCE) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if not processes_on(data):
            return True
        time.sleep(0.1)
    return False


@pytest.fixture
def data(tmp_path):
    return tmp_path / "data"


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="reads /proc")
def test_it_heals_refuses_a_second_start_stops_whole_and_keeps_the_data(data, tmp_path):
    """One installation for all of it: starting takes the longest."""
    with embedded(data) as place:
        place.wait(lambda: (place.health() or {}).get("status") == "ok", "a healthy installation")
        a_killed_worker_comes_back(place)
        a_second_start_is_refused_with_a_remedy(place, tmp_path / "other")
        place.shell("from accounts.models import User; User.objects.create(username='kept')")
        place.dismiss()
        key = (data / "secret.key").read_text()
        run = place.processes["run"]
        os.kill(run.pid, signal.SIGINT)
        assert run.wait(PATIENCE) == 0
        assert gone(data), commands_on(data)
    with embedded(data) as place:
        with closing(sqlite3.connect(data / "podium.sqlite3")) as database:
            assert database.execute("SELECT username FROM accounts_user").fetchall() == [("kept",)]
        assert (data / "secret.key").read_text() == key
        run = place.processes["run"]
        # Not even a supervisor that is killed leaves its children behind.
        run.kill()
        run.wait()
        assert gone(data), commands_on(data)


def a_killed_worker_comes_back(place):
    place.wait(lambda: workers_on(place.data), "a worker")
    (worker,) = workers_on(place.data)
    origin = parent(worker)
    os.kill(worker, signal.SIGKILL)
    place.wait(lambda: "worker ended" in place.log.read_text(errors="replace"), "the notice of its loss")
    # For a moment, processes of the lost worker's pool have another parent.
    place.wait(lambda: origins_on(place.data, without=worker) == {origin}, "a new worker of the same origin alone")
    # The process that all of them are forked from.
    before = workers_on(place.data)
    os.kill(origin, signal.SIGKILL)
    place.wait(lambda: "workers ended" in place.log.read_text(errors="replace"), "the supervisor's notice")
    place.wait(lambda: workers_on(place.data) - before and not workers_on(place.data) & before, "only new workers")


def a_second_start_is_refused_with_a_remedy(place, other):
    """On the same data, and on other data at the same port."""
    same_data = place.start("second", place.processes["run"].args)
    place.env["PODIUM_DATA"] = str(other)
    same_port = place.start("third", place.processes["run"].args)
    place.env["PODIUM_DATA"] = str(place.data)
    assert same_data.wait(PATIENCE) != 0
    assert same_port.wait(PATIENCE) != 0
    log = place.log.read_text(errors="replace")
    assert "already runs on the data" in log
    assert f"Port {place.port}" in log
    assert "PORT=8001 make run" in log
    assert gone(other)
