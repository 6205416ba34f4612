"""Database and broker of a soak: existing ones, embedded ones, or separate servers that can be restarted."""

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

from tests.chaos.processes import Process
from tests.ports import free_port


@contextlib.contextmanager
def own_database(address: str):
    """Create a database next to the one that `address` names, and drop it afterwards."""
    import psycopg2

    parts = urlsplit(address)
    name = f"podium_soak_{os.getpid()}"

    def execute(statement: str) -> None:
        connection = psycopg2.connect(urlunsplit(parts._replace(scheme="postgresql", path="/postgres")))
        connection.autocommit = True
        with contextlib.closing(connection), connection.cursor() as cursor:
            cursor.execute(statement)

    execute(f"CREATE DATABASE {name}")
    try:
        yield urlunsplit(parts._replace(path=f"/{name}"))
    finally:
        execute(f"DROP DATABASE {name} WITH (FORCE)")


@contextlib.contextmanager
def embedded_broker(folder: Path):
    """The broker that `manage.py run` would start; killed and started again as a worker is."""
    from operations.services.broker import EmbeddedBroker

    embedded = EmbeddedBroker(folder)
    os.environ["REDIS_URL"] = embedded.url
    process = Process(embedded.command(), folder / "broker.log")
    try:
        yield process
    finally:
        process.kill()
        embedded.remove()


class Server(Process):
    """A database server that is stopped with SIGQUIT, as its processes leave the group that a kill would reach."""

    def restart(self) -> None:
        self.popen.send_signal(signal.SIGQUIT)
        self.popen.wait()
        self.start()


@contextlib.contextmanager
def own_redis():
    """Start a Redis that keeps nothing over a restart, on a separate port; sets `REDIS_URL`."""
    port, folder = free_port(), Path(tempfile.mkdtemp(prefix="podium-soak-redis-"))
    options = {"--port": port, "--bind": "127.0.0.1", "--save": "", "--appendonly": "no", "--dir": folder}
    process = Process(["redis-server", *(str(part) for option in options.items() for part in option)], folder / "log")
    os.environ["REDIS_URL"] = f"redis://127.0.0.1:{port}/0"
    try:
        yield process
    finally:
        process.kill()
        shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def own_postgres():
    """Start a PostgreSQL cluster on a separate port; sets `DATABASE_URL`.

    Under root it runs as the user `postgres`.
    """
    user = "postgres" if os.getuid() == 0 else None
    folder, port = Path(tempfile.mkdtemp(prefix="podium-soak-postgres-")), free_port()
    if user:
        shutil.chown(folder, user, user)
    data = folder / "data"
    binaries = max(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name))
    subprocess.run(
        [binaries / "initdb", "-D", data, "-U", "podium", "-A", "trust", "--no-sync"],
        cwd="/",
        user=user,
        check=True,
        capture_output=True,
    )
    command = [binaries / "postgres", "-D", data, "-p", port, "-k", folder, "-c", "listen_addresses=127.0.0.1"]
    process = Server([str(part) for part in command], folder.with_suffix(".log"), user=user)
    os.environ["DATABASE_URL"] = f"postgres://podium@127.0.0.1:{port}/postgres"
    try:
        wait_for_port(port)
        yield process
    finally:
        process.popen.send_signal(signal.SIGQUIT)
        process.popen.wait()
        shutil.rmtree(folder, ignore_errors=True)
        folder.with_suffix(".log").unlink(missing_ok=True)


def wait_for_port(port: int, seconds: float = 120) -> None:
    """Wait until a server listens on the port."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        time.sleep(0.05)
    raise TimeoutError(f"Nobody listens on port {port} after {seconds} s.")
