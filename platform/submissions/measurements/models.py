"""Tables of values that were measured outside, and the results made from them."""

import secrets
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone

from challenges.models import Challenge, Phase, Team
from core.work.models import Work
from datastore.test_sets.models import TestSet
from submissions.models import Run


def new_key() -> str:
    """Return a random part for the names of stored files, which reveals nothing."""
    return secrets.token_hex(16)


class Measurement(Work):
    """A table that organizers bring into a phase: the list of its cases, or values measured for them.

    reading → asking → (sealing → sealed | discarded); a table that cannot be read is refused, and nothing counts before it
    is sealed. A sealed version never changes; a later one replaces the values of the teams that it names.
    """

    class Kind(models.TextChoices):
        """Content of the table."""

        CASES = "cases", "case list"
        VALUES = "values", "values"

    class State(models.TextChoices):
        """State of the table."""

        READING = "reading", "being read"
        ASKING = "asking", "waiting for your decision"
        SEALING = "sealing", "being sealed"
        SEALED = "sealed", "sealed"
        REFUSED = "refused", "cannot be read"
        DISCARDED = "discarded", "discarded"
        FAILED = "failed", "failed"

    OPEN = (State.READING, State.SEALING)
    UNDECIDED = (State.READING, State.ASKING, State.SEALING)

    phase = models.ForeignKey(Phase, on_delete=models.CASCADE, related_name="measurements")
    kind = models.CharField(max_length=10, choices=Kind, default=Kind.VALUES)
    team = models.ForeignKey(
        Team,
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="+",
        help_text="empty: the table names teams",
    )
    makes_teams = models.BooleanField(default=False, help_text="teams that do not exist yet are made when it is sealed")
    key = models.CharField(max_length=32, unique=True, default=new_key, editable=False)
    file_name = models.CharField(max_length=120)
    stored = models.CharField(max_length=200, help_text="the file as it came, in the private storage")
    size = models.PositiveBigIntegerField()
    sha256 = models.CharField(max_length=64, help_text="of the file as it came")
    replicates_name = models.CharField(max_length=120, blank=True, help_text="of the file of replicates beside it")
    replicates_stored = models.CharField(max_length=200, blank=True, help_text="that file, in the private storage")
    replicates_size = models.PositiveBigIntegerField(default=0)
    replicates_sha256 = models.CharField(max_length=64, blank=True)
    measured_by = models.CharField(max_length=200, blank=True)
    measured_with = models.CharField(max_length=200, blank=True)
    measured_when = models.CharField(max_length=200, blank=True)
    brought_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    state = models.CharField(max_length=12, choices=State, default=State.READING)
    roles = models.JSONField(default=dict, blank=True, help_text="what each column is, as confirmed")
    reading = models.JSONField(default=dict, blank=True, help_text="columns with samples and roles")
    preview = models.JSONField(default=dict, blank=True, help_text="problems, or what sealing would store")
    values_file = models.CharField(max_length=200, blank=True, help_text="the values as they were read")
    version = models.PositiveIntegerField(
        null=True, blank=True, help_text="counts the sealed tables of values of a phase"
    )
    digest = models.CharField(max_length=64, blank=True, editable=False)
    sealed_at = models.DateTimeField(null=True, blank=True, editable=False)
    sealed_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+")
    test_set = models.ForeignKey(TestSet, null=True, blank=True, on_delete=models.PROTECT, related_name="+")

    class Meta:
        ordering = ["-created_at", "-pk"]
        constraints = [
            models.UniqueConstraint(fields=["phase", "version"], name="measurements_version_unique"),
            models.CheckConstraint(
                condition=Q(state="sealed", sealed_at__isnull=False, test_set__isnull=False) & ~Q(digest="")
                | ~Q(state="sealed") & Q(sealed_at__isnull=True, digest="", version__isnull=True),
                name="measurements_sealed_has_a_digest",
            ),
            models.CheckConstraint(
                condition=Q(kind="cases") | ~Q(measured_by="") & ~Q(measured_with="") & ~Q(measured_when=""),
                name="measurements_values_have_an_origin",
            ),
            models.CheckConstraint(
                condition=~Q(kind="values", state="sealed") | Q(version__isnull=False),
                name="measurements_sealed_values_have_a_version",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.file_name} for {self.phase}"

    def get_absolute_url(self) -> str:
        """The organizers' page of it."""
        return reverse("measurements:table", args=[self.challenge.slug, self.pk])

    @property
    def challenge(self) -> Challenge:
        """The challenge of its phase."""
        return self.phase.challenge

    @property
    def is_under_way(self) -> bool:
        """True if the table is queued for a worker or processed by a worker."""
        return self.state in self.OPEN

    @property
    def is_sealed(self) -> bool:
        """True if the table counts, or counted until a later version replaced it."""
        return self.state == self.State.SEALED

    @property
    def problems(self) -> list[str]:
        """Reasons why the table cannot be sealed, one per line."""
        problems: list[str] = self.preview.get("problems", [])
        return problems

    @property
    def may_be_sealed(self) -> bool:
        """True if the table was read and has no problems."""
        return self.state == self.State.ASKING and bool(self.preview) and not self.problems

    @property
    def origin(self) -> dict[str, str]:
        """Origin of the values: who measured them, with what and when, as entered with the table."""
        return {"by": self.measured_by, "with": self.measured_with, "when": self.measured_when}

    @property
    def facts(self) -> dict[str, Any]:
        """Public facts about a sealed version, as JSON values."""
        of_replicates = {"replicates_sha256": self.replicates_sha256} if self.replicates_sha256 else {}
        return {
            "version": self.version,
            "digest": self.digest,
            "file_sha256": self.sha256,
            **of_replicates,
            "origin": self.origin,
            "sealed_at": None if self.sealed_at is None else self.sealed_at.isoformat(),
        }


class MeasuredRun(models.Model):
    """The result of one team that a sealed version holds."""

    run = models.OneToOneField(Run, on_delete=models.CASCADE, related_name="measured")
    measurement = models.ForeignKey(Measurement, on_delete=models.PROTECT, related_name="runs")

    def __str__(self) -> str:
        return f"{self.run} from {self.measurement}"
