"""Reads worth naming."""

from challenges.queries.challenges import (
    key_of,
    label_of,
    name_phases,
    phase_that_matters,
    phases_of,
    public_challenges,
    readable_challenges,
    team_of,
    visible_challenge,
)
from challenges.queries.deviations import Marked, deviations
from challenges.queries.events import event_of
from challenges.queries.projections import (
    FieldDifference,
    arrivals_of,
    assessment_by_digest,
    projection_differences,
    projection_of,
    public_document,
    registered_document,
    registered_execution,
    registered_facts,
    scoring_key,
)
from challenges.queries.rules_of_participation import rules_of
from challenges.queries.timetable import limits_of, period_of, timetable_of

__all__ = [
    "FieldDifference",
    "Marked",
    "arrivals_of",
    "assessment_by_digest",
    "deviations",
    "event_of",
    "key_of",
    "label_of",
    "limits_of",
    "name_phases",
    "period_of",
    "phase_that_matters",
    "phases_of",
    "projection_differences",
    "projection_of",
    "public_challenges",
    "public_document",
    "readable_challenges",
    "registered_document",
    "registered_execution",
    "registered_facts",
    "rules_of",
    "scoring_key",
    "team_of",
    "timetable_of",
    "visible_challenge",
]
