"""Access to a closed challenge: links, e-mail domains and institutions that admit people, and people who came by a link."""

from django.conf import settings
from django.db import models
from django.utils import timezone

from challenges.models.challenges import Challenge


class AccessLink(models.Model):
    """A link that admits everyone who has it to a closed challenge, until it expires or is withdrawn.

    The page shows the link once. The database stores the digest of its token.
    """

    challenge = models.ForeignKey(Challenge, on_delete=models.CASCADE, related_name="access_links")
    label = models.CharField(max_length=80, help_text="for organizers only, for example the name of a course")
    token_digest = models.CharField(max_length=64, unique=True, editable=False)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    expires_at = models.DateTimeField()
    withdrawn_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at", "-pk"]

    def __str__(self) -> str:
        return self.label

    @property
    def is_open(self) -> bool:
        """True if the link still admits people."""
        return self.withdrawn_at is None and timezone.now() < self.expires_at


class AccessRule(models.Model):
    """An e-mail domain or institution whose members see a closed challenge."""

    class Kind(models.TextChoices):
        """Proof that a person must have."""

        DOMAIN = "domain", "e-mail domain"
        INSTITUTION = "institution", "institution"

    challenge = models.ForeignKey(Challenge, on_delete=models.CASCADE, related_name="access_rules")
    kind = models.CharField(max_length=12, choices=Kind)
    value = models.CharField(max_length=253, help_text="in lower case")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ["kind", "value"]
        constraints = [
            models.UniqueConstraint(fields=["challenge", "kind", "value"], name="challenges_one_access_rule"),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} {self.value}"


class Admission(models.Model):
    """A person who entered a closed challenge by a link."""

    challenge = models.ForeignKey(Challenge, on_delete=models.CASCADE, related_name="admissions")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="admissions")
    link = models.ForeignKey(AccessLink, on_delete=models.CASCADE, related_name="admissions")
    admitted_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ["-admitted_at", "-pk"]
        constraints = [
            models.UniqueConstraint(fields=["challenge", "user"], name="challenges_admitted_once"),
        ]

    def __str__(self) -> str:
        return f"{self.user} in {self.challenge}"
