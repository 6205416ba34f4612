"""Cost of one submission of 60 hippocampus cases.

It reports processor seconds by kind of work, queries, messages, rows and bytes. It runs in this process, one submission
after the other, on PostgreSQL if its programs are installed and on SQLite otherwise. The children's processor time is
counted with that of their worker. The database's processor time is not counted. The table contains seconds, and the
counts follow below it. `PODIUM_BENCH_COSTS` (12) sets the number of submissions that are averaged.
"""

import io
import json
import os
import resource
import subprocess
import sys
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.performance.bench_pool import Participants, Timing

UPLOAD, VALIDATION, SCORING = "an upload", "a validation", "a scoring"
COMMANDS = 5
SUBMISSIONS = int(os.environ.get("PODIUM_BENCH_COSTS", "12"))


def benchmarks() -> Iterator[Timing]:
    """Measure each kind of work on its own, then print what was counted."""
    from tests.chaos.soak import place
    from tests.chaos.test_killed_workers import SERVERS

    with place(own_services=bool(SERVERS)):
        import django

        django.setup()
        from django.core.management import call_command

        call_command("migrate", verbosity=0)
        costs = Costs(Path(os.environ["PODIUM_DATA"]))
        where = "PostgreSQL" if SERVERS else "SQLite"
        measured = dict(costs.measured())
        for name, seconds in measured.items():
            yield Timing(f"processor time of {name}, {where}", seconds, None, "–", None)
        alone = costs.of_the_command()
        whole = sum(measured[name] for name in (UPLOAD, VALIDATION, SCORING))
        yield Timing(
            f"upload to result, processor time, {where}", whole, 2 * alone, "evaluation score, same files", alone
        )
        for name, value in costs.counted():
            print(f"  {name:<60} {value}")


class Costs:
    """The work of some submissions, done here."""

    def __init__(self, folder: Path) -> None:
        from core.work import services
        from executions.scoring.services import scorer

        self.folder = folder
        self.sent: Counter[str] = Counter()
        self.queries: dict[str, float] = {}
        services.send = lambda task, *_, **__: bool(self.sent.update([task]) or True)
        self.people = Participants(folder)
        scorer.preload()
        self.people.submit()
        self._validate()
        self._score()
        self.sent.clear()
        self.before = self._size()

    def measured(self) -> Iterator[tuple[str, float]]:
        """Processor seconds of each kind of work."""
        from leaderboards.models import RankingVersion
        from leaderboards.services import analyses, rankings

        yield UPLOAD, self._of("upload", lambda: [self.people.submit() for _ in range(SUBMISSIONS)])
        yield VALIDATION, self._of("validation", self._validate)
        yield SCORING, self._of("scoring", self._score)
        self.after = self._size()
        phase = self.people.phase.pk
        yield "a ranking of all of it", self._of("ranking", lambda: rankings.rank_phase(phase_id=phase), each=1)
        version = RankingVersion.objects.latest("pk").pk
        yield "its figures", self._of("figures", lambda: analyses.analyse_version(version_id=version), each=1)

    def of_the_command(self) -> float:
        """Processor seconds of `python -m evaluation score` on the files of one submission, its start included."""
        from operations.services.examples import example

        source = example("hippocampus")
        assessment = self.folder / "assessment.json"
        assessment.write_text(json.dumps(self.people.phase.assessment_document))
        predictions = self.folder / "predictions"
        with zipfile.ZipFile(io.BytesIO(self.people.archives[0])) as archive:
            archive.extractall(predictions)
        command = [sys.executable, "-m", "evaluation", "score", str(assessment)]
        command += ["--references", str(source.folder / "references"), "--predictions", str(predictions)]
        command += ["--algorithm", "peer", "--output", str(self.folder / "results.csv")]
        before = _processor()
        for _ in range(COMMANDS):
            subprocess.run(command, check=True, capture_output=True)
        return (_processor() - before) / COMMANDS

    def counted(self) -> Iterator[tuple[str, str]]:
        """Queries, messages, rows and bytes of a submission."""
        from submissions.models import Submission

        yield "queries", ", ".join(f"{value:.0f} of {name}" for name, value in self.queries.items())
        told = sorted(self.sent.items())
        yield "messages a submission", ", ".join(f"{count / SUBMISSIONS:.1f} {name}" for name, count in told)
        size = Submission.objects.latest("created_at").archive_size
        yield "bytes of an archive", f"{size:,}"
        for name, value in self.after.items():
            yield f"{name} a submission", f"{(value - self.before[name]) / SUBMISSIONS:,.0f}"

    def _of(self, name: str, work: Callable[[], object], *, each: int = SUBMISSIONS) -> float:
        from django.db import connection

        def count(execute, *arguments):
            self.queries[name] = self.queries.get(name, 0) + 1 / each
            return execute(*arguments)

        before = _processor()
        with connection.execute_wrapper(count):
            work()
        return (_processor() - before) / each

    @staticmethod
    def _validate() -> None:
        from submissions.models import Submission
        from submissions.services.validation import validate

        for pk in Submission.objects.filter(state=Submission.State.RECEIVED).values_list("pk", flat=True):
            validate(submission_id=pk)

    @staticmethod
    def _score() -> None:
        from submissions.services.scoring import score_next_chunk

        while score_next_chunk():
            pass

    def _size(self) -> dict[str, int]:
        from django.apps import apps
        from django.db import connection

        found = {"rows of the database": sum(model.objects.count() for model in apps.get_models())}
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute("SELECT sum(pg_total_relation_size(oid)) FROM pg_class WHERE relkind = 'r'")
                found["bytes of the database, dead rows included"] = int(cursor.fetchone()[0])
        for part in ("submissions", "results"):
            files = (self.folder / "storage" / part).rglob("*")
            found[f"bytes of stored {part}"] = sum(file.stat().st_size for file in files if file.is_file())
        return found


def _processor() -> float:
    kinds = (resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN))
    return sum(kind.ru_utime + kind.ru_stime for kind in kinds)
