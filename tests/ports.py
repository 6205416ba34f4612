"""Ports for servers that tests start."""

import random
import socket

# Below those that systems give to outgoing connections: none takes one between the question and the server's start.
RANGE = range(15_000, 30_000)


def free_port() -> int:
    """Return a free port of this machine that another test run is unlikely to request."""
    chance = random.SystemRandom()
    for _ in range(100):
        port = chance.choice(RANGE)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
        return port
    raise OSError(f"None of 100 ports between {RANGE.start} and {RANGE.stop} is free.")
