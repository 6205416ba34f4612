"""Reviews: drafts that save themselves, and what was sent."""

from django.db import models
from django.db.models import Q
from django.utils import timezone

from reviews.models.calls import Question
from reviews.models.filings import FiledVersion, Outcome
from reviews.models.people import Assignment


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
