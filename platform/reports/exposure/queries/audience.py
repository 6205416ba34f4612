"""Audience of a report, and the information about a phase that it can contain."""

from enum import StrEnum

from challenges.models import Phase
from datastore.test_sets.domain.case_access import Reader
from datastore.test_sets.queries.decoys import keeps_decoys
from datastore.test_sets.rules import access_of


class Audience(StrEnum):
    """For whom a report is made: organizers see everything, the public what every visitor of the pages sees."""

    ORGANIZERS = "organizers"
    PUBLIC = "public"


class Level(StrEnum):
    """Information about a phase that a report can contain."""

    ALL = "all"
    RANKING = "ranking"
    NOTHING = "nothing"


def level_for(phase: Phase, audience: Audience) -> Level:
    """Return what a report may contain of a phase now: single cases where its readers see them, nothing while it is sealed."""
    reader = Reader.ORGANIZER if audience is Audience.ORGANIZERS else Reader.PUBLIC
    if access_of(reader, phase).values:
        return Level.ALL
    return Level.NOTHING if phase.is_sealed or keeps_decoys(phase) else Level.RANKING
