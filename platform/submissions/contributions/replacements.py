"""Submissions to a phase for the replacement of its test set, and numbers of runs by version of a test set."""

from collections.abc import Sequence

from django.db.models import Count

from accounts.models import User
from challenges.models import Phase
from datastore.test_sets import hooks
from datastore.test_sets.hooks import Dependents
from submissions.models import Run, Submission
from submissions.queries.results import measured_outside
from submissions.services.states import start_run


class Submissions(Dependents):
    """Submissions to a phase that were not refused, withdrawn or lost.

    Their rows are locked: none of them can start a run against the old version while a replacement is decided.
    """

    def __init__(self, phase: Phase) -> None:
        self._phase = phase
        rows = Submission.objects.select_for_update(of=("self",), no_key=True).select_related(
            "phase__task__challenge", "team"
        )
        self._submissions = list(rows.filter(phase=phase).exclude(state__in=Submission.UNSUCCESSFUL).order_by("pk"))

    @property
    def exist(self) -> bool:
        """True if the phase has such submissions."""
        return bool(self._submissions)

    @property
    def are_being_scored(self) -> bool:
        """True if a run of a submission to the phase is unfinished."""
        return Run.objects.filter(submission__phase=self._phase, state__in=Run.UNFINISHED).exists()

    def score_again(self, *, actor: User | None) -> None:
        """Start a run of each that is scored."""
        measured = set(Submission.objects.filter(measured_outside(), phase=self._phase).values_list("pk", flat=True))
        for submission in self._submissions:
            if submission.pk in measured:
                continue
            if submission.state == Submission.State.SCORED:
                start_run(submission=submission, trigger=Run.Trigger.TEST_SET, actor=actor)


def runs_by_version(test_sets: Sequence[int]) -> dict[int, int]:
    """Return how many runs there are of versions that have any; one query."""
    rows = Run.objects.filter(test_set__in=test_sets).order_by().values_list("test_set")
    return dict(rows.annotate(runs=Count("pk")))


def register() -> None:
    """Answer the hooks of the test sets."""
    hooks.dependents.register(Submissions)
    hooks.run_counts.register(runs_by_version)
