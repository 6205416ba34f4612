"""What has to happen once a phase was ranked."""

from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from challenges.models import Phase
from work.models import Work


class FollowUp(Work):
    """What follows the rankings of a phase: due as long as more of them ended than were followed up.

    It is asked for in the transaction that ends a ranking, so that none is forgotten when a worker dies in between.
    """

    phase = models.OneToOneField(Phase, on_delete=models.CASCADE, related_name="follow_up")
    requested = models.PositiveIntegerField(default=0, help_text="how many rankings ended, whatever came of them")
    done = models.PositiveIntegerField(default=0, help_text="how many of them were followed up")
    requested_at = models.DateTimeField(default=timezone.now)
    is_ranked = models.BooleanField(default=False, help_text="whether one of those left gave a ranking that stands")

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(done__lte=F("requested")), name="leaderboards_followed_was_requested"),
        ]

    def __str__(self) -> str:
        return f"{self.phase}: {self.done} of {self.requested} followed up"

    @property
    def is_due(self) -> bool:
        return self.requested > self.done
