"""Requests to change what is registered: parameter by parameter, objections, and one decision each."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone

from registry.models import Registration, RegistrationVersion


class ChangeClass(models.TextChoices):
    """The class of a change, the least grave first.

    The catalogue states minor, major or critical for each parameter (REG-5). A critical parameter can change in two ways
    that are less grave: `registry.changes.queries.severity` recognizes them.
    """

    MINOR = "minor", "minor"
    EXTENSION = "extension", "later deadline"
    MAJOR = "major", "major"
    REPAIR = "repair", "makes submitting possible"
    CRITICAL = "critical", "critical"


class ChangeRequest(models.Model):
    """Changes that the organizers request, against the version that they saw."""

    class State(models.TextChoices):
        """State of a request."""

        OPEN = "open", "waiting for a decision"
        DECIDED = "decided", "decided"
        WITHDRAWN = "withdrawn", "withdrawn"

    registration = models.ForeignKey(Registration, on_delete=models.PROTECT, related_name="change_requests")
    number = models.PositiveIntegerField(help_text="counted within the registration")
    base = models.ForeignKey(RegistrationVersion, on_delete=models.PROTECT, related_name="+")
    state = models.CharField(max_length=10, choices=State, default=State.OPEN)
    change_class = models.CharField(max_length=10, choices=ChangeClass, help_text="the gravest of its changes")
    note = models.TextField(blank=True, help_text="for all changes together; public")
    wanted_on = models.DateField(null=True, blank=True, help_text="from when on the change should hold")
    requested_at = models.DateTimeField(default=timezone.now, editable=False)
    requested_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    objections_until = models.DateTimeField(
        null=True, blank=True, help_text="nothing is approved before, so that those who take part can object"
    )
    result = models.OneToOneField(
        RegistrationVersion, null=True, blank=True, on_delete=models.PROTECT, related_name="change_request"
    )

    class Meta:
        ordering = ["-number"]
        constraints = [
            models.UniqueConstraint(fields=["registration", "number"], name="changes_number_once"),
            # Two open requests could each be right about the version that they saw and wrong together.
            models.UniqueConstraint(
                fields=["registration"], condition=Q(state="open"), name="changes_one_open_request"
            ),
            models.CheckConstraint(
                condition=Q(state="decided") | Q(result__isnull=True), name="changes_only_decisions_make_versions"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.registration.identifier}, change request {self.number}"

    def get_absolute_url(self) -> str:
        return reverse("changes:detail", args=[self.registration.identifier, self.number])

    @property
    def is_open(self) -> bool:
        """True if the request is waiting for a decision."""
        return self.state == self.State.OPEN

    @property
    def takes_objections(self) -> bool:
        """True if participants can still object."""
        return self.is_open and (self.objections_until is None or timezone.now() < self.objections_until)


class ProposedChange(models.Model):
    """One parameter of a request: both values as the public document writes them, the reason and the effect.

    `before` and `after` contain the keys of the document that belong to the parameter (value, details, state).
    An embargoed value is stored in `sealed` with its nonce, and in `after` only as its digest.
    """

    request = models.ForeignKey(ChangeRequest, on_delete=models.CASCADE, related_name="changes")
    task = models.CharField(max_length=60, blank=True, help_text="key of the task; empty: the challenge")
    parameter = models.CharField(max_length=80)
    change_class = models.CharField(max_length=10, choices=ChangeClass)
    before = models.JSONField(default=dict)
    after = models.JSONField(default=dict)
    sealed = models.JSONField(default=dict, editable=False)
    reason = models.TextField()
    effect = models.TextField(help_text="on those who take part")

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["request", "task", "parameter"], name="changes_once_a_parameter"),
            models.CheckConstraint(condition=~Q(reason="") & ~Q(effect=""), name="changes_has_reason_and_effect"),
        ]

    def __str__(self) -> str:
        return f"{self.parameter} in {self.request}"

    @property
    def place(self) -> str:
        """Location in the document: task or “challenge”, a slash, the parameter."""
        return f"{self.task or 'challenge'}/{self.parameter}"


class ChangeDecision(models.Model):
    """The one decision about a proposed change. Triggers refuse changes."""

    class Outcome(models.TextChoices):
        """Outcome of a proposed change."""

        APPROVED = "approved", "approved"
        DEVIATION = "deviation", "approved as a deviation"
        REFUSED = "refused", "refused"

    # One decision a change: whoever comes second is refused by the database.
    change = models.OneToOneField(ProposedChange, on_delete=models.PROTECT, related_name="decision")
    outcome = models.CharField(max_length=10, choices=Outcome)
    reason = models.TextField(blank=True)
    decided_at = models.DateTimeField(default=timezone.now, editable=False)
    decided_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+")

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(outcome="approved") | ~Q(reason=""), name="changes_refusal_and_deviation_have_a_reason"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.change}: {self.outcome}"


class Objection(models.Model):
    """Objection of a participant to a request; the chairs and the organizers read it."""

    request = models.ForeignKey(ChangeRequest, on_delete=models.CASCADE, related_name="objections")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    text = models.TextField()
    made_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ["made_at"]
        constraints = [models.UniqueConstraint(fields=["request", "user"], name="changes_one_objection_a_person")]

    def __str__(self) -> str:
        return f"objection to {self.request}"
