"""Publication of a challenge's data: consent, and the work of assembling the files."""

from django.conf import settings
from django.db import models
from django.utils import timezone

from challenges.models import Challenge, Team
from core.work.models import Work
from datastore.datasets.models.datasets import DatasetVersion


class PublicationConsent(models.Model):
    """A team's consent to publishing its predictions and its results case by case, given and withdrawn by its captain."""

    team = models.OneToOneField(Team, on_delete=models.CASCADE, related_name="publication_consent")
    is_given = models.BooleanField()
    changed_at = models.DateTimeField(default=timezone.now)
    changed_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+")

    def __str__(self) -> str:
        return f"{self.team}: {'consents' if self.is_given else 'does not consent'}"


class Publication(Work):
    """Job that publishes a challenge's data as a version of its data set, once per request."""

    class State(models.TextChoices):
        """State of a publication."""

        WAITING = "waiting", "waiting for a worker"
        WORKING = "working", "being put together"
        PUBLISHED = "published", "published"
        FAILED = "failed", "failed"

    OPEN = (State.WAITING, State.WORKING)

    challenge = models.OneToOneField(Challenge, on_delete=models.CASCADE, related_name="publication")
    state = models.CharField(max_length=10, choices=State, default=State.WAITING)
    version = models.ForeignKey(DatasetVersion, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    asked_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    def __str__(self) -> str:
        return f"publication of {self.challenge}"
