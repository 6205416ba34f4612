"""What a phase expects of a submission: plain values that a confined child gets, and that the submit page shows.

Everything here may be known to participants: case names, grids, allowed labels. Nothing comes from what a reference contains.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from confinement.limits import TableLimits
from evaluation import problems
from evaluation.assessment import Assessment
from evaluation.problems.beside import RulesBeside
from evaluation.problems.files import FileProblem
from evaluation.problems.tables import ExpectedTable, TableProblem
from evaluation.readers import SUFFIXES
from evaluation.readers.instance_tables import InstanceRules
from test_sets.models import TestCase, TestSet


@dataclass(frozen=True)
class ExpectedCase:
    """A case that has to be there."""

    name: str
    facts: Mapping[str, Any] = field(default_factory=dict)
    """What participants may know of it and its prediction is compared with, such as a grid."""
    byte_limit: int = 0
    """Most bytes that a sensible file of its prediction unpacks to; 0 where predictions are rows of a table."""
    cost: int = 1
    """How much it is to work on, in voxels or what takes about as long."""


@dataclass(frozen=True)
class Expectation:
    """The case list of a phase with everything that validation compares."""

    cases: tuple[ExpectedCase, ...]
    problem: str = ""
    expected: Mapping[str, Any] = field(default_factory=dict)
    """What the files of all cases have to keep to, such as the labels that may occur."""
    suffixes: tuple[str, ...] = SUFFIXES
    table: ExpectedTable | None = None
    beside: RulesBeside | None = None
    """What a table beside the files may and has to tell; None where there is none."""

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(case.name for case in self.cases)

    @property
    def instances(self) -> InstanceRules | None:
        """What a table of instances tells, where that is the table beside the files."""
        return self.beside if isinstance(self.beside, InstanceRules) else None

    def found_empty(self) -> "Expectation":
        """The same, for predictions that may say of every case that nothing is there."""
        return self if self.table is None else replace(self, table=replace(self.table, may_be_empty=True))

    @property
    def needed_bytes(self) -> int:
        """Most bytes that a sensible archive unpacks to: a file a case, and a table where there is one."""
        has_table = self.table is not None or self.beside is not None
        return sum(case.byte_limit for case in self.cases) + (TableLimits().bytes if has_table else 0)


def expectation(test_set: TestSet, assessment: Assessment) -> Expectation:
    """Return what `test_set` expects; its cases are kept in memory, since a sealed test set never changes."""
    cases = _cases(test_set.pk, test_set.manifest_digest, assessment.problem)
    problem = problems.get(assessment.problem)
    if isinstance(problem, TableProblem):
        table = problem.expected(assessment, test_set.shared)
        table = problem.with_facts(table, cases[0].facts) if cases else table
        return Expectation(cases, problem.id, table=table)
    if isinstance(problem, FileProblem):
        rules = problem.table_of_predictions(assessment)
        return Expectation(cases, problem.id, problem.expected(assessment), problem.suffixes, beside=rules)
    return Expectation(cases, problem.id)


@lru_cache(maxsize=32)
def _cases(test_set: int, manifest_digest: str, problem_id: str) -> tuple[ExpectedCase, ...]:  # noqa: ARG001 (key)
    problem = problems.get(problem_id)
    rows = TestCase.objects.filter(test_set=test_set).order_by("position").values_list("name", "geometry")
    if not isinstance(problem, FileProblem):
        return tuple(ExpectedCase(name, facts) for name, facts in rows)
    return tuple(ExpectedCase(name, facts, problem.byte_limit(facts), problem.cost(facts)) for name, facts in rows)


def has_one_table(assessment: Assessment) -> bool:
    """Whether references and predictions are each one table for all cases."""
    return isinstance(problems.get(assessment.problem), TableProblem)


def refusal(assessment: Assessment) -> str | None:
    """Say why submissions to a phase with this assessment could not be scored here; None when they can.

    Submissions are scored case by case, in any order and by any worker. Values of the whole data set are put together at
    the end from what each case adds to them.
    """
    problem = problems.get(assessment.problem)
    if not problem.is_scored:
        return (
            f"Submissions to a phase of the problem {assessment.problem} cannot be scored here; "
            f"possible are {', '.join(known.id for known in problems.scored_problems())}."
        )
    return problem.refusal(assessment) or None
