"""Many uploads at a deadline while two figures compute without end, and other work is queued.

    python -m tests.chaos.deadline --uploads 300

Starts the workers of `make run` on the embedded default (or on `DATABASE_URL` and `REDIS_URL`, with a
separate database and key prefix). First only the clock and the worker of periodic tasks run, so that
every upload waits while repeated sweeps look for lost work. Then the others start with two analyses whose
figures compute until everything is over.

At the end, every upload must be validated and an e-mail sent while the figures still compute. At no time
may there be more messages than twice the waiting rows. Every record must be as the platform sealed it.
The exit code reports whether that is true. With `--bounds`, an e-mail within 10 s, the first validated upload within
30 s and no pause above 10 s between two of them are required too, each multiplied by `--slack`. Otherwise the seconds are printed only for information.

With `--together` all queues have one worker with two slots, as before they were separated: nothing is
validated then.
"""

import argparse
import contextlib
import json
import os
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.chaos.processes import Process
from tests.chaos.soak import place

FIRST = ("mail", "beat")
# Seconds, from the moment at which the figures compute.
LETTER_WITHIN, FIRST_WITHIN, PAUSE_AT_MOST = 10.0, 30.0, 10.0
QUEUES = ("mail", "sweep", "validate", "ingest", "score", "rank", "figures", "quality")


