"""Prepared references, kept in the process that scores against them."""

from collections import OrderedDict
from typing import Any

from evaluation import problems
from evaluation.assessment import Assessment
from evaluation.problems.files import file_problem
from evaluation.problems.tables import TableProblem
from test_sets import vault
from test_sets.models import Annotation, TestCase
from test_sets.services import reference_tables

# Voxels of references that one worker process keeps prepared: some hundred small cases, or a few large ones.
CACHED_VOXELS = 50_000_000


class ReferenceCache:
    """Prepared references of this process, the least recently used dropped first when there are too many voxels.

    Keyed by the digests of reference and assessment, so that a replaced reference or another assessment can never meet
    what was prepared for the old one.
    """

    def __init__(self, voxels: int) -> None:
        self._room = voxels
        self._kept: OrderedDict[tuple[str, str], tuple[int, Any]] = OrderedDict()

    def get(self, assessment: Assessment, case: TestCase | Annotation) -> Any:
        """Return the prepared reference of a case."""
        key = (assessment.digest, case.reference_sha256)
        if key in self._kept:
            self._kept.move_to_end(key)
            return self._kept[key][1]
        problem = assessment.kind
        if isinstance(problem, TableProblem):
            table = reference_tables.stored(case.reference_file, problem.id)
            return self._keep(key, 1, problem.prepare(table, case.name, case.test_set.shared))
        kind = file_problem(assessment.problem)
        with vault.opened(case.reference_file) as path:
            content = kind.read_reference(assessment, path)
        prepared = kind.prepare(assessment, content, reference_tables.instances_of(case))
        # What metrics work out about a reference, and the libraries that they load when first called, would otherwise
        # be worked out and loaded in every child again.
        kind.warm_up_with(assessment, prepared, content)
        return self._keep(key, kind.cost(case.geometry), prepared)

    def _keep(self, key: tuple[str, str], voxels: int, prepared: Any) -> Any:
        self._kept[key] = (voxels, prepared)
        while len(self._kept) > 1 and sum(voxels for voxels, _ in self._kept.values()) > self._room:
            self._kept.popitem(last=False)
        return prepared


references = ReferenceCache(CACHED_VOXELS)


def preload() -> None:
    """Load the libraries that reading and scoring load when first called, so that forked workers and children share them."""
    for problem in problems.scored_problems():
        problem.preload()


def annotated(assessment: Assessment, case: TestCase) -> dict[str, Any]:
    """Return the prepared references of a case by annotator; also of a decoy, so that it takes its time like others."""
    return {entry.annotator: references.get(assessment, entry) for entry in case.annotations.all()}
