"""What web addresses answered when they were last asked."""

from django.db import models


class LinkAnswer(models.Model):
    """The last answer of an address; written by the task that asks, read by the checks."""

    url = models.CharField(max_length=2000, unique=True)
    works = models.BooleanField()
    status = models.PositiveSmallIntegerField(null=True)
    words = models.CharField(max_length=200, blank=True)
    asked_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.url}: {'works' if self.works else self.words}"