def main() -> int:
    """Run it and print what was seen."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--uploads", type=int, default=300)
    options.add_argument("--sweeps", type=int, default=20, help="seconds of sweeps, one each, before validation begins")
    options.add_argument("--patience", type=float, default=600.0, help="seconds until it counts as stuck")
    options.add_argument("--bounds", action="store_true", help="bounds on seconds count, on an idle machine")
    options.add_argument(
        "--slack", type=float, default=1.0, metavar="N", help="multiply these bounds, on a busy machine"
    )
    options.add_argument("--together", action="store_true", help="all queues in one worker with two slots")
    chosen = options.parse_args()
    with place(own_services=False) as found:
        os.environ |= {"PODIUM_SWEEP_SECONDS": "1", "PODIUM_LEASE_SECONDS": "12"}
        return Deadline(found.logs, chosen).run()


def _is_made_up(problem: str) -> bool:
    """Return whether a problem is about the two rankings that this program writes past the platform."""
    return problem.startswith(("leaderboards.rankingversion ", "leaderboards.analysis "))


@dataclass
class Deadline:
    """One run."""

    folder: Path
    chosen: argparse.Namespace
    problems: list[str] = field(default_factory=list)
    seen: dict[str, Any] = field(default_factory=dict)
    most_messages: int = 0
    most_rows: int = 0

    def run(self) -> int:
        """Prepare, upload, wait, judge; returns the exit code."""
        import django

        begun = time.monotonic()
        django.setup()
        from django.conf import settings
        from django.core.management import call_command

        from core.audit.services.proving import prove
        from core.audit.transactions import unit
        from operations.services import first_database
        from operations.services.workers import worker_commands
        from tests.integration.submissions import world as worlds

        new = first_database.wanted()
        if not (new and first_database.copy(new)):
            call_command("migrate", verbosity=0)
        # The clock keeps its schedule there.
        (settings.PODIUM_DATA / "run").mkdir(exist_ok=True)
        with unit("test"):
            world = worlds.build(self.folder / "references")
        commands = worker_commands(2, level="ERROR", runs_containers=False)
        if self.chosen.together:
            together = [*commands["worker"]]
            together[together.index("--queues") + 1] = ",".join(QUEUES)
            commands = {"worker": together, "beat": commands["beat"]}
        first = {name: words for name, words in commands.items() if name in FIRST}
        others = {name: words for name, words in commands.items() if name not in FIRST}
        processes = [self._start("first", first)]
        try:
            with unit("test"):
                self._upload(world, worlds.zipped(worlds.predictions()))
                processes.append(self._start("others", others))
                self._analyses(world)
                self._watch()
        finally:
            (self.folder / "released").touch()
            for process in processes:
                with contextlib.suppress(ProcessLookupError):
                    process.popen.terminate()
                process.popen.wait()
        self.problems += [f"records: {problem}" for problem in prove().problems if not _is_made_up(problem)]
        self.seen["everything together"] = f"{time.monotonic() - begun:.0f} s"
        return self._summary()

    def _start(self, name: str, commands: dict[str, list[str]]) -> Process:
        words = [sys.executable, "-m", "tests.chaos.slow_figures", str(self.folder), json.dumps(commands)]
        return Process(words, self.folder / f"{name}.log")

    def _upload(self, world: Any, archive: bytes) -> None:
        """Upload everything, and let sweep after sweep see that all of it waits."""
        from tests.chaos.teams import Teams

        teams, begun = Teams(world), time.monotonic()
        for number in range(self.chosen.uploads):
            teams.submit(archive, 0, team=(world.adas, world.bos)[number % 2], twice=False)
            if number % 20 == 0:
                self._count()
        self.seen["uploaded in"] = f"{time.monotonic() - begun:.0f} s"
        if not self.chosen.together:
            seen = set()
            end = time.monotonic() + self.chosen.sweeps
            # Noted every five seconds at most.
            while time.monotonic() < end or len(seen) < 3:
                self._until(lambda: self._swept() is not None, "a sweep")
                seen.add(self._swept())
                time.sleep(0.5)
        self.seen["messages after that, and rows"] = f"{sum(self._messages().values())}, {self._rows()}"

    def _swept(self) -> Any:
        """Return the time at which a periodic task last reached the worker that looks for lost work."""
        from operations.models import Heartbeat

        return Heartbeat.objects.filter(queue="sweep").values_list("seen_at", flat=True).first()

    def _analyses(self, world: Any) -> None:
        """Create two rankings and request their figures."""
        from django.db import transaction

        from core.work.services import ask
        from leaderboards.models import Analysis, RankingVersion
        from leaderboards.queries.work import ANALYSES

        for number in (1001, 1002):
            version = RankingVersion.objects.create(
                phase=world.phase, number=number, inputs={"teams": []}, inputs_digest=f"{number:064}",
                assessment_digest="0" * 64, seed=1, bootstrap=0, cases=0, digest=f"{number:064}", table={},
                document_name="none",
            )  # fmt: skip
            with transaction.atomic():
                ask(ANALYSES, Analysis.objects.create(version=version))
        self._until(lambda: list(self.folder.glob("begun-*")), "a figure that computes")

    def _watch(self) -> None:
        """Count until everything is validated and an e-mail that was requested in between is sent."""
        from accounts.notifications.models import Email
        from accounts.notifications.services import post_letter
        from submissions.models import Submission

        begun, letter, waiting_then = time.monotonic(), 0.0, 0
        post_letter(to="new@example.org", subject="Confirm your address", text="Open the link.")
        left, first, last, longest = self._left(), 0.0, time.monotonic(), 0.0
        while time.monotonic() < begun + self.chosen.patience and (left or not letter):
            self._count()
            now_left, now = self._left(), time.monotonic()
            if now_left < left:
                first, longest, last, left = first or now - begun, max(longest, now - last), now, now_left
            if not letter and Email.objects.filter(to="new@example.org", state=Email.State.SENT).exists():
                letter, waiting_then = now - begun, left
            time.sleep(0.2)
        if left:
            self.problems.append(f"{left} uploads are not validated while figures compute")
        if not letter:
            self.problems.append("the letter is not sent while figures compute")
        refused = Submission.objects.filter(state=Submission.State.REFUSED).count()
        if refused:
            self.problems.append(f"{refused} uploads were refused")
        if self.chosen.bounds:
            bounds = {"letter": (letter, LETTER_WITHIN), "first upload": (first, FIRST_WITHIN)}
            for name, (seconds, most) in (bounds | {"longest pause": (longest, PAUSE_AT_MOST)}).items():
                if seconds > self.chosen.slack * most:
                    self.problems.append(f"{name}: {seconds:.1f} s, more than {self.chosen.slack * most:.0f} s")
        self.seen |= {
            "figures that compute": len(list(self.folder.glob("begun-*"))),
            "letter sent after": f"{letter:.1f} s, {waiting_then} uploads were waiting then",
            "first upload validated after": f"{first:.1f} s",
            "all validated after": f"{time.monotonic() - begun:.0f} s",
            "longest pause between two": f"{longest:.1f} s",
        }

    def _until(self, is_true: Any, what: str) -> None:
        end = time.monotonic() + self.chosen.patience
        self._count()
        while not is_true():
            if time.monotonic() > end:
                raise TimeoutError(f"{what} did not come")
            time.sleep(0.2)
            self._count()

    def _left(self) -> int:
        from submissions.models import Submission

        return Submission.objects.filter(validated_at=None).count()

    def _rows(self) -> int:
        from core.work.kinds import registered

        return sum(kind.open_rows.count() for kind in registered())

    def _letters(self) -> int:
        """Letters that were ever written, and a message of a sweep and one of a sender that goes on."""
        from accounts.notifications.models import Email

        return Email.objects.count() + 2

    def _messages(self) -> dict[str, int]:
        """Messages by queue, without those of periodic tasks, of which there is one each at most."""
        from django.conf import settings

        from core.work.queries import queued_messages

        periodic = {entry["task"] for entry in settings.CELERY_BEAT_SCHEDULE.values()}
        found = {}
        for queue in QUEUES:
            queued = queued_messages(queue) or {}
            found[queue] = sum(number for (task, _), number in queued.items() if task not in periodic)
            for task in periodic:
                number = sum(count for (name, _), count in queued.items() if name == task)
                # A worker that starts asks for some of them itself.
                if number > 1 + len(QUEUES):
                    self.problems.append(f"{number} messages of {task} are queued")
        return found

    def _count(self) -> None:
        """Compare messages and rows, even if either of the two changes during the count."""
        before, by_queue, after = self._rows(), self._messages(), self._rows()
        # One message sends all letters that are due; those of the others are left for a moment, and find nothing.
        letters = by_queue.pop("mail")
        if letters > self._letters():
            self.problems.append(f"{letters} messages are queued for {self._letters()} letters")
        messages = sum(by_queue.values())
        rows = max(before, after)
        self.most_messages, self.most_rows = max(self.most_messages, messages), max(self.most_rows, rows)
        if messages > 2 * rows and messages > len(QUEUES):
            self.problems.append(f"{messages} messages are queued for {rows} rows: {by_queue}")

    def _summary(self) -> int:
        told = {
            "uploads": self.chosen.uploads,
            **self.seen,
            "most messages at once": self.most_messages,
            "most rows at once": self.most_rows,
            "problems": len(self.problems),
        }
        for name, value in told.items():
            print(f"{name:<30} {value}")
        for problem in self.problems[:10]:
            print(f"  {problem}")
        if self.problems:
            for log in sorted(self.folder.glob("*.log")):
                print(f"--- {log.name}\n{log.read_text(errors='replace')[-3000:]}")
        return 1 if self.problems else 0


if __name__ == "__main__":
    sys.exit(main())
