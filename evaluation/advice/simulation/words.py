"""Sentences about the numbers of a simulation."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from evaluation.advice.simulation.result import share_interval
from evaluation.claims.numbers import cases_down, cases_up, needed_cases
from evaluation.figures.layout import number, percent

if TYPE_CHECKING:
    from evaluation.advice.simulation.result import SimulationResult

_PLACES: Final = 0.05


def sentences(result: SimulationResult) -> list[str]:
    """Return the sentences that accompany the figures, the main one first."""
    all_sentences = [
        *_winner(result),
        *_enough(result),
        _sets(result),
        _order(result),
        _selective(result),
        *result.notes,
        *_basis(result),
    ]
    return [sentence for sentence in all_sentences if sentence]


def _winner(result: SimulationResult) -> list[str]:
    """Return how often a winner is significant and confirmed, and how often wrong."""
    cases, boards = result.cases, result.boards
    if result.units_needed is None:
        return ["No board of this design can name a winner: nothing is resampled, too seldom, or extremes are ranked."]
    if cases < result.units_needed:
        return [
            f"With {cases} cases no winner can be named, whatever the results. The minimum is {result.units_needed} cases."
        ]
    lead = f"With {cases} cases and {result.teams} teams, a winner would be significant in"
    sentences = [f"{lead} {_share(boards.named, boards.boards)} simulated challenges."]
    if boards.named > 0:
        sentences += [
            f"The winner would be confirmed, whatever rare failures there are, in {_share(boards.confirmed, boards.boards)}.",
            f"A wrong winner would be named in {_share(boards.wrong, boards.boards)}.",
        ]
    return sentences


def _share(share: float, number: int) -> str:
    """Return a share as a count of a hundred, with its 95 % interval.

    Examples
    --------
    >>> _share(0.38, 400), _share(0.0, 400), _share(1.0, 100)
    ('38 of 100 (95 % interval 33 to 43)', '0 of 100 (95 % interval 0 to 1)', '100 of 100 (95 % interval 96 to 100)')
    """
    low, high = share_interval(share, number)
    count = "fewer than 1" if 0.0 < share < 0.01 else "more than 99" if 0.99 < share < 1.0 else f"{100 * share:.0f}"
    return f"{count} of 100 (95 % interval {math.floor(100 * low)} to {math.ceil(100 * high)})"


def _enough(result: SimulationResult) -> list[str]:
    """Return sentences on the number of cases needed, by the definition of boards."""
    needed = result.needed
    if needed is None:
        if result.units_needed is None:
            return []
        return [
            "The number of cases needed is computed only for rankings by a mean over cases. The figure shows other numbers."
        ]
    words = needed_cases(needed.median, needed.low, needed.high, "cases", over=" over simulated challenges")
    sentences = [
        f"{words} to show a difference between the two best teams.",
        "With this number the difference is significant in 80 of 100 challenges with these two teams, as on boards.",
    ]
    if needed.pilot is not None:
        low, high = needed.pilot
        if low is None:
            return [*sentences, "Almost every resampled pilot needs more than 10,000 cases."]
        small = ": this pilot is too small to plan with" if high is None else ""
        sentences.insert(1, f"Resampled pilots give {cases_down(low)} to {cases_up(high)} cases{small}.")
    return sentences


def _sets(result: SimulationResult) -> str:
    """Return a sentence about the rank sets."""
    boards = result.boards
    if result.units_needed is None or result.cases < result.units_needed:
        return ""
    level = f"{100 * result.interval:g} %"
    return (
        f"A rank set at the level of {level} would contain {number(boards.width, 2)} of {result.teams} ranks on average, that of the "
        f"first {number(boards.first_width, 2)}."
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


def _basis(result: SimulationResult) -> list[str]:
    sources = {model["source"] for model in result.models}
    if sources == {"pilot"}:
        basis = "the spread of the pilot"
    elif "assumed" in sources:
        basis = "an assumed spread, which may be far from yours (a pilot measures it)"
    else:
        basis = "the spread that you gave"
    sentences = [f"All this rests on {basis}, on independent cases, and on teams that differ at random."]
    if result.failures > 0.0:
        sentences.append(f"Each team fails in {_per_cent(result.failures)} of cases.")
    else:
        sentences.append(
            "No failures are simulated. Failures of one team in a few cases make these numbers too favourable."
        )
    skewed = sorted({round(model["skewness"], 1) for model in result.models} - {0.0})
    if skewed:
        of = f"{skewed[0]:g}" if len(skewed) == 1 else f"{skewed[0]:g} to {skewed[-1]:g}"
        sentences.append(f"Deviations of a team on a case have a skewness of {of} where more is better.")
    else:
        sentences.append(
            "No skewness is simulated. A few very bad cases of one team make these numbers too favourable."
        )
    return sentences


def _per_cent(share: float) -> str:
    """Return a share with two significant digits.

    Examples
    --------
    >>> _per_cent(0.0125), _per_cent(0.5)
    ('1.2 %', '50 %')
    """
    return f"{100 * share:.2g} %"
