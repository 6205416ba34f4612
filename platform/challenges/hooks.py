"""Typed hooks with which the apps below contribute to a challenge, filled in `AppConfig.ready`.

`tabs`
    Entries of the navigation of a challenge.
`phase_facts`
    Facts about all phases at once that only a lower app knows (number of cases, number of submissions).
`figures`
    Figures for the first page of organizers that only a lower app knows (submissions, failed work, pending work).
`exports`
    Files of an export that only a lower app can write (rankings), one after the other.
`phase_closed`
    Called inside the transaction that closes a phase.
`assessment_changed`
    Called inside the transaction that gives a phase another registered assessment, with the phase's id and whether
    cases must be scored again.
`submitted`
    Returns what a team has submitted (`SubmittedTasks`).
`standing_changed`
    Called inside the transaction that changes how a team takes part in rankings, with the team's id.
`entrants`
    Teams that would be ranked if a phase closed now, and teams that would not, with the reason.
`final_ranks`
    Rank of each team in the final ranking of a phase (`FinalRank`), by team; ``None`` until there is one.
`reminders`
    Sends a reminder to the members of teams that would not be ranked; returns the number of teams that received it.
`arrivals`
    The submissions to each task of a challenge: arrival of the first accepted one, and number of refused ones.
`teams_scored`
    Number of teams with a score in a phase at a moment. It shows what organizers could know when they requested a
    change.
`steps`
    Steps of the checklist of organizers that only a lower app knows (data, test sets, report).
`case_counts`
    Returns the number of distinct test cases of some challenges (ids).
`data_access`
    Access of participants to data (`DataAccess`): the choices of the catalogue, and the access of some challenges.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Q

from accounts.models import User
from challenges.models import Challenge, Phase, Team
from web.hooks import Hook


@dataclass(frozen=True)
class Tab:
    """One entry of a challenge's navigation; `visible` decides for the user who looks."""

    label: str
    url_name: str
    visible: Callable[[Any, Challenge], bool]


@dataclass(frozen=True)
class SubmittedTasks:
    """Tasks (ids) with a submission of a team that counts, and whether it ever sent anything."""

    tasks: frozenset[int] = frozenset()
    anything: bool = False


@dataclass(frozen=True)
class Figure:
    """A number on the first page of organizers, with its link and whether an organizer must act."""

    label: str
    value: str
    address: str = ""
    needs_you: bool = False


@dataclass(frozen=True)
class Arrivals:
    """Submissions to a task: when the first accepted one arrived, and how many were refused."""

    first_accepted_at: datetime | None = None
    refused: int = 0


@dataclass(frozen=True)
class Entrant:
    """A team before a phase closes.

    Attributes
    ----------
    outcome
        ``ranked``, ``pending`` (its submission is still being processed) or ``not_ranked``.
    code
        Name of the reason why it is not ranked; empty for a ranked team.
    reason
        The reason as text.
    submissions
        The submissions that are ranked, or the submission that is not.
    can_remind
        True if the members of the team can resolve the reason.
    """

    team: int
    name: str
    outcome: str
    code: str = ""
    reason: str = ""
    submissions: tuple[str, ...] = ()
    can_remind: bool = False


@dataclass(frozen=True)
class FinalRank:
    """Rank of a team in a final ranking, and the best rank of its rank set; equal where there is no set."""

    rank: float
    best: float


@dataclass(frozen=True)
class DataAccess:
    """Access of participants to the data of challenges.

    Attributes
    ----------
    choices
        Values and labels of the filter.
    condition
        Returns the condition of challenges with a value.
    values
        Returns the values of some challenges (ids), each with the values that apply.
    """

    choices: tuple[tuple[str, str], ...]
    condition: Callable[[str], Q]
    values: Callable[[Collection[int]], Mapping[int, Sequence[str]]]


@dataclass(frozen=True)
class Step:
    """A step from the design of a challenge to its report.

    Attributes
    ----------
    order
        Position in the checklist, small numbers first.
    note
        Facts about the state, such as the date or ``2 of 3``.
    person
        The person who did it; empty if the owners must act.
    act, address
        Next action and its page.
    """

    title: str
    is_done: bool
    order: int
    note: str = ""
    person: str = ""
    act: str = ""
    address: str = ""


