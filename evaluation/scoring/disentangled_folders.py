"""Disentangled evaluation of folders of label maps: each reference is read once, for any number of algorithms."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from evaluation.metrics.disentangled import disentangle, nothing_found
from evaluation.scoring.disentangled_document import Unit
from evaluation.scoring.disentangling import classes_of
from evaluation.scoring.folders import (
    ScoredFolders,
    Task,
    find_tasks,
    instances_of_algorithm,
    prepare_instances_of,
    reference_instances,
    run_tasks,
)
from evaluation.scoring.instances import predicted_objects

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from evaluation.assessment import Assessment
    from evaluation.metrics.disentangled import MatchingRule
    from evaluation.readers import Issue
    from evaluation.readers.instance_tables import InstanceTable


@dataclass
class DisentangledFolders:
    """What was found, image by image.

    Attributes
    ----------
    classes
        Those that are told apart.
    units
        The images of each algorithm, in the order of the cases; also those without a prediction.
    notices
        Why predictions that are there were counted as missing, and files of no case.
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
    if assessment.problem != "instance_segmentation":
        message = f"the assessment is of the problem {assessment.problem}; this needs instance_segmentation"
        raise ValueError(message)
    notices = ScoredFolders()
    tasks = find_tasks(references, predictions, notices)
    tables = {name: instances_of_algorithm(assessment, folder, name, notices) for name, folder in predictions.items()}
    work = partial(_apart, assessment, matching, reference_instances(assessment, references), tables)
    found: dict[str, dict[str, tuple[Unit, Issue | None]]] = {}
    for done, (case, results) in enumerate(run_tasks(work, tasks, jobs), start=1):
        found[case] = results
        if progress is not None:
            progress(done, len(tasks))
    for case, *_ in tasks:
        for name, (_, reason) in found[case].items():
            if reason is not None and (name, "") not in notices.reasons:
                notices.reasons[name, case] = reason
    units = {name: [found[case][name][0] for case, *_ in tasks] for name in predictions}
    return DisentangledFolders(classes_of(assessment), units, notices)


def _apart(
    assessment: Assessment,
    matching: MatchingRule,
    known: InstanceTable | None,
    tables: Mapping[str, InstanceTable | Issue | None],
    task: Task,
) -> tuple[str, dict[str, tuple[Unit, Issue | None]]]:
    case, file, predictions = task
    reference = prepare_instances_of(assessment, known, case, file)
    classes, diagonal = classes_of(assessment), reference.geometry.diagonal
    results: dict[str, tuple[Unit, Any]] = {}
    for name, path in predictions.items():
        objects, reason = predicted_objects(assessment, case, reference, path, tables[name])
        found = (
            nothing_found(reference.objects, classes)
            if objects is None
            else disentangle(reference.objects, objects, classes, matching=matching)
        )
        results[name] = Unit(case, found, missing=int(objects is None), diagonal=diagonal), reason
    return case, results
