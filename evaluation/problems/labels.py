"""Classes of cases and the answers to them: as numbers, put together, and merged from several annotators."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from evaluation.metrics.samples import SUM_SLACK
from evaluation.outcomes import Outcome, Result, undefined
from evaluation.scoring.classification_evidence import (
    ALL_CLASSES,
    BY_SCORES,
    NO_ANSWER,
    PART,
    regions_of,
    value_of,
)
from evaluation.scoring.evidence_blocks import Block, CaseEvidence
from evaluation.scoring.rows import Numbers, Row, ScoredCase, block_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from evaluation.assessment.model import Assessment
    from evaluation.problems.shown import Rows
    from evaluation.readers.tables import PredictedLabels
    from evaluation.scoring.rows import Pieces

ANSWER: Final = (PART, ALL_CLASSES)
"""Key of the answer to a case among its pieces."""


def answer_of(answers: PredictedLabels, index: int) -> Numbers:
    """The answer at a place of the table: the class decided for, and the scores."""
    decided = BY_SCORES if answers.decision is None else int(answers.decision[index])
    return Numbers([decided], [] if answers.scores is None else answers.scores[index].tolist())


def rows_of_answer(answer: Numbers, classes: Sequence[str]) -> Rows:
    """An answer as the one row that a scoring image is shown."""
    from evaluation.problems.shown import Rows

    [code] = answer.counts
    decided = None if code == BY_SCORES else classes[code]
    scores = [str(score) for score in answer.values] or [""] * len(classes)
    return Rows.of(("label", *(f"p_{name}" for name in classes)), [(decided, *scores)])


def rows_of_class(name: str, classes: Sequence[str]) -> Rows:
    """The answer that decides for a class and is sure of it."""
    from evaluation.problems.shown import Rows

    return Rows.of(
        ("label", *(f"p_{class_name}" for class_name in classes)),
        [(name, *(float(class_name == name) for class_name in classes))],
    )


def worse_classes(perfect: Rows) -> dict[str, Rows]:
    """Answers made of the right one: the first class, the last, the next one, and one that is drawn."""
    from evaluation.problems.shown import draws

    classes = [name.removeprefix("p_") for name in perfect.columns[1:]]
    right = classes.index(perfect.rows[0][0])
    places = {
        "first": 0,
        "last": -1,
        "shifted": (right + 1) % len(classes),
        "noise": int(draws().integers(len(classes))),
    }
    return {kind: rows_of_class(classes[index], classes) for kind, index in places.items()}


def with_class(answer: Numbers, reference: int) -> Numbers:
    """Return an answer combined with the class of the case, by its index among the classes."""
    return Numbers([reference, *answer.counts], answer.values)


def no_answer(reference: int) -> Numbers:
    """The numbers of a case without a valid answer."""
    return Numbers([reference, NO_ANSWER], [])


def score_answer(reference: int, answer: Numbers | None) -> ScoredCase:
    """Combine an answer, or its absence, with the class of the case; all values are of the whole data set."""
    return ScoredCase((), pieces={ANSWER: no_answer(reference) if answer is None else with_class(answer, reference)})


def is_answer(numbers: Numbers, reference: int, classes: int, *, any_score: bool = False) -> bool:
    """Return whether numbers can be an answer to a case.

    It checks numbers from a process that has read an untrusted file.

    Parameters
    ----------
    any_score
        True if scores are any finite numbers, not probabilities.
    """
    if len(numbers.counts) != 2 or any(type(number) is not int for number in numbers.counts):
        return False
    if numbers.counts[0] != reference or not NO_ANSWER <= numbers.counts[1] < classes:
        return False
    if numbers.counts[1] == NO_ANSWER:
        return not numbers.values
    if not numbers.values:
        return numbers.counts[1] != BY_SCORES
    if len(numbers.values) != classes or any(type(score) not in (int, float) for score in numbers.values):
        return False
    if any_score:
        return all(map(math.isfinite, numbers.values))
    inside = all(0 <= score <= 1 for score in numbers.values)
    return inside and math.fabs(math.fsum(numbers.values) - 1) <= 2 * SUM_SLACK * classes


def finish_answers(
    assessment: Assessment, algorithm: str, pieces: Mapping[str, Pieces | None], shared: Mapping[str, Any]
) -> tuple[list[Row], list[Block]]:
    """The rows of one algorithm and the block of its answers; all ``missing`` and no block without any valid answer."""
    answers = {case: case_pieces[ANSWER] for case, case_pieces in pieces.items() if case_pieces is not None}
    block = None
    if any(numbers.counts[1] != NO_ANSWER for numbers in answers.values()):
        block = block_of(PART, algorithm, ALL_CLASSES, answers)
    return finish_block(assessment, algorithm, block, shared)


def finish_block(
    assessment: Assessment, algorithm: str, block: Block | None, shared: Mapping[str, Any]
) -> tuple[list[Row], list[Block]]:
    """The rows of one algorithm from the block of its answers; ``None`` without any valid answer."""
    rows = []
    for use in assessment.computed:
        for region in regions_of(use, shared):
            result: Result = undefined(Outcome.MISSING)
            if block is not None:
                result = value_of(use, CaseEvidence(assessment.problem, region, block, shared))
            rows.append(Row(algorithm, "", region, use.name, *result, None, result.flag))
    return rows, [] if block is None else [block]


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


def merge_classes(
    tables: Sequence[Mapping[str, str]], rule: str, classes: Sequence[str]
) -> tuple[dict[str, str], list[str]]:
    """Merge the classes that several annotators gave to the cases of a classification.

    Parameters
    ----------
    tables
        Case → class, one an annotator, who may lack cases.
    rule
        ``majority_vote`` or ``strict``.
    classes
        All classes of the task in order; of two, the last is the positive one.

    Returns
    -------
    tuple
        Case → class, and the cases for which the rule gives none.

    Examples
    --------
    >>> one, two, three = {"a": "no", "b": "no"}, {"a": "yes", "b": "no"}, {"a": "yes"}
    >>> merge_classes([one, two, three], "majority_vote", ["no", "yes"])
    ({'a': 'yes', 'b': 'no'}, [])
    >>> merge_classes([one, two], "majority_vote", ["no", "yes"])
    ({'b': 'no'}, ['a'])
    >>> merge_classes([one, two, three], "strict", ["no", "yes"])
    ({'a': 'no', 'b': 'no'}, [])
    """
    if rule not in ("majority_vote", "strict"):
        message = f"{rule} is not computed here."
        raise ValueError(message)
    merged: dict[str, str] = {}
    undecided = []
    for case in sorted(set().union(*tables)):
        votes = Counter(table[case] for table in tables if case in table)
        [(first, most), *others] = votes.most_common()
        if not others or (rule == "majority_vote" and others[0][1] < most):
            merged[case] = first
        elif rule == "strict" and len(classes) == 2:
            merged[case] = classes[0]
        else:
            undecided.append(case)
    return merged, undecided
