"""The bounds on bodies hold in the server that `manage.py run` starts, not only in a client that calls the application."""

import contextlib
import os
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings

from operations.management.commands.run import Command
from tests.ports import free_port

pytestmark = pytest.mark.any_database("Its server uses SQLite on each leg. A body is refused before a query.")

MIB = 1024**2


class Server:
    """The web process, with its folders."""

    def __init__(self, data: Path) -> None:
        self.port, self.data = free_port(), data
        command = next(process for process in Command._processes("127.0.0.1", self.port, 1) if process.name == "web")
        outside = ("DATABASE_URL", "REDIS_URL")
        environ = {name: value for name, value in os.environ.items() if name not in outside}
        environ |= {"PODIUM_DATA": str(data), "PODIUM_TLS": "0", "DEBUG": "1", "TMPDIR": str(data / "tmp")}
        (data / "tmp").mkdir(parents=True)
        self.process = subprocess.Popen(command.command, cwd=settings.ROOT, env=environ)

    def wait(self, patience: float = 60) -> None:
        end = time.monotonic() + patience
        while time.monotonic() < end:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port)):
                return
            time.sleep(0.1)
        raise AssertionError("the server did not come up")

    def answer(self, head: str, piece: bytes, times: int) -> tuple[int, int]:
        """Send a head and then a piece again and again; returns the status, and how much could be sent before it came."""
        sent = 0
        with socket.create_connection(("127.0.0.1", self.port), timeout=30) as line:
            line.sendall(f"{head}\r\nHost: 127.0.0.1\r\n\r\n".replace("\n", "\r\n").replace("\r\r", "\r").encode())
            with contextlib.suppress(OSError):
                for _ in range(times):
                    line.sendall(piece)
                    sent += len(piece)
            return int(line.recv(4096).split()[1]), sent

    @property
    def kept(self) -> int:
        """Bytes in the folders in which bodies could be kept."""
        places = (self.data / "tmp", self.data / "scratch")
        return sum(path.stat().st_size for place in places for path in place.rglob("*") if path.is_file())


@pytest.fixture(scope="module")
def server(tmp_path_factory) -> Iterator[Server]:
    running = Server(tmp_path_factory.mktemp("server") / "data")
    try:
        running.wait()
        yield running
    finally:
        running.process.terminate()
        running.process.wait()


def head(*lines: str) -> str:
    return "\r\n".join(["POST /accounts/login/ HTTP/1.1", *lines])


FORM = "Content-Type: multipart/form-data; boundary=edge\r\nAccept: text/html"
START = b'--edge\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\n'


def test_a_declared_body_is_refused_and_nothing_of_it_kept(server: Server):
    status, _ = server.answer(head(FORM, f"Content-Length: {50 * MIB}"), START + bytes(MIB), 50)
    assert (status, server.kept) == (413, 0)


def test_a_body_in_chunks_is_refused_and_nothing_of_it_kept(server: Server):
    chunk = f"{MIB:x}\r\n".encode() + bytes(MIB) + b"\r\n"
    status, _ = server.answer(head(FORM, "Transfer-Encoding: chunked"), chunk, 50)
    assert (status, server.kept) == (413, 0)


def test_a_refused_body_does_not_keep_the_server_reading(server: Server):
    """The server closes the connection instead of reading on while the client keeps sending."""
    began = time.monotonic()
    _, sent = server.answer(head(FORM, f"Content-Length: {10**12}"), bytes(MIB), 2000)
    assert sent < 1000 * MIB
    assert time.monotonic() - began < 20
