"""What a phase expects of a submission: plain values that a confined child gets, and that the submit page shows.

Everything here may be known to participants: case names, grids, allowed labels. Nothing comes from what a reference contains.
"""

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from confinement.limits import TableLimits
from evaluation import catalogue
from evaluation.assessment import Assessment, MetricUse
from evaluation.assessment.instances import instance_rules
from evaluation.readers import SUFFIXES, Geometry
from evaluation.readers.instance_tables import InstanceRules
from test_sets.models import TestCase, TestSet

LABEL_IMAGE_PROBLEMS = ("semantic_segmentation", "instance_segmentation")
TABLE_FILES = {"image_classification": ("labels.csv",), "object_detection": ("objects.csv", "objects.json")}
"""Problems whose prediction is one table for all cases, and what the file may be called."""
_SCORES = "scores"


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
class ExpectedTable:
    """The one table that holds the predictions of all cases."""

    problem: str
    files: tuple[str, ...]
    """What it may be called."""
    classes: tuple[str, ...]
    need_scores: tuple[str, ...]
    """Names of the metrics that need a score for every class or object."""
    kind: tuple[str, int] = ("", 0)
    """Of objects: boxes or points, and the number of axes."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the CSV file."""
        if self.problem == "image_classification":
            scores = tuple(f"p_{name}" for name in self.classes)
            return ("case", *scores) if self.need_scores else ("case", "label")
        name, axes = self.kind
        letters = ("x", "y", "z")[:axes]
        places = letters if name == "points" else tuple(f"{a}_{end}" for end in ("min", "max") for a in letters)
        return ("case", "class", "score", *places)


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
    table = expected_table(assessment, test_set.shared) if assessment.problem in TABLE_FILES else None
    rules = instance_rules(assessment) if assessment.problem == "instance_segmentation" else None
    return _expectation(test_set.pk, test_set.manifest_digest, allowed_labels(assessment), table, rules)


@lru_cache(maxsize=32)
def _expectation(
    test_set: int,
    manifest_digest: str,  # noqa: ARG001 (key)
    labels: tuple[int, ...] | None,
    table: ExpectedTable | None,
    rules: InstanceRules | None,
) -> Expectation:
    cases = list(TestCase.objects.filter(test_set=test_set).order_by("position").values_list("name", "geometry"))
    if table is not None and cases and "objects" in cases[0][1]:
        table = replace(table, kind=(cases[0][1]["objects"], cases[0][1]["axes"]))
    return Expectation(
        tuple(ExpectedCase(name, geometry_of(geometry)) for name, geometry in cases),
        labels,
        table=table,
        instances=rules,
    )


def expected_table(assessment: Assessment, shared: dict[str, Any]) -> ExpectedTable:
    """Return what the table of predictions has to hold; `shared` is that of the test set."""
    return ExpectedTable(
        problem=assessment.problem,
        files=TABLE_FILES[assessment.problem],
        classes=tuple(name for name in shared["classes"] if name),
        need_scores=tuple(use.name for use in assessment.metrics if needs_scores(assessment, use)),
    )


def needs_scores(assessment: Assessment, use: MetricUse) -> bool:
    """Whether a metric has no value for predictions without scores."""
    if assessment.problem == "image_classification":
        # Net benefit is defined for decisions as well (and the scores decide where there are any).
        return _SCORES in catalogue.get(use.id).needs and use.id != "net_benefit"
    return use.level == "dataset" and _SCORES in catalogue.get(use.id).needs


def allowed_labels(assessment: Assessment) -> tuple[int, ...] | None:
    """Labels that the regions of the assessment name; instance label maps may use any number."""
    if assessment.problem != "semantic_segmentation":
        return None  # also of tables, which have no labels
    return tuple(sorted({int(label) for region in assessment.regions for label in region.labels}))


def refusal(assessment: Assessment) -> str | None:
    """Say why submissions to a phase with this assessment could not be scored here; None when they can.

    Submissions are scored case by case, in any order and by any worker. Values of the whole data set are put together at
    the end from what each case adds to them, which detection, instance segmentation and classification can.
    """
    if assessment.problem not in (*LABEL_IMAGE_PROBLEMS, *TABLE_FILES):
        return (
            f"Submissions to a phase of the problem {assessment.problem} cannot be scored here; "
            f"possible are {', '.join((*LABEL_IMAGE_PROBLEMS, *TABLE_FILES))}."
        )
    pooled = [use.name for use in assessment.metrics if use.level == "dataset"]
    if pooled and assessment.problem == "semantic_segmentation":
        return (
            f"Submissions are scored case by case, but {', '.join(pooled)} have one value for the whole data set. "
            "Leave them out, or give them the option scale “image” where the metric has it."
        )
    return None
