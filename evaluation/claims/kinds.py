"""Statements of figures for single kinds of problem.

They cover the changes by an algorithm, the better algorithm case by case, and the label at which all are bad.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from evaluation.claims.catalogue import CATALOGUE, Claim
from evaluation.wording import counted, joined

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True)
class Change:
    """Effect of one algorithm on the cases, compared with no change.

    Attributes
    ----------
    name
        Name of the algorithm.
    before, after
        The medians, with their unit.
    worse, cases
        Number of cases with a worse value than before, and number of all cases.
    """

    name: str
    before: str
    after: str
    worse: int
    cases: int


@dataclass(frozen=True)
class Duel:
    """Two algorithms on the cases of which both have a value.

    Attributes
    ----------
    wins, losses, cases
        On how many of the cases the first is better, on how many it is worse.
    """

    first: str
    other: str
    wins: int
    losses: int
    cases: int


@dataclass(frozen=True)
class Labels:
    """The best value that any algorithm has at each label.

    Attributes
    ----------
    what
        What the values are.
    best
        By label; ``None`` where no algorithm has a value.
    higher
        Whether higher values are better.
    shown
        A value as it is written.
    """

    what: str
    best: Mapping[str, float | None]
    higher: bool
    shown: Mapping[str, str]

    @property
    def known(self) -> dict[str, float]:
        """The labels with a value."""
        return {name: value for name, value in self.best.items() if value is not None}

    @property
    def worst(self) -> list[str]:
        """The labels at which even the best value is no better than at any other."""
        if not self.known:
            return []
        least = (min if self.higher else max)(self.known.values())
        return [name for name, value in self.known.items() if value == least]

    @property
    def unknown(self) -> list[str]:
        """The labels without a value."""
        return [name for name in self.best if name not in self.known]


CHANGED: Final = CATALOGUE.group(
    Claim(
        "kinds.changed",
        "An algorithm has values of cases of which the value without it is known.",
        lambda change: change.cases > 0,
        lambda change: (
            f"{change.name}: median {change.after}, before {change.before}; worse than before in {change.worse} of "
            f"{counted(change.cases, 'case')}."
        ),
        "demons: median 1.9 mm, before 4.2 mm; worse than before in 2 of 12 cases.",
    ),
)
"""Statements about the effect of one algorithm on the cases."""

CASE_BY_CASE: Final = CATALOGUE.group(
    Claim(
        "kinds.case_by_case",
        "Two algorithms have values of the same cases.",
        lambda duel: duel.cases > 0,
        lambda duel: (
            f"{duel.first} is better than {duel.other} in {duel.wins} and worse in {duel.losses} of "
            f"{counted(duel.cases, 'case')} that both have."
        ),
        "unet is better than vnet in 8 and worse in 3 of 12 cases that both have.",
    ),
)
"""Statements about the number of cases on which each of two algorithms is better."""

LACKING: Final = CATALOGUE.group(
    Claim(
        "kinds.lacking",
        "Of algorithms that are compared case by case some have no value of some cases.",
        lambda facts: any(facts[0].values()),
        lambda facts: (
            "In no panel, since there is no value: "
            + joined(
                [f"{missing} of {counted(facts[1], 'case')} of {name}" for name, missing in facts[0].items() if missing]
            )
            + "."
        ),
        "In no panel, since there is no value: 2 of 12 cases of vnet.",
    ),
)
"""Statements about cases excluded from a case-by-case comparison.

They use the number of these cases by algorithm, and of all cases.
"""

LABELS: Final = CATALOGUE.group(
    Claim(
        "kinds.worst_label",
        "Of several labels with a value some, but not all, have the worst best value.",
        lambda labels: 0 < len(labels.worst) < len(labels.known),
        lambda labels: (
            f"The best {labels.what} of any algorithm is worst at {joined(labels.worst)}: {labels.shown[labels.worst[0]]}."
        ),
        "The best AUROC of any algorithm is worst at effusion: 0.71.",
    ),
    Claim(
        "kinds.no_value_at_label",
        "At some labels no algorithm has a value.",
        lambda labels: bool(labels.unknown),
        lambda labels: f"No algorithm has a value at {joined(labels.unknown)}.",
        "No algorithm has a value at effusion.",
    ),
)
"""At which labels even the best value is bad, and at which there is none."""
