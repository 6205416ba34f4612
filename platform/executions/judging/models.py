"""Trials of a scoring image, and its computation of the values of each run in groups of cases."""

from typing import Any

from django.db import models
from django.db.models import Q
from django.utils import timezone

from challenges.models import Challenge, Phase, Team
from core.work.models import Work
from datastore.test_sets.models import TestSet
from executions.models import AlgorithmArchive


class Trial(Work):
    """Nine checks that a scoring image must pass for the declaration of a phase, on cases of its test set.

    waiting → running → (passed | refused | failed).
    A verdict applies to one image and one declaration. With another declaration, the image is tried again.
    """

    class State(models.TextChoices):
        WAITING = "waiting", "waiting to be tried"
        RUNNING = "running", "being tried"
        PASSED = "passed", "passed"
        REFUSED = "refused", "refused"
        FAILED = "failed", "failed"

    OPEN = (State.WAITING, State.RUNNING)

    archive = models.ForeignKey(AlgorithmArchive, on_delete=models.CASCADE, related_name="trials")
    phase = models.ForeignKey(Phase, on_delete=models.CASCADE, related_name="scorer_trials")
    test_set = models.ForeignKey(TestSet, on_delete=models.PROTECT, related_name="+")
    declared = models.JSONField(help_text="metrics, regions and limits as they were declared")
    declared_digest = models.CharField(max_length=64)
    state = models.CharField(max_length=10, choices=State, default=State.WAITING)
    step = models.CharField(max_length=120, blank=True, help_text="what the worker is doing")
    reason = models.CharField(max_length=500, blank=True, help_text="for organizers: why there is no verdict")
    report = models.JSONField(default=dict, blank=True, help_text="the checks with what each says")
    report_digest = models.CharField(max_length=80, blank=True)
    log = models.TextField(
        blank=True, help_text="for organizers: the end of what the image printed where a check failed"
    )
    versions = models.JSONField(default=dict, blank=True, help_text="of engine, runtime and kernel")
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    finished_at = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        ordering = ["-created_at", "-pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(state__in=["passed", "refused"]) & ~Q(report_digest="")
                | ~Q(state__in=["passed", "refused"]) & Q(report_digest=""),
                name="judging_verdict_has_a_report",
            ),
            models.CheckConstraint(condition=~Q(state="failed") | ~Q(reason=""), name="judging_failure_has_reason"),
        ]

    def __str__(self) -> str:
        return f"{self.archive} in {self.phase}: {self.state}"

    @property
    def challenge(self) -> Challenge:
        return self.phase.challenge

    @property
    def checks(self) -> list[dict[str, Any]]:
        """Checks with their messages, empty before the verdict."""
        check_rows: list[dict[str, Any]] = self.report.get("checks", [])
        return check_rows

    @property
    def refused(self) -> int:
        """Number of checks that failed."""
        return sum(bool(check["says"]) for check in self.checks)

    @property
    def is_open(self) -> bool:
        """True if the trial is queued for a worker or processed by a worker."""
        return self.state in self.OPEN


class Judgement(Work):
    """Cases of one run that a scoring image scores in one start; its answers are stored all or not at all."""

    class State(models.TextChoices):
        WAITING = "waiting", "waiting"
        RUNNING = "running", "running"
        DONE = "done", "done"
        FAILED = "failed", "failed"
        CANCELLED = "cancelled", "cancelled"

    OPEN = (State.WAITING, State.RUNNING)

    run = models.UUIDField(help_text="the run that its values are for")
    index = models.PositiveIntegerField()
    phase = models.ForeignKey(Phase, on_delete=models.CASCADE, related_name="judgements")
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="+")
    test_set = models.ForeignKey(TestSet, on_delete=models.PROTECT, related_name="+")
    trial = models.ForeignKey(
        Trial,
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="judgements",
        help_text="by which it was allowed",
    )
    predictions_file = models.CharField(max_length=300)
    members = models.JSONField(help_text="case → member of the archive of predictions, of the cases that are asked for")
    beside = models.CharField(
        max_length=300, blank=True, help_text="member of the archive that holds the table beside the files"
    )
    key = models.CharField(max_length=64, editable=False, help_text="of the names under which the image sees the cases")
    state = models.CharField(max_length=10, choices=State, default=State.WAITING)
    rows = models.JSONField(null=True, blank=True, help_text="case, region, metric, value and outcome of each row")
    seconds = models.FloatField(default=0)
    cause = models.CharField(max_length=200, blank=True, help_text="for all readers: why it failed")
    log = models.TextField(blank=True, help_text="for organizers: why it failed, and the end of what was printed")
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    finished_at = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        ordering = ["run", "index"]
        constraints = [
            models.UniqueConstraint(fields=["run", "index"], name="judging_index_unique"),
            models.CheckConstraint(
                condition=Q(state="done", rows__isnull=False) | ~Q(state="done") & Q(rows__isnull=True),
                name="judging_rows_exactly_when_done",
            ),
        ]
        indexes = [models.Index(fields=["state", "lease_until"])]

    def __str__(self) -> str:
        return f"{self.run}, part {self.index}"
