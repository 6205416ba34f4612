"""An algorithm on one version of the cases of a phase: cut into batches, each of them one start of a container."""

import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from challenges.models import Challenge, Phase, Team
from core.work.models import Work
from datastore.test_sets.models import TestSet
from executions.domain.outcomes import missing_words
from executions.models.archives import AlgorithmArchive


class Execution(Work):
    """Running an algorithm for one submission on one version of the test set.

    waiting (for the check of its archives) → queued → running → assembling → (done | failed | cancelled | refused). A row of
    work while its predictions are put together.
    """

    class State(models.TextChoices):
        WAITING = "waiting", "waiting for the check of the image"
        QUEUED = "queued", "waiting to be run"
        RUNNING = "running", "running"
        ASSEMBLING = "assembling", "putting the predictions together"
        DONE = "done", "done"
        FAILED = "failed", "failed"
        CANCELLED = "cancelled", "cancelled"
        REFUSED = "refused", "refused"

    OPEN = (State.WAITING, State.QUEUED, State.RUNNING, State.ASSEMBLING)
    STOPPABLE = (State.WAITING, State.QUEUED, State.RUNNING)

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    subject = models.UUIDField(help_text="the submission that its predictions are for")
    phase = models.ForeignKey(Phase, on_delete=models.CASCADE, related_name="executions")
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="executions")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    test_set = models.ForeignKey(TestSet, on_delete=models.PROTECT, related_name="executions")
    image = models.ForeignKey(AlgorithmArchive, on_delete=models.PROTECT, related_name="executions")
    model = models.ForeignKey(
        AlgorithmArchive, null=True, blank=True, on_delete=models.PROTECT, related_name="executions_with_it"
    )
    is_on_public_cases = models.BooleanField(
        default=False, help_text="on cases that participants may know: with their names, full logs and outputs"
    )
    plan = models.JSONField(help_text="registered limits, interface and hardware, as they were when it was handed in")
    key = models.CharField(
        max_length=64, editable=False, help_text="of the names and the order in which it sees the cases"
    )
    identity = models.CharField(max_length=80, blank=True, help_text="of image, weights and interface together")
    state = models.CharField(max_length=12, choices=State, default=State.WAITING)
    reason = models.CharField(
        max_length=500, blank=True, help_text="for the participant: why it ended without predictions"
    )
    log = models.TextField(blank=True, help_text="for organizers and operators")
    cases_total = models.PositiveIntegerField()
    reserved_seconds = models.FloatField(default=0, help_text="compute time that it may need at most")
    compute_seconds = models.FloatField(default=0, help_text="compute time of the attempts that count")
    counts = models.JSONField(default=dict, blank=True, help_text="outcome → number of cases")
    predictions_file = models.CharField(max_length=300, blank=True)
    predictions_digest = models.CharField(max_length=80, blank=True)
    runs_file = models.CharField(max_length=300, blank=True, help_text="the table of all cases, as Parquet")
    runs_digest = models.CharField(max_length=80, blank=True)
    provenance = models.JSONField(default=dict, blank=True)
    agreement = models.JSONField(
        default=dict, blank=True, help_text="for organizers: how far earlier runs of the same algorithm agree with it"
    )
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    queued_at = models.DateTimeField(null=True, blank=True, editable=False)
    started_at = models.DateTimeField(null=True, blank=True, editable=False)
    finished_at = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["subject", "test_set"],
                condition=~Q(state__in=["failed", "cancelled", "refused"]),
                name="executions_one_that_counts",
            ),
            models.CheckConstraint(
                condition=~Q(state__in=["failed", "refused", "cancelled"]) | ~Q(reason=""),
                name="executions_end_has_reason",
            ),
            models.CheckConstraint(
                condition=Q(state="done") & ~Q(predictions_digest="") & ~Q(runs_digest="")
                | ~Q(state="done") & Q(predictions_digest="", runs_digest=""),
                name="executions_predictions_exactly_when_done",
            ),
        ]
        indexes = [
            models.Index(fields=["phase", "team", "created_at"]),
            models.Index(fields=["state", "lease_until"]),
        ]

    def __str__(self) -> str:
        return f"{self.team.name}, {self.image}"

    @property
    def challenge(self) -> Challenge:
        return self.phase.task.challenge

    @property
    def outcome_words(self) -> str:
        """Number of cases without a prediction and the reasons.

        It is empty if all cases have a prediction or the execution has not ended.
        """
        return missing_words(self.counts)

    @property
    def is_ended(self) -> bool:
        return self.state not in self.OPEN


