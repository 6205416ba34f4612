"""Rankings over several tasks of a challenge, as its registered design combines them."""

from django.db import models
from django.utils import timezone

from challenges.models import Challenge


class OverallRanking(models.Model):
    """Registered combination of the current rankings in the tasks of a challenge at a time; never edited.

    `problem` explains why the registered rule gives no ranking, if it gives none.
    """

    challenge = models.ForeignKey(Challenge, on_delete=models.PROTECT, related_name="rankings_over_tasks")
    phase_slug = models.SlugField(max_length=80, help_text="of the phases that are combined, one in each task")
    name = models.CharField(max_length=200)
    inputs = models.JSONField(help_text="the ranking of each task, by number and digest, and what is registered")
    inputs_digest = models.CharField(max_length=64)
    document = models.JSONField(default=dict, blank=True, help_text="see evaluation.ranking.overall")
    digest = models.CharField(max_length=64, blank=True, help_text="SHA-256 of the document")
    problem = models.CharField(max_length=1000, blank=True)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ["challenge", "name", "created_at", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["challenge", "phase_slug", "name", "inputs_digest"], name="leaderboards_overall_inputs_once"
            ),
            models.CheckConstraint(
                condition=models.Q(digest="") & ~models.Q(problem="") | ~models.Q(digest="") & models.Q(problem=""),
                name="leaderboards_overall_ranking_or_problem",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.challenge}: {self.name}, {self.phase_slug}"
