"""Pseudonyms of teams in rankings: drawn at random, one for each phase, so that phases cannot be linked."""

from django.db import models

from challenges.models import Phase, Team
from challenges.models.challenges import new_pseudonym


class Pseudonym(models.Model):
    """The key of a team in the rankings of one phase, wherever the registered policy does not name every team.

    Rankings are computed, stored and digested with it. `leaderboards.queries.names` replaces it by the name of the team
    when a page or a file is made, for as long as the team may be named. `over_tasks` marks the key for rankings that
    combine the phases of one short name; it belongs to the phase of the first task.
    """

    phase = models.ForeignKey(Phase, on_delete=models.CASCADE, related_name="pseudonyms")
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="pseudonyms")
    over_tasks = models.BooleanField(default=False)
    word = models.CharField(max_length=40, unique=True, default=new_pseudonym, editable=False)

    class Meta:
        ordering = ["phase", "word"]
        constraints = [
            models.UniqueConstraint(fields=["phase", "team", "over_tasks"], name="leaderboards_one_pseudonym"),
        ]

    def __str__(self) -> str:
        return self.word
