"""What tasks work out for pages: verifications of everything stored, and statistics."""

from django.conf import settings
from django.db import models
from django.utils import timezone


class Verification(models.Model):
    """One recomputation of the chain and of every stored digest, and what did not hold."""

    started_at = models.DateTimeField()
    finished_at = models.DateTimeField(default=timezone.now)
    asked_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+")
    head_sequence = models.PositiveBigIntegerField(help_text="entries of the chain at that time")
    head_digest = models.CharField(max_length=64)
    counts = models.JSONField(default=dict, help_text="kind → how many digests were recomputed")
    problems = models.JSONField(default=list)

    class Meta:
        ordering = ["-finished_at", "-pk"]

    def __str__(self) -> str:
        return f"{self.finished_at:%Y-%m-%d %H:%M}: {'holds' if self.holds else f'{len(self.problems)} problems'}"

    @property
    def holds(self) -> bool:
        """Whether everything was as it was stored."""
        return not self.problems


class Statistics(models.Model):
    """The statistics over the registry as they were last counted; one row."""

    id = models.PositiveSmallIntegerField(primary_key=True, default=1)
    counted_at = models.DateTimeField(default=timezone.now)
    content = models.JSONField(default=dict)

    class Meta:
        verbose_name_plural = "statistics"
        constraints = [models.CheckConstraint(condition=models.Q(id=1), name="registry_one_statistics")]

    def __str__(self) -> str:
        return f"statistics of {self.counted_at:%Y-%m-%d %H:%M}"
