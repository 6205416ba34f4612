"""A file on its way in."""

import uuid
from pathlib import Path

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from challenges.models import Phase, Team


class Upload(models.Model):
    """Bytes of an archive arriving in pieces; becomes exactly one submission when complete."""

    class State(models.TextChoices):
        RECEIVING = "receiving", "receiving"
        COMPLETE = "complete", "complete"
        REFUSED = "refused", "refused"
        CANCELLED = "cancelled", "cancelled"
        EXPIRED = "expired", "expired"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    phase = models.ForeignKey(Phase, on_delete=models.CASCADE, related_name="uploads")
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="uploads")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    file_name = models.CharField(max_length=255)
    size = models.PositiveBigIntegerField(help_text="bytes, as declared before the first of them arrived")
    offset = models.PositiveBigIntegerField(default=0, help_text="bytes received and kept")
    accept_incomplete = models.BooleanField(default=False, help_text="score without asking when cases are missing")
    state = models.CharField(max_length=12, choices=State, default=State.RECEIVING)
    refusal = models.CharField(max_length=500, blank=True, help_text="why it could not become a submission")
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    updated_at = models.DateTimeField(default=timezone.now, editable=False)
    expires_at = models.DateTimeField()

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            models.CheckConstraint(condition=Q(offset__lte=F("size")), name="submissions_upload_within_size"),
            models.CheckConstraint(
                condition=~Q(state="complete") | Q(offset=F("size")), name="submissions_complete_upload_is_whole"
            ),
        ]
        indexes = [models.Index(fields=["state", "expires_at"])]

    def __str__(self) -> str:
        return f"{self.file_name} ({self.offset} of {self.size} bytes)"

    @property
    def path(self) -> Path:
        """Where the bytes are kept while they arrive."""
        return Path(settings.PODIUM_SCRATCH) / "uploads" / f"{self.id}.part"

    @property
    def is_whole(self) -> bool:
        return self.offset == self.size
