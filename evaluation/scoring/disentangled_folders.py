"""Disentangled evaluation of folders of label maps: each reference is read once, for any number of algorithms."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from evaluation.metrics.disentangled import disentangle, nothing_found
from evaluation.readers import ReadError, read_label_image
from evaluation.readers.instance_tables import check_instances
from evaluation.scoring.disentangled_document import Unit
from evaluation.scoring.disentangling import classes_of
from evaluation.scoring.folders import (
    ScoredFolders,
    find_cases,
    instances_of_algorithm,
    reference_instances,
    run_tasks,
)
from evaluation.scoring.instances import PreparedInstances, predicted_objects

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


class _Task(NamedTuple):
    case: str
    reference: Path
    predictions: dict[str, Path | None]


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
    cases = find_cases(references)
    if not cases:
        raise ReadError("not_found", references.name or str(references), "no label images in the folder")
    files = {algorithm: find_cases(folder) for algorithm, folder in predictions.items()}
    notices = ScoredFolders()
    tables = {name: instances_of_algorithm(assessment, folder, name, notices) for name, folder in predictions.items()}
    for name, of in files.items():
        if unexpected := [path.name for case, path in of.items() if case not in cases]:
            notices.unexpected[name] = unexpected
    work = partial(_apart, assessment, matching, reference_instances(assessment, references), tables)
    tasks = [_Task(case, path, {name: of.get(case) for name, of in files.items()}) for case, path in cases.items()]
    found: dict[str, dict[str, tuple[Unit, Issue | None]]] = {}
    for done, (case, results) in enumerate(run_tasks(work, tasks, jobs), start=1):
        found[case] = results
        if progress is not None:
            progress(done, len(tasks))
    for case in cases:
        for name, (_, reason) in found[case].items():
            if reason is not None and (name, "") not in notices.reasons:
                notices.reasons[name, case] = reason
    units = {name: [found[case][name][0] for case in cases] for name in predictions}
    return DisentangledFolders(classes_of(assessment), units, notices)


def _apart(
    assessment: Assessment,
    matching: MatchingRule,
    known: InstanceTable | None,
    tables: Mapping[str, InstanceTable | Issue | None],
    task: _Task,
) -> tuple[str, dict[str, tuple[Unit, Issue | None]]]:
    image = read_label_image(task.reference)
    instances = None
    if known is not None:
        instances = known.of(task.case)
        check_instances(image, instances, case=task.case, file=task.reference.name)
    reference = PreparedInstances(assessment, image, instances)
    classes, diagonal = classes_of(assessment), reference.geometry.diagonal
    results: dict[str, tuple[Unit, Any]] = {}
    for name, path in task.predictions.items():
        objects, reason = predicted_objects(assessment, task.case, reference, path, tables[name])
        found = (
            nothing_found(reference.objects, classes)
            if objects is None
            else disentangle(reference.objects, objects, classes, matching=matching)
        )
        results[name] = Unit(task.case, found, missing=int(objects is None), diagonal=diagonal), reason
    return task.case, results
