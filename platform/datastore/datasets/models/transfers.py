"""Files on their way in, and the log of what went out."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from datastore.datasets.models.datasets import DatasetFile, DatasetVersion
from datastore.uploads.models.incoming import Incoming


class DatasetUpload(Incoming):
    """A file that an organizer sends; becomes exactly one `DatasetFile` when complete."""

    version = models.ForeignKey(DatasetVersion, on_delete=models.CASCADE, related_name="uploads")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    file = models.OneToOneField(DatasetFile, null=True, blank=True, on_delete=models.SET_NULL, related_name="upload")

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            models.CheckConstraint(condition=Q(offset__lte=F("size")), name="datasets_upload_within_size"),
            models.CheckConstraint(
                condition=~Q(state="complete") | Q(offset=F("size")), name="datasets_complete_upload_is_whole"
            ),
        ]
        indexes = [models.Index(fields=["state", "expires_at"])]


class Download(models.Model):
    """Entry of the access log: an address that was issued for a file, and what was sent to it.

    The entry contains the person and the agreement.
    """

    file = models.ForeignKey(DatasetFile, on_delete=models.CASCADE, related_name="downloads")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+", help_text="empty: open data"
    )
    agreement_digest = models.CharField(
        max_length=64, blank=True, help_text="SHA-256 of the data usage agreement that the person has agreed to"
    )
    issued_at = models.DateTimeField(default=timezone.now, editable=False)
    last_used_at = models.DateTimeField(null=True, blank=True)
    requests = models.PositiveIntegerField(default=0)
    bytes_sent = models.PositiveBigIntegerField(
        default=0, help_text="by the platform; what an object store sent by itself, only the store knows"
    )

    class Meta:
        ordering = ["-issued_at", "-pk"]
        indexes = [models.Index(fields=["file", "-issued_at"])]

    def __str__(self) -> str:
        return f"{self.file} to {self.user or 'anybody'}"
