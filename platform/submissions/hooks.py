"""Typed hooks that notify the apps below of results and add to the submit page; filled in `AppConfig.ready`.

`run_scored`
    Called with the id of the phase, inside the transaction that stores a run's result. Also called when a
    run ends without a result that was to replace an earlier one.
`try_me`
    Files with which a visitor can try the submit page of a phase (example mode).
`placed`
    Rank of a submission's team in the ranking of its phase, as far as the requesting person may see it.
`public_stands`
    Rank of each submission that counts, in the public ranking of a phase.
`ranks`
    Ranks as short text, of some teams in several phases at once.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from challenges.models import Phase
from submissions.models import Submission
from web.hooks import Hook


@dataclass(frozen=True)
class TryMe:
    """A file to try the submit page with."""

    label: str
    description: str
    url: str


@dataclass(frozen=True)
class Gap:
    """One metric in one region: the values of a team, of another team, and of the field.

    Attributes
    ----------
    own, other, median
        Positions of the three values on the scale of the metric, from worse (0) to better (1). All regions of
        the metric share the scale. None without a value.
    own_range, other_range
        Ends of the resampling ranges of the two teams on the same scale; None without a range.
    own_text, other_text, median_text
        The values as text.
    leads
        True if the team is better than the other team; None if neither is better.
    """

    label: str
    unit: str
    own: float | None
    other: float | None
    median: float | None
    own_range: tuple[float, float] | None
    other_range: tuple[float, float] | None
    own_text: str
    other_text: str
    median_text: str
    leads: bool | None


@dataclass(frozen=True)
class Placed:
    """Position of a team in a ranking.

    Attributes
    ----------
    yours, theirs
        The team's rank as a sentence, for its members and for others.
    places
        Change of rank since the previous ranking, as text; empty if there is no previous ranking or no
        change.
    is_better
        True if the change is an improvement.
    other
        The team that it is compared with.
    teams
        Names of the teams that it can be compared with.
    medians
        Metric and region → case → median of the teams. Contains the hardest cases, if the person may see
        cases.
    """

    yours: str
    theirs: str
    places: str
    is_better: bool
    address: str
    other: str
    teams: tuple[str, ...]
    gaps: tuple[Gap, ...]
    medians: Mapping[str, Mapping[str, str]]

    @property
    def has_ranges(self) -> bool:
        """True if the comparison shows a resampling range."""
        return any(gap.own_range or gap.other_range for gap in self.gaps)


@dataclass(frozen=True)
class Stand:
    """Rank of a submission that counts, as text; see `Placed`."""

    rank: str
    could_be: str
    number_of_teams: int


RunScored = Callable[[int], None]
Ranks = Callable[[Any, Sequence[Phase], Sequence[str]], dict[tuple[int, str], str]]
PlacedProvider = Callable[[Any, Submission, str], Placed | None]
PublicStands = Callable[[Phase], Mapping[str, Stand]]
TryMeProvider = Callable[[Phase], list[TryMe]]

run_scored: Hook[RunScored] = Hook()
try_me: Hook[TryMeProvider] = Hook()
placed: Hook[PlacedProvider] = Hook()
public_stands: Hook[PublicStands] = Hook()
ranks: Hook[Ranks] = Hook()


def try_me_files(phase: Phase) -> list[TryMe]:
    """Return what may be tried with a phase."""
    return [entry for provider in try_me for entry in provider(phase)]


def place_of(user: Any, submission: Submission, other: str) -> Placed | None:
    """Return the position of the submission's team for `user`, compared with the team `other`.

    None if `user` cannot see the position.
    """
    return next((standing for provider in placed if (standing := provider(user, submission, other))), None)


def public_stands_in(phase: Phase) -> dict[str, Stand]:
    """Return the public rank of each submission that counts, by submission id; empty without a public ranking."""
    return {key: stand for provider in public_stands for key, stand in provider(phase).items()}


def ranks_of(user: Any, phases: Sequence[Phase], teams: Sequence[str]) -> dict[tuple[int, str], str]:
    """Return the teams' ranks as `user` sees them, as text by phase and team; ranks that are hidden are missing."""
    return {key: words for provider in ranks for key, words in provider(user, phases, teams).items()}
