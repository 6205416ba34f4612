"""Projection of a registered design onto a challenge, and deviations of its execution from the design."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from challenges.models.challenges import Challenge, Phase


class Projection(models.Model):
    """From which registered version a challenge is run; written by the services of launching alone.

    `digest` repeats that of the version, so that pages can compare without reading the document.
    """

    challenge = models.OneToOneField(Challenge, on_delete=models.PROTECT, related_name="projection")
    registration = models.OneToOneField("registry.Registration", on_delete=models.PROTECT, related_name="projection")
    version = models.ForeignKey("registry.RegistrationVersion", on_delete=models.PROTECT, related_name="+")
    digest = models.CharField(max_length=64)
    launched_at = models.DateTimeField(default=timezone.now, editable=False)
    launched_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+")
    projected_at = models.DateTimeField(default=timezone.now, editable=False)
    opened_at = models.DateTimeField(
        null=True, blank=True, help_text="when the launch gate let submissions open; empty: it is shut"
    )

    def __str__(self) -> str:
        return f"{self.challenge} from {self.registration_id}"


class PhaseAssessment(models.Model):
    """An assessment that a phase was registered to run, and since when; rows are only ever added.

    A ranking names the digest that it ran with; the document to that digest is found here, also after a change.
    """

    phase = models.ForeignKey(Phase, on_delete=models.CASCADE, related_name="assessments")
    version = models.ForeignKey("registry.RegistrationVersion", on_delete=models.PROTECT, related_name="+")
    document = models.JSONField()
    digest = models.CharField(max_length=64)
    since = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ["phase", "since", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["phase", "version"], name="challenges_one_assessment_a_version"),
        ]

    def __str__(self) -> str:
        return f"{self.phase}: {self.digest[:12]}"


class Deviation(models.Model):
    """A critical change that was made after the first test submission. It stays marked for good: triggers refuse changes.

    `registered_digest` is the assessment that the submissions were promised, `executed_digest` the changed one; they are
    equal where something else than the assessment changed.
    """

    phase = models.ForeignKey(Phase, on_delete=models.PROTECT, related_name="deviations")
    version = models.ForeignKey("registry.RegistrationVersion", on_delete=models.PROTECT, related_name="+")
    registered_digest = models.CharField(max_length=64)
    executed_digest = models.CharField(max_length=64)
    parameters = models.JSONField(help_text="labels of the parameters that changed")
    reason = models.TextField()
    decided_at = models.DateTimeField(default=timezone.now)
    teams_scored = models.PositiveIntegerField(
        null=True, editable=False, help_text="teams with a score when the change was asked for; empty: not recorded"
    )

    class Meta:
        ordering = ["phase", "decided_at", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["phase", "version"], name="challenges_one_deviation_a_version"),
            models.CheckConstraint(condition=~Q(reason=""), name="challenges_deviation_has_a_reason"),
        ]

    def __str__(self) -> str:
        return f"{self.phase}: deviation of {self.decided_at:%Y-%m-%d}"

    @property
    def changes_the_ranking(self) -> bool:
        """True if the executed assessment differs from the registered one."""
        return self.registered_digest != self.executed_digest

    @property
    def knowledge(self) -> str:
        """Knowledge of scores when the change was requested, as a sentence; empty if it was not recorded."""
        if self.teams_scored is None:
            return ""
        if not self.teams_scored:
            return "No team had a score when this change was asked for."
        teams = "1 team" if self.teams_scored == 1 else f"{self.teams_scored:,} teams"
        return f"The scores of {teams} were known to the organizers when this change was asked for."
