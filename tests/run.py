"""The whole suite, as `make test` runs it: static checks, then the tests in legs, then what was skipped and why.

Legs: the embedded default (SQLite, no broker), the same integration tests on PostgreSQL + Redis where `DATABASE_URL`
and `REDIS_URL` are set, and real processes with a real browser. What is not there is named at the end, and is an error
when ``CI=true``.
"""

import os
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent
CI = os.environ.get("CI", "").lower() in {"1", "true", "yes"}
SERVICES = ("DATABASE_URL", "REDIS_URL")
PROCESSES = str(min(4, os.cpu_count() or 1))


@dataclass
class Leg:
    """One command of the suite."""

    name: str
    command: list[str]
    services: bool = False
    seconds: float = 0.0
    ok: bool = False
    env: dict[str, str] = field(default_factory=dict)

    def run(self) -> bool:
        """Run it with its environment, its output passed through."""
        env = {**os.environ, "PYTHONPATH": f"{ROOT / 'platform'}{os.pathsep}{ROOT}", **self.env}
        if not self.services:
            for name in SERVICES:
                env.pop(name, None)
        print(f"\n=== {self.name}", flush=True)
        started = time.monotonic()
        self.ok = subprocess.run(self.command, cwd=ROOT, env=env, check=False).returncode == 0
        self.seconds = time.monotonic() - started
        return self.ok


def tool(name: str, *arguments: str) -> list[str]:
    return [str(BIN / name), *arguments]


def pytest(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "pytest", "-q", "--durations=5", *arguments]


def manage(*arguments: str) -> list[str]:
    return [sys.executable, "manage.py", *arguments]


def legs(*, browser: bool, services: bool) -> list[Leg]:
    plain = {"PODIUM_TLS": "0", "PODIUM_DATA": str(ROOT / "data" / "checks")}
    found = [
        Leg("ruff", tool("ruff", "check", ".")),
        Leg("ruff format", tool("ruff", "format", "--check", ".")),
        Leg("mypy", tool("mypy")),
        Leg("import-linter", tool("lint-imports")),
        Leg("migrations", manage("makemigrations", "--check", "--dry-run"), env=plain),
        Leg(
            "unit and integration, embedded default",
            pytest(
                "-n", PROCESSES, "tests/unit", "tests/integration", "evaluation", "platform", "--ignore=platform/config"
            ),
        ),
    ]
    if services:
        found.append(
            Leg("integration, PostgreSQL + Redis", pytest("-n", PROCESSES, "tests/integration"), services=True)
        )
    if browser:
        found.append(
            Leg(
                "real processes and browser, embedded default",
                pytest("tests/e2e", "tests/chaos"),
            )
        )
        if services:
            found.append(
                Leg(
                    "real processes and browser, PostgreSQL + Redis",
                    pytest("tests/e2e", "tests/chaos", "-m", "services"),
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
    for leg in plan:
        leg.run()
    print("\n=== Summary")
    for leg in plan:
        print(f"{'ok    ' if leg.ok else 'FAILED'} {leg.seconds:6.1f} s  {leg.name}")
    for entry in missing:
        print(f"skipped: {entry}")
    failed = sum(not leg.ok for leg in plan)
    print(f"total {sum(leg.seconds for leg in plan):.0f} s")
    print(f"legs: {len(plan) - failed} passed, {failed} failed, {len(missing)} skipped", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
