"""Reports that were made, and what their organizers wrote into them."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from challenges.models import Challenge, Phase, Team
from core.work.models import Work


class Report(Work):
    """A report from one set of facts: made once in the background, never edited, found again by the digest of the facts."""

    class Kind(models.TextChoices):
        CHALLENGE = "challenge", "report of the challenge"
        TEAM = "team", "report of a team"

    class Audience(models.TextChoices):
        """Readers of the report, which contains nothing that they cannot see."""

        ORGANIZERS = "organizers", "organizers"
        PUBLIC = "public", "everybody, once it is published"
        TEAM = "team", "the team and the organizers"

    class State(models.TextChoices):
        QUEUED = "queued", "waiting for a worker"
        WORKING = "working", "being made"
        DONE = "done", "made"
        FAILED = "failed", "failed"

    challenge = models.ForeignKey(Challenge, on_delete=models.PROTECT, related_name="reports")
    number = models.PositiveIntegerField(help_text="counts within the challenge")
    kind = models.CharField(max_length=10, choices=Kind, default=Kind.CHALLENGE)
    audience = models.CharField(max_length=10, choices=Audience)
    phase = models.ForeignKey(Phase, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    team = models.ForeignKey(Team, null=True, blank=True, on_delete=models.PROTECT, related_name="reports")
    inputs = models.JSONField(help_text="the facts that it is made of; public part and digests, no result of a case")
    inputs_digest = models.CharField(max_length=64)
    state = models.CharField(max_length=10, choices=State, default=State.QUEUED)
    requested_at = models.DateTimeField(default=timezone.now, editable=False)
    requested_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    step = models.PositiveSmallIntegerField(default=0)
    steps = models.PositiveSmallIntegerField(default=0)
    doing = models.CharField(max_length=120, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    seconds = models.FloatField(null=True, blank=True, help_text="how long it took")
    digest = models.CharField(max_length=64, blank=True, help_text="SHA-256 of its content")
    content_name = models.CharField(max_length=200, blank=True, help_text="its content in the private storage")
    files = models.JSONField(default=dict, help_text="format or figure → file in the private storage")
    score = models.JSONField(default=dict, help_text="items of the guideline: covered, drafts, open")

    class Meta:
        ordering = ["challenge", "number"]
        constraints = [
            models.UniqueConstraint(fields=["challenge", "number"], name="reports_report_number_once"),
            models.UniqueConstraint(fields=["challenge", "inputs_digest"], name="reports_report_inputs_once"),
            models.CheckConstraint(
                condition=Q(kind="challenge", phase=None, team=None, audience__in=["organizers", "public"])
                | Q(kind="team", phase__isnull=False, team__isnull=False, audience="team"),
                name="reports_report_has_its_subject",
            ),
            models.CheckConstraint(
                condition=~Q(state="done") | ~Q(content_name="") & ~Q(digest="") & Q(finished_at__isnull=False),
                name="reports_report_done_has_content",
            ),
            models.CheckConstraint(
                condition=~Q(state="failed") | ~Q(failure=""), name="reports_report_failure_has_reason"
            ),
        ]
        indexes = [models.Index(fields=["state", "lease_until"])]

    def __str__(self) -> str:
        return f"{self.challenge}: {self.get_kind_display()} {self.number}"

    @property
    def is_done(self) -> bool:
        return self.state == self.State.DONE

    @property
    def is_under_way(self) -> bool:
        return self.state in (self.State.QUEUED, self.State.WORKING)


class ReportText(models.Model):
    """Text that the authors wrote for an item instead of the generated text.

    `based_on` stores the generated text that they saw, for comparison with later ones.
    """

    challenge = models.ForeignKey(Challenge, on_delete=models.CASCADE, related_name="report_texts")
    item = models.CharField(max_length=4, help_text="number of the guideline")
    text = models.TextField(blank=True)
    based_on = models.TextField(blank=True)
    revision = models.PositiveIntegerField(default=1)
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    written_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["challenge", "item"]
        constraints = [models.UniqueConstraint(fields=["challenge", "item"], name="reports_report_text_once")]

    def __str__(self) -> str:
        return f"{self.challenge}: item {self.item}"


class ReportSettings(models.Model):
    """From which design a challenge without a registration reports, and which report is public."""

    challenge = models.OneToOneField(Challenge, on_delete=models.CASCADE, related_name="report_settings")
    design_version = models.ForeignKey(
        "designs.DesignVersion", null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    published = models.ForeignKey(Report, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    published_at = models.DateTimeField(null=True, blank=True)
    published_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )

    class Meta:
        verbose_name_plural = "report settings"
        constraints = [
            models.CheckConstraint(
                condition=Q(published__isnull=True, published_at__isnull=True)
                | Q(published__isnull=False, published_at__isnull=False),
                name="reports_published_report_has_date",
            )
        ]

    def __str__(self) -> str:
        return f"{self.challenge}: reports"
