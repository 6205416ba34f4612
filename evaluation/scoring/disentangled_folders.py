"""Disentangled evaluation of folders of label maps: each reference is read once, for any number of algorithms."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from evaluation import problems
from evaluation.metrics.disentangled import disentangle, nothing_found
from evaluation.problems import kind_of
from evaluation.scoring.disentangled_document import Unit
from evaluation.scoring.disentangling import classes_of
from evaluation.scoring.folders import ScoredFolders, open_folders, run_tasks
from evaluation.scoring.instances import predicted_objects

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from evaluation.assessment.model import Assessment
    from evaluation.metrics.disentangled import MatchingRule
    from evaluation.problems import Opened, References
    from evaluation.readers import Issue
    from evaluation.scoring.instances import PreparedInstances


@dataclass
class DisentangledFolders:
    """Results of disentangled evaluation, image by image.

    Attributes
    ----------
    classes
        Classes that are distinguished.
    units
        The images of each algorithm, in the order of the cases, including those without a prediction.
    notices
        Reasons why existing predictions were counted as missing, and files that belong to no case.
    """

    classes: tuple[str, ...]
    units: dict[str, list[Unit]] = field(default_factory=dict)
    notices: ScoredFolders = field(default_factory=ScoredFolders)


def disentangle_folders(
    assessment: Assessment,
    references: Path,
    predictions: Mapping[str, Path],
    *,
    matching: MatchingRule = "strict_iou",
    jobs: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> DisentangledFolders:
    """Rate detection, classification and outlines of one or more algorithms apart.

    Parameters
    ----------
    assessment
        Of an instance segmentation.
    references
        Folder of references.
    predictions
        Folder of each algorithm, by its name.
    matching
        ``strict_iou`` or ``centroid``; see `evaluation.metrics.disentangled.disentangle`.
    jobs
        Number of processes.
    progress
        Called with the number of finished and of all cases.

    Raises
    ------
    ReadError
        If a reference cannot be read, or a folder is not there or empty.
    ValueError
        For another kind of problem.
    """
    if not kind_of(assessment).metrics.rates_object_parts:
        fitting = " or ".join(problem.id for problem in problems.all_problems() if problem.metrics.rates_object_parts)
        message = f"the assessment is of the problem {assessment.problem}; this needs {fitting}"
        raise ValueError(message)
    notices = ScoredFolders()
    opened_references, opened = open_folders(assessment, references, predictions, notices)
    work = partial(_apart, assessment, matching, opened_references, opened)
    results_by_case: dict[str, dict[str, tuple[Unit, Issue | None]]] = {}
    for done, (case, results) in enumerate(run_tasks(work, opened_references.cases, jobs), start=1):
        results_by_case[case] = results
        if progress is not None:
            progress(done, len(opened_references.cases))
    for case in opened_references.cases:
        for name, (_, reason) in results_by_case[case].items():
            notices.note_case(name, case, reason)
    units = {name: [results_by_case[case][name][0] for case in opened_references.cases] for name in predictions}
    return DisentangledFolders(classes_of(assessment), units, notices)


def _apart(
    assessment: Assessment, matching: MatchingRule, references: References, opened: Mapping[str, Opened], case: str
) -> tuple[str, dict[str, tuple[Unit, Issue | None]]]:
    reference: PreparedInstances = references.prepare(case)
    classes, diagonal = classes_of(assessment), reference.geometry.diagonal
    results: dict[str, tuple[Unit, Any]] = {}
    for name, of_algorithm in opened.items():
        image, table = of_algorithm.predictions.get(case) or (None, None)
        objects, reason = predicted_objects(assessment, case, reference, image, table)
        parts = (
            nothing_found(reference.objects, classes)
            if objects is None
            else disentangle(reference.objects, objects, classes, matching=matching)
        )
        results[name] = Unit(case, parts, missing=int(objects is None), diagonal=diagonal), reason
    return case, results
