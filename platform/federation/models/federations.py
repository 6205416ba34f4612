"""A phase that is evaluated at sites, and what its sites are given."""

import secrets

from django.conf import settings
from django.core.validators import RegexValidator
from django.db import models
from django.utils import timezone

from challenges.models import Phase, Team
from evaluation.federation.schemas import SITE_NAME
from executions.models import AlgorithmArchive

site_name = RegexValidator(
    f"^{SITE_NAME}$", "Letters, digits, dots, underscores and hyphens, the first a letter or digit; 64 at most."
)


def new_identifier() -> str:
    """Draw what names a federation in every message."""
    return secrets.token_hex(32)


class Federation(models.Model):
    """The sites of one phase, with the rules that were registered when it was opened.

    `rules` are a copy of the registered ones (`federation.queries.federations.registered_rules`): a site confirms terms and
    seals its cases under them, so they stay what they were.
    """

    phase = models.OneToOneField(Phase, on_delete=models.PROTECT, related_name="federation")
    identifier = models.CharField(max_length=64, unique=True, default=new_identifier, editable=False)
    rules = models.JSONField()
    terms = models.TextField(help_text="what a site confirms, as text; it is signed with its key")
    dry_run_name = models.CharField(max_length=200, blank=True, help_text="public cases, in the private storage")
    dry_run_sha256 = models.CharField(max_length=64, blank=True)
    dry_run_size = models.PositiveBigIntegerField(default=0)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+")

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(dry_run_name="", dry_run_sha256="", dry_run_size=0)
                | (~models.Q(dry_run_name="") & ~models.Q(dry_run_sha256="") & models.Q(dry_run_size__gt=0)),
                name="federation_public_cases_have_a_digest",
            ),
        ]

    def __str__(self) -> str:
        return f"sites of {self.phase}"


class Algorithm(models.Model):
    """Algorithm that sites score, with the name used in messages, folders and the ranking."""

    federation = models.ForeignKey(Federation, on_delete=models.PROTECT, related_name="algorithms")
    name = models.CharField(max_length=64, validators=[site_name])
    team = models.ForeignKey(
        Team, null=True, blank=True, on_delete=models.PROTECT, related_name="+", help_text="whose it is"
    )
    image = models.CharField(max_length=71, blank=True, help_text="digest of its image; empty: predictions are carried")
    archive = models.ForeignKey(
        AlgorithmArchive,
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="+",
        help_text="its image, which sites fetch and run",
    )
    may_be_carried = models.BooleanField(
        default=False, help_text="a site may bring predictions instead of running the image"
    )

    class Meta:
        ordering = ["federation", "name"]
        constraints = [
            models.UniqueConstraint(fields=["federation", "name"], name="federation_algorithm_name_once"),
            models.CheckConstraint(
                condition=models.Q(archive=None) | ~models.Q(image=""), name="federation_image_has_a_digest"
            ),
        ]

    def __str__(self) -> str:
        return self.name


class SitePackage(models.Model):
    """Package that sites receive, signed by the installation; rows are only ever added."""

    federation = models.ForeignKey(Federation, on_delete=models.PROTECT, related_name="packages")
    version = models.PositiveSmallIntegerField()
    document = models.JSONField()
    digest = models.CharField(max_length=64, help_text="SHA-256 of the document")
    envelope = models.TextField(help_text="the signed document, as sites get it")
    released_at = models.DateTimeField(default=timezone.now, editable=False)
    released_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+")

    class Meta:
        ordering = ["federation", "version"]
        constraints = [
            models.UniqueConstraint(fields=["federation", "version"], name="federation_package_version_once")
        ]

    def __str__(self) -> str:
        return f"package {self.version} of {self.federation}"
