"""Files of a version, and their deposit in a repository."""

from django.db import models
from django.db.models import Q
from django.utils import timezone

from registry.models.registrations import RegistrationVersion
from work.models import Work


class VersionFile(models.Model):
    """A file made from a version once, in the private storage; its digest stands in the audit log."""

    class Kind(models.TextChoices):
        """What the file shows."""

        PDF = "pdf", "the whole design"
        CHANGES = "changes", "the whole design with its changes highlighted"

    version = models.ForeignKey(RegistrationVersion, on_delete=models.PROTECT, related_name="files")
    kind = models.CharField(max_length=10, choices=Kind, default=Kind.PDF)
    name = models.CharField(max_length=200, help_text="in the private storage")
    size = models.PositiveBigIntegerField()
    digest = models.CharField(max_length=64)
    made_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["version", "kind"], name="registry_file_once")]

    def __str__(self) -> str:
        return f"{self.kind} of {self.version}"


class Deposit(Work):
    """A version on its way into a repository that mints DOIs (REG-3). Each step is kept, so that none is done twice."""

    class State(models.TextChoices):
        """How far it is."""

        QUEUED = "queued", "waiting"
        PUBLISHED = "published", "published"
        FAILED = "failed", "given up"

    version = models.OneToOneField(RegistrationVersion, on_delete=models.PROTECT, related_name="deposit")
    state = models.CharField(max_length=10, choices=State, default=State.QUEUED)
    external_id = models.CharField(
        max_length=60, blank=True, help_text="the repository's number of the draft or record"
    )
    doi = models.CharField("DOI", max_length=120, blank=True)
    concept_doi = models.CharField("DOI of all versions", max_length=120, blank=True)
    address = models.URLField(max_length=500, blank=True, help_text="page of the record")
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    published_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        indexes = [models.Index(fields=["state", "due_at"])]
        constraints = [
            models.CheckConstraint(
                condition=~Q(state="published") | ~Q(doi="") & Q(published_at__isnull=False),
                name="registry_published_has_a_doi",
            )
        ]

    def __str__(self) -> str:
        return f"deposit of {self.version}, {self.state}"
