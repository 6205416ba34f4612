"""Runner → run: a machine with a token, and each claim of a batch by it."""

import uuid
from datetime import datetime

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from challenges.models import Challenge
from executions.models import Batch


def _no_labels() -> list[str]:
    return []


class Runner(models.Model):
    """A machine that runs algorithms over the runner API.

    Its token is its only secret, of which only a digest is stored. The token has 256 random bits.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    name = models.CharField(max_length=80)
    challenge = models.ForeignKey(
        Challenge,
        null=True,
        blank=True,
        on_delete=models.CASCADE,
        related_name="runners",
        help_text="the only challenge that it serves; empty: all challenges",
    )
    hardware_class = models.CharField(
        max_length=120, blank=True, help_text="class of machine; compared times are measured within one class"
    )
    labels = models.JSONField(default=_no_labels, blank=True, help_text="notes for people, such as a location")
    concurrency = models.PositiveSmallIntegerField(default=1, help_text="runs at the same time")
    digest = models.CharField(max_length=64, unique=True, editable=False)
    hint = models.CharField(max_length=16, editable=False, help_text="first characters of the token")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)
    seen_at = models.DateTimeField(null=True, blank=True, editable=False)
    version = models.CharField(max_length=40, blank=True, editable=False, help_text="version of the program")
    hardware = models.JSONField(
        default=dict, blank=True, editable=False, help_text="hardware as reported at the first contact"
    )
    problem = models.CharField(max_length=500, blank=True, editable=False, help_text="why it gets no work")
    paused_until = models.DateTimeField(null=True, blank=True, editable=False, help_text="after repeated failures")

    class Meta:
        ordering = ["name", "created_at"]
        constraints = [
            models.CheckConstraint(condition=Q(expires_at__gt=F("created_at")), name="runners_token_expires_later"),
            models.CheckConstraint(condition=Q(concurrency__gte=1), name="runners_run_something"),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def is_valid(self) -> bool:
        """True if the token grants access."""
        return self.revoked_at is None and timezone.now() < self.expires_at

    @property
    def host(self) -> str:
        """Name of its row among the machines that run algorithms."""
        return f"runner {self.pk}"

    def is_paused(self, now: datetime) -> bool:
        """Return whether it gets no work after repeated failures."""
        return self.paused_until is not None and self.paused_until > now


class RunnerRun(models.Model):
    """A claim of a batch by a runner."""

    class State(models.TextChoices):
        LEASED = "leased", "running"
        RETURNED = "returned", "returned, being read"
        DONE = "done", "done"
        FAULTY = "faulty", "failed on the runner"
        RELEASED = "released", "released"
        LOST = "lost", "lost"

    OPEN = (State.LEASED, State.RETURNED)
    BAD = (State.FAULTY, State.RELEASED, State.LOST)

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    runner = models.ForeignKey(Runner, on_delete=models.CASCADE, related_name="runs")
    batch = models.ForeignKey(Batch, on_delete=models.CASCADE, related_name="runner_runs")
    key = models.UUIDField(help_text="chosen by the runner, so that a repeated claim gives the same run")
    claim_token = models.UUIDField(editable=False, help_text="token of its lease on the batch")
    start_number = models.PositiveSmallIntegerField(help_text="number of times that the batch was begun by then")
    state = models.CharField(max_length=10, choices=State, default=State.LEASED)
    reason = models.CharField(max_length=500, blank=True, help_text="for organizers and operators")
    received = models.PositiveBigIntegerField(default=0, help_text="bytes of the outputs that have arrived")
    measurements = models.JSONField(default=dict, blank=True)
    manifest = models.JSONField(default=list, blank=True)
    outputs_file = models.CharField(max_length=300, blank=True, help_text="the outputs, until they are read")
    claimed_at = models.DateTimeField(default=timezone.now, editable=False)
    ended_at = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        ordering = ["-claimed_at"]
        constraints = [models.UniqueConstraint(fields=["runner", "key"], name="runners_one_run_per_claim")]
        indexes = [models.Index(fields=["runner", "state"]), models.Index(fields=["state", "ended_at"])]

    def __str__(self) -> str:
        return f"{self.runner_id}, {self.batch_id}"
