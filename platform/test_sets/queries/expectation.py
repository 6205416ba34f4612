"""What a phase expects of a submission: plain values that a confined child gets, and that the submit page shows.

Everything here may be known to participants: case names, grids, allowed labels. Nothing comes from what a reference contains.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from confinement.limits import TableLimits
from evaluation import problems
from evaluation.assessment import Assessment
from evaluation.problems.images import LabelImageProblem
from evaluation.problems.tables import ExpectedTable, TableProblem, table_problem
from evaluation.readers import SUFFIXES, Geometry
from evaluation.readers.instance_tables import InstanceRules
from test_sets.models import TestCase, TestSet


@dataclass(frozen=True)
class ExpectedCase:
    """A case that has to be there, and the grid that its prediction has to lie on."""

    name: str
    geometry: Geometry | None
    """None where predictions are rows of a table."""

    @property
    def byte_limit(self) -> int:
        """Most bytes that a sensible file of this grid unpacks to: eight a voxel, and room for a header."""
        if self.geometry is None:
            raise ValueError(f"{self.name} has no grid: its prediction is part of a table.")
        voxels = 1
        for length in self.geometry.shape:
            voxels *= length
        return voxels * 8 + 4 * 1024**2


@dataclass(frozen=True)
class Expectation:
    """The case list of a phase with everything that validation compares."""

    cases: tuple[ExpectedCase, ...]
    labels: tuple[int, ...] | None
    """Labels that may occur beside 0; None when all may."""
    suffixes: tuple[str, ...] = SUFFIXES
    table: ExpectedTable | None = None
    instances: InstanceRules | None = None
    """What a table of instances beside label maps may and has to tell; None where there are no instances."""

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(case.name for case in self.cases)

    @property
    def needed_bytes(self) -> int:
        """Most bytes that a sensible archive unpacks to: its label images, and a table where there is one."""
        has_table = self.table is not None or self.instances is not None
        images = sum(case.byte_limit for case in self.cases if case.geometry is not None)
        return images + (TableLimits().bytes if has_table else 0)

    @property
    def one_geometry(self) -> Geometry | None:
        """The common grid, if all cases have the same."""
        geometries = {case.geometry and (case.geometry.shape, case.geometry.spacing) for case in self.cases}
        return self.cases[0].geometry if len(geometries) == 1 else None


def geometry_document(geometry: Geometry) -> dict[str, Any]:
    """Return a grid as JSON."""
    return {
        "shape": list(geometry.shape),
        "spacing": list(geometry.spacing) if geometry.spacing else None,
        "affine": [list(row) for row in geometry.affine] if geometry.affine else None,
        "oriented_format": geometry.oriented_format,
    }


def geometry_of(document: dict[str, Any]) -> Geometry | None:
    """Return the grid that `geometry_document` wrote; None for a case whose prediction is part of a table."""
    if "shape" not in document:
        return None
    return Geometry(
        shape=tuple(document["shape"]),
        spacing=tuple(document["spacing"]) if document["spacing"] else None,
        affine=tuple(tuple(row) for row in document["affine"]) if document["affine"] else None,
        oriented_format=document["oriented_format"],
    )


def expectation(test_set: TestSet, assessment: Assessment) -> Expectation:
    """Return what `test_set` expects; kept in memory, since a sealed test set never changes."""
    problem = problems.get(assessment.problem)
    labels, table, rules = None, None, None
    if isinstance(problem, TableProblem):
        table = problem.expected(assessment, test_set.shared)
    elif isinstance(problem, LabelImageProblem):
        labels, rules = problem.allowed_labels(assessment), problem.table_beside(assessment)
    return _expectation(test_set.pk, test_set.manifest_digest, labels, table, rules)


@lru_cache(maxsize=32)
def _expectation(
    test_set: int,
    manifest_digest: str,  # noqa: ARG001 (key)
    labels: tuple[int, ...] | None,
    table: ExpectedTable | None,
    rules: InstanceRules | None,
) -> Expectation:
    cases = list(TestCase.objects.filter(test_set=test_set).order_by("position").values_list("name", "geometry"))
    if table is not None and cases:
        table = table_problem(table.problem).with_facts(table, cases[0][1])
    return Expectation(
        tuple(ExpectedCase(name, geometry_of(geometry)) for name, geometry in cases),
        labels,
        table=table,
        instances=rules,
    )


def has_one_table(assessment: Assessment) -> bool:
    """Whether references and predictions are each one table for all cases."""
    return isinstance(problems.get(assessment.problem), TableProblem)


def labels_allowed(assessment: Assessment) -> tuple[int, ...] | None:
    """Labels that label images may have beside 0; None when all may, and of tables, which have none."""
    problem = problems.get(assessment.problem)
    return problem.allowed_labels(assessment) if isinstance(problem, LabelImageProblem) else None


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
