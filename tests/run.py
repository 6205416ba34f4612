"""The complete suite, as run by `make test`: static checks, the tests in legs, and skipped tests with reasons.

``python tests/run.py lint`` runs the static checks alone, and ``check`` these and the unit tests that are not slow.
``plan`` lists the tests that would run and those that would be skipped, and fails if the suite would fail.
``postgres`` runs all integration tests on PostgreSQL and Redis, those marked `any_database` included, and more walks.

``--only`` runs the legs of some parts (`PARTS`), and ``--shard 2/6`` the second sixth of their test files. The shards of
a part contain each of its files once.

Legs: the embedded default (SQLite, no broker), the same integration tests on PostgreSQL + Redis if `DATABASE_URL` and
`REDIS_URL` are set (without those marked `any_database`, which names the reason), and real processes with a real browser. Missing requirements
are listed at the end, and are an error if ``CI=true``.

``PODIUM_CI_WITHOUT`` lists requirements, separated by commas, that this run does without (`REQUIREMENTS`). Their tests
are skipped even if the requirement is met, and the summary names them. An unknown name is an error.

Browsers and workers wait for each other a third of their time, and tests that only compute never wait. Therefore two
lanes of legs run in parallel if there is more than one core. The computing lane uses the idle time of the other lane
and yields to it. The output of each leg is printed in one piece, after it has ended.

If a few tests with real processes fail while everything else runs in parallel, they are run once more alone, and only
this result counts. The summary names them. A test that regularly needs the second run has a race, or has found one.
"""

import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent
SERVICES = ("DATABASE_URL", "REDIS_URL")
WHOLE_BROWSERS = ("chromium", "chromium-browser", "google-chrome")
# The shell draws no windows: walks take a quarter less CPU time, but it draws frames and loads pictures at other moments.
BROWSERS = (*WHOLE_BROWSERS, "chromium-headless-shell")
# As pytest names them at its end.
FAILED = re.compile(r"^(?:FAILED|ERROR) (\S+?::[^\s\[]+(?:\[.*?\](?= - |$))?)", re.MULTILINE)
PARTS = (
    "lint",
    "migrations",
    "embedded",
    "integration",
    "browser",
    "browser-services",
    "containers",
    "composition",
)
"""Parts of the suite, in the order of their legs."""
# More than this is no matter of two things that met at a bad moment.
FEW = 3
CORES = os.cpu_count() or 1
PROCESSES = str(min(4, CORES))
# Neighbouring tests stay in one process, which makes the worlds that they share once.
SPREAD = ("-n", PROCESSES, "--dist", "worksteal")
# One process for the walks that share an installation, one for all that start their own (tests/e2e/conftest.py).
BESIDE = ("-n", "2")
# Low enough that nobody waits for a browser, high enough that a test which computes is never put aside for seconds.
GIVING_WAY = 5
# Files that `make check` leaves to `make test`: each takes 1.6 CPU seconds or more, together nine tenths of the time of all
# (`python -m pytest tests/unit --durations=0`).
SLOW_UNITS = (ROOT / "tests" / "slow_units.txt").read_text(encoding="utf-8").split()
# Walks through pages that workers, broker and database serve. Those marked `services` also run on PostgreSQL in each suite.
WALKS = (
    "tests/e2e/walk/test_walk.py",
    "tests/e2e/walk/test_walk_glance.py",
    "tests/e2e/reviews",
    "tests/e2e/registry",
    "tests/e2e/results",
    "tests/chaos/test_killed_workers.py",
    "tests/chaos/test_deadline.py",
)
COMPOSITION = [sys.executable, "-m", "tests.composition", "--short"]
LOCK = threading.RLock()
RUNNING: set[subprocess.Popen] = set()
INTERRUPTED = threading.Event()


