"""Calls: everything a chair settles in the browser."""

from django.conf import settings
from django.contrib.contenttypes.fields import GenericRelation
from django.db import models
from django.db.models import F, Q
from django.urls import reverse
from django.utils import timezone

from accounts.people.models import Invitation

MAX_SCORE = 10
PUBLIC_MAIL = "gmail.com googlemail.com outlook.com hotmail.com live.com yahoo.com icloud.com gmx.de gmx.net web.de"


class Anonymity(models.TextChoices):
    """Anonymity between organizers and reviewers."""

    OPEN = "open", "open: organizers and reviewers know each other"
    SINGLE = "single", "single-blind: organizers do not learn who reviews"
    DOUBLE = "double", "double-blind: reviewers do not learn either who organizes"


class Showing(models.TextChoices):
    """Time from which reviewers see the other reviews of the same design."""

    AFTER_OWN = "after_own", "after sending their own"
    NEVER = "never", "never"
    ALWAYS = "always", "as soon as they are sent"


class Call(models.Model):
    """A call for challenge designs, for example of a conference."""

    Anonymity = Anonymity
    Showing = Showing

    slug = models.SlugField(max_length=60, unique=True)
    title = models.CharField(max_length=160)
    summary = models.CharField(max_length=300, blank=True, help_text="One sentence for the list of calls.")
    description = models.TextField(blank=True, help_text="What organizers have to know.")
    news = models.TextField(blank=True, help_text="Shown on top of the call's page, for example an extended deadline.")
    venue = models.CharField(max_length=120, blank=True)
    year = models.PositiveSmallIntegerField(null=True, blank=True)
    is_public = models.BooleanField("published", default=False, help_text="Everybody sees the call and can file.")

    submission_at = models.DateTimeField("submission deadline")
    review_at = models.DateTimeField("reviews are due")
    revision_at = models.DateTimeField("revisions are due")
    registration_at = models.DateTimeField("accepted designs are registered until")
    critical_change_at = models.DateTimeField("last day for critical changes")

    gate = models.PositiveSmallIntegerField(
        "filled at least, in percent", default=90, help_text="Share of the essential parameters that apply."
    )
    takes_unexecuted = models.BooleanField(
        "takes designs that are evaluated elsewhere",
        default=True,
        help_text="Designs whose task, metric or ranking the platform does not execute: registered here, evaluated elsewhere.",
    )
    requires_rehearsal = models.BooleanField(
        "requires a successful rehearsal",
        default=False,
        help_text="Organizers run the design on sample data before they submit it. Designs evaluated elsewhere need none.",
    )
    reviewers_min = models.PositiveSmallIntegerField("reviewers a design needs", default=2)
    reviewers_max = models.PositiveSmallIntegerField("reviewers a design gets at most", default=3)
    clinical_reviewers = models.PositiveSmallIntegerField("clinical reviewers besides", default=1)
    statistician = models.BooleanField(
        "one statistician besides, where there is one", default=False, help_text="A review starts without one too."
    )
    load_max = models.PositiveSmallIntegerField("designs a reviewer gets at most", default=5)
    score_min = models.PositiveSmallIntegerField("lowest score", default=1)
    score_max = models.PositiveSmallIntegerField("highest score", default=5)
    anonymity = models.CharField(max_length=10, choices=Anonymity, default=Anonymity.SINGLE)
    showing = models.CharField("reviewers see other reviews", max_length=10, choices=Showing, default=Showing.AFTER_OWN)
    publishes_reviews = models.BooleanField(
        "publish a summary of the reviews", default=False, help_text="Of registered designs, without names."
    )
    open_domains = models.TextField(
        "mail domains that say nothing",
        default=PUBLIC_MAIL,
        blank=True,
        help_text="Two people with such addresses have no conflict because of them.",
    )
    bidding_until = models.DateTimeField("reviewers bid until", null=True, blank=True)
    remind_days = models.PositiveSmallIntegerField("remind so many days before reviews are due", default=7)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    invitations = GenericRelation(Invitation)

    class Meta:
        ordering = ["-submission_at"]
        constraints = [
            models.CheckConstraint(
                condition=Q(submission_at__lt=F("review_at"), review_at__lt=F("revision_at"))
                & Q(revision_at__lte=F("registration_at"), registration_at__lte=F("critical_change_at")),
                name="reviews_call_dates_in_order",
            ),
            models.CheckConstraint(condition=Q(gate__lte=100), name="reviews_call_gate_is_a_percentage"),
            models.CheckConstraint(
                condition=Q(reviewers_min__gte=1, reviewers_min__lte=F("reviewers_max")),
                name="reviews_call_numbers_of_reviewers",
            ),
            models.CheckConstraint(
                condition=Q(score_min__lt=F("score_max"), score_max__lte=MAX_SCORE), name="reviews_call_scale"
            ),
        ]

    def __str__(self) -> str:
        return self.title

    def get_absolute_url(self) -> str:
        return reverse("reviews:call", args=[self.slug])

    @property
    def takes_designs(self) -> bool:
        """True if designs can be filed now."""
        return self.is_public and timezone.now() < self.submission_at

    @property
    def takes_bids(self) -> bool:
        """True if reviewers can bid now."""
        return self.bidding_until is not None and timezone.now() < self.bidding_until

    @property
    def hides_organizers(self) -> bool:
        """True if reviewers must not learn the identity of the organizers."""
        return self.anonymity == Anonymity.DOUBLE

    @property
    def hides_reviewers(self) -> bool:
        """True if organizers must not learn the identity of the reviewers."""
        return self.anonymity != Anonymity.OPEN

    @property
    def quiet_domains(self) -> frozenset[str]:
        """Mail domains that do not make a conflict."""
        return frozenset(self.open_domains.lower().replace(",", " ").split())


class Chair(models.Model):
    """A person who runs a call."""

    call = models.ForeignKey(Call, on_delete=models.CASCADE, related_name="chairs")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="chaired_calls")
    since = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ["since"]
        constraints = [models.UniqueConstraint(fields=["call", "user"], name="reviews_chair_once")]

    def __str__(self) -> str:
        return f"{self.user}, chair of {self.call}"


class Audience(models.TextChoices):
    """Reviewers who must answer a question."""

    ALL = "all", "every reviewer"
    CLINICAL = "clinical", "the clinical reviewer"
    STATISTICS = "statistics", "the statistician"


class Question(models.Model):
    """A question of the review form; a question that has been answered is replaced, never rewritten."""

    class Kind(models.TextChoices):
        """Form of the answer."""

        SCORE = "score", "a score and words"
        JUDGEMENT = "judgement", "yes, partly, no or cannot judge, and words"

    Audience = Audience

    call = models.ForeignKey(Call, on_delete=models.CASCADE, related_name="questions")
    section = models.CharField(max_length=20)
    position = models.PositiveSmallIntegerField(default=1)
    text = models.CharField(max_length=400)
    kind = models.CharField(max_length=10, choices=Kind, default=Kind.JUDGEMENT)
    audience = models.CharField(max_length=10, choices=Audience, default=Audience.ALL)
    is_required = models.BooleanField(default=True)
    retired_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["position", "pk"]

    def __str__(self) -> str:
        return self.text


class MailText(models.Model):
    """A mail text of a call, customized by the chair.

    Without a row, the default text is used.
    """

    call = models.ForeignKey(Call, on_delete=models.CASCADE, related_name="mail_texts")
    kind = models.CharField(max_length=30)
    subject = models.CharField(max_length=160)
    body = models.TextField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["call", "kind"], name="reviews_mail_text_once")]

    def __str__(self) -> str:
        return f"{self.kind} of {self.call}"
