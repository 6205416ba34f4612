"""What a team handed in."""

import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone

from challenges.models import Challenge, Phase, Team
from uploads.models.incoming import Upload
from work.models import Work


class Submission(Work):
    """One archive of predictions of one team for one phase.

    received → validating → (refused | held | accepted); held → (accepted | withdrawn); accepted → (scored | failed).
    Of an algorithm the predictions are made here: running → (received | refused | withdrawn | failed) comes before.
    """

    class State(models.TextChoices):
        RUNNING = "running", "being run"
        RECEIVED = "received", "waiting for validation"
        VALIDATING = "validating", "validating"
        REFUSED = "refused", "refused"
        HELD = "held", "waiting for your decision"
        WITHDRAWN = "withdrawn", "withdrawn"
        ACCEPTED = "accepted", "accepted"
        SCORED = "scored", "scored"
        FAILED = "failed", "failed"

    # States that do not use up the quota, unless the submission is charged.
    UNSUCCESSFUL = (State.REFUSED, State.WITHDRAWN, State.FAILED)
    UNDER_WAY = (State.RUNNING, State.RECEIVED, State.VALIDATING, State.ACCEPTED)
    SETTLED = (State.REFUSED, State.WITHDRAWN, State.SCORED, State.FAILED)

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    # The key that makes finishing an upload idempotent: however often it is finished, there is one submission.
    upload = models.OneToOneField(
        Upload,
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="submission",
        help_text="empty: an algorithm, whose predictions are made here",
    )
    phase = models.ForeignKey(Phase, on_delete=models.CASCADE, related_name="submissions")
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="submissions")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="submissions")
    number = models.PositiveIntegerField(help_text="counts within team and phase")
    archive_file = models.CharField(max_length=300, blank=True)
    predictions_file = models.CharField(
        max_length=300, blank=True, help_text="the ZIP that scoring reads: the archive, or what it was repacked to"
    )
    archive_name = models.CharField(max_length=255, help_text="as the participant called it")
    archive_size = models.PositiveBigIntegerField()
    archive_sha256 = models.CharField(max_length=64, blank=True)
    accept_incomplete = models.BooleanField(default=False)
    is_late = models.BooleanField(default=False, help_text="arrived after the phase closed; never ranked")
    is_chosen = models.BooleanField(
        default=False, help_text="chosen by the team for the ranking, where the phase lets it choose"
    )
    method_number = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text="as which of its team's methods it was chosen, from 1 on"
    )
    state = models.CharField(max_length=12, choices=State, default=State.RECEIVED)
    reason = models.CharField(max_length=500, blank=True, help_text="for the participant: why it was refused or failed")
    is_charged = models.BooleanField(
        default=False, help_text="refused, but counts towards the quota: it would have unpacked to what no archive does"
    )
    report = models.JSONField(default=dict, blank=True, help_text="what validation found")
    log = models.TextField(blank=True, help_text="for organizers")
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    state_since = models.DateTimeField(default=timezone.now, editable=False)
    validated_at = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            models.UniqueConstraint(fields=["phase", "team", "number"], name="submissions_number_unique"),
            models.UniqueConstraint(
                fields=["phase", "team", "method_number"],
                condition=Q(is_chosen=True),
                name="submissions_one_chosen_a_method",
            ),
            models.CheckConstraint(
                condition=Q(is_chosen=True, method_number__gte=1) | Q(is_chosen=False, method_number__isnull=True),
                name="submissions_chosen_as_a_method",
            ),
            models.CheckConstraint(
                condition=~Q(state__in=["refused", "failed"]) | ~Q(reason=""), name="submissions_refusal_has_reason"
            ),
        ]
        indexes = [
            models.Index(fields=["phase", "team", "created_at"]),
            models.Index(fields=["phase", "user", "created_at"]),
            models.Index(fields=["state", "lease_until"]),
        ]

    def __str__(self) -> str:
        return f"{self.team.name} #{self.number}"

    def get_absolute_url(self) -> str:
        return reverse("submissions:detail", args=[self.challenge.slug, self.pk])

    @property
    def challenge(self) -> Challenge:
        return self.phase.task.challenge

    @property
    def is_algorithm(self) -> bool:
        """Whether an algorithm was handed in, whose predictions are made here."""
        return self.upload_id is None

    @property
    def is_settled(self) -> bool:
        """Whether nothing more will happen to it by itself."""
        return self.state in self.SETTLED
