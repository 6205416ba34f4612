"""A submission on its way in."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from challenges.models import Phase, Team
from uploads.models.incoming import Incoming


class Upload(Incoming):
    """Bytes of an archive arriving in pieces; becomes exactly one submission when complete."""

    phase = models.ForeignKey(Phase, on_delete=models.CASCADE, related_name="uploads")
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="uploads")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    accept_incomplete = models.BooleanField(default=False, help_text="score without asking when cases are missing")

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            models.CheckConstraint(condition=Q(offset__lte=F("size")), name="uploads_upload_within_size"),
            models.CheckConstraint(
                condition=~Q(state="complete") | Q(offset=F("size")), name="uploads_complete_upload_is_whole"
            ),
        ]
        indexes = [models.Index(fields=["state", "expires_at"])]

    @classmethod
    def arriving_here(cls) -> "models.QuerySet[Upload]":
        return cls._default_manager.filter(multipart=None)


class Multipart(models.Model):
    """What of an upload lies in the object store, where its sender puts it in parts without passing the platform."""

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
