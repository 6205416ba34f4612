"""Sentences about the numbers of a simulation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from evaluation.figures.layout import number, percent

if TYPE_CHECKING:
    from evaluation.advice.simulation.result import SimulationResult

_PLACES: Final = 0.05


def sentences(result: SimulationResult) -> list[str]:
    """Return the sentences that accompany the figures, the main one first."""
    all_sentences = [_winner(result), _sets(result), _order(result), _selective(result), *result.notes, _basis(result)]
    return [sentence for sentence in all_sentences if sentence]


def _winner(result: SimulationResult) -> str:
    """Return how often a winner is named, how often wrongly, and the number of cases required."""
    cases, boards = result.cases, result.boards
    if result.units_needed is None:
        return "By this design no board can name a winner: nothing is resampled, or too seldom, or extremes are ranked."
    if cases < result.units_needed:
        return (
            f"With {cases} cases no winner can be named, whatever the results: {result.units_needed} are the least. "
            f"{_enough(result)}"
        ).rstrip()
    lead = f"With {cases} cases and {result.teams} teams a winner would be named in {_of_100(boards.named)} simulated challenges"
    if boards.named > 0:
        lead += f", confirmed in {_of_100(boards.confirmed)}, wrongly in {_of_100(boards.wrong)}"
    return f"{lead}. {_enough(result)}".rstrip()


def _of_100(share: float) -> str:
    """A share as a count of a hundred.

    Examples
    --------
    >>> _of_100(0.38), _of_100(0.004), _of_100(0.005), _of_100(0.0)
    ('38 of 100', 'fewer than 1 of 100', 'fewer than 1 of 100', 'fewer than 1 of 100')
    """
    if share <= 0.005:
        return "fewer than 1 of 100"
    if 0.995 <= share < 1.0:
        return "more than 99 of 100"
    return f"{100 * share:.0f} of 100"


def _enough(result: SimulationResult) -> str:
    """Return a sentence with the number of cases that is enough for the larger target."""
    if result.needed is None:
        return "How many cases would be enough is not worked out for this scheme." if result.units_needed else ""
    target = max(result.needed)
    fewest = result.needed[target]
    share = f"{100 * target:.0f} of 100"
    right = result.boards.named - result.boards.wrong
    if right >= target:
        return f"That is enough to name the right one in {share}."
    if fewest is None:
        return f"More than 10,000 cases would be needed to name the right one in {share}."
    fewest = max(fewest, 10 * (result.cases // 10 + 1))
    return f"To name the right one in {share}, about {_about(fewest)} cases are needed."


def _sets(result: SimulationResult) -> str:
    """Return a sentence about the rank sets."""
    boards = result.boards
    if result.units_needed is None or result.cases < result.units_needed:
        return ""
    level = f"{100 * result.interval:g} %"
    return (
        f"A rank set (all of them right together in about {level} of simulated challenges) would contain {number(boards.width, 2)} of "
        f"{result.teams} ranks on average, that of the first {number(boards.first_width, 2)}."
    )


def _order(result: SimulationResult) -> str:
    """Return how often the first rank is right, regardless of whether a winner is named."""
    lead = (
        f"The truly best team ranks first alone in {percent(result.best_wins)} of {result.samples} simulated challenges "
        f"(± {100 * result.margin:.0f} points)"
    )
    if result.best_shares_first - result.best_wins > 0.01:
        lead += f", and shares the first place in another {percent(result.best_shares_first - result.best_wins)}"
    return f"{lead}."


def _about(cases: int) -> str:
    """Two digits, rounded up."""
    digits = max(len(str(cases)) - 2, 0)
    return f"{-(-cases // 10**digits) * 10**digits:,}"


def _selective(result: SimulationResult) -> str:
    most = max(result.selective, key=lambda point: point.share)
    share = percent(most.share)
    if most.registered > _PLACES:
        first = f"Leaving out its worst {share} of cases wins a middling team {number(most.registered, 2)} places"
        return f"{first} under the registered rule: the rule invites selective submission."
    loss = (
        f"costs a middling team {number(-most.registered, 2)} places" if most.registered < -_PLACES else "wins nothing"
    )
    return (
        f"Leaving out its worst {share} of cases {loss} under the registered rule; "
        f"if missing cases were ignored, it would win {number(max(most.ignored, 0.0), 2)} places."
    )


def _basis(result: SimulationResult) -> str:
    sources = {model["source"] for model in result.models}
    if sources == {"pilot"}:
        basis = "the spread of the pilot"
    elif "assumed" in sources:
        basis = "an assumed spread, which may be far from yours (a pilot would tell)"
    else:
        basis = "the spread that you gave"
    return f"All this rests on {basis}, on cases that are independent, and on teams that differ at random."
