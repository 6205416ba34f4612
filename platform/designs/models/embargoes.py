"""Embargoed values that were opened."""

from django.db import models
from django.utils import timezone

from designs.models.designs import Design, DesignTask


class OpenedEmbargo(models.Model):
    """The proof that an embargoed value is the one that was promised: SHA-256 of nonce and value gives the digest.

    Triggers refuse changes.
    """

    design = models.ForeignKey(Design, on_delete=models.PROTECT, related_name="opened_embargoes")
    task = models.ForeignKey(DesignTask, null=True, on_delete=models.PROTECT, related_name="+")
    parameter = models.CharField(max_length=80)
    digest = models.CharField(max_length=64)
    nonce = models.CharField(max_length=32)
    value = models.JSONField()
    event = models.CharField(max_length=120)
    promised_at = models.DateTimeField(help_text="when the digest was stored")
    opened_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["opened_at", "pk"]
        constraints = [models.UniqueConstraint(fields=["design", "digest"], name="designs_embargo_opened_once")]

    def __str__(self) -> str:
        return f"{self.parameter} of {self.design}"
