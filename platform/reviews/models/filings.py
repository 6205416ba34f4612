"""Designs that were filed into a call, and every change of their state."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone

from designs.models import Design, DesignVersion
from reviews.models.calls import Call
from reviews.models.states import PAIRS, RUNNING, State

_ALLOWED = Q(from_state=PAIRS[0][0], to_state=PAIRS[0][1])
for _before, _after in PAIRS[1:]:
    _ALLOWED |= Q(from_state=_before, to_state=_after)


class Filing(models.Model):
    """A design in a call. `state` repeats the last transition and is written by `advance` alone."""

    State = State

    call = models.ForeignKey(Call, on_delete=models.PROTECT, related_name="filings")
    design = models.ForeignKey(Design, on_delete=models.PROTECT, related_name="filings")
    number = models.PositiveIntegerField(help_text="within the call; addresses name it, so that they name nobody")
    title = models.CharField(max_length=200)
    state = models.CharField(max_length=20, choices=State, default=State.DRAFT)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(
                fields=["call", "design"], condition=~Q(state=State.WITHDRAWN), name="reviews_design_once_a_call"
            ),
            models.UniqueConstraint(fields=["call", "number"], name="reviews_filing_number"),
            # The same design is not decided about in two places at once.
            models.UniqueConstraint(
                fields=["design"],
                condition=Q(state__in=[*map(str, RUNNING), str(State.ACCEPTED)]),
                name="reviews_design_runs_once",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.title} in {self.call}"

    def get_absolute_url(self) -> str:
        return reverse("reviews:filing", args=[self.call.slug, self.number])

    @property
    def is_running(self) -> bool:
        """True if a decision is still pending."""
        return self.state in RUNNING


class FiledVersion(models.Model):
    """A frozen version of the design as it was filed: first the submission, then each revision. Triggers keep it."""

    filing = models.ForeignKey(Filing, on_delete=models.PROTECT, related_name="versions")
    number = models.PositiveSmallIntegerField()
    version = models.ForeignKey(DesignVersion, on_delete=models.PROTECT, related_name="filed")
    note = models.TextField(blank=True, help_text="what the organizers say to a revision as a whole")
    filed_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+")
    filed_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["number"]
        constraints = [models.UniqueConstraint(fields=["filing", "number"], name="reviews_filed_version_number")]

    def __str__(self) -> str:
        return f"{self.filing}, filed version {self.number}"


class Transition(models.Model):
    """One change of state. Each has at most one successor, so that two people cannot both decide; triggers keep it."""

    filing = models.ForeignKey(Filing, on_delete=models.PROTECT, related_name="transitions")
    predecessor = models.OneToOneField(
        "self", null=True, blank=True, on_delete=models.PROTECT, related_name="successor"
    )
    from_state = models.CharField(max_length=20, choices=State)
    to_state = models.CharField(max_length=20, choices=State)
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+", help_text="empty: the system"
    )
    at = models.DateTimeField(default=timezone.now)
    reason = models.TextField(blank=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.CheckConstraint(condition=_ALLOWED, name="reviews_transition_is_a_way"),
            models.CheckConstraint(
                condition=Q(from_state=State.DRAFT, predecessor__isnull=True)
                | ~Q(from_state=State.DRAFT) & Q(predecessor__isnull=False),
                name="reviews_transition_has_a_predecessor",
            ),
            models.UniqueConstraint(
                fields=["filing"], condition=Q(predecessor__isnull=True), name="reviews_one_first_transition"
            ),
            models.CheckConstraint(
                condition=~Q(to_state__in=[State.WITHDRAWN, State.DECLINED]) | ~Q(reason=""),
                name="reviews_leaving_has_a_reason",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.from_state} → {self.to_state}"


class Outcome(models.TextChoices):
    """Decision of a chair, or recommendation of a reviewer."""

    ACCEPT = "accept", "accept"
    MINOR = "minor", "minor revision"
    MAJOR = "major", "major revision"
    REJECT = "reject", "reject"


class Decision(models.Model):
    """The decision about a filed version, with the letter that was sent; triggers keep it."""

    Outcome = Outcome

    filed = models.OneToOneField(FiledVersion, on_delete=models.PROTECT, related_name="+")
    filing = models.ForeignKey(Filing, on_delete=models.PROTECT, related_name="decisions")
    transition = models.OneToOneField(Transition, on_delete=models.PROTECT, related_name="decision")
    outcome = models.CharField(max_length=10, choices=Outcome)
    letter = models.TextField()
    decided_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    decided_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["decided_at", "pk"]
        constraints = [
            models.CheckConstraint(condition=~Q(letter=""), name="reviews_decision_has_a_letter"),
        ]

    def __str__(self) -> str:
        return f"{self.get_outcome_display()}: {self.filing}"
