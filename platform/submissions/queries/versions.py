"""Of which version of a test set the results are that count: rankings, exports and reports never mix two."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Count, Min, OuterRef, Q, Subquery

from challenges.models import Phase, Team
from submissions.models import Run, Submission, TestSet


@dataclass(frozen=True)
class Rescoring:
    """How far a phase is with scoring its submissions again after its test set was replaced.

    Attributes
    ----------
    standing, wanted
        The version that rankings are of until all is done, and the version that is in use.
    done, total
        Submissions that are scored against the version in use, of those that count in rankings.
    failed
        Submissions among the others whose last run failed: they wait for an organizer.
    """

    standing: int
    wanted: int
    done: int
    total: int
    failed: int = 0


def of_one_version(runs: Sequence[Run]) -> list[Run]:
    """Return runs against one version of the test set: the newest that all submissions are scored against.

    As long as one submission has only a result against an earlier version, each other one is represented by its last
    result against that version; a submission that has none, since it came later, waits.

    Parameters
    ----------
    runs
        The run that counts of each submission, with its test set loaded.
    """
    sets = {run.test_set_id: run.test_set.version for run in runs}
    if len(sets) < 2:
        return list(runs)
    oldest = min(sets, key=lambda pk: sets[pk])
    moved = [run.submission_id for run in runs if run.test_set_id != oldest]
    rows = Run.objects.filter(submission__in=moved, test_set=oldest).exclude(result_digest="")
    earlier = {run.submission_id: run for run in rows.select_related("submission__team", "test_set").order_by("number")}
    chosen = (run if run.test_set_id == oldest else earlier.get(run.submission_id) for run in runs)
    return [run for run in chosen if run is not None]


def rescoring_of(phase: Phase) -> Rescoring | None:
    """Say how far re-scoring is; None, after one query, when the results that count are all of the version in use."""
    counting = Run.objects.filter(counts=True, submission__phase=phase, submission__is_late=False)
    counting = counting.filter(submission__state=Submission.State.SCORED)
    counting = counting.exclude(submission__team__standing__in=Team.OUTSIDE)
    behind = counting.filter(test_set__is_active=False)
    # Counted by the database: a page asks this each time, and nearly always nothing is behind.
    found = counting.aggregate(
        total=Count("pk"), behind=Count("pk", filter=Q(test_set__is_active=False)), standing=Min("test_set__version")
    )
    if not found["behind"]:
        return None
    wanted = TestSet.objects.filter(phase=phase, is_active=True).values_list("version", flat=True).first()
    last = Run.objects.filter(submission=OuterRef("pk")).order_by("-number").values("state")[:1]
    failed = Submission.objects.filter(pk__in=behind.values("submission")).annotate(last=Subquery(last))
    return Rescoring(
        found["standing"],
        wanted or found["standing"],
        found["total"] - found["behind"],
        found["total"],
        failed.filter(last=Run.State.FAILED).count(),
    )
