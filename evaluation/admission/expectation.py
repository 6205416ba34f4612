"""Expectation of a test set of submissions: plain values that a confined child gets, and that the submit page shows.

All of an expectation may be known to participants: case names, grids, allowed labels. Nothing in it comes from the
content of a reference.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from evaluation.problems import kind_of
from evaluation.problems.files import FileProblem
from evaluation.problems.tables import TableProblem
from evaluation.readers import SUFFIXES
from evaluation.readers.instance_tables import InstanceRules

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evaluation.assessment.model import Assessment
    from evaluation.problems import Problem
    from evaluation.problems.beside import RulesBeside
    from evaluation.problems.tables import ExpectedTable


@dataclass(frozen=True)
class ExpectedCase:
    """A case that has to be there.

    Attributes
    ----------
    facts
        Facts that participants may know and that its prediction is compared with, such as a grid.
    byte_limit
        Most bytes that a sensible file of its prediction unpacks to; 0 where predictions are rows of a table.
    cost
        Amount of work on the case, in voxels or in units that take about as long.
    """

    name: str
    facts: Mapping[str, Any] = field(default_factory=dict)
    byte_limit: int = 0
    cost: int = 1

    @classmethod
    def of(cls, problem: Problem, name: str, facts: Mapping[str, Any]) -> ExpectedCase:
        """Return the case with the limits of its kind of problem."""
        if not isinstance(problem, FileProblem):
            return cls(name, facts)
        return cls(name, facts, problem.byte_limit(facts), problem.performance.cost_of(facts))


@dataclass(frozen=True)
class Expectation:
    """The case list of a phase with everything that validation compares.

    Attributes
    ----------
    expected
        Requirements on the files of all cases, such as the labels that may occur.
    beside
        Rules of the table that accompanies the files; ``None`` if there is none.
    """

    cases: tuple[ExpectedCase, ...]
    problem: str = ""
    expected: Mapping[str, Any] = field(default_factory=dict)
    suffixes: tuple[str, ...] = SUFFIXES
    table: ExpectedTable | None = None
    beside: RulesBeside | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the expected cases, in their order."""
        return tuple(case.name for case in self.cases)

    @property
    def instances(self) -> InstanceRules | None:
        """Rules of the table of instances, if that is the table that accompanies the files."""
        return self.beside if isinstance(self.beside, InstanceRules) else None

    def found_empty(self) -> Expectation:
        """Return the expectation for predictions that may report for every case that nothing was detected."""
        return self if self.table is None else replace(self, table=replace(self.table, may_be_empty=True))


def expectation_of(assessment: Assessment, cases: tuple[ExpectedCase, ...], shared: Mapping[str, Any]) -> Expectation:
    """Return what a test set expects.

    Parameters
    ----------
    cases
        Its cases, in their order.
    shared
        What all cases have in common, of a kind with one table.
    """
    problem = kind_of(assessment)
    if isinstance(problem, TableProblem):
        table = problem.expected(assessment, shared)
        table = problem.with_facts(table, cases[0].facts) if cases else table
        return Expectation(cases, problem.id, table=table)
    if isinstance(problem, FileProblem):
        rules = problem.table_of_predictions(assessment)
        return Expectation(cases, problem.id, problem.expected(assessment), problem.suffixes, beside=rules)
    return Expectation(cases, problem.id)