class Batch(Work):
    """Cases of one start of a container; what it found is stored together with its state or not at all."""

    class State(models.TextChoices):
        WAITING = "waiting", "waiting"
        RUNNING = "running", "running"
        RETURNED = "returned", "returned by a runner"
        DONE = "done", "done"
        CANCELLED = "cancelled", "cancelled"

    CLAIMABLE = (State.WAITING, State.RUNNING)
    OPEN = (*CLAIMABLE, State.RETURNED)

    execution = models.ForeignKey(Execution, on_delete=models.CASCADE, related_name="batches")
    index = models.PositiveIntegerField()
    cases = models.JSONField()
    is_alone = models.BooleanField(
        default=False, help_text="one case once more, after its batch ended before it was done"
    )
    state = models.CharField(max_length=10, choices=State, default=State.WAITING)
    host = models.CharField(max_length=100, blank=True)
    gpus = models.JSONField(default=list, blank=True, help_text="ids of the devices of the host that it was given")
    step = models.CharField(max_length=120, blank=True, help_text="what the worker is doing")
    started_at = models.DateTimeField(null=True, blank=True, editable=False)
    finished_at = models.DateTimeField(null=True, blank=True, editable=False)
    seconds = models.FloatField(default=0, help_text="compute time of the attempt that counts")
    outputs_file = models.CharField(max_length=300, blank=True, help_text="accepted predictions of its cases, as ZIP")
    outputs_digest = models.CharField(max_length=64, blank=True)
    log_file = models.CharField(max_length=300, blank=True, help_text="beginning and end of what the program printed")
    log_bytes = models.PositiveBigIntegerField(default=0)
    log_lines = models.PositiveBigIntegerField(default=0)
    report = models.JSONField(default=dict, blank=True, help_text="what was observed of the container")

    class Meta:
        ordering = ["execution", "index"]
        constraints = [models.UniqueConstraint(fields=["execution", "index"], name="executions_batch_index_unique")]
        indexes = [models.Index(fields=["state", "lease_until"])]

    def __str__(self) -> str:
        return f"{self.execution_id}, batch {self.index}"


class CaseOutcome(models.Model):
    """Outcome of one case, once per execution: the measurements, and the reason for a missing prediction."""

    execution = models.ForeignKey(Execution, on_delete=models.CASCADE, related_name="outcomes")
    batch = models.ForeignKey(Batch, on_delete=models.CASCADE, related_name="outcomes")
    case = models.CharField(max_length=150)
    outcome = models.CharField(max_length=20)
    message = models.CharField(max_length=500, blank=True, help_text="for who may see the case")
    row = models.JSONField(default=dict, help_text="columns of the table of runs")

    class Meta:
        ordering = ["execution", "case"]
        constraints = [models.UniqueConstraint(fields=["execution", "case"], name="executions_one_outcome_a_case")]

    def __str__(self) -> str:
        return f"{self.case}: {self.outcome}"


class LogRelease(models.Model):
    """Part of a log that an organizer released to the team after reading it."""

    batch = models.OneToOneField(Batch, on_delete=models.CASCADE, related_name="release")
    text = models.TextField()
    digest = models.CharField(max_length=64)
    released_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    released_at = models.DateTimeField(default=timezone.now, editable=False)

    def __str__(self) -> str:
        return f"log of {self.batch}"
