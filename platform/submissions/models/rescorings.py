"""What organizers asked to be worked on once more."""

import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from submissions.models.submissions import Submission
from work.models import Work


class Rescoring(Work):
    """That a submission shall be worked on once more: kept until it is begun, so that no message has to arrive for it."""

    class State(models.TextChoices):
        WAITING = "waiting", "waiting for a worker"
        DONE = "done", "begun, or no longer to be done"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="rescorings")
    runs = models.PositiveSmallIntegerField(help_text="how many runs it had when this was asked for")
    requested_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    state = models.CharField(max_length=10, choices=State, default=State.WAITING)

    class Meta:
        ordering = ["created_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["submission"], condition=Q(state="waiting"), name="submissions_one_waiting_rescoring"
            )
        ]
        indexes = [models.Index(fields=["state", "created_at"])]

    def __str__(self) -> str:
        return f"{self.submission}, once more"
