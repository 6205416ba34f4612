"""Events that webhooks report, with the acts of the audit log that they report.

A message contains the event, the challenge or call, and an address. It contains no name of a person or team, no score and
no rank, so nothing hidden leaves the platform, whoever reads the receiving channel.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Event:
    """One event.

    Attributes
    ----------
    id
        Type in messages, in the form ``object.past_participle``.
    label
        Name in forms.
    text
        Sentence about the event, for people.
    acts
        Acts of the audit log that are this event.
    """

    id: str
    label: str
    text: str
    acts: frozenset[str]


def _event(name: str, label: str, text: str, *acts: str) -> Event:
    return Event(name, label, text, frozenset(acts))


CHALLENGE_EVENTS: Final = (
    _event("submission.received", "Submission received", "A submission was received.", "submission_received"),
    _event("submission.scored", "Submission scored", "A submission was scored.", "run_scored"),
    _event("submission.failed", "Scoring failed", "The scoring of a submission failed.", "run_failed"),
    _event("ranking.computed", "Ranking computed", "A new version of the ranking was computed.", "ranking_computed"),
    _event("ranking.final", "Ranking final", "The ranking is final.", "ranking_final"),
    _event("team.created", "Team created", "A new team takes part.", "team_made"),
    _event("participant.registered", "Terms accepted", "A person accepted the terms.", "terms_accepted"),
    _event("case.reported", "Case reported", "A participant reported a problem with a test case.", "case_reported"),
    _event("test_set.sealed", "Test set sealed", "A test set was sealed.", "test_set_sealed"),
    _event("phase.opened", "Submissions opened", "Submissions are open.", "submissions_opened"),
    _event("phase.closed", "Phase closed", "A phase was closed.", "phase_closed"),
    _event("announcement.published", "Announcement", "There is a new announcement.", "announcement_published"),
    _event("report.published", "Report published", "A report was published.", "report_published"),
)
CALL_EVENTS: Final = (
    _event("design.submitted", "Design submitted", "A design was submitted.", "filing_submitted"),
    _event("design.decided", "Decision", "A design was decided.", "filing_accepted", "filing_rejected"),
    _event("revision.submitted", "Revision submitted", "A revised design was submitted.", "filing_revision_submitted"),
    _event("design.withdrawn", "Design withdrawn", "A design was withdrawn.", "filing_withdrawn"),
    _event("review.submitted", "Review submitted", "A review was submitted.", "review_sent"),
    _event("reviewer.joined", "Reviewer joined", "A reviewer joined.", "reviewer_joined"),
)
TEST: Final = Event("webhook.test", "Test", "This is a test message of Podium.", frozenset())
BY_ID: Final = {event.id: event for event in (*CHALLENGE_EVENTS, *CALL_EVENTS, TEST)}


def acts_of(ids: Iterable[str]) -> set[str]:
    """Return the acts of the audit log that belong to events."""
    return {act for name in ids if name in BY_ID for act in BY_ID[name].acts}


def event_of(act: str, ids: Collection[str]) -> Event | None:
    """Return the chosen event that an act is, or None.

    Examples
    --------
    >>> event_of("run_scored", ["submission.scored"]).label
    'Submission scored'
    >>> event_of("run_scored", ["ranking.final"]) is None
    True
    """
    return next((BY_ID[name] for name in ids if name in BY_ID and act in BY_ID[name].acts), None)
