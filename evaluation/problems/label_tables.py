"""Tables of classes: rows of references and of predictions in image classification."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from evaluation.problems.tables import PredictionTable, ReferenceTable, some_classes

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evaluation.readers import Issue
    from evaluation.readers.tables import PredictedLabels
    from evaluation.scoring.rows import Numbers


class PreparedLabel(NamedTuple):
    """The class of a case, by its place among the classes of the task."""

    code: int
    classes: int


class LabelReferences(ReferenceTable):
    """Class of every case."""

    content = "classes"

    def __init__(self, classes: Mapping[str, str]) -> None:
        self.classes: Mapping[str, str] = classes
        self.cases = list(classes)


@dataclass
class LabelPredictions(PredictionTable):
    """Answers for every case."""

    answers: PredictedLabels
    places: Mapping[str, int]
    classes: Sequence[str]
    absent: frozenset[str]
    strange: Sequence[str]

    def issue(self, case: str) -> Issue | None:
        """Return the reason why the row of a case is not a valid answer."""
        issue = self.answers.invalid.get(case)
        return None if issue is None else issue._replace(remedy=_remedy(issue.message, self.classes))

    def of(self, case: str) -> Numbers | None:
        """The class decided for and the scores of all classes; ``None`` without a valid row."""
        from evaluation.problems.labels import answer_of

        index = self.places[case]
        return answer_of(self.answers, index) if self.answers.answered[index] else None


class AnswersByCase(Mapping[str, "Numbers"]):
    """The answer to each answered case, created on access."""

    def __init__(self, table: LabelPredictions) -> None:
        self.table = table

    def __getitem__(self, case: str) -> Numbers:
        answer = self.table.of(case) if case in self.table.places else None
        if answer is None:
            raise KeyError(case)
        return answer

    def __iter__(self) -> Iterator[str]:
        answered = self.table.answers.answered
        return (case for case, index in self.table.places.items() if answered[index])

    def __len__(self) -> int:
        return int(self.table.answers.answered.sum())


def _remedy(message: str, classes: Sequence[str]) -> str:
    if "more than one row" in message:
        return "Keep one row for each case."
    if "the label" in message:
        return f"Use one of the classes {some_classes(classes)}."
    if "sum to 1" in message:
        return "Give probabilities of all classes that sum to 1."
    return "Give a number from 0 to 1 for every class."
