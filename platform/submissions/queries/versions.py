"""Of which version of a test set the results are that count: rankings, exports and reports never mix two."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any
from uuid import UUID

from django.db.models import Count, Q

from challenges.models import Phase, Team
from submissions.models import Run, Submission
from test_sets.models import TestSet


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
        Submissions among the others that could not be scored against it: they wait for an organizer.
    """

    standing: int
    wanted: int
    done: int
    total: int
    failed: int = 0


@dataclass(frozen=True)
class LeftOut:
    """A submission that is not in the ranking since scoring it against a new version of the test set failed.

    Its team is named with the reason, and stays out until an organizer has had it scored; the others do not wait for it.
    """

    team: int
    name: str
    number: int
    version: int
    reason: str

    def document(self) -> dict[str, Any]:
        """The same as plain JSON."""
        return asdict(self)


def of_one_version(runs: Sequence[Run]) -> tuple[list[Run], dict[UUID, int]]:
    """Return runs against one version of the test set, and which submissions are missing since scoring them failed.

    The newest version is taken against which nothing is left to be scored: each submission has a result, or its run
    failed after all that a worker tries. As long as one has neither, all others are represented by their last
    results against an earlier version; one that has none, since it came later, waits.

    Parameters
    ----------
    runs
        The run that counts of each submission, with its test set loaded.

    Returns
    -------
    tuple
        The runs, and submission → version against which scoring it failed.
    """
    if len({run.test_set_id for run in runs}) < 2:
        return list(runs), {}
    rows = Run.objects.filter(submission__in=[run.submission_id for run in runs]).exclude(state__in=Run.UNFINISHED)
    failed: dict[int, set[UUID]] = defaultdict(set)
    scored: dict[int, set[UUID]] = defaultdict(set)
    for submission, version, state in rows.values_list("submission", "test_set__version", "state"):
        (failed if state == Run.State.FAILED else scored)[version].add(submission)
    for version in sorted(scored, reverse=True):
        behind = {run.submission_id for run in runs if run.test_set.version < version}
        if behind <= failed[version]:
            break
    ahead = [run.submission_id for run in runs if run.test_set.version > version]
    found = Run.objects.filter(submission__in=ahead, test_set__version=version).exclude(result_digest="")
    earlier = {
        run.submission_id: run for run in found.select_related("submission__team", "test_set").order_by("number")
    }
    chosen = (run if run.test_set.version == version else earlier.get(run.submission_id) for run in runs)
    return [run for run in chosen if run is not None], dict.fromkeys(behind, version)


def rescoring_of(phase: Phase) -> Rescoring | None:
    """Say how far re-scoring is; None, after one query, when nothing is left to be done of itself.

    What failed for good does not hold up the others, unless all of it failed: then the earlier ranking stands.
    """
    counting = Run.objects.filter(counts=True, submission__phase=phase, submission__is_late=False)
    counting = counting.filter(submission__state=Submission.State.SCORED)
    counting = counting.exclude(submission__team__standing__in=Team.OUTSIDE)
    # Counted by the database: a page asks this each time, and nearly always nothing is behind.
    found = counting.aggregate(total=Count("pk"), behind=Count("pk", filter=Q(test_set__is_active=False)))
    if not found["behind"]:
        return None
    total, done = found["total"], found["total"] - found["behind"]
    behind = counting.filter(test_set__is_active=False).values("submission")
    wanted = TestSet.objects.filter(phase=phase, is_active=True).values_list("version", flat=True).first()
    given_up = Run.objects.filter(submission__in=behind, test_set__is_active=True, state=Run.State.FAILED)
    failed = given_up.values("submission").distinct().count()
    if done and failed == found["behind"]:
        return None
    runs, _ = of_one_version(list(counting.select_related("test_set")))
    standing = runs[0].test_set.version if runs else 1
    return Rescoring(standing, wanted or standing, done, total, failed)
