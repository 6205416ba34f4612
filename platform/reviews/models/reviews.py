"""Assignments of reviewers to designs, and their reviews: drafts that save themselves, and what was sent."""

from datetime import datetime

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from reviews.models.calls import Question
from reviews.models.filings import FiledVersion, Filing, Outcome
from reviews.models.people import Part, Reviewer
from reviews.models.states import State


class Assignment(models.Model):
    """A reviewer of a design; one who was taken off keeps the row, so that the history stays."""

    Part = Part

    filing = models.ForeignKey(Filing, on_delete=models.PROTECT, related_name="assignments")
    reviewer = models.ForeignKey(Reviewer, on_delete=models.PROTECT, related_name="assignments")
    part = models.CharField(max_length=10, choices=Part, default=Part.GENERAL)
    label = models.PositiveSmallIntegerField(help_text="Reviewer 1, 2, … of this design, where names are hidden")
    assigned_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    assigned_at = models.DateTimeField(default=timezone.now)
    is_automatic = models.BooleanField(default=False)
    told_at = models.DateTimeField(null=True, blank=True, help_text="when the reviewer was written to")
    reminded_at = models.DateTimeField(null=True, blank=True)
    removed_at = models.DateTimeField(null=True, blank=True)

    # Looked up by `queries.reviewing_of`: the review of the version filed last, as its reader may see the title, and when it is due.
    review: "Review | None"
    filed: FiledVersion
    title: str
    due: datetime

    class Meta:
        ordering = ["label"]
        constraints = [
            models.UniqueConstraint(
                fields=["filing", "reviewer"],
                condition=Q(removed_at__isnull=True),
                name="reviews_assigned_once",
            ),
            models.UniqueConstraint(fields=["filing", "label"], name="reviews_assignment_label"),
        ]

    def __str__(self) -> str:
        return f"{self.reviewer} of {self.filing}"

    @property
    def is_to_be_sent(self) -> bool:
        """True if the review must still be sent.

        This applies to assignments from `queries.reviewing_of`.
        """
        return self.filing.state == State.UNDER_REVIEW and (self.review is None or self.review.sent_at is None)


class Confidence(models.IntegerChoices):
    """Confidence of a reviewer."""

    GUESS = 1, "1 – an educated guess"
    SOME = 2, "2 – some knowledge of the field"
    FAIR = 3, "3 – fairly confident"
    SURE = 4, "4 – confident"
    EXPERT = 5, "5 – expert"


class Review(models.Model):
    """Review of a filed version by one reviewer; others see only the sent state (`SentReview`)."""

    Confidence = Confidence

    assignment = models.ForeignKey(Assignment, on_delete=models.PROTECT, related_name="reviews")
    filed = models.ForeignKey(FiledVersion, on_delete=models.PROTECT, related_name="reviews")
    recommendation = models.CharField(max_length=10, choices=Outcome, blank=True)
    confidence = models.PositiveSmallIntegerField(choices=Confidence, null=True, blank=True)
    summary = models.TextField(blank=True)
    confidential = models.TextField(blank=True)
    started_at = models.DateTimeField(default=timezone.now, editable=False)
    changed_at = models.DateTimeField(default=timezone.now)
    sent_at = models.DateTimeField(null=True, blank=True, help_text="when it was sent for the first time")

    class Meta:
        ordering = ["assignment__label"]
        constraints = [
            models.UniqueConstraint(fields=["assignment", "filed"], name="reviews_review_once_a_version"),
            models.CheckConstraint(
                condition=Q(sent_at__isnull=True) | ~Q(recommendation="") & Q(confidence__isnull=False),
                name="reviews_sent_review_recommends",
            ),
        ]

    def __str__(self) -> str:
        return f"review of {self.filed} by {self.assignment.reviewer}"


class Answer(models.Model):
    """The answer to one question, in the draft."""

    class Judgement(models.TextChoices):
        """The short answer."""

        YES = "yes", "yes"
        PARTLY = "partly", "partly"
        NO = "no", "no"
        UNSURE = "unsure", "cannot judge"

    review = models.ForeignKey(Review, on_delete=models.CASCADE, related_name="answers")
    question = models.ForeignKey(Question, on_delete=models.PROTECT, related_name="answers")
    score = models.PositiveSmallIntegerField(null=True, blank=True)
    judgement = models.CharField(max_length=10, choices=Judgement, blank=True)
    words = models.TextField(blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["review", "question"], name="reviews_answer_once")]

    def __str__(self) -> str:
        return f"{self.question}: {self.score or self.judgement}"


class SentReview(models.Model):
    """A review as it was sent; sending it again adds another row. Triggers keep it."""

    review = models.ForeignKey(Review, on_delete=models.PROTECT, related_name="sent")
    number = models.PositiveSmallIntegerField()
    content = models.JSONField(help_text="questions with answers and the summary, as they stood")
    confidential = models.TextField(blank=True, help_text="for the chairs alone")
    recommendation = models.CharField(max_length=10, choices=Outcome)
    confidence = models.PositiveSmallIntegerField(choices=Confidence)
    score = models.FloatField(null=True, help_text="mean of the scores; empty where none was asked for")
    sent_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["number"]
        constraints = [models.UniqueConstraint(fields=["review", "number"], name="reviews_sent_review_number")]

    def __str__(self) -> str:
        return f"{self.review}, sent {self.number}"