PhaseFacts = Callable[[Sequence[Phase]], dict[int, list[tuple[str, str]]]]
Figures = Callable[[Challenge], list[Figure]]
Exports = Callable[[Challenge], Iterator[tuple[str, str]]]
PhaseClosed = Callable[[int], None]
AssessmentChanged = Callable[[int, bool], None]
Entrants = Callable[[Phase], list[Entrant]]
Reminders = Callable[[Phase, Collection[int], User], int]
ArrivalsByTask = Callable[[Challenge], Mapping[int, Arrivals]]
TeamsScored = Callable[[Phase, datetime], int]
Steps = Callable[[Challenge], list[Step]]
CaseCounts = Callable[[Collection[int]], Mapping[int, int]]
Submitted = Callable[[Team], SubmittedTasks]
StandingChanged = Callable[[int], None]
FinalRanks = Callable[[Phase], Mapping[int, FinalRank] | None]

_tabs: Hook[Tab] = Hook()
phase_facts: Hook[PhaseFacts] = Hook()
figures: Hook[Figures] = Hook()
exports: Hook[Exports] = Hook()
phase_closed: Hook[PhaseClosed] = Hook()
assessment_changed: Hook[AssessmentChanged] = Hook()
arrivals: Hook[ArrivalsByTask] = Hook()
entrants: Hook[Entrants] = Hook()
reminders: Hook[Reminders] = Hook()
teams_scored: Hook[TeamsScored] = Hook()
submitted: Hook[Submitted] = Hook()
standing_changed: Hook[StandingChanged] = Hook()
final_ranks: Hook[FinalRanks] = Hook()
steps: Hook[Steps] = Hook()
case_counts: Hook[CaseCounts] = Hook()
data_access: Hook[DataAccess] = Hook()
_pages: Hook[Tab] = Hook()


def everybody(user: Any, challenge: Challenge) -> bool:  # noqa: ARG001 (the signature of a predicate)
    """Predicate of tabs that all who see the challenge see."""
    return True


def register_tab(
    label: str, url_name: str, *, visible: Callable[[Any, Challenge], bool] = everybody, order: int = 50
) -> None:
    """Add an entry to the navigation of every challenge; `url_name` takes the challenge's slug."""
    _tabs.register(Tab(label=label, url_name=url_name, visible=visible), order=order)


def tabs_for(user: Any, challenge: Challenge) -> list[Tab]:
    """Return the entries that `user` may see, in order."""
    return [tab for tab in _tabs if tab.visible(user, challenge)]


def facts_of(phases: Sequence[Phase]) -> dict[int, list[tuple[str, str]]]:
    """Return what all apps know about phases: id of the phase → label and value."""
    facts_by_phase: dict[int, list[tuple[str, str]]] = {phase.pk: [] for phase in phases}
    for provider in phase_facts:
        for pk, facts in provider(phases).items():
            facts_by_phase[pk].extend(facts)
    return facts_by_phase


def figures_of(challenge: Challenge) -> list[Figure]:
    """Return the figures of the lower apps for the first page of organizers."""
    return [figure for provider in figures for figure in provider(challenge)]


def case_counts_of(challenges: Collection[int]) -> dict[int, int]:
    """Return the number of distinct test cases of some challenges (ids); those without a test set are absent."""
    return {pk: count for provider in case_counts for pk, count in provider(challenges).items()}


def access_choices() -> list[tuple[str, str]]:
    """Return the values and labels of the access to data."""
    return [choice for provider in data_access for choice in provider.choices]


def access_condition(value: str) -> Q:
    """Return the condition of challenges with an access to data."""
    provider = next(provider for provider in data_access if value in dict(provider.choices))
    return provider.condition(value)


def access_of(challenges: Collection[int]) -> dict[int, str]:
    """Return how participants get the data of some challenges (ids), as text."""
    return {
        pk: ", ".join(dict(provider.choices)[value] for value in values)
        for provider in data_access
        for pk, values in provider.values(challenges).items()
    }


def steps_of(challenge: Challenge) -> list[Step]:
    """Return the steps of the lower apps for the checklist."""
    return [step for provider in steps for step in provider(challenge)]


def handed_in(team: Team) -> SubmittedTasks:
    """Return the submissions of a team, combined from all apps."""
    entries = [provider(team) for provider in submitted]
    return SubmittedTasks(
        frozenset(task for entry in entries for task in entry.tasks), any(entry.anything for entry in entries)
    )


def register_organizer_page(
    label: str, url_name: str, *, visible: Callable[[Any, Challenge], bool], order: int = 50
) -> None:
    """Add a page to the navigation that organizers see below the tab of theirs; `url_name` takes the challenge's slug."""
    _pages.register(Tab(label=label, url_name=url_name, visible=visible), order=order)


def organizer_pages_for(user: Any, challenge: Challenge) -> list[Tab]:
    """Return the organizers' pages that `user` may see, in order."""
    return [page for page in _pages if page.visible(user, challenge)]
