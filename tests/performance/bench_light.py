"""Footprint of an installation: time to the ready line of `make run`, idle memory, and web memory after a crawl.

The crawl requests every address that a page links to, as every example account, files included. Memory is the
proportional set size of the processes, which counts shared memory once. It is too low if other installations run
from the same environment. `PODIUM_BENCH_PAGES` (600) limits the pages
that one account opens.
"""

from __future__ import annotations

import os
import re
import sqlite3
import time
from collections import deque
from contextlib import closing, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING
from urllib.parse import urldefrag, urljoin, urlsplit

import requests

from tests.performance.bench_pool import Timing

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGES = int(os.environ.get("PODIUM_BENCH_PAGES", "600"))
READY, IDLE, WEB = 12.0, 1024.0, 350.0
"""The bars: seconds, and MiB."""
_LINK = re.compile(r'href="([^"#][^"]*)"')
_LEAVES = re.compile(r"/(logout|static|media)/|/accounts/logout")


def benchmarks() -> Iterator[Timing]:
    """Start `make run` with both examples, wait until nothing is left to do, crawl, and print what was read."""
    from tests.e2e.installation import embedded

    with TemporaryDirectory() as folder:
        data = Path(folder) / "data"
        begun = time.monotonic()
        # As on anybody's machine: with the worker that runs algorithms where podman is installed.
        with embedded(data, "--example", "hippocampus", "--example", "nuclei", engine="") as place:
            ready, worked = time.monotonic() - begun, processor_time(data)
            yield Timing("ready line of `make run`, both examples", ready, None, "–", READY)
            print(f"  {'processor time of all processes until then':<60} {worked:,.1f} s")
            place.wait(lambda: _is_idle(data), "nothing left to do", seconds=600, every=1)
            time.sleep(15)
            print(f"  {'memory when idle':<60} {memory(data):,.0f} MiB (bar {IDLE:,.0f})")
            for name, size in sorted(by_process(data).items(), key=lambda entry: -entry[1]):
                print(f"    {name:<58} {size:,.0f} MiB")
            asked = sum(crawled(place.url, user, word) for user, word in _accounts(data))
            asked += crawled(place.url, "", "")
            web = by_process(data)["web"]
            print(f"  {f'memory of the web after {asked:,} answers':<60} {web:,.0f} MiB (bar {WEB:,.0f})")


_WAITING = """
SELECT (SELECT count(*) FROM submissions_submission WHERE state IN ('running', 'received', 'validating', 'accepted'))
     + (SELECT count(*) FROM leaderboards_rankingrequest WHERE computed < requested)
"""


def _is_idle(data: Path) -> bool:
    """Return whether all submissions of the examples are scored and ranked."""
    with closing(sqlite3.connect(f"file:{data / 'podium.sqlite3'}?mode=ro", uri=True)) as database:
        return database.execute(_WAITING).fetchone() == (0,)


def _accounts(data: Path) -> list[tuple[str, str]]:
    import json

    return list(json.loads((data / "run" / "example-accounts.json").read_text()).items())


def crawled(url: str, user: str, password: str) -> int:
    """Ask for everything that can be reached by links; returns how many answers there were."""
    with requests.Session() as session:
        if user:
            page = session.get(f"{url}/accounts/login/", timeout=60)
            token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page.text)[1]
            form = {"csrfmiddlewaretoken": token, "login": user, "password": password}
            session.post(f"{url}/accounts/login/", form, headers={"Referer": page.url}, timeout=60)
        waiting, known, answers = deque([f"{url}/"]), {f"{url}/"}, 0
        while waiting and answers < PAGES:
            answer = session.get(waiting.popleft(), timeout=120)
            answers += 1
            if not answer.headers.get("Content-Type", "").startswith("text/html"):
                continue
            for found in _LINK.findall(answer.text):
                address = urldefrag(urljoin(answer.url, found.replace("&amp;", "&")))[0]
                if (
                    address not in known
                    and address.startswith(url)
                    and not _LEAVES.search(urlsplit(address).path + "/")
                ):
                    known.add(address)
                    waiting.append(address)
        return answers


def _processes(data: Path) -> Iterator[Path]:
    """Folder in /proc of each process of an installation."""
    needle = f"PODIUM_DATA={data}".encode()
    for entry in Path("/proc").iterdir():
        with suppress(OSError):
            if entry.name.isdigit() and needle in (entry / "environ").read_bytes().split(b"\0"):
                yield entry


def processor_time(data: Path) -> float:
    """Seconds that an installation's processes have worked, those included that they started and that have ended."""
    ticks = 0
    for entry in _processes(data):
        with suppress(OSError):
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
            ticks += sum(map(int, fields[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")


def by_process(data: Path) -> dict[str, float]:
    """Memory of each part of an installation, in MiB."""
    found: dict[str, float] = {}
    for entry in _processes(data):
        try:
            words = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            called = (entry / "comm").read_text().strip()
            pss = re.search(r"^Pss:\s+(\d+)", (entry / "smaps_rollup").read_text(), re.MULTILINE)
        except OSError:
            continue
        name = _FORKS.get(called) or next((part for part, mark in _PARTS.items() if mark in words), "other")
        found[name] = found.get(name, 0.0) + int(pss[1]) / 1024
    return found


_FORKS = {
    "podium-worker": "workers",
    # The kernel keeps fifteen characters.
    "podium-validate": "worker of validation",
    "podium-figures": "worker of figures",
    "podium-mail": "worker of mail and sweeps",
    "podium-beat": "clock",
    "podium-runner": "worker of algorithms",
}
_PARTS = {
    "web": "gunicorn",
    "what workers are forked from": "services.workers",
    "supervisor": "services.watching",
    "broker": "valkey",
}


def memory(data: Path) -> float:
    """Memory of a whole installation, in MiB."""
    return sum(by_process(data).values())