@dataclass
class Leg:
    """One command of the suite."""

    name: str
    command: list[str]
    # One of `PARTS`, for all legs but those that come before everything else.
    part: str = ""
    services: bool = False
    gives_way: bool = False
    # Begins the command with which a few failed tests are run once more alone; none if that is not to be.
    alone: list[str] = field(default_factory=list)
    # Whether the whole command is run once more where it fails.
    again: bool = False
    # Test files that another shard runs.
    ignored: list[Path] = field(default_factory=list)
    unsteady: list[str] = field(default_factory=list)
    seconds: float = 0.0
    ok: bool = False
    env: dict[str, str] = field(default_factory=dict)

    def run(self) -> bool:
        """Run it, and a few failed tests once more alone if they may be."""
        started = time.monotonic()
        self.ok, said = self._run(self.name, self.command)
        failed = list(dict.fromkeys(FAILED.findall(said)))
        if self.alone and not self.ok and 0 < len(failed) <= FEW and not INTERRUPTED.is_set():
            self.ok, _ = self._run(f"{self.name}: what failed, once more alone", [*self.alone, *failed])
            self.unsteady = failed if self.ok else []
        if self.again and not self.ok and not INTERRUPTED.is_set():
            self.ok, _ = self._run(f"{self.name}: once more", self.command)
            self.unsteady = [self.name] if self.ok else []
        self.seconds = time.monotonic() - started
        return self.ok

    def _run(self, name: str, command: list[str]) -> tuple[bool, str]:
        """Run a command with the environment and show its output at the end, since others run in parallel."""
        env = {**os.environ, "PYTHONPATH": f"{ROOT / 'platform'}{os.pathsep}{ROOT}", **self.env}
        # Where Python is told to keep no compiled modules, each of hundreds of processes compiles the platform anew.
        env.pop("PYTHONDONTWRITEBYTECODE", None)
        if not self.services:
            for service in SERVICES:
                env.pop(service, None)
        # A file, not a pipe: a process that outlives its leg would keep a pipe open, and everybody waiting.
        with tempfile.TemporaryFile() as output, tempfile.NamedTemporaryFile("w", encoding="utf-8") as listing:
            listing.write("".join(f"{file}\n" for file in self.ignored))
            listing.flush()
            env["PODIUM_IGNORED_FILES"] = listing.name
            with LOCK:
                if INTERRUPTED.is_set():
                    return False, ""
                print(f"… {name}", flush=True)
                process = subprocess.Popen(
                    command, cwd=ROOT, env=env, stdout=output, stderr=output, start_new_session=True
                )
                RUNNING.add(process)
            if self.gives_way:
                give_way(process.pid)
            ok = process.wait() == 0
            output.seek(0)
            said = output.read().decode(errors="replace").rstrip()
            with LOCK:
                RUNNING.discard(process)
                print(f"\n=== {name}\n{said}", flush=True)
        return ok, said


def give_way(pid: int) -> None:
    """Lower the priority of a process that has just started a session, and of all its children.

    They then wait if other processes need the same core.
    """
    with suppress(OSError):
        os.setpriority(os.PRIO_PGRP, pid, GIVING_WAY)
    # Where Linux shares out cores by session first, what a process says of itself counts within its session only.
    with suppress(OSError):
        Path(f"/proc/{pid}/autogroup").write_text(str(GIVING_WAY))


def interrupt() -> None:
    """Begin no further leg, and end those that run, as Ctrl-C would if they had no sessions of their own."""
    with LOCK:
        INTERRUPTED.set()
        for process in RUNNING:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGINT)


def lane(legs: list[Leg]) -> None:
    """Run one after the other."""
    for leg in legs:
        leg.run()


def side_by_side(lanes: list[list[Leg]]) -> None:
    """Run these lanes at the same time, limited by the number of cores."""
    with ThreadPoolExecutor(max_workers=CORES) as threads:
        running = [threads.submit(lane, legs) for legs in lanes]
        try:
            for ran in running:
                ran.result()
        except KeyboardInterrupt:
            interrupt()
            raise


def tool(name: str, *arguments: str) -> list[str]:
    return [str(BIN / name), *arguments]


def pytest(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "pytest", "-q", "--durations=5", *arguments]


def with_processes(name: str, part: str, *arguments: str, services: bool = False) -> Leg:
    """Return a leg whose tests start separate processes, which interact at unpredictable moments."""
    return Leg(name, pytest(*arguments), part=part, services=services, alone=pytest("-n", "0"))


def manage(*arguments: str) -> list[str]:
    return [sys.executable, "manage.py", *arguments]


@dataclass
class Plan:
    """Legs that run before everything else, and the two lanes after them."""

    first: list[Leg]
    computing: list[Leg]
    waiting: list[Leg]

    @property
    def legs(self) -> list[Leg]:
        return [*self.first, *self.computing, *self.waiting]


def folders_of(leg: Leg) -> list[Path]:
    """Return the folders whose tests a leg runs; none if it runs no tests."""
    if "pytest" not in leg.command:
        return []
    arguments = leg.command[leg.command.index("pytest") + 1 :]
    return [ROOT / argument for argument in arguments if argument[0] != "-" and (ROOT / argument).is_dir()]


