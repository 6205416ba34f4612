"""Participation: terms, requests, and matters that organizers must review."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from challenges.models.challenges import Challenge, Team


class Terms(models.Model):
    """One version of the data-usage agreement and the conditions of joining; rows are only ever added."""

    challenge = models.ForeignKey(Challenge, on_delete=models.CASCADE, related_name="terms")
    version = models.PositiveSmallIntegerField()
    agreement = models.TextField(blank=True, help_text="Markdown: what people agree to when they take part")
    requires_approval = models.BooleanField(default=False, help_text="organizers let each person in")
    team_size = models.PositiveSmallIntegerField(null=True, blank=True, help_text="most members of a team")
    requires_method = models.BooleanField(
        default=False, help_text="the final ranking has only teams with a complete method description"
    )
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+")

    class Meta:
        ordering = ["challenge", "-version"]
        verbose_name_plural = "terms"
        constraints = [
            models.UniqueConstraint(fields=["challenge", "version"], name="challenges_terms_version_unique"),
        ]

    def __str__(self) -> str:
        return f"{self.challenge}: terms, version {self.version}"


class Participation(models.Model):
    """A person's consent to take part in a challenge, with the consented text, and the organizers' decision."""

    class State(models.TextChoices):
        PENDING = "pending", "waiting for the organizers"
        APPROVED = "approved", "takes part"
        DECLINED = "declined", "declined"

    challenge = models.ForeignKey(Challenge, on_delete=models.CASCADE, related_name="participations")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="participations")
    state = models.CharField(max_length=10, choices=State, default=State.APPROVED)
    terms = models.ForeignKey(Terms, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    rules_text = models.TextField(blank=True, help_text="the rules of participation as accepted")
    agreement = models.TextField(blank=True, help_text="the data-usage agreement as accepted")
    accepted_at = models.DateTimeField(default=timezone.now)
    affiliation = models.CharField(max_length=200, blank=True)
    orcid = models.CharField(max_length=19, blank=True)
    message = models.CharField(max_length=500, blank=True, help_text="from the person to the organizers")
    decided_at = models.DateTimeField(null=True, blank=True)
    decided_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+")
    reason = models.CharField(max_length=500, blank=True)

    class Meta:
        ordering = ["-accepted_at"]
        constraints = [
            models.UniqueConstraint(fields=["challenge", "user"], name="challenges_one_participation_a_person"),
            models.CheckConstraint(
                condition=~Q(state="declined") | ~Q(reason=""), name="challenges_declined_with_a_reason"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user} in {self.challenge}: {self.state}"


class Concern(models.Model):
    """Something about a person or team that organizers have to look at; found by the platform, decided by people."""

    class Kind(models.TextChoices):
        ORGANIZER = "organizer", "belongs to an organizer's institution"
        LABELS = "labels", "had access to test labels"
        ACCOUNTS = "accounts", "looks like another account"
        PREDICTIONS = "predictions", "the same predictions as another team"

    class State(models.TextChoices):
        OPEN = "open", "to look at"
        UPHELD = "upheld", "upheld"
        DISMISSED = "dismissed", "dismissed"

    challenge = models.ForeignKey(Challenge, on_delete=models.CASCADE, related_name="concerns")
    kind = models.CharField(max_length=12, choices=Kind)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.CASCADE, related_name="+"
    )
    team = models.ForeignKey(Team, null=True, blank=True, on_delete=models.CASCADE, related_name="concerns")
    key = models.CharField(max_length=150, help_text="what it is about: the same is found once")
    evidence = models.CharField(max_length=500)
    state = models.CharField(max_length=10, choices=State, default=State.OPEN)
    note = models.CharField(max_length=500, blank=True)
    found_at = models.DateTimeField(default=timezone.now, editable=False)
    decided_at = models.DateTimeField(null=True, blank=True)
    decided_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+")

    class Meta:
        ordering = ["-found_at"]
        constraints = [
            models.UniqueConstraint(fields=["challenge", "kind", "key"], name="challenges_concern_once"),
            models.CheckConstraint(
                condition=Q(state="open") | ~Q(note=""), name="challenges_concern_decided_with_a_note"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()}: {self.evidence}"
