"""The whole suite, as `make test` runs it: static checks, then the tests in legs, then what was skipped and why.

Legs: the embedded default (SQLite, no broker), the same integration tests on PostgreSQL + Redis where `DATABASE_URL`
and `REDIS_URL` are set, and real processes with a real browser. What is not there is named at the end, and is an error
when ``CI=true``. Legs of one process each run side by side, each with its output in one piece; those of tests take all
cores themselves, one leg after the other.
"""

import os
import shutil
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent
CI = os.environ.get("CI", "").lower() in {"1", "true", "yes"}
SERVICES = ("DATABASE_URL", "REDIS_URL")
PROCESSES = str(min(4, os.cpu_count() or 1))
# Neighbouring tests stay in one process, which makes the worlds that they share once.
SPREAD = ("-n", PROCESSES, "--dist", "worksteal")
# One process for the walks that share an installation, one for all that start their own (tests/e2e/conftest.py).
BESIDE = ("-n", "2")
PRINTING = threading.Lock()


@dataclass
class Leg:
    """One command of the suite."""

    name: str
    command: list[str]
    services: bool = False
    alone: bool = True
    seconds: float = 0.0
    ok: bool = False
    env: dict[str, str] = field(default_factory=dict)

    def run(self) -> bool:
        """Run it with its environment, its output passed through, or shown at its end when others run beside it."""
        env = {**os.environ, "PYTHONPATH": f"{ROOT / 'platform'}{os.pathsep}{ROOT}", **self.env}
        # Where Python is told to keep no compiled modules, each of hundreds of processes compiles the platform anew.
        env.pop("PYTHONDONTWRITEBYTECODE", None)
        if not self.services:
            for name in SERVICES:
                env.pop(name, None)
        if self.alone:
            print(f"\n=== {self.name}", flush=True)
        started = time.monotonic()
        shown = {} if self.alone else {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
        done = subprocess.run(self.command, cwd=ROOT, env=env, check=False, **shown)
        self.seconds = time.monotonic() - started
        self.ok = done.returncode == 0
        if not self.alone:
            with PRINTING:
                print(f"\n=== {self.name}\n{done.stdout.decode(errors='replace').rstrip()}", flush=True)
        return self.ok


def tool(name: str, *arguments: str) -> list[str]:
    return [str(BIN / name), *arguments]


def pytest(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "pytest", "-q", "--durations=5", *arguments]


def manage(*arguments: str) -> list[str]:
    return [sys.executable, "manage.py", *arguments]


def legs(*, browser: bool, services: bool) -> list[Leg]:
    plain = {"PODIUM_TLS": "0", "PODIUM_DATA": str(ROOT / "data" / "checks")}
    migrated = [sys.executable, "-m", "tests.databases"]
    # The longest first.
    found = [
        Leg("mypy", tool("mypy"), alone=False),
        Leg("migrated database, SQLite", migrated, alone=False),
        Leg("ruff", tool("ruff", "check", "."), alone=False),
        Leg("ruff format", tool("ruff", "format", "--check", "."), alone=False),
        Leg("import-linter", tool("lint-imports"), alone=False),
        Leg("migrations", manage("makemigrations", "--check", "--dry-run"), env=plain, alone=False),
    ]
    if services:
        found.insert(2, Leg("migrated database, PostgreSQL", migrated, services=True, alone=False))
    found.append(
        Leg(
            "unit and integration, embedded default",
            pytest(*SPREAD, "tests/unit", "tests/integration", "evaluation", "platform", "--ignore=platform/config"),
        )
    )
    if services:
        found.append(Leg("integration, PostgreSQL + Redis", pytest(*SPREAD, "tests/integration"), services=True))
    if browser:
        found.append(
            Leg(
                "real processes and browser, embedded default",
                pytest(*BESIDE, "tests/e2e", "tests/chaos"),
            )
        )
        if services:
            found.append(
                Leg(
                    "real processes and browser, PostgreSQL + Redis",
                    pytest(*BESIDE, "tests/e2e", "tests/chaos", "-m", "services"),
                    services=True,
                )
            )
    return found


def lacking() -> list[str]:
    missing = []
    if not any(shutil.which(name) for name in ("chromium", "chromium-browser", "google-chrome")):
        missing.append("a browser (chromium): the browser tests were skipped")
    if not all(os.environ.get(name) for name in SERVICES):
        missing.append("PostgreSQL and Redis (DATABASE_URL, REDIS_URL): the second leg was skipped")
    return missing


def main() -> int:
    missing = lacking()
    browser = not any("browser" in entry for entry in missing)
    services = not any("PostgreSQL" in entry for entry in missing)
    if CI and missing:
        print("\n".join(f"Not there, and CI needs it: {entry}" for entry in missing))
        return 1
    plan = legs(browser=browser, services=services)
    started = time.monotonic()
    with ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as side_by_side:
        list(side_by_side.map(Leg.run, [leg for leg in plan if not leg.alone]))
    for leg in plan:
        if leg.alone:
            leg.run()
    print("\n=== Summary")
    for leg in plan:
        print(f"{'ok    ' if leg.ok else 'FAILED'} {leg.seconds:6.1f} s  {leg.name}")
    for entry in missing:
        print(f"skipped: {entry}")
    failed = sum(not leg.ok for leg in plan)
    print(f"total {time.monotonic() - started:.0f} s")
    print(f"legs: {len(plan) - failed} passed, {failed} failed, {len(missing)} skipped", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
