"""A hospital in a federation, and how its key came to be trusted."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from evaluation.federation.envelope import fingerprint
from federation.models.federations import Federation, site_name


class Site(models.Model):
    """An institution that holds cases. Its name is never given to another one."""

    class Counts(models.TextChoices):
        """Status of the site's results in the ranking."""

        INCLUDED = "included", "counts"
        LEFT_OUT = "left_out", "left out by the organizers"
        WITHDRAWN = "withdrawn", "withdrew"

    federation = models.ForeignKey(Federation, on_delete=models.PROTECT, related_name="sites")
    name = models.CharField(max_length=64, validators=[site_name])
    institution = models.CharField(max_length=200, blank=True, help_text="for the organizers; not public")
    contact = models.EmailField(blank=True, help_text="where the invitation went")
    country = models.CharField(max_length=2, blank=True)
    counts = models.CharField(max_length=10, choices=Counts, default=Counts.INCLUDED)
    reason = models.CharField(max_length=500, blank=True, help_text="why it does not count; public")
    takes_late = models.BooleanField(default=False, help_text="its result came late and was taken in by the organizers")
    removes_at = models.DateTimeField(
        null=True, blank=True, help_text="it withdrew with its sums, which are deleted then"
    )
    removed_at = models.DateTimeField(null=True, blank=True, help_text="when its sums were deleted")
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ["federation", "name"]
        constraints = [
            models.UniqueConstraint(fields=["federation", "name"], name="federation_site_name_once"),
            models.CheckConstraint(
                condition=Q(counts="included") | ~Q(reason=""), name="federation_site_that_does_not_count_has_a_reason"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} of {self.federation}"


class Enrolment(models.Model):
    """One invitation of a site, and the key that came of it.

    The code of the invitation opens the site's page and is good for one registration; only its SHA-256 is kept.
    """

    site = models.ForeignKey(Site, on_delete=models.PROTECT, related_name="enrolments")
    code_sha256 = models.CharField(max_length=64, unique=True)
    invited_at = models.DateTimeField(default=timezone.now, editable=False)
    invited_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+")
    expires_at = models.DateTimeField(help_text="no key is registered after that")
    public_key = models.CharField(max_length=64, blank=True, help_text="32 bytes, hexadecimal")
    key_since = models.DateTimeField(null=True, blank=True, help_text="by the clock of the site")
    registered_at = models.DateTimeField(null=True, blank=True)
    terms_sha256 = models.CharField(max_length=64, blank=True)
    terms_confirmed_by = models.CharField(max_length=200, blank=True)
    confirmed_at = models.DateTimeField(null=True, blank=True, help_text="when the fingerprint had been compared")
    confirmed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["site", "invited_at", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["site"], condition=Q(revoked_at=None), name="federation_one_enrolment_a_site"
            ),
            models.UniqueConstraint(
                fields=["public_key"], condition=~Q(public_key=""), name="federation_key_of_one_site"
            ),
            models.CheckConstraint(
                condition=Q(public_key="", registered_at=None, key_since=None, terms_sha256="", confirmed_at=None)
                | (
                    ~Q(public_key="")
                    & ~Q(terms_sha256="")
                    & Q(registered_at__isnull=False)
                    & Q(key_since__isnull=False)
                ),
                name="federation_key_comes_with_terms",
            ),
        ]

    def __str__(self) -> str:
        return f"invitation of {self.site}"

    @property
    def fingerprint(self) -> str:
        """Fingerprint of the key, for comparison by two people over the telephone."""
        return fingerprint(bytes.fromhex(self.public_key)) if self.public_key else ""

    @property
    def is_open(self) -> bool:
        """True if a key can still be registered with the invitation."""
        return self.revoked_at is None and not self.public_key and timezone.now() < self.expires_at