def kind_of(file: Path) -> tuple[object, ...]:
    """Return the properties by which files of similar duration come together: their folder, marks, and slowness."""
    text = file.read_text(encoding="utf-8")
    name = file.relative_to(ROOT).as_posix()
    marks = [mark for mark in ("services", "any_database", "browser", "slow") if f"mark.{mark}" in text]
    has_tests = file.name.startswith("test_") or ">>> " in text
    return not has_tests, name.split("/")[:2], name in SLOW_UNITS, marks


def dealt(files: Iterable[Path], count: int) -> list[list[Path]]:
    """Return files in as many shards as asked for, the same in every run.

    Files of similar duration are dealt one after the other, the largest first, so that shards take about equally long.
    """
    shards: list[list[Path]] = [[] for _ in range(count)]
    ordered = sorted(files, key=lambda file: (*kind_of(file), -file.stat().st_size, file.as_posix()))
    for index, file in enumerate(ordered):
        turn, position = divmod(index, count)
        shards[position if turn % 2 == 0 else count - 1 - position].append(file)
    return shards


def sharded(leg: Leg, number: int, count: int) -> Leg:
    """Return a leg that runs one shard of its test files."""
    files = sorted({file for folder in folders_of(leg) for file in folder.rglob("*.py")})
    others = [shard for index, shard in enumerate(dealt(files, count), start=1) if index != number]
    command = [*leg.command, "-p", "tests.sharding"]
    ignored = [file for shard in others for file in shard]
    return replace(leg, name=f"{leg.name}, shard {number} of {count}", command=command, ignored=ignored)


def chosen_legs(complete: Plan, only: Iterable[str], shard: str) -> Plan:
    """Return a plan with the legs of some parts, divided if a shard is named, such as ``2/6``.

    Raises
    ------
    ValueError
        For a part without a leg in the plan, a part that cannot be divided, and a shard that does not exist.
    """
    parts = tuple(only) or tuple(dict.fromkeys(leg.part for leg in (*complete.computing, *complete.waiting)))
    if absent_parts := [part for part in parts if part not in {leg.part for leg in complete.legs}]:
        raise ValueError(f"{', '.join(absent_parts)} cannot run here; `python tests/run.py plan` names the reason.")

    def legs(lane: list[Leg]) -> list[Leg]:
        return [_divided(leg, shard) for leg in lane if leg.part in parts]

    computing, waiting = legs(complete.computing), legs(complete.waiting)
    needed = {leg.services for leg in (*computing, *waiting) if folders_of(leg)}
    return Plan([leg for leg in complete.first if leg.services in needed], computing, waiting)


def _divided(leg: Leg, shard: str) -> Leg:
    """Return the shard of a leg that is named like ``2/6``, or the leg itself without a name."""
    if not shard:
        return leg
    match = re.fullmatch(r"([1-9]\d*)/([1-9]\d*)", shard)
    if not match or int(match[1]) > int(match[2]):
        raise ValueError(f"{shard} is no shard. Name one as 2/6: the second of six.")
    if not folders_of(leg):
        raise ValueError(f"{leg.part} has no test files and cannot be divided into shards.")
    return sharded(leg, int(match[1]), int(match[2]))


def linters() -> list[Leg]:
    """Judge all files that are no test, in seconds."""
    return [
        Leg("ruff", tool("ruff", "check", "."), "lint"),
        Leg("ruff format", tool("ruff", "format", "--check", "."), "lint"),
        Leg("djlint: templates", tool("djlint", "templates", "--lint", "--quiet"), "lint"),
        Leg("ESLint and csstree: scripts and styles", [sys.executable, "-m", "tests.lint"], "lint"),
        Leg("import-linter", tool("lint-imports"), "lint"),
        Leg("mypy", tool("mypy"), "lint"),
    ]


def quick() -> Plan:
    """Answer in under a minute: linters, types, and unit tests but the slow ones."""
    units = pytest(*SPREAD, *(f"--ignore={path}" for path in SLOW_UNITS), "tests/unit")
    migrated = Leg("migrated database, SQLite", [sys.executable, "-m", "tests.databases"])
    return Plan([migrated], linters(), [Leg("unit tests, but the slow ones", units)])


def on_postgres() -> Plan:
    """Return the plan of all tests that run on PostgreSQL, also of those that the suite runs on SQLite alone.

    The walks need a browser and are left out without one.
    """
    first = [Leg("migrated database, PostgreSQL", [sys.executable, "-m", "tests.databases"], services=True)]
    name = "all integration tests, PostgreSQL + Redis"
    walks = []
    if not browser_lacks():
        walks = [with_processes("all walks, PostgreSQL + Redis", "", *BESIDE, *WALKS, services=True)]
    return Plan(first, [Leg(name, pytest(*SPREAD, "tests/integration"), services=True)], walks)


