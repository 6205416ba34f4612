"""Conversations between reviewers, chairs and organizers."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from reviews.models.filings import FiledVersion, Filing
from reviews.models.reviews import Assignment


class ReviewThread(models.Model):
    """A point that a reviewer raises about one parameter.

    Organizers see it once the version it was raised on has been decided about; then they answer it.
    """

    class State(models.TextChoices):
        """State of a thread."""

        OPEN = "open", "open"
        ANSWERED = "answered", "answered"
        RESOLVED = "resolved", "resolved"

    filing = models.ForeignKey(Filing, on_delete=models.PROTECT, related_name="threads")
    filed = models.ForeignKey(FiledVersion, on_delete=models.PROTECT, related_name="threads")
    parameter = models.CharField(max_length=80)
    task_key = models.CharField(max_length=60, blank=True)
    assignment = models.ForeignKey(
        Assignment, null=True, on_delete=models.PROTECT, related_name="threads", help_text="empty: raised by a chair"
    )
    is_blocking = models.BooleanField(default=False)
    state = models.CharField(max_length=10, choices=State, default=State.OPEN)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ["created_at", "pk"]
        constraints = [
            models.CheckConstraint(condition=Q(state__in=["open", "answered", "resolved"]), name="reviews_thread_state")
        ]

    def __str__(self) -> str:
        return f"on {self.parameter}"


class Side(models.TextChoices):
    """Role of an author; it replaces the name where names are hidden."""

    REVIEWER = "reviewer", "reviewer"
    CHAIR = "chair", "chair"
    ORGANIZER = "organizer", "organizers"


class ReviewComment(models.Model):
    """One contribution to a thread."""

    thread = models.ForeignKey(ReviewThread, on_delete=models.CASCADE, related_name="comments")
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    side = models.CharField(max_length=10, choices=Side)
    assignment = models.ForeignKey(Assignment, null=True, on_delete=models.PROTECT, related_name="+")
    text = models.TextField()
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ["created_at", "pk"]

    def __str__(self) -> str:
        return self.text[:60]


class DiscussionEntry(models.Model):
    """Contribution to the discussion of reviewers and chairs about a filing.

    Organizers never see it.
    """

    filing = models.ForeignKey(Filing, on_delete=models.PROTECT, related_name="discussion")
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    assignment = models.ForeignKey(
        Assignment, null=True, on_delete=models.PROTECT, related_name="+", help_text="empty: a chair"
    )
    text = models.TextField()
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ["created_at", "pk"]
        verbose_name_plural = "discussion entries"

    def __str__(self) -> str:
        return self.text[:60]
