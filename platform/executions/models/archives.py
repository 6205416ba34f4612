"""Images and weights: on their way in, checked, and kept as blobs that teams share by content."""

import uuid

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from challenges.models import Phase, Team
from core.work.models import Work
from datastore.uploads.models.incoming import Incoming


class Kind(models.TextChoices):
    """Content of an archive."""

    IMAGE = "image", "image"
    MODEL = "model", "weights"
    SCORER = "scorer", "scoring image"


class Blob(models.Model):
    """Stored content (a layer, a configuration, unpacked weights), shared by any number of archives.

    It is deleted when no archive has referenced it for some time.
    A blob that is referenced again within that time is kept.
    """

    digest = models.CharField(
        max_length=64, primary_key=True, help_text="SHA-256 of the content as it was before packing"
    )
    file = models.CharField(max_length=300, help_text="in the private storage, packed the one way in which all are")
    size = models.PositiveBigIntegerField(help_text="bytes of the content")
    stored_bytes = models.PositiveBigIntegerField(help_text="bytes of the file")
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    unused_since = models.DateTimeField(null=True, blank=True, help_text="since when no archive names it")

    class Meta:
        indexes = [models.Index(fields=["unused_since"])]

    def __str__(self) -> str:
        return self.digest[:12]


class AlgorithmUpload(Incoming):
    """An archive that a team sends; becomes exactly one `AlgorithmArchive` when complete."""

    kind = models.CharField(max_length=8, choices=Kind)
    phase = models.ForeignKey(Phase, on_delete=models.CASCADE, related_name="algorithm_uploads")
    team = models.ForeignKey(
        Team,
        null=True,
        blank=True,
        on_delete=models.CASCADE,
        related_name="algorithm_uploads",
        help_text="empty: it is the organizers'",
    )
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            models.CheckConstraint(condition=Q(offset__lte=F("size")), name="executions_upload_within_size"),
            models.CheckConstraint(
                condition=~Q(state="complete") | Q(offset=F("size")), name="executions_complete_upload_is_whole"
            ),
            models.CheckConstraint(
                condition=Q(kind="scorer", team__isnull=True) | ~Q(kind="scorer") & Q(team__isnull=False),
                name="executions_upload_is_of_a_team_or_scores",
            ),
        ]
        indexes = [models.Index(fields=["state", "expires_at"])]


class AlgorithmArchive(Work):
    """One archive that a team sent: an image, or weights for one.

    received → checking → (ready | refused | failed). What was sent is deleted after the check; of a ready one the blobs
    stay. `digest` is its identity: that of the image's configuration, or that of the unpacked weights.
    """

    class State(models.TextChoices):
        RECEIVED = "received", "waiting to be checked"
        CHECKING = "checking", "being checked"
        READY = "ready", "ready"
        REFUSED = "refused", "refused"
        FAILED = "failed", "failed"

    OPEN = (State.RECEIVED, State.CHECKING)
    USABLE = (*OPEN, State.READY)

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    upload = models.OneToOneField(AlgorithmUpload, on_delete=models.PROTECT, related_name="archive")
    kind = models.CharField(max_length=8, choices=Kind)
    phase = models.ForeignKey(
        Phase, on_delete=models.CASCADE, related_name="+", help_text="whose limits it was checked by"
    )
    team = models.ForeignKey(
        Team,
        null=True,
        blank=True,
        on_delete=models.CASCADE,
        related_name="algorithm_archives",
        help_text="empty: it is the organizers'",
    )
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    file_name = models.CharField(max_length=255, help_text="as the participant called it")
    file = models.CharField(max_length=300, blank=True, help_text="as it was sent, until it is checked")
    size = models.PositiveBigIntegerField(help_text="bytes as it was sent")
    state = models.CharField(max_length=10, choices=State, default=State.RECEIVED)
    reason = models.CharField(max_length=500, blank=True, help_text="for the participant: why it was refused or failed")
    digest = models.CharField(max_length=80, blank=True, help_text="sha256: and 64 hexadecimal digits")
    report = models.JSONField(default=dict, blank=True, help_text="what the check read of it")
    blobs = models.ManyToManyField(Blob, through="ArchiveBlob", related_name="archives")
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    checked_at = models.DateTimeField(null=True, blank=True, editable=False)
    removed_at = models.DateTimeField(null=True, blank=True, editable=False, help_text="when its blobs were given up")

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            models.CheckConstraint(
                condition=Q(state="ready") & ~Q(digest="") | ~Q(state="ready") & Q(digest=""),
                name="executions_ready_archive_has_a_digest",
            ),
            models.CheckConstraint(
                condition=~Q(state__in=["refused", "failed"]) | ~Q(reason=""), name="executions_refusal_has_reason"
            ),
            models.CheckConstraint(
                condition=Q(kind="scorer", team__isnull=True) | ~Q(kind="scorer") & Q(team__isnull=False),
                name="executions_archive_is_of_a_team_or_scores",
            ),
        ]
        indexes = [models.Index(fields=["team", "kind", "-created_at"]), models.Index(fields=["state", "lease_until"])]

    def __str__(self) -> str:
        return f"{self.file_name} ({self.digest[:19] or self.state})"

    @property
    def is_image(self) -> bool:
        return self.kind in (Kind.IMAGE, Kind.SCORER)

    @property
    def whose(self) -> str:
        """Sender of the archive: the name of the team, or “the organizers”."""
        return "the organizers" if self.team is None else self.team.name


class ArchiveBlob(models.Model):
    """Reference from an archive to a blob, with its position in the archive."""

    archive = models.ForeignKey(AlgorithmArchive, on_delete=models.CASCADE, related_name="parts")
    blob = models.ForeignKey(Blob, on_delete=models.PROTECT, related_name="parts")
    position = models.PositiveSmallIntegerField(
        help_text="0: the configuration, or the weights; from 1 on: layers, lowest first"
    )

    class Meta:
        ordering = ["archive", "position"]
        constraints = [models.UniqueConstraint(fields=["archive", "position"], name="executions_one_blob_a_position")]

    def __str__(self) -> str:
        return f"{self.archive_id}, {self.position}"
