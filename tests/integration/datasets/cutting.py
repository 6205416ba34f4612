"""An unreliable connection: a proxy that closes connections after a set number of bytes per answer."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from urllib.parse import urlsplit

LEAST = 200_000
"""Answers shorter than this are no downloads and go through."""


@dataclass
class Line:
    """Address of the proxy, its planned interruptions and those that occurred."""

    url: str
    breaks: list[int]
    broken: list[int] = field(default_factory=list)


@contextmanager
def cutting(target: str, breaks: list[int]) -> Iterator[Line]:
    """Pass everything on to `target`; the n-th long answer breaks off after ``breaks[n]`` bytes, later ones go through."""
    where = urlsplit(target)
    server = socket.create_server(("127.0.0.1", 0))
    line = Line(f"http://127.0.0.1:{server.getsockname()[1]}", list(breaks))
    ended = threading.Event()

    def back(origin: socket.socket, client: socket.socket) -> None:
        count, limit = 0, None
        with suppress(OSError):
            while block := origin.recv(1 << 16):
                count += len(block)
                if limit is None and count > LEAST and line.breaks:
                    limit = line.breaks.pop(0)
                if limit is not None and count >= limit:
                    line.broken.append(count)
                    break
                client.sendall(block)
        for end in (origin, client):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def serve(client: socket.socket) -> None:
        with client, socket.create_connection((where.hostname, where.port)) as origin:
            answers = threading.Thread(target=back, args=(origin, client), daemon=True)
            answers.start()
            with suppress(OSError):
                while block := client.recv(1 << 16):
                    origin.sendall(block)
            answers.join()

    def listen() -> None:
        while not ended.is_set():
            with suppress(OSError):
                client, _ = server.accept()
                threading.Thread(target=serve, args=(client,), daemon=True).start()

    threading.Thread(target=listen, daemon=True).start()
    try:
        yield line
    finally:
        ended.set()
        server.close()
