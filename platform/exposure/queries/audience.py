"""For whom a report is made, and what it may say of a phase."""

from enum import StrEnum

from challenges.models import Phase
from test_sets.queries.decoys import keeps_decoys


class Audience(StrEnum):
    """For whom a report is made: organizers see everything, the public what every visitor of the pages sees."""

    ORGANIZERS = "organizers"
    PUBLIC = "public"


class Level(StrEnum):
    """What a report may say of a phase."""

    ALL = "all"
    RANKING = "ranking"
    NOTHING = "nothing"


def level_for(phase: Phase, audience: Audience) -> Level:
    """What everybody may see of a phase at this moment: single cases once it has closed, nothing while it is sealed."""
    if audience is Audience.ORGANIZERS or phase.is_revealed:
        return Level.ALL
    return Level.NOTHING if phase.is_sealed or keeps_decoys(phase) else Level.RANKING
