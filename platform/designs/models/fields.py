"""The value of one parameter, and every change of it."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from designs.models.designs import Design, DesignTask
from evaluation.designs.document import Entry, State

STATES = [(str(state), state.label) for state in State]


class FieldValue(models.Model):
    """What a parameter holds now, for the challenge or for one task.

    `revision` counts the saves of this field; whoever saves names the revision that they saw, so that two people at the
    same field notice each other and two people at different fields never do.
    """

    design = models.ForeignKey(Design, on_delete=models.CASCADE, related_name="fields")
    task = models.ForeignKey(DesignTask, null=True, blank=True, on_delete=models.CASCADE, related_name="fields")
    parameter = models.CharField(max_length=80)
    state = models.CharField(max_length=20, choices=STATES, default=str(State.BLANK))
    value = models.JSONField(null=True, blank=True)
    details = models.TextField(blank=True)
    reason = models.TextField(blank=True)
    until = models.DateField(null=True, blank=True)
    event = models.CharField(max_length=120, blank=True)
    nonce = models.CharField(max_length=32, blank=True, editable=False)
    digest = models.CharField(max_length=64, blank=True, editable=False)
    revision = models.PositiveIntegerField(default=0)
    updated_at = models.DateTimeField(default=timezone.now, editable=False)
    updated_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["design", "task", "parameter"],
                condition=Q(task__isnull=False),
                name="designs_one_value_a_task_and_parameter",
            ),
            models.UniqueConstraint(
                fields=["design", "parameter"],
                condition=Q(task__isnull=True),
                name="designs_one_value_a_challenge_parameter",
            ),
            models.CheckConstraint(
                condition=~Q(state=str(State.NOT_APPLICABLE)) | ~Q(reason=""),
                name="designs_not_applicable_has_a_reason",
            ),
            models.CheckConstraint(
                condition=~Q(state=str(State.FOLLOWS)) | Q(until__isnull=False), name="designs_follows_has_a_date"
            ),
            models.CheckConstraint(
                condition=~Q(state=str(State.EMBARGOED)) | ~Q(event="") & ~Q(digest=""),
                name="designs_embargo_has_event_and_digest",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.parameter} of {self.task or self.design}"

    @property
    def entry(self) -> Entry:
        """The field as the document sees it."""
        return Entry(
            value=self.value,
            details=self.details,
            state=State(self.state),
            reason=self.reason,
            until=self.until.isoformat() if self.until else "",
            event=self.event,
            digest=self.digest,
        )


class FieldChange(models.Model):
    """One save of one field: who, when, from, to. Rows are only ever added; triggers refuse changes."""

    design = models.ForeignKey(Design, on_delete=models.CASCADE, related_name="changes")
    task = models.ForeignKey(DesignTask, null=True, on_delete=models.CASCADE, related_name="+")
    parameter = models.CharField(max_length=80)
    revision = models.PositiveIntegerField()
    actor = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+")
    time = models.DateTimeField(default=timezone.now)
    before = models.JSONField()
    after = models.JSONField()

    class Meta:
        ordering = ["-time", "-pk"]
        indexes = [models.Index(fields=["design", "parameter", "revision"])]

    def __str__(self) -> str:
        return f"{self.parameter}, revision {self.revision}"