def plan(*, browser: bool, services: bool, engine: bool, composition: bool) -> Plan:
    plain = {"PODIUM_TLS": "0", "PODIUM_DATA": str(ROOT / "data" / "checks")}
    migrated = [sys.executable, "-m", "tests.databases"]
    # Everything copies these, and whoever comes before they are there would wait or make them twice.
    first = [Leg("migrated database, SQLite", migrated)]
    if services:
        first.append(Leg("migrated database, PostgreSQL", migrated, services=True))
    computing = [
        *linters(),
        Leg("migrations", manage("makemigrations", "--check", "--dry-run"), "migrations", env=plain),
        Leg(
            "unit and integration, embedded default",
            pytest(*SPREAD, "tests/unit", "tests/integration", "evaluation", "platform", "--ignore=platform/config"),
            "embedded",
        ),
    ]
    if services:
        integration = pytest(*SPREAD, "-m", "not any_database", "tests/integration")
        computing.append(Leg("integration, PostgreSQL + Redis", integration, "integration", services=True))
    for leg in computing:
        leg.gives_way = browser
    waiting = []
    if browser:
        walks = (*BESIDE, "tests/e2e", "tests/chaos")
        waiting.append(with_processes("real processes and browser, embedded default", "browser", *walks))
        if services:
            name = "real processes and browser, PostgreSQL + Redis"
            waiting.append(
                with_processes(name, "browser-services", *walks, "-m", "services and not any_database", services=True)
            )
    if engine:
        waiting.append(
            with_processes("real containers", "containers", "-n", "2", "--dist", "loadgroup", "tests/containers")
        )
    if composition:
        waiting.append(Leg("docker-compose.yml, brought up", COMPOSITION, "composition", again=True))
    return Plan(first, computing, waiting)


def containers_lack() -> list[str]:
    """Return what tests with real containers need and this machine does not have."""
    places = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"
    programs = [name for name in ("podman", "runc", "busybox", "mke2fs") if not shutil.which(name, path=places)]
    return programs + ([] if os.geteuid() == 0 else ["root"])


def slurm_lacks() -> list[str]:
    """Return what tests with a real Slurm need and this machine does not have."""
    places = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"
    programs = ("slurmctld", "slurmd", "slurmdbd", "sbatch", "sacct", "mariadbd", "mariadb-install-db", "ch-run")
    return [name for name in programs if not shutil.which(name, path=places)] + containers_lack()


