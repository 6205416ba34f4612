"""Mutate `evaluation` and count the mutants that the tests of each area detect.

Works in a copy of the project, one mutant after the other, each with a limit of time and memory. Survivors are printed.
Survivors without an observable difference are listed in ``equivalent.toml`` with the reason and do not count.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path
from typing import Final, Literal

from tests.mutants.areas import ROOT, TESTS, tests_of
from tests.mutants.mutations import Mutant, sample, source_of

_EQUIVALENT: Final = Path(__file__).with_name("equivalent.toml")
_MEMORY: Final = 6 * 2**30
_COPIED: Final = ("evaluation", "tests", "docs", "examples", "pyproject.toml")


def main(arguments: list[str] | None = None) -> int:
    """Run the command; 0 if enough mutants are killed, else 1."""
    options = _parser().parse_args(arguments)
    mutants = [
        mutant
        for area in options.areas
        for mutant in sample(area, options.mutants // len(options.areas), options.seed)
        if options.only in mutant.module
    ]
    counts = dict.fromkeys(("killed", "survived", "equivalent"), 0)
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="podium-mutants-") as folder:
        copy = Path(folder)
        for name in _COPIED:
            source = ROOT / name
            if source.is_dir():
                shutil.copytree(source, copy / name, ignore=shutil.ignore_patterns("__pycache__", "databases"))
            else:
                shutil.copy(source, copy / name)
        limits = {area: _baseline(copy, area) for area in options.areas}
        for mutant in mutants:
            if is_equivalent(mutant):
                outcome: Literal["killed", "survived", "equivalent"] = "equivalent"
            else:
                outcome = _judge(copy, mutant, limits[mutant.area])
            counts[outcome] += 1
            if outcome != "killed" or options.verbose:
                print(f"{outcome:<10} {mutant.kind:<10} {mutant.name}", flush=True)
    judged = counts["killed"] + counts["survived"]
    share = counts["killed"] / judged if judged else 1.0
    print(
        f"{counts['killed']} of {judged} mutants killed ({share:.1%}), {counts['equivalent']} more are equivalent; "
        f"seed {options.seed}, {time.monotonic() - started:.0f} s"
    )
    return 0 if share >= options.at_least else 1


def is_equivalent(mutant: Mutant) -> bool:
    """Return whether the list of equivalent mutants contains this mutant."""
    document = tomllib.loads(_EQUIVALENT.read_text(encoding="utf-8"))
    lines = {(entry["module"], entry["before"], entry["after"]) for entry in document.get("mutant", [])}
    if (mutant.module, mutant.before, mutant.after) in lines:
        return True
    return any(
        pattern["before"] in mutant.before
        and mutant.after != mutant.before
        and mutant.after.replace(pattern["after"], pattern["before"]) == mutant.before
        for pattern in document.get("pattern", [])
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("areas", nargs="*", default=list(TESTS), metavar="AREA", help=f"of {', '.join(TESTS)}; all")
    parser.add_argument("--mutants", type=int, default=100, help="how many to draw, evenly from the areas; 100")
    parser.add_argument("--seed", type=int, default=1, help="of the sample; 1")
    parser.add_argument("--only", default="", help="only those whose module's path contains this")
    parser.add_argument("--at-least", type=float, default=0.9, help="share to kill, or the command fails; 0.9")
    parser.add_argument("--verbose", action="store_true", help="name the killed ones too")
    return parser


def _baseline(copy: Path, area: str) -> float:
    """Run an area's tests without a mutation; four times as long as they take is the limit of a mutant."""
    started = time.monotonic()
    if not _passes(copy, area, 600):
        message = f"the tests of {area} fail without any mutation: {' '.join(tests_of(area))}"
        raise SystemExit(message)
    return 10 + 4 * (time.monotonic() - started)


def _judge(copy: Path, mutant: Mutant, limit: float) -> Literal["killed", "survived"]:
    path = copy / mutant.module
    original = path.read_text(encoding="utf-8")
    path.write_text(source_of(mutant, original), encoding="utf-8")
    try:
        return "survived" if _passes(copy, mutant.area, limit) else "killed"
    finally:
        path.write_text(original, encoding="utf-8")


def _passes(copy: Path, area: str, limit: float) -> bool:
    command = [sys.executable, "-B", "-m", "pytest", "-c", "tests/mutants/pytest.ini", "--rootdir=.", "-q", "-x"]
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    process = subprocess.Popen(
        [*command, *tests_of(area)],
        cwd=copy,
        env={**os.environ, **threads, "PYTHONPATH": str(copy)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY)),  # noqa: PLW1509  (one thread)
    )
    try:
        return process.wait(timeout=limit) == 0
    except subprocess.TimeoutExpired:
        return False
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


if __name__ == "__main__":
    sys.exit(main())
