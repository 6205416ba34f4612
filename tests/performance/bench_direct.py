"""Direct uploads to the object store: resources of the web process while gigabytes bypass it.

The store is the one of the tests (moto), in a separate process. It keeps all that it receives and is not a measure of
real stores. The peer is the same archive through the platform. `PODIUM_BENCH_DIRECT_GIGABYTES` (1) sets the amount of
data.
"""

import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from unittest import mock

import requests

from tests.performance import bench_uploads
from tests.performance.bench_uploads import MIB, Half, Timing, highest_memory, web_memory

GIGABYTES = float(os.environ.get("PODIUM_BENCH_DIRECT_GIGABYTES", "1"))
BREAKS = 5


def benchmarks() -> Iterator[Timing]:
    """Send the archive to the store, its line broken several times, then through the platform."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "client"))
    with tempfile.TemporaryDirectory() as name, store() as settings, mock.patch.dict(os.environ, settings):
        folder = Path(name)
        os.environ["XDG_CONFIG_HOME"] = name
        with mock.patch.object(bench_uploads, "PEOPLE", 2), bench_uploads.platform(folder) as (place, phase, tokens):
            large = bench_uploads.written(folder / "large.bin", int(GIGABYTES * 1024 * MIB))
            before = web_memory(place.data)
            with highest_memory(place.data) as peak:
                seconds = to_the_store(place.url, phase, tokens[0], large)
            started = time.monotonic()
            bench_uploads.send_once(by_tus(place.url, tokens[1]), phase, large)
            yield Timing(
                f"{GIGABYTES:g} GiB direct, {BREAKS} breaks, web {before:.0f} → {peak[0]:.0f} MiB",
                seconds, None, "through the platform, no breaks", time.monotonic() - started,
            )  # fmt: skip


@contextmanager
def store() -> Iterator[dict[str, str]]:
    """A store with an empty bucket; gives the settings of a platform that uses it."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    address = f"http://127.0.0.1:{port}"
    command = [sys.executable, "-m", "moto.server", "-p", str(port)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            for _ in range(300):
                with suppress(requests.ConnectionError):
                    requests.put(f"{address}/podium", timeout=10).raise_for_status()
                    break
                time.sleep(0.1)
            yield {
                "PODIUM_S3_BUCKET": "podium",
                "PODIUM_S3_ENDPOINT": address,
                "PODIUM_S3_REGION": "us-east-1",
                "PODIUM_S3_ACCESS_KEY": "bench",
                "PODIUM_S3_SECRET_KEY": "bench",
                "PODIUM_S3_DIRECT": "1",
            }
        finally:
            process.terminate()


def to_the_store(url: str, phase: int, token: str, path: Path) -> float:
    """Seconds for an upload whose line breaks in the middle of a part, several times."""
    from podium_client.connection import Connection

    parts = path.stat().st_size // (8 * MIB)
    at, send, sent = [parts * (number + 1) // (BREAKS + 1) for number in range(BREAKS)], requests.Session.request, [0]

    def breaking(self: requests.Session, method: str, target: str, **more: object) -> requests.Response:
        if method == "PUT":
            sent[0] += 1
            if at and sent[0] >= at[0]:
                at.pop(0)
                more["data"] = Half(more["data"])
        return send(self, method, target, **more)

    started = time.monotonic()
    with mock.patch.object(requests.Session, "request", breaking):
        bench_uploads.send(Connection(url, token), phase, path)
    if at:
        raise RuntimeError("the line was not broken as often as it should have been")
    return time.monotonic() - started


def by_tus(url: str, token: str) -> object:
    """Return a connection to which the server answers that direct uploads are not offered."""
    from podium_client.connection import Connection

    class Older(Connection):
        def request(self, method: str, address: str, **more: object) -> requests.Response:
            if "direct-uploads" in address:
                answer = requests.Response()
                answer.status_code = 501
                return answer
            return super().request(method, address, **more)

    return Older(url, token)
