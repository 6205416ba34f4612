"""Models for reviewers: people of a call, bids, conflicts."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from reviews.models.calls import Call
from reviews.models.filings import Filing


class Part(models.TextChoices):
    """Role in which a person reviews a design."""

    GENERAL = "general", "reviewer"
    CLINICAL = "clinical", "clinical reviewer"
    STATISTICS = "statistics", "statistician"


class Reviewer(models.Model):
    """A person who reviews for a call."""

    Part = Part

    call = models.ForeignKey(Call, on_delete=models.CASCADE, related_name="reviewers")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="reviewing")
    is_general = models.BooleanField("reviews in general", default=True)
    is_clinical = models.BooleanField("judges clinical relevance", default=False)
    is_statistician = models.BooleanField("judges statistics", default=False)
    expertise = models.JSONField(default=list, blank=True, help_text="words: modalities, organs, methods")
    load_max = models.PositiveSmallIntegerField(null=True, blank=True, help_text="empty: as the call says")
    joined_at = models.DateTimeField(default=timezone.now, editable=False)
    left_at = models.DateTimeField(null=True, blank=True)

    # Counted by `queries.loads_of`.
    assigned: int
    sent: int
    waiting: int

    class Meta:
        ordering = ["joined_at", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["call", "user"], name="reviews_reviewer_once"),
            models.CheckConstraint(
                condition=Q(is_general=True) | Q(is_clinical=True) | Q(is_statistician=True),
                name="reviews_reviewer_has_a_part",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user}, reviewer of {self.call}"

    @property
    def parts(self) -> list[str]:
        """Parts in which this person can review."""
        named = (
            (Part.GENERAL, self.is_general),
            (Part.CLINICAL, self.is_clinical),
            (Part.STATISTICS, self.is_statistician),
        )
        return [str(part) for part, can in named if can]

    @property
    def limit(self) -> int:
        """Maximum number of designs for this person."""
        return self.call.load_max if self.load_max is None else self.load_max


class Bid(models.Model):
    """Preference of a reviewer for a design.

    Without a row, the reviewer has not stated a preference.
    """

    class Wish(models.IntegerChoices):
        """From not at all to gladly."""

        NO = -1, "rather not"
        CAN = 1, "can"
        GLADLY = 2, "gladly"

    reviewer = models.ForeignKey(Reviewer, on_delete=models.CASCADE, related_name="bids")
    filing = models.ForeignKey(Filing, on_delete=models.CASCADE, related_name="bids")
    wish = models.SmallIntegerField(choices=Wish)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["reviewer", "filing"], name="reviews_bid_once"),
            models.CheckConstraint(condition=Q(wish__in=[-1, 1, 2]), name="reviews_bid_is_a_wish"),
        ]

    def __str__(self) -> str:
        return f"{self.reviewer}: {self.get_wish_display()}"


class Conflict(models.Model):
    """A declared conflict of interest.

    Conflicts that follow from facts are recomputed each time (`queries.conflicts`).
    """

    reviewer = models.ForeignKey(Reviewer, on_delete=models.CASCADE, related_name="conflicts")
    filing = models.ForeignKey(Filing, on_delete=models.CASCADE, related_name="conflicts")
    reason = models.CharField(max_length=300)
    declared_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    declared_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["reviewer", "filing"], name="reviews_conflict_once")]

    def __str__(self) -> str:
        return f"{self.reviewer}: {self.reason}"
