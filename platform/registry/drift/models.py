"""Checks of web pages and papers against the registered version."""

from django.conf import settings
from django.db import models
from django.urls import reverse
from django.utils import timezone

from core.work.models import Work
from registry.models import Registration, RegistrationVersion


class DriftCheck(models.Model):
    """A web page or paper compared with the registered version, parameter by parameter (REG-9)."""

    class Source(models.TextChoices):
        """Source of the text."""

        TEXT = "text", "pasted text"
        FILE = "file", "uploaded file"
        ADDRESS = "address", "web page"

    registration = models.ForeignKey(Registration, on_delete=models.PROTECT, related_name="drift_checks")
    version = models.ForeignKey(RegistrationVersion, on_delete=models.PROTECT, related_name="+")
    title = models.CharField(max_length=200, help_text="what the text is, for example the challenge's web page")
    source = models.CharField(max_length=10, choices=Source)
    address = models.URLField(max_length=500, blank=True)
    text_digest = models.CharField(max_length=64)
    characters = models.PositiveIntegerField()
    findings = models.JSONField(help_text="task, parameter, state, what was found")
    same = models.PositiveIntegerField()
    missing = models.PositiveIntegerField()
    different = models.PositiveIntegerField()
    links_record = models.BooleanField(
        default=False, help_text="the text names the record by identifier, address or DOI"
    )
    checked_at = models.DateTimeField(default=timezone.now, editable=False)
    checked_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")

    class Meta:
        ordering = ["-checked_at", "-pk"]

    def __str__(self) -> str:
        return f"{self.title} against {self.version}"

    def get_absolute_url(self) -> str:
        return reverse("drift:detail", args=[self.registration.identifier, self.pk])

    @property
    def total(self) -> int:
        """Number of compared parameters."""
        return self.same + self.missing + self.different


class DriftRequest(Work):
    """A requested comparison; the text is stored until a worker has read it."""

    class State(models.TextChoices):
        """Progress of the comparison."""

        QUEUED = "queued", "queued"
        RUNNING = "running", "running"
        DONE = "done", "finished"
        FAILED = "failed", "failed"

    registration = models.ForeignKey(Registration, on_delete=models.PROTECT, related_name="drift_requests")
    title = models.CharField(max_length=200)
    source = models.CharField(max_length=10, choices=DriftCheck.Source)
    address = models.URLField(max_length=500, blank=True)
    file_name = models.CharField(max_length=200, blank=True)
    stored = models.CharField(max_length=200, blank=True, help_text="place in the private storage until it is read")
    state = models.CharField(max_length=10, choices=State, default=State.QUEUED)
    problem = models.TextField(blank=True, help_text="why there is no result, for the person who requested it")
    check_made = models.OneToOneField(
        DriftCheck, null=True, blank=True, on_delete=models.PROTECT, related_name="request"
    )
    requested_at = models.DateTimeField(default=timezone.now, editable=False)
    requested_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-requested_at", "-pk"]

    def __str__(self) -> str:
        return f"request to compare {self.title}"
