"""Data that participants can download: data sets in versions, each of files that never change."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from challenges.models import Challenge, Task
from core.work.models import Work


class Dataset(models.Model):
    """Data of a challenge: hosted here in versions, or at an address elsewhere."""

    class Split(models.TextChoices):
        """Purpose of the data."""

        TRAINING = "training", "training"
        VALIDATION = "validation", "validation"
        TEST = "test", "test images"
        OTHER = "other", "other"
        PUBLISHED = "published", "published after the challenge"

    class Access(models.TextChoices):
        """People who get the files."""

        OPEN = "open", "everyone"
        AGREEMENT = "agreement", "participants who accepted the data usage agreement"

    challenge = models.ForeignKey(Challenge, on_delete=models.CASCADE, related_name="datasets")
    task = models.ForeignKey(Task, null=True, blank=True, on_delete=models.CASCADE, related_name="+")
    slug = models.SlugField(max_length=80)
    name = models.CharField(max_length=200)
    split = models.CharField(max_length=10, choices=Split)
    access = models.CharField(max_length=10, choices=Access, default=Access.AGREEMENT)
    description = models.TextField(blank=True, help_text="Markdown: what is in it, and in which format")
    licence = models.CharField(max_length=200, help_text="under which the data may be used")
    citation = models.TextField(blank=True, help_text="how to cite the data")
    url = models.URLField(max_length=500, blank=True, help_text="where it is, if not hosted here")
    url_sha256 = models.CharField(max_length=64, blank=True, help_text="SHA-256 of the file at the address")
    size_words = models.CharField(max_length=100, blank=True, help_text="size of what lies elsewhere")
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+")

    class Meta:
        ordering = ["challenge", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["challenge", "slug"], name="datasets_slug_once_a_challenge"),
            models.CheckConstraint(
                condition=Q(url="") | Q(url__startswith="https://"), name="datasets_links_are_https"
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def is_link(self) -> bool:
        """True if the data are hosted elsewhere."""
        return bool(self.url)


class DatasetVersion(models.Model):
    """One version of a data set. Its files can be added until it is released; then it never changes.

    The digest covers names, sizes and SHA-256 of its files. A version that must not be used any more is withdrawn with a
    reason; its list of files stays.
    """

    dataset = models.ForeignKey(Dataset, on_delete=models.CASCADE, related_name="versions")
    number = models.PositiveSmallIntegerField()
    note = models.CharField(max_length=500, blank=True, help_text="what is new")
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    released_at = models.DateTimeField(null=True, blank=True)
    available_from = models.DateTimeField(null=True, blank=True, help_text="the files are not available before")
    withdrawn_at = models.DateTimeField(null=True, blank=True)
    withdrawal = models.CharField(max_length=500, blank=True, help_text="why it must not be used any more")
    digest = models.CharField(max_length=64, blank=True, editable=False)
    named = models.JSONField(
        null=True,
        blank=True,
        editable=False,
        help_text="teams that its published files name, by phase; null: not known",
    )

    class Meta:
        ordering = ["dataset", "-number"]
        constraints = [
            models.UniqueConstraint(fields=["dataset", "number"], name="datasets_version_number_once"),
            models.UniqueConstraint(
                fields=["dataset"], condition=Q(released_at__isnull=True), name="datasets_one_draft"
            ),
            models.CheckConstraint(
                condition=Q(released_at__isnull=True) | ~Q(digest=""), name="datasets_released_version_has_a_digest"
            ),
            models.CheckConstraint(
                condition=Q(withdrawn_at__isnull=True) | Q(released_at__isnull=False) & ~Q(withdrawal=""),
                name="datasets_withdrawn_with_a_reason",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.dataset}, version {self.number}"

    @property
    def is_available(self) -> bool:
        """True if its files can be downloaded now, by people with permission."""
        if self.released_at is None or self.withdrawn_at is not None:
            return False
        return self.available_from is None or timezone.now() >= self.available_from


class DatasetFile(Work):
    """A file in the private storage; a worker computes its SHA-256, and only then a version with it can be released."""

    class State(models.TextChoices):
        """State of a file."""

        WAITING = "waiting", "waiting for its checksum"
        DIGESTING = "digesting", "its checksum is computed"
        READY = "ready", "ready"
        FAILED = "failed", "could not be read"

    OPEN = (State.WAITING, State.DIGESTING)

    version = models.ForeignKey(DatasetVersion, on_delete=models.CASCADE, related_name="files")
    name = models.CharField(max_length=200)
    size = models.PositiveBigIntegerField()
    sha256 = models.CharField(max_length=64, blank=True)
    stored = models.CharField(max_length=300, unique=True, help_text="name in the private storage")
    state = models.CharField(max_length=10, choices=State, default=State.WAITING)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ["version", "name"]
        constraints = [
            models.UniqueConstraint(fields=["version", "name"], name="datasets_file_name_once"),
            models.CheckConstraint(
                condition=~Q(state="ready") | ~Q(sha256=""), name="datasets_ready_file_has_a_digest"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} of {self.version}"
