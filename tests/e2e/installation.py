"""A complete installation in separate processes, started like `make run` or as described in docker-compose.yml.

Without `DATABASE_URL`, the embedded default is started by its command. With it, the web, worker and scheduler
commands of docker-compose.yml are run directly against PostgreSQL and Redis, each in a separate process.
"""

import json
import os
import shlex
import signal
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

from operations.domain.database_roles import ROLES, variable
from tests import databases
from tests.ports import free_port

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(sys.executable).parent
# Nothing waits for a time to pass, only for things to happen: patience costs nothing but where something is broken.
PATIENCE = 300.0


class Installation:
    """Address, data folder and processes of a running platform."""

    def __init__(self, data: Path) -> None:
        self.data = data
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.log = data.parent / f"{data.name}.log"
        self.processes: dict[str, subprocess.Popen] = {}
        self.sessions: dict[str, list[dict]] = {}
        self._operator: subprocess.Popen | None = None
        self.env = {
            **os.environ,
            "PODIUM_DATA": str(data),
            "PODIUM_EXAMPLE_MODE": "1",
            "PODIUM_TLS": "0",
            # A walk opens more pages per minute than a visitor.
            "PODIUM_VISITOR_PAGES_PER_MINUTE": "0",
            "PODIUM_VISITOR_FILES_PER_MINUTE": "0",
            # No walk hands in an algorithm, and trying an engine keeps both cores busy for seconds.
            "PODIUM_RUN_ENGINE": "none",
            "PORT": str(self.port),
            "PYTHONPATH": f"{ROOT / 'platform'}{os.pathsep}{ROOT}",
            "PYTHONUNBUFFERED": "1",
            "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}",
        }

    @property
    def passwords(self) -> dict[str, str]:
        return json.loads((self.data / "run" / "example-accounts.json").read_text())

    def shell(self, code: str) -> str:
        """Run Python code inside this installation, as `manage.py shell` would; returns what it prints."""
        return self._ask({"code": code})

    def manage(self, *arguments: str) -> str:
        """Run a management command of this installation; returns what it prints."""
        return self._ask({"command": arguments})

    def _ask(self, request: dict) -> str:
        """Have the operator do it: one process for all commands, since starting one takes longer than most of them."""
        if self._operator is None:
            with self.log.open("ab") as log:
                self._operator = subprocess.Popen(
                    [sys.executable, "-m", "tests.e2e.operator"],
                    cwd=ROOT,
                    env={**self.env, "DJANGO_SETTINGS_MODULE": "config.settings"},
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=log,
                    text=True,
                    start_new_session=True,
                )
        self._operator.stdin.write(json.dumps(request) + "\n")
        self._operator.stdin.flush()
        line = self._operator.stdout.readline()
        assert line, f"The operator ended.\n{self.log.read_text(errors='replace')[-3000:]}"
        answer = json.loads(line)
        assert not answer["error"], f"{request}\n{answer['error']}"
        return answer["said"]

    def dismiss(self) -> None:
        """End the operator; the next command brings another."""
        if self._operator is not None:
            self._operator.kill()
            self._operator.wait()
            self._operator.stdin.close()
            self._operator.stdout.close()
            self._operator = None

    def start(self, name: str, command: list[str], cwd: Path = ROOT) -> subprocess.Popen:
        with self.log.open("ab") as log:
            process = subprocess.Popen(command, cwd=cwd, env=self.env, stdout=log, stderr=log, start_new_session=True)
        self.processes[name] = process
        return process

    def stop(self, patience: float = 60) -> None:
        self.dismiss()
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
            with urllib.request.urlopen(f"{self.url}/healthz", timeout=20) as answer:
                return json.load(answer)
        except (OSError, urllib.error.URLError):
            return None

    def wait(self, condition, what: str, seconds: float = PATIENCE, every: float = 0.1):
        """Wait until `condition` returns something true; fails with the end of the log."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if found := condition():
                return found
            time.sleep(every)
        end = self.log.read_text(errors="replace")[-3000:] if self.log.exists() else ""
        raise AssertionError(f"{what}: not within {seconds:.0f} s\n{end}")


@contextmanager
def embedded(data: Path, *arguments: str, engine: str = "none") -> Iterator[Installation]:
    """Yield the installation that `make run` starts.

    With an engine, or with an empty `engine`, it also runs algorithms in containers.
    """
    place = Installation(data)
    place.env["PODIUM_RUN_ENGINE"] = engine
    for name in ("DATABASE_URL", "REDIS_URL"):
        place.env.pop(name, None)
    run = place.start("run", [sys.executable, "manage.py", "run", *arguments])
    try:
        place.wait(
            lambda: "Ctrl-C stops" in place.log.read_text(errors="replace") or run.poll() is not None, "the start"
        )
        assert run.poll() is None, place.log.read_text(errors="replace")
        yield place
    finally:
        place.stop()


def create_database(url: str, name: str) -> str:
    """Create a database on the server of `url` and return its address.

    The database is already migrated if the tests keep a migrated one.
    """
    migrated = f"{databases.PREFIX}{databases.digest()}"
    with _server(url) as cursor:
        cursor.execute("SELECT pg_advisory_lock(%s)", [databases.LOCK])  # let go with the connection
        cursor.execute(
            "SELECT 1 FROM pg_database JOIN pg_roles ON pg_roles.oid = datdba "
            "WHERE datname = %s AND rolname = current_user",
            [migrated],
        )
        template = f' TEMPLATE "{migrated}"' if cursor.fetchone() else ""
        cursor.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')
        cursor.execute(f'CREATE DATABASE "{name}"{template}')
    return urlunsplit(urlsplit(url)._replace(path=f"/{name}"))


def drop_database(url: str, name: str) -> None:
    with _server(url) as cursor:
        cursor.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')


@contextmanager
def _server(url: str) -> Iterator[psycopg2.extensions.cursor]:
    # Locks hold within one database of the server: the one from which test databases are made.
    connection = psycopg2.connect(url, dbname="postgres")
    try:
        connection.autocommit = True
        with connection.cursor() as cursor:
            yield cursor
    finally:
        connection.close()


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


def creates_roles(url: str) -> bool:
    """Return whether the role of the tests may create the roles of the services."""
    with _server(url) as cursor:
        cursor.execute("SELECT rolcreaterole OR rolsuper FROM pg_roles WHERE rolname = current_user")
        return bool(cursor.fetchone()[0])


@contextmanager
def several_processes(data: Path, example: str | None) -> Iterator[Installation]:
    """The processes of docker-compose.yml against PostgreSQL and Redis."""
    place = Installation(data)
    name = f"podium_e2e_{os.getpid()}"
    url = os.environ["DATABASE_URL"]
    place.env["DATABASE_URL"] = create_database(url, name)
    place.env["PODIUM_BROKER_PREFIX"] = f"{name}-"
    commands = compose_commands(place.port)
    try:
        # Tables and static files do not wait for each other here: there are two cores almost everywhere. Roles need tables.
        passwords = {variable(role): f"{name}-{role}" for role in ROLES}
        place.env |= passwords
        prepare = [shlex.split(command) for command in commands.pop("prepare")[-1].split("&&")]
        roles = [words for words in prepare if words[2] == "database_roles"]
        for words_of_round in ([words for words in prepare if words not in roles], roles if creates_roles(url) else []):
            steps = [place.start(words[2], [sys.executable, *words[1:]]) for words in words_of_round]
            assert [step.wait(PATIENCE) for step in steps] == [0] * len(steps), place.log.read_text(errors="replace")
        for variable_name in passwords:
            del place.env[variable_name]
        for service, command in commands.items():
            beat = ["--schedule", str(data / "beat")] if service == "beat" else []
            words = [word for word in command if not beat or word not in {"--schedule", "/tmp/beat"}]
            if "--queues" in words:
                words += ["--hostname", f"{service}@{name}"]
            place.start(service, [str(BIN / words[0]), *words[1:], *beat])
        if example:
            place.manage("load_example", example)
            place.manage("load_example_world")
        place.wait(place.health, "the web process")
        yield place
    finally:
        place.stop()
        drop_database(url, name)


@contextmanager
def installation(data: Path, *, example: str | None = None) -> Iterator[Installation]:
    """Yield the kind of installation that this test run covers."""
    if os.environ.get("DATABASE_URL"):
        with several_processes(data, example) as place:
            yield place
    else:
        with embedded(data, *(("--example", example) if example else ())) as place:
            yield place
