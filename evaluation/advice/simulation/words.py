"""What a simulation says, in sentences made from its numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from evaluation.figures.layout import number, percent

if TYPE_CHECKING:
    from evaluation.advice.simulation.result import SimulationResult

_GOOD: Final = 0.9
_PLACES: Final = 0.05


def sentences(result: SimulationResult) -> list[str]:
    """The sentences that stand beside the figures, the main one first."""
    said = [_headline(result), _intervals(result), _cases(result), _selective(result), *result.notes, _basis(result)]
    return [sentence for sentence in said if sentence]


def _headline(result: SimulationResult) -> str:
    lead = (
        f"With {result.cases} cases and {result.teams} teams the truly best team ranks first alone in "
        f"{percent(result.best_wins)} of {result.samples} simulated challenges (± {100 * result.margin:.0f} points)"
    )
    if result.best_shares_first - result.best_wins > 0.01:
        lead += f", and shares the first place in another {percent(result.best_shares_first - result.best_wins)}"
    judged = "" if result.best_wins >= _GOOD else " Expect that no winner is named, or add cases."
    return f"{lead}.{judged}"


def _intervals(result: SimulationResult) -> str:
    widths = result.interval_widths
    middle = widths[(result.teams - 1) // 2]
    return (
        f"The {result.interval:.0%}".replace("%", " %") + f" resampling range on the leaderboard would span "
        f"{number(1 + widths[0], 2)} ranks for the best team and {number(1 + middle, 2)} for the one in the middle, "
        f"of {result.teams}."
    )


def _cases(result: SimulationResult) -> str:
    ahead = _about(result.cases_ahead)
    significant = _about(result.cases_significant)
    if ahead is None or significant is None:
        return "No number of cases that one could collect would tell the first of a typical field from the second."
    return (
        f"In a typical field {ahead} cases would put the first ahead of the second in 95 % of challenges, and "
        f"{significant} would make it significantly better in 80 %."
    )


def _about(cases: int | None) -> str | None:
    if cases is None:
        return None
    if cases < 20:
        return f"about {cases}"
    digits = len(str(cases)) - 2
    rounded = -(-cases // 10**digits) * 10**digits
    return f"about {rounded}"


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
