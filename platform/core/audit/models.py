"""Two hash chains: one row per act, and one row per sealed transaction. Each row carries the hash of the row before."""

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


class Sealing(models.Model):
    """Digests of the values that one transaction wrote.

    Rows are only ever added; triggers in the database refuse to change or delete them (migration 0003).
    """

    sequence = models.PositiveBigIntegerField(unique=True, editable=False)
    time = models.DateTimeField()
    origin = models.CharField(max_length=200, help_text="the request, task or command that wrote")
    entry = models.ForeignKey(Entry, null=True, on_delete=models.PROTECT, related_name="+", help_text="the act")
    rows = models.JSONField(help_text="per model and columns: the digests of each row, null for a deleted row")
    adopts = models.JSONField(default=dict, help_text="columns that are sealed from now on, by model")
    previous = models.CharField(max_length=64)
    digest = models.CharField(max_length=64, unique=True)

    class Meta:
        ordering = ["sequence"]

    def __str__(self) -> str:
        return f"{self.sequence} {self.origin}"


class SealingHead(models.Model):
    """The end of the chain of sealings: one row, locked as the last thing that a transaction does."""

    id = models.PositiveSmallIntegerField(primary_key=True, default=1)
    sequence = models.PositiveBigIntegerField(default=0)
    digest = models.CharField(max_length=64, default="0" * 64)

    class Meta:
        constraints = [models.CheckConstraint(condition=models.Q(id=1), name="audit_one_sealing_head")]

    def __str__(self) -> str:
        return f"{self.sequence} {self.digest}"
