"""Automatic assignments, requested by a chair and computed by a worker."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from core.work.models import Work
from reviews.models.calls import Call


class AutomaticAssignment(Work):
    """One run of the optimiser over the open places of a call."""

    class State(models.TextChoices):
        """State of an automatic assignment."""

        QUEUED = "queued", "waiting"
        DONE = "done", "done"
        FAILED = "failed", "failed"

    call = models.ForeignKey(Call, on_delete=models.CASCADE, related_name="automatic_assignments")
    state = models.CharField(max_length=10, choices=State, default=State.QUEUED)
    requested_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    requested_at = models.DateTimeField(default=timezone.now)
    made = models.PositiveIntegerField(default=0)
    words = models.TextField(blank=True, help_text="which places stay open, or what went wrong")

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["call"], condition=Q(state="queued"), name="reviews_one_automatic_assignment_at_a_time"
            )
        ]

    def __str__(self) -> str:
        return f"automatic assignment of {self.call}"
