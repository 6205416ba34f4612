"""What is frozen of a design: its versions, and embargoed values that were opened."""

from django.conf import settings
from django.db import models
from django.urls import reverse
from django.utils import timezone

from designs.models.designs import Design, DesignTask


class DesignVersion(models.Model):
    """A named version: the document as canonical JSON with its SHA-256. Triggers refuse changes.

    `sealed` holds values and nonces of what is embargoed; the document names them by their digests, so that its own
    digest can be public from the first day.
    """

    design = models.ForeignKey(Design, on_delete=models.PROTECT, related_name="versions")
    number = models.PositiveIntegerField()
    name = models.CharField(max_length=120)
    note = models.TextField(blank=True)
    document = models.JSONField()
    sealed = models.JSONField(default=dict)
    digest = models.CharField(max_length=64)
    catalogue = models.CharField(max_length=20, help_text="version of the parameter catalogue")
    created_at = models.DateTimeField(default=timezone.now)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+")

    class Meta:
        ordering = ["-number"]
        constraints = [models.UniqueConstraint(fields=["design", "number"], name="designs_version_number_unique")]

    def __str__(self) -> str:
        return f"{self.design.title}, version {self.number}: {self.name}"

    def get_absolute_url(self) -> str:
        return reverse("designs:version", args=[self.design.slug, self.number])


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
