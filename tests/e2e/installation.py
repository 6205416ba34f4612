"""A whole installation in processes of its own: as `make run` starts it, or as docker-compose.yml describes it.

Without `DATABASE_URL` the embedded default is started by its own command. With it, the web, worker and scheduler
commands of docker-compose.yml run by hand against PostgreSQL and Redis, each in a process of its own.
"""

import json
import os
import shlex
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import psycopg2
import yaml

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(sys.executable).parent


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Installation:
    """Address, data folder and processes of a running platform."""

    def __init__(self, data: Path) -> None:
        self.data = data
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.log = data.parent / f"{data.name}.log"
        self.processes: dict[str, subprocess.Popen] = {}
        self.env = {
            **os.environ,
            "PODIUM_DATA": str(data),
            "PODIUM_EXAMPLE_MODE": "1",
            "PODIUM_TLS": "0",
            "PORT": str(self.port),
            "PYTHONPATH": f"{ROOT / 'platform'}{os.pathsep}{ROOT}",
            "PYTHONUNBUFFERED": "1",
            "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}",
        }

    @property
    def passwords(self) -> dict[str, str]:
        return json.loads((self.data / "run" / "example-accounts.json").read_text())

    def manage(self, *arguments: str) -> str:
        """Run a management command of this installation; returns what it prints."""
        return subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=ROOT,
            env=self.env,
            check=True,
            capture_output=True,
            text=True,
        ).stdout

    def start(self, name: str, command: list[str], cwd: Path = ROOT) -> subprocess.Popen:
        with self.log.open("ab") as log:
            process = subprocess.Popen(command, cwd=cwd, env=self.env, stdout=log, stderr=log, start_new_session=True)
        self.processes[name] = process
        return process

    def stop(self, patience: float = 30) -> None:
        for process in reversed(self.processes.values()):
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
        for process in reversed(self.processes.values()):
            try:
                process.wait(patience)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()

    def health(self) -> dict | None:
        try:
            with urllib.request.urlopen(f"{self.url}/healthz", timeout=5) as answer:
                return json.load(answer)
        except (OSError, urllib.error.URLError):
            return None

    def wait(self, condition, what: str, seconds: float = 120):
        """Wait until `condition` returns something true; fails with the end of the log."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if found := condition():
                return found
            time.sleep(0.1)
        end = self.log.read_text(errors="replace")[-3000:] if self.log.exists() else ""
        raise AssertionError(f"{what}: not within {seconds:.0f} s\n{end}")


@contextmanager
def embedded(data: Path, *arguments: str) -> Iterator[Installation]:
    """What `make run` starts."""
    place = Installation(data)
    for name in ("DATABASE_URL", "REDIS_URL"):
        place.env.pop(name, None)
    run = place.start("run", [sys.executable, "manage.py", "run", *arguments])
    try:
        place.wait(
            lambda: "Ctrl-C stops" in place.log.read_text(errors="replace") or run.poll() is not None, "the start", 240
        )
        assert run.poll() is None, place.log.read_text(errors="replace")
        yield place
    finally:
        place.stop()


def _database(url: str, name: str, act: str) -> str:
    """Create or drop a database beside the one of `url`; returns its address."""
    with_name = urlunsplit(urlsplit(url)._replace(path=f"/{name}"))
    connection = psycopg2.connect(url)
    try:
        connection.autocommit = True
        with connection.cursor() as cursor:
            cursor.execute(f'{act} DATABASE {"IF EXISTS " if act == "DROP" else ""}"{name}"')
    finally:
        connection.close()
    return with_name


def compose_commands(port: int) -> dict[str, list[str]]:
    """The commands of our services in docker-compose.yml, with this machine's port and interpreter."""
    services = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]
    commands = {}
    for name, service in services.items():
        if not service.get("build"):
            continue
        words = [
            word.replace("0.0.0.0:8000", f"127.0.0.1:{port}").replace("${SCORE_CONCURRENCY:-2}", "2")
            for word in service["command"]
        ]
        commands[name] = words
    return commands


@contextmanager
def several_processes(data: Path, example: str | None) -> Iterator[Installation]:
    """The processes of docker-compose.yml against PostgreSQL and Redis."""
    place = Installation(data)
    name = f"podium_e2e_{os.getpid()}"
    url = os.environ["DATABASE_URL"]
    _database(url, name, "DROP")
    place.env["DATABASE_URL"] = _database(url, name, "CREATE")
    place.env["PODIUM_BROKER_PREFIX"] = f"{name}-"
    commands = compose_commands(place.port)
    try:
        prepare = commands.pop("prepare")
        for command in prepare[-1].split("&&"):
            place.manage(*shlex.split(command)[2:])
        for service, command in commands.items():
            beat = ["--schedule", str(data / "beat")] if service == "beat" else []
            words = [word for word in command if not beat or word not in {"--schedule", "/tmp/beat"}]
            if "--queues" in words:
                words += ["--hostname", f"{service}@{name}"]
            place.start(service, [str(BIN / words[0]), *words[1:], *beat])
        place.wait(place.health, "the web process")
        if example:
            place.manage("load_example", example)
        yield place
    finally:
        place.stop()
        _database(url, name, "DROP")


@contextmanager
def installation(data: Path, *, example: str | None = None) -> Iterator[Installation]:
    """The platform on whatever this run of the tests is about."""
    if os.environ.get("DATABASE_URL"):
        with several_processes(data, example) as place:
            yield place
    else:
        with embedded(data, *(("--example", example) if example else ())) as place:
            yield place
