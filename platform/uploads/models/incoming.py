"""What every file on its way in has, whatever it becomes."""

import uuid
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import models
from django.utils import timezone


class Incoming(models.Model):
    """Bytes that arrive in pieces and can go on arriving after any interruption."""

    class State(models.TextChoices):
        RECEIVING = "receiving", "receiving"
        COMPLETE = "complete", "complete"
        REFUSED = "refused", "refused"
        CANCELLED = "cancelled", "cancelled"
        EXPIRED = "expired", "expired"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    file_name = models.CharField(max_length=255)
    size = models.PositiveBigIntegerField(help_text="bytes, as declared before the first of them arrived")
    offset = models.PositiveBigIntegerField(default=0, help_text="bytes received and kept")
    state = models.CharField(max_length=12, choices=State, default=State.RECEIVING)
    refusal = models.CharField(max_length=500, blank=True, help_text="why nothing became of it")
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    updated_at = models.DateTimeField(default=timezone.now, editable=False)
    expires_at = models.DateTimeField()

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return f"{self.file_name} ({self.offset} of {self.size} bytes)"

    @classmethod
    def arriving_here(cls) -> "models.QuerySet[Any]":
        """Return those whose bytes pass through the platform."""
        return cls._default_manager.all()

    @property
    def path(self) -> Path:
        """Where the bytes are kept while they arrive."""
        return Path(settings.PODIUM_SCRATCH) / "uploads" / f"{self.id}.part"

    @property
    def is_whole(self) -> bool:
        return self.offset == self.size
