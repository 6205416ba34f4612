"""Detection, classification and outlines of instance segmentations, each on its own, from what workers found case by case.

A child counts what it finds in a case; the counts are checked on receipt, kept with the chunk, and added up when the run is
assembled. The whole document is a file, encrypted as evidence is, since it counts the objects of every hidden reference by
class; pages read a summary without single cases. Nothing of it enters a score or a ranking.
"""

import gzip
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import pandas as pd

from datastore.test_sets import vault
from datastore.test_sets.models import TestSet
from datastore.test_sets.queries.test_sets import metadata_frame_of
from evaluation.assessment import Assessment
from evaluation.canonical import sha256
from evaluation.metrics.disentangled import nothing_found
from evaluation.problems import kind_of
from evaluation.readers import Geometry
from evaluation.scoring import PreparedInstances, ScoredCase
from evaluation.scoring.disentangled_document import SCHEMA, Unit, describe, summary_of
from evaluation.scoring.disentangling import classes_of, found_of, numbers_of, possible
from evaluation.scoring.rows import Numbers

MATCHING = "strict_iou"
PATIENT = "patient"

Plain = list[Any]
"""Two lists of numbers, and whether the prediction is missing (1) or not (0): plain JSON."""


class CaseObjects(NamedTuple):
    """Stored numbers of a case, with its geometry."""

    case: str
    geometry: Geometry
    plain: Plain


def reported(scored: ScoredCase) -> Plain | None:
    """Return what a child reports of a case."""
    return None if scored.apart is None else [list(scored.apart.counts), list(scored.apart.values), 0]


def nothing(assessment: Assessment, reference: Any) -> Plain | None:
    """Return what a case without prediction gives: every object of its reference is missed; None of other problems."""
    if not isinstance(reference, PreparedInstances):
        return None
    numbers = numbers_of(nothing_found(reference.objects, classes_of(assessment)))
    return [list(numbers.counts), list(numbers.values), 1]


def trusted(assessment: Assessment, value: Any, reference: Any) -> Plain | None:
    """Take what a child reports if it is possible; otherwise the case counts as missing here, though not in its scores."""
    if not isinstance(reference, PreparedInstances):
        return None
    missed = nothing(assessment, reference)
    reported_numbers = value.get("disentangled") if isinstance(value, dict) and not value.get("reason") else None
    try:
        counts, sums, _ = reported_numbers  # type: ignore[misc]
        numbers = Numbers(list(counts), list(sums))
    except (TypeError, ValueError):
        return missed
    grid = reference.geometry
    fine = possible(
        numbers,
        reference.objects,
        classes_of(assessment),
        pixels=math.prod(grid.shape),
        diagonal=grid.diagonal,
    )
    return [list(counts), list(sums), 0] if fine else missed


def doubt(apart: Plain | None, *, noted: bool) -> str:
    """Return a note to organizers about a case that has scores and yet counts as missing here.

    The result is usually empty.
    """
    if apart is None or noted or not apart[2]:
        return ""
    return "What was reported of its detection, classification and outlines cannot be; there it counts as missing."


def document_of(
    assessment: Assessment, scored_cases: Iterable[CaseObjects], metadata: pd.DataFrame | None
) -> dict[str, Any] | None:
    """Return all values of a run; None if the assessment does not rate parts or has no cases.

    Parameters
    ----------
    metadata
        Case metadata. Images are pooled by patient, otherwise by the first level of the assessment above the case.
    """
    scored_cases = list(scored_cases)
    if not kind_of(assessment).metrics.rates_object_parts or not scored_cases:
        return None
    classes = classes_of(assessment)
    column, groups = _groups(assessment, [each.case for each in scored_cases], metadata)
    units = [
        Unit(
            each.case,
            found_of(Numbers(each.plain[0], each.plain[1]), classes),
            missing=each.plain[2],
            diagonal=each.geometry.diagonal,
        )
        for each in scored_cases
    ]
    return {
        "schema": SCHEMA,
        "assessment": assessment.digest,
        "matching": MATCHING,
        "classes": list(classes),
        "group": column,
        "unit": _unit([each.geometry for each in scored_cases]),
        "algorithm": describe("", units, classes, groups=groups),
    }


def summary(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return what pages read: nothing of a single case."""
    return {**document, "algorithm": summary_of(document["algorithm"])}


def keep(
    folder: str, test_set: TestSet, assessment: Assessment, plain_by_case: Mapping[str, Plain | None]
) -> tuple[str, dict[str, Any]]:
    """Keep what the cases left behind below `folder`; returns the file, and what pages read."""
    grids = dict(test_set.cases.values_list("name", "geometry"))
    scored_cases = [
        CaseObjects(case, Geometry.of(grids[case]), plain)
        for case, plain in plain_by_case.items()
        if plain is not None and "shape" in grids[case]
    ]
    document = document_of(assessment, scored_cases, metadata_frame_of(test_set))
    if document is None:
        return "", {}
    name = f"{folder}/{sha256(document)}.json.gz{vault.SUFFIX}"
    text = json.dumps(document, separators=(",", ":"), allow_nan=False)
    vault.keep_bytes(name, gzip.compress(text.encode(), mtime=0))
    return name, summary(document)


def read(name: str) -> dict[str, Any]:
    """Return a stored document."""
    document: dict[str, Any] = json.loads(gzip.decompress(vault.read_bytes(name)))
    return document


def _groups(
    assessment: Assessment, cases: Sequence[str], metadata: pd.DataFrame | None
) -> tuple[str | None, dict[str, str] | None]:
    columns = [] if metadata is None else list(metadata.columns)
    wanted = (PATIENT, *(level for level in assessment.aggregation.levels if level != "case"))
    column = next((name for name in wanted if name in columns), None)
    if column is None or metadata is None:
        return None, None
    group_by_case = dict(zip(metadata["case"], metadata[column], strict=True))
    # An image of no known patient is one of its own.
    return column, {case: case if pd.isna(group_by_case.get(case)) else str(group_by_case[case]) for case in cases}


def _unit(geometries: Sequence[Geometry]) -> str:
    unknown = next((geometry for geometry in geometries if geometry.spacing is None), None)
    if unknown is None:
        return "mm"
    return "pixels" if len(unknown.shape) == 2 else "voxels"
