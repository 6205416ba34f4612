"""Figures and comparisons derived from a ranking after it became current."""

from django.db import models
from django.db.models import Q

from core.work.models import Work
from leaderboards.models.rankings import RankingVersion


class Analysis(Work):
    """Figures and comparisons of a version: made step by step behind it, so that no score waits for a figure.

    The ranking itself, its digest and its sentences are complete without; nothing in here changes what was published.
    """

    version = models.OneToOneField(RankingVersion, on_delete=models.CASCADE, related_name="analysis")
    figures = models.JSONField(default=dict, help_text="figure name → order → file in the private storage")
    sentences = models.JSONField(default=dict, help_text="order → what the comparisons say")
    findings = models.JSONField(default=dict, help_text="tables of the tabs, by name of the step that made them")
    steps = models.JSONField(default=list, help_text="names of the steps that are done")
    total = models.PositiveSmallIntegerField(default=0, help_text="how many steps there are; 0 before the first one")
    finished_at = models.DateTimeField(null=True, blank=True)
    is_superseded = models.BooleanField(
        default=False,
        help_text="a later version took its place before all figures were drawn: the others are not drawn",
    )
    failures = models.JSONField(default=dict, help_text="step → why it failed; for organizers")

    class Meta:
        verbose_name_plural = "analyses"
        constraints = [
            models.CheckConstraint(
                condition=Q(finished_at=None) | Q(total__gt=0), name="leaderboards_finished_analysis_had_steps"
            ),
        ]
        indexes = [
            models.Index(fields=["version"], condition=Q(finished_at=None), name="leaderboards_unfinished"),
        ]

    def __str__(self) -> str:
        return f"analysis of {self.version}"

    @property
    def is_finished(self) -> bool:
        return self.finished_at is not None

    @property
    def is_pending(self) -> bool:
        """True if figures are not yet complete."""
        return self.finished_at is None and not self.is_superseded

    @property
    def done(self) -> int:
        """Number of completed steps."""
        return len(self.steps)
