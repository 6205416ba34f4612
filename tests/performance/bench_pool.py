"""Scoring throughput of a worker pool, for submissions of 60 hippocampus cases with real predictions.

PostgreSQL and Redis run on this machine. A queue is filled while no worker runs. Then one worker empties it, and two
workers empty another queue of the same length. For each, the table shows the submissions validated, scored and ranked
per minute. It also shows the waiting time of a submission from the start of the workers to its score. Afterwards
submissions arrive one by one at 60 % of the rate of two workers. The time from receipt to score is read from the
database. A worker is one process. Database, broker and, while submissions arrive, the uploading share the machine.

`PODIUM_BENCH_SUBMISSIONS` (100; half for each number of workers, a tenth more arrive afterwards) makes it longer.
Without the servers' programs the embedded default is measured, as the name of the row states.
"""

import contextlib
import io
import os
import time
from collections.abc import Iterator
from datetime import timedelta
from itertools import count
from pathlib import Path
from statistics import median, quantiles
from typing import NamedTuple

SUBMISSIONS = int(os.environ.get("PODIUM_BENCH_SUBMISSIONS", "100"))
TEAMS = 25
LOAD = 0.6
ARRIVALS = max(20, SUBMISSIONS // 10)
QUEUES = "ingest,score,rank,mail"


class Timing(NamedTuple):
    """One row of the table: our seconds, the bar, and those of a peer."""

    name: str
    seconds: float
    limit: float | None
    peer: str
    peer_seconds: float | None


def benchmarks() -> Iterator[Timing]:
    """Measure throughput with one and two workers, then the waiting time under load."""
    from tests.chaos.soak import place
    from tests.chaos.test_killed_workers import SERVERS

    with place(own_services=bool(SERVERS)):
        import django

        django.setup()
        from django.core.management import call_command

        call_command("migrate", verbosity=0)
        where = "PostgreSQL + Redis" if SERVERS else "embedded"
        participants = Participants(Path(os.environ["PODIUM_DATA"]))
        each = SUBMISSIONS // 2
        one = participants.empty_a_queue(each, workers=1)
        two = participants.empty_a_queue(each, workers=2)
        for workers, emptied, peer in ((1, one, None), (2, two, one)):
            minute = 60 * each / emptied.seconds
            yield Timing(
                f"{each} × 60 cases scored and ranked, {where}, {workers} worker{'s' * (workers > 1)} ({minute:.0f}/min)",
                emptied.seconds,
                peer.seconds / 1.5 if peer else None,
                "1 worker" if peer else "–",
                peer.seconds if peer else None,
            )
            yield Timing("from the workers' begin to score, median", median(emptied.waits), None, "–", None)
            yield Timing("the same, 95th percentile", quantiles(emptied.waits, n=20)[-1], None, "–", None)
        waits = participants.arrive(ARRIVALS, every=two.seconds / each / LOAD)
        yield Timing(
            f"receipt to score at {LOAD:.0%} load, {ARRIVALS} arrivals, median", median(waits), None, "–", None
        )
        yield Timing("the same, 95th percentile", quantiles(waits, n=20)[-1], None, "–", None)


class Emptied(NamedTuple):
    """Time in which a pool emptied a full queue, and the waiting time of each submission for its score."""

    seconds: float
    waits: list[float]


class Participants:
    """Teams with the predictions of the example's algorithms."""

    def __init__(self, folder: Path) -> None:
        from django.utils import timezone

        from accounts.models import User
        from challenges.models import Phase, Task
        from challenges.services import create_challenge, create_phase, join_with_team
        from datastore.test_sets.services.sealing import create_test_set
        from operations.services.examples import example, predictions

        source = example("hippocampus")
        cases = sorted(path.name.removesuffix(".nii.gz") for path in (source.folder / "references").iterdir())
        organizer = User.objects.create_user("olga", "olga@example.org")
        challenge = create_challenge(
            actor=organizer, organizers=[organizer], slug="large", title="Large", summary="Many.", is_public=True
        )
        task = Task.objects.create(challenge=challenge, slug="large", name="Large")
        now = timezone.now()
        self.phase = create_phase(
            actor=organizer,
            task=task,
            assessment=source.content["assessment"],
            slug="all",
            name="All",
            opens_at=now - timedelta(days=1),
            closes_at=now + timedelta(days=30),
            results=Phase.Results.CASES,
            leaderboard=Phase.Leaderboard.PUBLIC,
        )
        create_test_set(phase=self.phase, references=source.folder / "references", cases=cases)
        self.archives = [predictions(source, algorithm, cases) for algorithm in source.algorithms]
        self.teams = [
            join_with_team(
                user=User.objects.create_user(f"p{number}", f"p{number}@example.org"),
                challenge=challenge,
                team_name=f"Team {number}",
            )
            for number in range(TEAMS)
        ]
        self.folder, self.next = folder, count()

    def submit(self) -> None:
        """Hand in the next archive for the next team."""
        from datastore.uploads.services.uploads import append
        from submissions.services.submitting import create_upload, finish

        number = next(self.next)
        team, archive = self.teams[number % TEAMS], self.archives[number % len(self.archives)]
        user = team.members.get().user
        upload = create_upload(
            user=user,
            phase=self.phase,
            team=team,
            file_name="predictions.zip",
            size=len(archive),
            accept_incomplete=True,
            again=True,
        )
        append(upload=upload, offset=0, read=io.BytesIO(archive).read)
        finish(upload=upload)

    def empty_a_queue(self, length: int, *, workers: int) -> Emptied:
        """From the first moment of the workers' work to the last score and the ranking of all."""
        from submissions.models import Run

        before = Run.objects.filter(counts=True).count()
        for _ in range(length):
            self.submit()
        with self.working(workers):
            self.until(lambda: Run.objects.filter(counts=True).count() == before + length and not self.rankings_due())
            from django.utils import timezone

            end = timezone.now()
            runs = list(Run.objects.filter(counts=True).order_by("queued_at").select_related("submission")[before:])
            first = min(run.submission.validated_at for run in runs)
            return Emptied((end - first).total_seconds(), [(run.finished_at - first).total_seconds() for run in runs])

    def arrive(self, number: int, *, every: float) -> list[float]:
        """Seconds from receipt to score of submissions that come at a steady pace."""
        from submissions.models import Run

        before = set(Run.objects.values_list("pk", flat=True))
        with self.working(2):
            self.until(self.are_awake)
            due = time.monotonic()
            for _ in range(number):
                time.sleep(max(0.0, due - time.monotonic()))
                self.submit()
                due += every
            mine = Run.objects.exclude(pk__in=before)
            self.until(lambda: mine.filter(counts=True).count() == number)
            return [
                (run.finished_at - run.submission.created_at).total_seconds()
                for run in mine.select_related("submission")
            ]

    def are_awake(self) -> bool:
        """Return whether a newly sent task is processed, which means that the workers have started."""
        from django.utils import timezone

        from core.work.services import send
        from operations.models import Heartbeat

        send("operations.tasks.heartbeat", [])
        return Heartbeat.objects.filter(seen_at__gt=timezone.now() - timedelta(seconds=2)).exists()

    def rankings_due(self) -> bool:
        """Return whether a requested ranking has not been computed yet."""
        from django.db.models import F

        from leaderboards.models import RankingRequest

        return RankingRequest.objects.filter(requested__gt=F("computed")).exists()

    def working(self, number: int):
        """Run `number` workers of one process each, and the scheduler that detects lost work."""
        from tests.chaos.processes import clock, worker

        @contextlib.contextmanager
        def running():
            processes = [worker(index, self.folder, pool=1, queues=QUEUES) for index in range(number)]
            processes.append(clock(self.folder))
            try:
                yield
            finally:
                for process in processes:
                    process.kill()

        return running()

    @staticmethod
    def until(condition, seconds: float = 3600) -> None:
        """Wait, looking twice a second: looking costs what is measured."""
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                raise TimeoutError("The pool did not come to an end.")
            time.sleep(0.5)