def composition_lacks() -> str:
    """Return what bringing up `docker-compose.yml` needs and this machine does not have, in a sentence."""
    asked = subprocess.run(
        [*COMPOSITION, "--lacking"],
        check=False,
        cwd=ROOT,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    return "" if asked.returncode == 0 else asked.stdout.strip() or asked.stderr.strip()[-500:]


def browser_lacks() -> str:
    named = os.environ.get("PODIUM_CHROMIUM")
    is_there = shutil.which(named) if named else any(map(shutil.which, BROWSERS))
    return "" if is_there else "chromium, or PODIUM_CHROMIUM"


@dataclass(frozen=True)
class Requirement:
    """A requirement of tests other than Python.

    Attributes
    ----------
    tests
        The tests that are skipped without it.
    lacks
        Returns a description of the missing part, or an empty string if the requirement is met.
    """

    tests: str
    lacks: Callable[[], str]


REQUIREMENTS = {
    "browser": Requirement("the browser tests", browser_lacks),
    "postgresql": Requirement(
        "the integration tests on PostgreSQL and Redis",
        lambda: "" if os.environ.get("DATABASE_URL") else "DATABASE_URL",
    ),
    "redis": Requirement(
        "the integration tests on PostgreSQL and Redis", lambda: "" if os.environ.get("REDIS_URL") else "REDIS_URL"
    ),
    "containers": Requirement("the tests marked `engine`", lambda: ", ".join(containers_lack())),
    "slurm": Requirement("the tests with a real Slurm", lambda: ", ".join(slurm_lacks())),
    "composition": Requirement("the start of docker-compose.yml", composition_lacks),
}
"""Requirements by the names that `PODIUM_CI_WITHOUT` has for them."""


def is_ci() -> bool:
    """Return whether a missing requirement is an error."""
    return os.environ.get("CI", "").lower() in {"1", "true", "yes"}


def excused() -> frozenset[str]:
    """Return the requirements that this run does without.

    Raises
    ------
    ValueError
        For a name that no requirement has.
    """
    names = frozenset(name.strip() for name in os.environ.get("PODIUM_CI_WITHOUT", "").split(",") if name.strip())
    if unknown := sorted(names - set(REQUIREMENTS)):
        raise ValueError(
            f"PODIUM_CI_WITHOUT contains {', '.join(unknown)}. Names of requirements are: {', '.join(REQUIREMENTS)}."
        )
    return names


def is_demanded(requirement: str) -> bool:
    """Return whether a test has to fail, and not to skip, where a requirement is missing."""
    return is_ci() and requirement not in excused()


def absent() -> dict[str, str]:
    """Return the requirements that are excused or missing, each with the line of the summary."""
    found = {}
    for name, requirement in REQUIREMENTS.items():
        if name in excused():
            found[name] = f"{requirement.tests} ({name} is listed in PODIUM_CI_WITHOUT)"
        elif missing := requirement.lacks():
            found[name] = f"{requirement.tests} ({name} is missing: {missing.rstrip('.')})"
    return found


def planned(asked: str, missing: Iterable[str]) -> Plan:
    """Return the plan of a run: everything without some requirements, or the part that `asked` names."""
    if asked == "lint":
        return Plan([], linters(), [])
    if asked == "check":
        return quick()
    if asked == "postgres":
        return on_postgres()
    there = set(REQUIREMENTS) - set(missing)
    return plan(
        browser="browser" in there,
        services={"postgresql", "redis"} <= there,
        engine="containers" in there,
        composition="composition" in there,
    )


def main(asked: str = "", *, only: Iterable[str] = (), shard: str = "") -> int:
    """Run everything, or `lint`, `check`, `postgres` or `plan`; returns the exit code.

    Parameters
    ----------
    only
        Parts that are run; all without a name.
    shard
        The share of the test files that is run, such as ``2/6``; all without a name.
    """
    if asked == "postgres" and (unset := [name for name in SERVICES if not os.environ.get(name)]):
        print(f"Set {' and '.join(unset)} to run the integration tests on PostgreSQL and Redis.")
        return 2
    try:
        missing = {} if asked in ("lint", "check", "postgres") else absent()
        demanded = [sentence for name, sentence in missing.items() if is_demanded(name)]
    except ValueError as error:
        print(error)
        return 2
    if demanded:
        print(
            "\n".join(
                f"CI=true does not allow to skip {sentence}. Install it, or list it in PODIUM_CI_WITHOUT."
                for sentence in demanded
            )
        )
        return 1
    try:
        chosen = chosen_legs(planned(asked, missing), only, shard) if only or shard else planned(asked, missing)
    except ValueError as error:
        print(error)
        return 2
    if asked == "plan":
        print(
            "\n".join(
                [*(f"runs: {leg.name}" for leg in chosen.legs), *(f"skipped: {entry}" for entry in missing.values())]
            )
        )
        return 0
    # Also where a shell began this in the background and had it ignore Ctrl-C, which the legs would inherit.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    started = time.monotonic()
    try:
        side_by_side([[leg] for leg in chosen.first])
        side_by_side([chosen.computing, chosen.waiting])
    except KeyboardInterrupt:
        print("\nInterrupted.", flush=True)
        return 130
    legs = chosen.legs
    print("\n=== Summary")
    for leg in legs:
        print(f"{'ok    ' if leg.ok else 'FAILED'} {leg.seconds:6.1f} s  {leg.name}")
        for test in leg.unsteady:
            print(f"       failed beside others, passed alone: {test}")
    for entry in missing.values():
        print(f"skipped: {entry}")
    failed = sum(not leg.ok for leg in legs)
    print(f"total {time.monotonic() - started:.0f} s")
    print(f"legs: {len(legs) - failed} passed, {failed} failed, {len(missing)} skipped", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description="Run the suite, or a part of it.")
    arguments.add_argument("asked", nargs="?", default="", choices=("", "lint", "check", "postgres", "plan"))
    arguments.add_argument("--only", nargs="+", default=(), choices=PARTS, metavar="PART", help=", ".join(PARTS))
    arguments.add_argument("--shard", default="", metavar="I/N", help="the I-th of N parts of the test files")
    options = arguments.parse_args()
    sys.exit(main(options.asked, only=options.only, shard=options.shard))
