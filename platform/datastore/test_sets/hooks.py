"""Typed hooks that the apps below fill in `AppConfig.ready`.

`dependents`
    Submissions to a phase, before its test set is replaced.
`run_counts`
    Number of runs of each of some versions.
`sections`
    Sections of the organizers' page about a version.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from accounts.models import User
from challenges.models import Phase
from datastore.test_sets.models import TestSet
from web.hooks import Hook


class Dependents(ABC):
    """Submissions that depend on the test set of a phase; locked until the end of the requesting transaction."""

    @property
    @abstractmethod
    def exist(self) -> bool:
        """True if there is a submission that was not refused, withdrawn or lost."""

    @property
    @abstractmethod
    def are_being_scored(self) -> bool:
        """True if a submission is being scored at this moment."""

    @abstractmethod
    def score_again(self, *, actor: User | None) -> None:
        """Score all scored submissions against the active version; earlier results remain until new ones exist."""


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
    """Return whether a phase has a submission that was not refused, withdrawn or lost.

    The submissions are locked until the transaction ends.
    """
    return any(provider(phase).exist for provider in dependents)
