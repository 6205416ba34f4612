"""What this app asks of the apps below it: the typed hooks, filled in `AppConfig.ready`.

`dependents`
    What was handed in for a phase, before its test set is replaced.
`run_counts`
    How many runs there are of each of some versions.
`sections`
    Sections of the organizers' page about a version.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from accounts.models import User
from challenges.models import Phase
from test_sets.models import TestSet
from web.hooks import Hook


class Dependents(ABC):
    """What depends on the test set of a phase; locked until the end of the transaction in which it was asked for."""

    @property
    @abstractmethod
    def exist(self) -> bool:
        """Whether anything was handed in that was not refused, withdrawn or lost."""

    @property
    @abstractmethod
    def are_being_scored(self) -> bool:
        """Whether anything is being scored at this moment."""

    @abstractmethod
    def score_again(self, *, actor: User | None) -> None:
        """Score what is scored against the version that is active now; earlier results stand until the new ones are there."""


@dataclass(frozen=True)
class Section:
    """A section of a page: a template that gets this object as `section`."""

    template: ClassVar[str]


DependentsOf = Callable[[Phase], Dependents]
RunCounts = Callable[[Sequence[int]], dict[int, int]]
SectionProvider = Callable[[TestSet], Section | None]

dependents: Hook[DependentsOf] = Hook()
run_counts: Hook[RunCounts] = Hook()
sections: Hook[SectionProvider] = Hook()


def runs_by_version(test_sets: Sequence[int]) -> dict[int, int]:
    """Return how many runs there are of each version, given and found by id."""
    totals = dict.fromkeys(test_sets, 0)
    for provider in run_counts:
        for test_set, runs in provider(test_sets).items():
            totals[test_set] += runs
    return totals


def was_submitted_to(phase: Phase) -> bool:
    """Whether anything was handed in for a phase that was not refused, withdrawn or lost; locked until the transaction ends."""
    return any(provider(phase).exist for provider in dependents)
