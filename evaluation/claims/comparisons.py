"""Statements that compare a ranking with alternatives: other schemes, withheld cases, copies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from evaluation.claims.catalogue import CATALOGUE, Claim, Said
from evaluation.ranking.reading import MOST_NAMED
from evaluation.wording import joined

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


@dataclass(frozen=True)
class Schemes:
    """Algorithms that are first when the same results are ranked by other common schemes.

    Attributes
    ----------
    comparison
        Result of `evaluation.ranking.comparison.compare`.
    """

    comparison: Mapping[str, Any]

    @property
    def registered(self) -> set[str]:
        """Algorithms that are first by the registered scheme."""
        return set(self.comparison["winners"][self.comparison["reference"]])

    @property
    def others(self) -> dict[str, set[str]]:
        """Algorithms that are first by each other scheme."""
        return {
            label: set(names)
            for label, names in self.comparison["winners"].items()
            if label != self.comparison["reference"]
        }

    @property
    def all_tied_else_same(self) -> bool:
        """True if all are first by some other scheme, and the others agree with the registered scheme."""
        everybody = len(self.comparison["algorithms"])
        rest = [names for names in self.others.values() if len(names) < everybody]
        return len(rest) < len(self.others) and all(names == self.registered for names in rest)

    @property
    def newcomers(self) -> list[str]:
        """Those who are first by another scheme only."""
        return sorted(set().union(*self.others.values()) - self.registered)


def _stays(number: int, total: int, *, one: bool) -> str:
    """Under how many of the other schemes the first place stays, after its subject."""
    if number == 0:
        whom = "the other scheme" if total == 1 else f"any of the {total} other schemes"
        return f"{'does' if one else 'do'} not stay first under {whom}"
    all_of_them = "both" if total == 2 else f"all {total}"
    some = all_of_them if number == total else f"{number} of {total}"
    which = "the other scheme" if total == 1 else f"{some} other schemes"
    return f"{'stays' if one else 'stay'} first under {which}"


def _first_elsewhere(schemes: Schemes) -> str:
    registered, others = schemes.registered, schemes.others
    stays = sum(registered <= names for names in others.values())
    sentences = [f"{joined(sorted(registered))} {_stays(stays, len(others), one=len(registered) == 1)}."]
    alike: dict[tuple[tuple[str, ...], tuple[str, ...]], list[str]] = {}
    for name in schemes.newcomers:
        beside = tuple(label for label, names in others.items() if name in names and registered <= names)
        instead = tuple(label for label, names in others.items() if name in names and not registered <= names)
        alike.setdefault((instead, beside), []).append(name)
    for (instead, beside), names in alike.items():
        verbs = ("is first", "shares first place") if len(names) == 1 else ("are first", "share first place")
        parts = [
            f"{verb} under {joined([f'“{label}”' for label in labels])}"
            for verb, labels in zip(verbs, (instead, beside), strict=True)
            if labels
        ]
        who = joined(names) if len(names) <= MOST_NAMED else f"{len(names)} others"
        sentences.append(f"{who} {joined(parts)}.")
    if not schemes.newcomers:
        sentences.append(
            "No other one is first under any of them." if len(others) > 1 else "No other one is first under it."
        )
    return " ".join(sentences)


SCHEMES: Final = CATALOGUE.group(
    Claim(
        "schemes.none_tried",
        "No other scheme was tried.",
        lambda schemes: not schemes.others,
        lambda _: "No other scheme was tried.",
        "No other scheme was tried.",
    ),
    Claim(
        "schemes.first",
        "Others were tried.",
        lambda _: True,
        _first_elsewhere,
        "unet stays first under 3 of 4 other schemes. vnet shares first place under “median”.",
    ),
)


OTHER_WAYS: Final = CATALOGUE.group(
    Claim(
        "schemes.nobody_else",
        "By no other scheme anybody else is first.",
        lambda schemes: bool(schemes.others) and not schemes.newcomers,
        lambda schemes: (
            f"The {len(schemes.others)} other common ways of ranking the same results have the same team in first place."
            if len(schemes.others) > 1
            else "The other common way of ranking the same results has the same team in first place."
        ),
        "The 4 other common ways of ranking the same results have the same team in first place.",
    ),
    Claim(
        "schemes.all_tied",
        "By some other scheme all are first, and by each of the rest those first by the registered one alone.",
        lambda schemes: bool(schemes.newcomers) and schemes.all_tied_else_same,
        lambda _: (
            "By another common way of ranking the same results all teams would be tied; none has another one first."
        ),
        "By another common way of ranking the same results all teams would be tied; none has another one first.",
    ),
    Claim(
        "schemes.others_first",
        "By another scheme somebody else is first.",
        lambda schemes: bool(schemes.newcomers),
        _first_elsewhere,
        "unet stays first under 3 of 4 other schemes. vnet shares first place under “median”.",
    ),
)
"""Statements of a leaderboard about other schemes, of which the first true one is used."""


def _rank(value: float | None) -> str:
    return "–" if value is None else f"{round(value, 2):g}"


def _move(change: Mapping[str, Any]) -> str:
    return (
        f"The largest move is that of {change['algorithm']}, from rank {_rank(change['from'])} to "
        f"{_rank(change['to'])} ({change['label']})."
    )


MOVES: Final = CATALOGUE.group(
    Claim(
        "schemes.no_move",
        "Every algorithm has its rank under every other scheme, too.",
        lambda change: change["from"] == change["to"],
        lambda _: "Every rank is the same under all of them.",
        "Every rank is the same under all of them.",
    ),
    Claim(
        "schemes.largest_move",
        "Some algorithm has another rank under another scheme.",
        lambda _: True,
        _move,
        "The largest move is that of vnet, from rank 2 to 4 (median, then rank).",
    ),
)


def largest_move(comparison: Mapping[str, Any]) -> Said:
    """Return a sentence about the algorithm that moves furthest under the other schemes.

    The move is measured from its registered rank.
    """
    return MOVES.first(comparison["largest_change"])


def first_under_other_schemes(comparison: Mapping[str, Any]) -> Said:
    """Return a sentence about the first algorithms under the other schemes.

    They are the same, the same together with others, or others.

    Parameters
    ----------
    comparison
        Result of `evaluation.ranking.comparison.compare`.

    Examples
    --------
    >>> from evaluation.ranking.comparison import compare
    >>> print(first_under_other_schemes(compare({"mean": {"a": 1, "b": 2}, "median": {"a": 1, "b": 1}})))
    a stays first under the other scheme. b shares first place under “median”.
    """
    return SCHEMES.first(Schemes(comparison))


@dataclass(frozen=True)
class Withholding:
    """Effect of excluding the worst cases, by one metric or by any of several.

    Attributes
    ----------
    gained
        Teams that would have risen even under the registered rule.
    would_have_won
        Teams that could have come first if missing cases had been ignored.
    by_some_metric
        Whether several metrics, regions or tasks were examined.
    """

    gained: Sequence[str]
    would_have_won: Sequence[str]
    by_some_metric: bool


def _of_rule(facts: Withholding) -> str:
    where = " by some metric" if facts.by_some_metric else ""
    return f" Without the rule for missing cases, {joined(facts.would_have_won, 'or')} could have come first{where}."


def _either(names: Sequence[str]) -> str:
    return joined(names, "or")


WITHHOLDING: Final = CATALOGUE.group(
    Claim(
        "withholding.gains",
        "Some algorithm would have ranked better, had it alone left out its worst 5, 10 or 20 % of cases.",
        lambda facts: bool(facts.gained),
        lambda facts: (
            f"{_either(facts.gained)} would have ranked better by omitting its worst cases, even under the registered rule."
            + (_of_rule(facts) if facts.would_have_won else "")
        ),
        "vnet would have ranked better by omitting its worst cases, even under the registered rule.",
    ),
    Claim(
        "withholding.gains_nothing",
        "No algorithm would have ranked better by leaving out its worst 5, 10 or 20 % of cases.",
        lambda facts: not facts.gained,
        lambda facts: "No algorithm gains by omitting bad cases." + (_of_rule(facts) if facts.would_have_won else ""),
        "No algorithm gains by omitting bad cases. Without the rule for missing cases, vnet could have come first.",
    ),
)


def _copies(check: Mapping[str, Any]) -> str:
    gained = sorted({name for entry in check["rankings"] for name in entry["gain"]})
    first = sorted({name for entry in check["rankings"] for name in entry["could_have_won"]})
    words = f"{_some(gained).capitalize() if len(gained) > MOST_NAMED else _some(gained)} would have ranked better with {_counted(check)} slightly worse copies of itself"
    return f"{words}; {_some(first)} could have come first." if first else f"{words}."


def _counted(check: Mapping[str, Any]) -> str:
    return "two" if check["copies"] == 2 else str(check["copies"])


def _some(names: Sequence[str]) -> str:
    return joined(names, "or") if len(names) <= MOST_NAMED else f"any one of {len(names)} algorithms"


COPIES: Final = CATALOGUE.group(
    Claim(
        "copies.independent",
        "By the registered scheme a rank does not depend on who else takes part.",
        lambda check: not check["possible"],
        lambda _: "Entering copies of an algorithm gains nothing: no rank depends on the other participants.",
        "Entering copies of an algorithm gains nothing: no rank depends on the other participants.",
    ),
    Claim(
        "copies.gain_nothing",
        "Ranks depend on who else takes part; no team would have risen with two slightly worse copies of itself.",
        lambda check: not any(entry["gain"] for entry in check["rankings"]),
        lambda check: f"No team would have ranked better with {_counted(check)} slightly worse copies of itself.",
        "No team would have ranked better with two slightly worse copies of itself.",
    ),
    Claim(
        "copies.gain",
        "Somebody would have risen with two slightly worse copies of itself.",
        lambda _: True,
        _copies,
        "vnet would have ranked better with two slightly worse copies of itself; vnet could have come first.",
    ),
)


def entering_copies(check: Mapping[str, Any]) -> Said:
    """Return a sentence about the effect of entering copies of a team.

    Parameters
    ----------
    check
        Result of `evaluation.ranking.copies.copies_check`.
    """
    return COPIES.first(check)


BOTH_WAYS: Final = CATALOGUE.group(
    Claim(
        "both_ways.moved",
        "Ranked by the registered and by the changed assessment, at least one team has another rank.",
        lambda moved: moved > 0,
        lambda moved: (
            f"{moved} {'team has' if moved == 1 else 'teams have'} another rank under the changed assessment."
        ),
        "2 teams have another rank under the changed assessment.",
    ),
    Claim(
        "both_ways.same",
        "Ranked by the registered and by the changed assessment, every team has the same rank.",
        lambda moved: moved == 0,
        lambda _: "No team has another rank under the changed assessment.",
        "No team has another rank under the changed assessment.",
    ),
)
"""Statements about the number of teams whose rank a critical change affected."""
