"""Acts on pseudonyms: draw one for each team and phase."""

from collections.abc import Iterable

from challenges.models import Phase
from leaderboards.models import Pseudonym


def pseudonyms_of(phase: Phase, teams: Iterable[int], *, over_tasks: bool = False) -> dict[int, str]:
    """Return the pseudonym of each team in a phase by the team's primary key; draw those that are missing.

    A pseudonym is drawn once and stays, so that the versions of a phase can be compared. Another worker that draws at
    the same moment wins: the row of the database counts.
    """
    teams = set(teams)
    rows = Pseudonym.objects.filter(phase=phase, team__in=teams, over_tasks=over_tasks)
    missing = teams - set(rows.values_list("team", flat=True))
    for team in missing:
        Pseudonym.objects.get_or_create(phase=phase, team_id=team, over_tasks=over_tasks)
    return dict(rows.all().values_list("team", "word"))
