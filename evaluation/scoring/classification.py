"""Image classification: a table of labels against another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from evaluation.outcomes import Outcome, Result, undefined
from evaluation.readers import ReadError
from evaluation.readers.limits import DEFAULT, Limits
from evaluation.readers.tables import LABELS_FILE, PredictedLabels, read_predicted_labels, read_reference_labels
from evaluation.scoring.classification_evidence import PART, make_block, regions_of, value_of
from evaluation.scoring.evidence import make_evidence
from evaluation.scoring.rows import Row

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from evaluation.assessment import Assessment
    from evaluation.readers import Issue
    from evaluation.scoring.evidence import Block, Evidence
    from evaluation.scoring.folders import ScoredFolders

_REASONS: Final = 20


def score_folders(
    assessment: Assessment,
    references: Path,
    predictions: Mapping[str, Path],
    *,
    jobs: int = 1,  # noqa: ARG001  (a table is scored faster than a process starts)
    progress: Callable[[int, int], None] | None = None,
    limits: Limits = DEFAULT,
) -> ScoredFolders:
    """Score the tables of labels of one or more algorithms against the reference's.

    Parameters
    ----------
    assessment
        Of an image classification.
    references
        Folder with the reference's ``labels.csv``, or the table itself.
    predictions
        Folder with the ``labels.csv`` of each algorithm, by its name.
    progress
        Called with the number of finished and of all algorithms.

    Returns
    -------
    ScoredFolders
        One row for every metric and region of an algorithm, all of the whole data set. An algorithm without a table that
        can be read has the outcome ``missing`` everywhere; a case without a valid answer counts as a wrong one.

    Raises
    ------
    ReadError
        If the reference cannot be read.
    ValueError
        If a metric's options do not fit the classes.
    """
    from evaluation.scoring.folders import ScoredFolders

    truth = read_reference_labels(_table(references), limits=limits)
    cases = tuple(truth)
    shared = describe_classes(assessment, truth.values())
    codes = {name: code for code, name in enumerate(shared["classes"])}
    reference = np.array([codes[label] for label in truth.values()], dtype=np.int64)
    found = ScoredFolders()
    blocks: list[Block] = []
    for done, (algorithm, folder) in enumerate(predictions.items(), start=1):
        answers: PredictedLabels | None = None
        try:
            answers = read_predicted_labels(_table(folder), cases, shared["classes"], limits=limits)
        except ReadError as error:
            found.reasons[algorithm, ""] = error.issue
        if answers is not None:
            found.reasons.update(_reasons(assessment, algorithm, answers))
            if answers.unexpected:
                found.unexpected[algorithm] = list(answers.unexpected)
            if answers.answered.any():
                block = make_block(
                    algorithm,
                    cases,
                    reference,
                    decision=answers.decision,
                    scores=answers.scores,
                    answered=answers.answered,
                )
                blocks.append(block)
        if progress is not None:
            progress(done, len(predictions))
    parts = {use.name: PART for use in assessment.metrics}
    evidence = make_evidence(assessment, blocks, parts=parts, shared=shared)
    for algorithm in predictions:
        found.rows += score_answers(assessment, algorithm, evidence)
    found.blocks, found.parts, found.shared = blocks, parts, shared
    return found


def score_answers(assessment: Assessment, algorithm: str, evidence: Evidence) -> list[Row]:
    """The rows of one algorithm; all ``missing`` if the evidence has nothing of it."""
    rows = []
    answered = algorithm in evidence.algorithms
    for use in assessment.metrics:
        for region in regions_of(use, evidence.header["shared"]):
            result: Result = undefined(Outcome.MISSING)
            if answered:
                result = value_of(use, evidence.select(use.name, algorithm, region))
            rows.append(Row(algorithm, "", region, use.name, *result, None, result.flag))
    return rows


def describe_classes(assessment: Assessment, labels: Iterable[str]) -> dict[str, Any]:
    """The classes of a task in order, and the classes of each region.

    Classes that no region names come first, ascending (as numbers if all are); then those of the regions, as they name
    them. Of two classes, the last is the positive one.

    Raises
    ------
    ValueError
        If there is only one class.
    """
    named = list(dict.fromkeys(str(label) for region in assessment.regions for label in region.labels))
    others = sorted(set(labels) - set(named), key=_by_number)
    classes = others + named
    if len(classes) < 2:
        message = f"only the class {classes[0]!r} is known; name the others as regions of the assessment"
        raise ValueError(message)
    regions = {region.name: [classes.index(str(label)) for label in region.labels] for region in assessment.regions}
    return {"classes": classes, "regions": regions}


def _by_number(label: str) -> tuple[int, int, str]:
    return (0, int(label), label) if label.isdecimal() else (1, 0, label)


def _table(place: Path) -> Path:
    return place if place.is_file() else place / LABELS_FILE


def _reasons(assessment: Assessment, algorithm: str, answers: PredictedLabels) -> dict[tuple[str, str], Issue]:
    """Why answers were not taken: single cases by name, the rest as numbers."""
    reasons = {(algorithm, case): issue for case, issue in list(answers.invalid.items())[:_REASONS]}
    words = []
    unanswered = int(np.count_nonzero(~answers.answered))
    if unanswered:
        words.append(f"{unanswered} of {len(answers.answered)} cases without a valid row, each a wrong decision")
    lacking = [use.name for use in assessment.metrics if _lacks_scores(use.id, answers)]
    if lacking:
        words.append(f"no columns p_<class>, which {', '.join(lacking)} need")
    if words:
        reasons[algorithm, ""] = ReadError("table", LABELS_FILE, "; ".join(words)).issue
    return reasons


def _lacks_scores(metric_id: str, answers: PredictedLabels) -> bool:
    from evaluation.catalogue import get

    return answers.scores is None and "scores" in get(metric_id).needs and metric_id != "net_benefit"
