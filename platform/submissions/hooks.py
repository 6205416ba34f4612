"""Where the apps below learn of results and add to the submit page: the few typed hooks, filled in `AppConfig.ready`.

`run_scored`
    Called with the id of the phase inside the transaction that stores a run's result, or ends one without a result that was
    to replace an earlier one.
`try_me`
    Files that a visitor may try the submit page with, for a phase (example mode).
`placed`
    How the team of a submission stands in the ranking of its phase, as the person who asks may see it.
`public_stands`
    How each submission that counts stands in the ranking of a phase that everybody may see.
`ranks`
    The same in a few words, of some teams in several phases at once.
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
    """One metric in one region: what a team reached, another one, and the field.

    Attributes
    ----------
    own, other, median
        Positions of the three on the scale of the metric, which all its regions share: from worse (0) to better (1); None
        without a value.
    own_range, other_range
        Ends of the resampling ranges of the two teams on the same scale; None without one.
    own_text, other_text, median_text
        The values.
    leads
        Whether the team is better than the other one; None where nobody is.
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
    """How a team stands.

    Attributes
    ----------
    yours, theirs
        Its rank as a sentence, for its members and for others.
    places
        By how many places better than in the ranking before, as text; empty where there is none or it is the same.
    is_better
        Whether that is up.
    other
        The team it is compared with.
    teams
        Names of the teams that it can be compared with.
    medians
        Metric and region → case → median of the teams, of the hardest cases, where the person may see cases.
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
        """Whether a resampling range is drawn in the comparison."""
        return any(gap.own_range or gap.other_range for gap in self.gaps)


@dataclass(frozen=True)
class Stand:
    """The place of a submission that counts, in words; see `Placed`."""

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
    """How the submission's team stands for `user`, compared with the team called `other`; None where it does not say."""
    return next((standing for provider in placed if (standing := provider(user, submission, other))), None)


def public_stands_in(phase: Phase) -> dict[str, Stand]:
    """By submission's id the place of those that count in the ranking that everybody may see; empty where nobody may."""
    return {key: stand for provider in public_stands for key, stand in provider(phase).items()}


def ranks_of(user: Any, phases: Sequence[Phase], teams: Sequence[str]) -> dict[tuple[int, str], str]:
    """By phase and team how the team ranks for `user`, in words; without those of which nothing may be said."""
    return {key: words for provider in ranks for key, words in provider(user, phases, teams).items()}
