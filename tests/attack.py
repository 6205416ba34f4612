"""An attacker's day: everything that strangers try, in parts, with a table of leaks, losses and detections.

    python -m tests.attack [PART …] [--record FILE]

Without a part, it runs those that the record has no result of for the present commit, so that an interrupted day resumes.
The exit code is 1 if something leaked, was lost, or was not detected.

Parts: `matrix` (all roles at all addresses), `images` (40 hostile images, needs podman as root), `kills` (12 kills of workers
and services), `manipulations` (changes in the database), `uploads` (300 queued uploads at a deadline), `backups` (20 backups
that are killed and 10 that meet a full disk).
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RECORD = Path(tempfile.gettempdir()) / "podium-attack.json"
MATRIX = (
    "tests/integration/results/test_case_visibility.py",
    "tests/integration/leaderboards/test_linking.py",
    "tests/integration/leaderboards/test_permissions.py",
    "tests/integration/changes/test_permissions.py",
    "tests/integration/reviews/test_permissions.py",
    "tests/integration/reports/test_permissions.py",
    "tests/integration/submissions/test_organizer_roles.py",
    "tests/integration/federation/test_roles.py",
    "tests/integration/web/test_anonymous_writes.py",
    "tests/integration/web/test_visitor_limits.py",
)
# Archives of images that are refused before anything of them runs; the programs are in `tests/containers/hostile.py`.
ARCHIVES = (
    "test_a_bomb_ends_at_the_limit",
    "test_a_layer_that_unpacks_to_far_more_than_its_size_is_refused_at_the_usual_limits",
    "test_a_bomb_of_the_archive_itself_ends_at_the_limit",
    "test_a_file_behind_a_link_of_its_own_layer_is_refused",
)
SEED = "20261128"


@dataclass(frozen=True)
class Outcome:
    """Result of a part; None for quantities that the part does not test."""

    attempts: int
    leaks: int | None = None
    lost: int | None = None
    found: int | None = None

    @property
    def is_good(self) -> bool:
        """Return whether nothing leaked or was lost, and everything was found."""
        return bool(self.attempts) and not self.leaks and not self.lost and self.found in (None, self.attempts)


@dataclass(frozen=True)
class Finished:
    """A command that has ended."""

    status: int
    text: str

    def number(self, pattern: str, *, otherwise: int = 0) -> int:
        """Return the last number that a pattern with one group finds."""
        numbers = re.findall(pattern, self.text, re.MULTILINE)
        return int(numbers[-1]) if numbers else otherwise

    @property
    def tests(self) -> tuple[int, int]:
        """Return how many tests passed, and how many did not; a run without a count failed."""
        passed = self.number(r"(\d+) passed")
        others = sum(self.number(rf"(\d+) {word}") for word in ("failed", "errors?", "skipped"))
        return passed, others or int(self.status != 0)


def pytest(*arguments: str) -> list[str]:
    """Return the command that runs tests."""
    return [sys.executable, "-m", "pytest", "-q", "-n0", "--show-capture=no", *arguments]


def matrix(done: Sequence[Finished]) -> Outcome:
    """Each test asks all addresses of its area as each role."""
    passed, failed = done[0].tests
    return Outcome(passed + failed, leaks=failed)


def images(done: Sequence[Finished]) -> Outcome:
    """Programs in containers, and archives that are refused."""
    contained = done[0].number(r"^(\d+) of \d+ contained")
    programs = done[0].number(r"^\d+ of (\d+) contained", otherwise=1)
    passed, failed = done[1].tests
    return Outcome(programs + passed + failed, leaks=programs - contained + failed)


def kills(done: Sequence[Finished]) -> Outcome:
    """A submission is lost without exactly one result that equals that of a quiet run."""
    soak = done[0]
    submissions = soak.number(r"^submissions +(\d+)", otherwise=1)
    lost = submissions - soak.number(r"^digests compared +(\d+)")
    struck = sum(map(int, re.findall(r"(\d+) ×", "".join(re.findall(r"^killed .*$", soak.text, re.MULTILINE)))))
    return Outcome(struck, lost=max(lost, soak.number(r"^problems +(\d+)"), int(soak.status != 0)))


def manipulations(done: Sequence[Finished]) -> Outcome:
    """Changes by SQL that `verify_records` reports, also after the platform saved the rows again."""
    changes = done[0].number(r"(\d+) changes by SQL", otherwise=1)
    return Outcome(changes, found=done[0].number(r"changes by SQL, (\d+) reported") if done[0].status == 0 else 0)


def uploads(done: Sequence[Finished]) -> Outcome:
    """An upload is lost if it is refused or never validated."""
    deadline = done[0]
    sent = deadline.number(r"^uploads +(\d+)", otherwise=1)
    lost = deadline.number(r"(\d+) uploads are not validated") + deadline.number(r"(\d+) uploads were refused")
    return Outcome(sent, lost=lost or int(deadline.status != 0))


def backups(done: Sequence[Finished]) -> Outcome:
    """A backup is lost if a later one is incomplete, or if an interrupted one counts as complete."""
    interrupted = len(re.findall(r"'_(?:killed|full)'", done[0].text))
    return Outcome(interrupted or 1, lost=int(done[0].status != 0))


PARTS: dict[str, tuple[Callable[[Sequence[Finished]], Outcome], tuple[list[str], ...]]] = {
    "matrix": (matrix, (pytest(*MATRIX),)),
    "images": (
        images,
        (
            [sys.executable, "-m", "tests.containers", "hostile"],
            pytest(*(f"tests/unit/containers/test_images.py::{name}" for name in ARCHIVES)),
        ),
    ),
    "kills": (
        kills,
        ([sys.executable, "-m", "tests.chaos.soak", "--submissions", "20", "--kills", "12", "--seed", SEED],),
    ),
    "manipulations": (manipulations, (pytest("-s", "tests/integration/audit", "tests/unit/audit"),)),
    "uploads": (uploads, ([sys.executable, "-m", "tests.chaos.deadline", "--uploads", "300", "--bounds"],)),
    "backups": (backups, ([sys.executable, "-m", "tests.integration.operations.interrupting", "FOLDER", SEED],)),
}


def run(name: str) -> Outcome:
    """Run a part, and print the end of what its commands printed if it is not good."""
    outcome_of, commands = PARTS[name]
    done = []
    for command in commands:
        with tempfile.TemporaryDirectory(prefix=f"podium-attack-{name}-") as folder:
            Path(folder, "data").mkdir()
            words = [folder if word == "FOLDER" else word for word in command]
            ended = subprocess.run(
                words, cwd=ROOT, env=environment(name, folder), capture_output=True, text=True, check=False
            )
        done.append(Finished(ended.returncode, ended.stdout + ended.stderr))
    outcome = outcome_of(done)
    if not outcome.is_good:
        print(*(finished.text[-4000:] for finished in done), sep="\n")
    return outcome


def environment(name: str, folder: str) -> dict[str, str]:
    """Return the environment of a part; backups are made by a process that prepares its own installation."""
    found = {**os.environ, "PYTHONPATH": f"{ROOT / 'platform'}{os.pathsep}{ROOT}"}
    if name == "backups":
        found |= {"PODIUM_TLS": "0", "PODIUM_DATA": f"{folder}/data", "DJANGO_SETTINGS_MODULE": "config.settings"}
    return found


def table(results: dict[str, dict[str, float | int | None]]) -> str:
    """Return the table of all parts that have a result."""
    lines = ["| part | attempts | leaks | lost | found | seconds |", "|---|---|---|---|---|---|"]
    for name in PARTS:
        if name in results:
            values = [results[name][key] for key in ("attempts", "leaks", "lost", "found", "seconds")]
            lines.append(f"| {name} | {' | '.join('–' if value is None else f'{value:,}' for value in values)} |")
    return "\n".join(lines)


def main() -> int:
    """Run the chosen parts, keep their results, and print the table."""
    options = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    options.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    options.add_argument("--record", type=Path, default=RECORD, help=f"results of finished parts ({RECORD})")
    chosen = options.parse_args()
    if unknown := set(chosen.parts) - set(PARTS):
        options.error(f"unknown parts: {', '.join(sorted(unknown))}; the parts are {', '.join(PARTS)}")
    commit = subprocess.check_output(["git", "rev-parse", "HEAD"], cwd=ROOT, text=True).strip()
    recorded = json.loads(chosen.record.read_text()) if chosen.record.exists() else {}
    results = recorded.get(commit, {})
    for name in chosen.parts or [name for name in PARTS if name not in results]:
        begun = time.monotonic()
        outcome = run(name)
        results[name] = asdict(outcome) | {"seconds": round(time.monotonic() - begun), "good": outcome.is_good}
        chosen.record.write_text(json.dumps({**recorded, commit: results}, indent=1))
        print(f"{name}: {'good' if outcome.is_good else 'NOT GOOD'}", flush=True)
    print(table(results))
    return 0 if all(result["good"] for result in results.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
