"""What figures of single kinds of problem say: what an algorithm changed, who is better case by case, which label is hardest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from evaluation.claims.catalogue import CATALOGUE, Claim
from evaluation.wording import counted, joined

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True)
class Change:
    """What one algorithm made of the cases, against nothing being done.

    Attributes
    ----------
    name
        Of the algorithm.
    before, after
        The medians, with their unit.
    worse, cases
        How many of how many cases have a worse value than before.
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
    def hardest(self) -> list[str]:
        """The labels at which even the best value is no better than at any other."""
        if not self.known:
            return []
        worst = (min if self.higher else max)(self.known.values())
        return [name for name, value in self.known.items() if value == worst]

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
"""What one algorithm made of the cases."""

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
"""Who of two is better on how many cases."""

LABELS: Final = CATALOGUE.group(
    Claim(
        "kinds.hardest_label",
        "Of several labels with a value one has a best value that is worse than that of every other.",
        lambda labels: len(labels.known) > 1 and len(labels.hardest) == 1,
        lambda labels: (
            f"{labels.hardest[0]} is the hardest label: the best {labels.what} of any algorithm is {labels.shown[labels.hardest[0]]} "
            "there, and better at every other label."
        ),
        "Effusion is the hardest label: the best AUROC of any algorithm is 0.71 there, and better at every other label.",
    ),
    Claim(
        "kinds.hardest_labels",
        "Of several labels with a value some, but not all, share the worst best value.",
        lambda labels: 1 < len(labels.hardest) < len(labels.known),
        lambda labels: (
            f"{joined(labels.hardest)} are the hardest labels: the best {labels.what} of any algorithm is "
            f"{labels.shown[labels.hardest[0]]} there, and better at every other label."
        ),
        "Effusion and nodule are the hardest labels: the best AUROC of any algorithm is 0.71 there, and better at every other label.",
    ),
    Claim(
        "kinds.no_value_at_label",
        "At some labels no algorithm has a value.",
        lambda labels: bool(labels.unknown),
        lambda labels: f"No algorithm has a value at {joined(labels.unknown)}.",
        "No algorithm has a value at effusion.",
    ),
)
"""Which labels are hardest for all algorithms."""
