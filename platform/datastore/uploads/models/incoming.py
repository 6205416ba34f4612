"""Incoming files: the fields common to all, and those that become a submission."""

import uuid
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from challenges.models import Phase, Team


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
        """Path of the file that the bytes are written to while they arrive."""
        return Path(settings.PODIUM_SCRATCH) / "uploads" / f"{self.id}.part"

    @property
    def is_whole(self) -> bool:
        return self.offset == self.size


class Upload(Incoming):
    """Bytes of an archive arriving in pieces; becomes exactly one submission when complete."""

    phase = models.ForeignKey(Phase, on_delete=models.CASCADE, related_name="uploads")
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="uploads")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    accept_incomplete = models.BooleanField(default=False, help_text="score without asking when cases are missing")
    again = models.BooleanField(default=False, help_text="submit the same content a second time")
    sha256 = models.CharField(max_length=64, blank=True, help_text="of the content, as stated or as computed here")
    client_token = models.CharField(
        max_length=255, blank=True, help_text="key by which the sender repeats the same request"
    )
    repeats = models.UUIDField(null=True, blank=True, help_text="the earlier submission with the same content")

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            models.CheckConstraint(condition=Q(offset__lte=F("size")), name="uploads_upload_within_size"),
            models.CheckConstraint(
                condition=~Q(state="complete") | Q(offset=F("size")), name="uploads_complete_upload_is_whole"
            ),
            models.UniqueConstraint(
                fields=["user", "client_token"], condition=~Q(client_token=""), name="uploads_client_token_unique"
            ),
        ]
        indexes = [models.Index(fields=["state", "expires_at"])]

    @classmethod
    def arriving_here(cls) -> "models.QuerySet[Upload]":
        return cls._default_manager.filter(multipart=None)


class Multipart(models.Model):
    """The part of an upload that is in the object store.

    Its sender uploads it there in parts, without passing the platform.
    """

    upload = models.OneToOneField(Upload, on_delete=models.CASCADE, primary_key=True, related_name="multipart")
    name = models.CharField(max_length=300, unique=True, help_text="of the object that its parts become")
    store_id = models.CharField(max_length=1024, blank=True, help_text="the store's id of this upload")
    part_bytes = models.PositiveBigIntegerField(help_text="size of all parts but the last")
    checksum = models.CharField(
        max_length=60, blank=True, help_text="over the digests of all parts, once their sender has named them"
    )
    is_open = models.BooleanField(default=True, help_text="the store may hold something of it that is no submission's")

    class Meta:
        indexes = [models.Index(fields=["is_open"])]

    def __str__(self) -> str:
        return self.name

    @property
    def number_of_parts(self) -> int:
        return -(-self.upload.size // self.part_bytes)

    def size_of(self, number: int) -> int:
        """Bytes of a part, counted from 1."""
        return min(self.part_bytes, self.upload.size - (number - 1) * self.part_bytes)
