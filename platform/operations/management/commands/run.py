import fcntl
import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager
from pathlib import Path

from celery import current_app
from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import connections

from evaluation import durable
from evaluation.environment import EmptySettingError, setting
from executions.services import hosts
from operations.services import first_database, layout
from operations.services.broker import EmbeddedBroker
from operations.services.example_accounts import printed_accounts
from operations.services.supervisor import Process, Supervisor
from operations.services.watching import become
from operations.services.workers import worker_commands


def _setting(name: str) -> str | None:
    try:
        return setting(name)
    except EmptySettingError as error:
        raise CommandError(str(error)) from error


class Command(BaseCommand):
    help = (
        "Run the platform on this machine: broker (unless REDIS_URL is set), web and worker; in example mode with the "
        "example challenges. Ctrl-C stops everything."
    )

    def add_arguments(self, parser):
        parser.add_argument("--port", type=int, default=int(_setting("PORT") or 8000))
        parser.add_argument("--host", default=_setting("HOST") or "127.0.0.1")
        parser.add_argument("--example", action="append", default=[], help="example challenge to load; may be repeated")
        parser.add_argument("--concurrency", type=int, default=os.cpu_count() or 1, help="scoring processes")

    def handle(self, *, port, host, example, concurrency, **options):  # noqa: ARG002 (Django's signature)
        started = time.monotonic()
        if layout.is_older(settings.PODIUM_DATA):
            raise CommandError(layout.refusal(settings.PODIUM_DATA))
        run = settings.PODIUM_BROKER_FILE.parent
        run.mkdir(parents=True, exist_ok=True, mode=0o700)
        lock = self._lock(run / "lock")
        self._check_port(host, port)
        self._say_address(port)
        supervisor = Supervisor()
        broker = None
        try:
            if not _setting("REDIS_URL"):
                broker = EmbeddedBroker(settings.PODIUM_DATA)
                durable.write_text(settings.PODIUM_BROKER_FILE, broker.url, mode=0o600)
                current_app.conf.broker_url = broker.url  # this process read its settings before
                supervisor.add(Process("broker", broker.command()))
            else:
                settings.PODIUM_BROKER_FILE.unlink(missing_ok=True)
            web, *others = self._processes(host, port, concurrency)
            with supervisor.interruptible(), self._static_files() as files:
                self._tables()
                self._load(example[:1])
                files()
            supervisor.add(web)
            # The rest is loaded while the web process starts. Workers come last, since what they load and take up at once
            # would keep both waiting.
            with supervisor.interruptible():
                self._load(example[1:])
                self._load_world(example)
                self._wait_until_up(host, port)
            for process in others:
                supervisor.add(process)
            with supervisor.interruptible():
                self._welcome(host, port, time.monotonic() - started, example)
            leaves = [settings.PODIUM_BROKER_FILE, *([broker.private] if broker else [])]
            with supervisor.interruptible():
                become(supervisor, lock=lock, leaves=leaves)
        except KeyboardInterrupt:
            code = 0
        finally:
            supervisor.shut_down()
            settings.PODIUM_BROKER_FILE.unlink(missing_ok=True)
            if broker:
                broker.remove()
            lock.close()
        if code:
            sys.exit(code)

    @staticmethod
    def _lock(path: Path):
        file = path.open("w")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise CommandError(
                f"The platform already runs on the data in {settings.PODIUM_DATA}. Stop it there, or set PODIUM_DATA."
            ) from error
        return file

    @staticmethod
    def _say_address(port: int) -> None:
        """Set the address of the site to the local port, unless an address is configured.

        Workers write the address into mails and reports, and receive the port from here.
        """
        if not _setting("PODIUM_ADDRESS"):
            os.environ["PORT"] = str(port)
            settings.PODIUM_ADDRESS = f"http://127.0.0.1:{port}"

    @staticmethod
    def _check_port(host: str, port: int) -> None:
        with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((host, port))
            except OSError as error:
                raise CommandError(
                    f"Port {port} of {host} cannot be used ({error.strerror}). Set PORT to a free one, for example: PORT=8001 make run"
                ) from error

    @staticmethod
    @contextmanager
    def _static_files():
        """Collect static files in a second process, and yield a function that waits for its end.

        Almost all machines have two cores.
        """
        files = subprocess.Popen(
            [
                sys.executable,
                "manage.py",
                "collectstatic",
                "--noinput",
                "--verbosity",
                "0",
                "--settings",
                "config.static_files",
            ],
            cwd=settings.ROOT,
        )

        def wait() -> None:
            if files.wait():
                raise CommandError("manage.py collectstatic failed; see the messages above.")

        try:
            yield wait
        finally:
            files.kill()
            files.wait()

    @staticmethod
    def _tables() -> None:
        new = first_database.wanted()
        if new and first_database.copy(new):
            return
        try:
            call_command("migrate", verbosity=0)
        finally:
            connections.close_all()  # nothing of the database is open in this process when it starts others
        if new:
            first_database.keep(new)

    def _load(self, examples: list[str]) -> None:
        """Load example challenges."""
        try:
            for name in examples:
                call_command("load_example", name, quiet=True, stdout=self.stdout)
        finally:
            connections.close_all()

    def _load_world(self, examples: list[str]) -> None:
        """Load what surrounds the example challenges."""
        try:
            if examples:
                call_command("load_example_world", stdout=self.stdout)
        finally:
            connections.close_all()

    @staticmethod
    def _processes(host: str, port: int, concurrency: int) -> list[Process]:
        root = settings.ROOT
        paths = f"{root / 'platform'}{os.pathsep}{root}"
        threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
        web = Process(
            "web",
            [
                *(sys.executable, "-m", "gunicorn", "config.wsgi"),
                *("--bind", f"{host}:{port}", "--workers", "1", "--threads", "8", "--timeout", "120"),
                *("--pythonpath", f"{root / 'platform'},{root}", "--log-level", "warning"),
            ],
            env=threads,
        )
        # A terminal stays quiet unless more is asked for; on several machines workers say what they do.
        commands = worker_commands(
            concurrency, level=_setting("LOG_LEVEL") or "WARNING", runs_containers=hosts.engine_name() != "none"
        )
        workers = Process(
            "workers",
            [sys.executable, "-m", "operations.services.workers", json.dumps(commands)],
            # Celery asks Django's checks in each process and drops what they find.
            env={**threads, "PYTHONPATH": paths, "CELERY_SKIP_CHECKS": "1"},
            cwd=str(root / "platform"),
            # Stops each of its own in order.
            patience=sum(Process.patience for _ in commands) + 5,
        )
        return [web, workers]

    @staticmethod
    def _wait_until_up(host: str, port: int, patience: float = 180) -> None:
        deadline = time.monotonic() + patience
        while time.monotonic() < deadline:
            try:
                urllib.request.urlopen(f"http://{host}:{port}/healthz", timeout=5).close()
            except OSError:
                time.sleep(0.1)
            else:
                return
        raise CommandError(f"The web process did not answer on http://{host}:{port}/ within {patience:.0f} s.")

    def _welcome(self, host: str, port: int, seconds: float, examples: list[str]) -> None:
        address = f"http://{host}:{port}"
        self.stdout.write(f"\nPodium runs at {address} (ready after {seconds:.0f} s)\n")
        if settings.PODIUM_EXAMPLE_MODE:
            self.stdout.write(printed_accounts())
            for name in examples:
                self.stdout.write(f"\nWatch the scores come in: {address}/challenges/{name}/leaderboard/")
        self.stdout.write("Ctrl-C stops everything.\n")
        self.stdout.flush()
