"""Messages from sites, stored as signed and never changed."""

from django.db import models
from django.utils import timezone

from federation.models.federations import Federation
from federation.models.sites import Enrolment, Site


class SignedMessage(models.Model):
    """Accepted message of a site.

    The envelope is stored encrypted in the private storage. Triggers refuse changes.
    """

    enrolment = models.ForeignKey(Enrolment, on_delete=models.PROTECT, related_name="messages")
    sequence = models.PositiveIntegerField()
    kind = models.CharField(max_length=40)
    digest = models.CharField(max_length=64, help_text="SHA-256 of the signed bytes")
    sent_at = models.DateTimeField(help_text="by the clock of the site")
    received_at = models.DateTimeField(default=timezone.now)
    is_late = models.BooleanField(default=False)
    facts = models.JSONField(default=dict, help_text="digests and counts; never numbers of a summary")
    envelope_name = models.CharField(max_length=300, help_text="in the private storage")
    receipt = models.TextField(help_text="the signed receipt, as the site gets it")

    class Meta:
        ordering = ["enrolment", "sequence"]
        constraints = [
            models.UniqueConstraint(fields=["enrolment", "sequence"], name="federation_message_sequence_once"),
            models.UniqueConstraint(fields=["enrolment", "digest"], name="federation_message_once"),
        ]

    def __str__(self) -> str:
        return f"message {self.sequence} ({self.kind}) of {self.enrolment.site}"


class Refused(models.Model):
    """A message that was not taken, and why; of its content only the digest is kept."""

    federation = models.ForeignKey(Federation, on_delete=models.PROTECT, related_name="refusals")
    site = models.ForeignKey(Site, null=True, blank=True, on_delete=models.PROTECT, related_name="refusals")
    code = models.CharField(max_length=40)
    sentence = models.CharField(max_length=500, blank=True)
    sha256 = models.CharField(max_length=64)
    received_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ["-received_at", "-pk"]

    def __str__(self) -> str:
        return f"{self.code}, {self.received_at:%Y-%m-%d %H:%M}"
