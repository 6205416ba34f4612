"""The answer to one case of an image classification, as numbers for the evidence."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from evaluation.metrics.samples import SUM_SLACK
from evaluation.scoring.classification_evidence import BY_SCORES, NO_ANSWER
from evaluation.scoring.pieces import Numbers

if TYPE_CHECKING:
    from evaluation.readers.tables import PredictedLabels


def no_answer(reference: int) -> Numbers:
    """The numbers of a case without a valid answer; ``reference`` is the place of its class among the classes."""
    return Numbers([reference, NO_ANSWER], [])


def answer_of(answers: PredictedLabels, place: int, reference: int) -> Numbers:
    """The numbers of the case at a place of the table."""
    if not answers.answered[place]:
        return no_answer(reference)
    decided = BY_SCORES if answers.decision is None else int(answers.decision[place])
    return Numbers([reference, decided], [] if answers.scores is None else answers.scores[place].tolist())


def is_answer(numbers: Numbers, reference: int, classes: int) -> bool:
    """Whether numbers can be an answer to a case: for what comes from a process that has read a stranger's file."""
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
    inside = all(0 <= score <= 1 for score in numbers.values)
    return inside and math.fabs(math.fsum(numbers.values) - 1) <= 2 * SUM_SLACK * classes
