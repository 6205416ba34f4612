"""One row an act, each carrying the hash of the one before it."""

from django.conf import settings
from django.db import models


class Entry(models.Model):
    """An act that took place: who, what, on which object, with which facts.

    Rows are only ever added; triggers in the database refuse to change or delete them (migration 0002).
    """

    sequence = models.PositiveBigIntegerField(unique=True, editable=False)
    time = models.DateTimeField()
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+", help_text="empty: the system"
    )
    act = models.CharField(max_length=80)
    subject_type = models.CharField(max_length=80)
    subject_id = models.CharField(max_length=80)
    scope = models.CharField(max_length=100, blank=True, help_text="the challenge or call it belongs to")
    facts = models.JSONField(default=dict)
    previous = models.CharField(max_length=64)
    digest = models.CharField(max_length=64, unique=True)

    class Meta:
        ordering = ["sequence"]
        verbose_name_plural = "entries"
        indexes = [models.Index(fields=["scope", "sequence"]), models.Index(fields=["subject_type", "subject_id"])]

    def __str__(self) -> str:
        return f"{self.sequence} {self.act} {self.subject_type} {self.subject_id}"


class Head(models.Model):
    """The end of the chain: one row, locked while an entry is added, so that the chain cannot fork."""

    id = models.PositiveSmallIntegerField(primary_key=True, default=1)
    sequence = models.PositiveBigIntegerField(default=0)
    digest = models.CharField(max_length=64, default="0" * 64)

    class Meta:
        constraints = [models.CheckConstraint(condition=models.Q(id=1), name="audit_one_head")]

    def __str__(self) -> str:
        return f"{self.sequence} {self.digest}"
