"""Scoring single cases: prepared references in the worker, predictions in confined children.

A prediction is a file of its own or the rows of a table. Beside rows of results, a case gives the pieces of the values that
only the whole data set has.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from confinement.limits import ChildLimits, TableLimits
from confinement.sandbox import answers
from evaluation.scoring import ScoredCase
from scoring.domain.results import CaseRow
from scoring.services import disentangling
from scoring.services.cases import Scored, plain_pieces
from scoring.services.predictions import Predictions
from scoring.services.references import annotated, references
from scoring.services.trusting import handed_for_decoy, of_annotators, scored_of
from test_sets.models import TestCase


def score_cases(
    predictions: Predictions,
    cases: Sequence[TestCase],
    *,
    limits: ChildLimits,
    beat: Callable[[], None],
    seconds: float,
) -> Iterator[Scored]:
    """Score cases whose prediction has been found valid; fewer come back when `seconds` are over.

    A case at which the child dies, or for which it reports anything but complete rows, has the outcome `missing` with
    the reason.
    """
    assessment, members = predictions.assessment, predictions.members
    by_name = {case.name: case for case in cases}
    prepared: dict[str, Any] = {}
    drawn: dict[str, dict[str, Any]] = {}
    for case in cases:
        prepared[case.name] = references.get(assessment, case)
        beat()
        drawn[case.name] = annotated(assessment, case)
        beat()
    submitted = predictions.open()
    problem = assessment.kind
    if problem.table_files:
        limits = replace(limits, message_bytes=TableLimits().message_bytes)

    def work(name: str, folder: Path) -> Any:
        prediction = submitted.of(name, folder)
        scored = problem.score(assessment, name, prepared[name], prediction, parts=True)
        more = {
            key: reported(problem.score(assessment, name, reference, prediction))
            for key, reference in drawn[name].items()
        }
        handed = problem.look(prediction) if by_name[name].is_decoy and prediction is not None else {}
        submitted.close(name, folder)
        apart = disentangling.reported(scored)
        return reported(scored) | {"annotators": more, "handed": handed, "disentangled": apart}

    def reported(scored: ScoredCase) -> Any:
        reason = f"{scored.reason.message}. {scored.reason.remedy}" if scored.reason else ""
        return {"rows": rows_of(scored), "reason": reason, "pieces": plain_pieces(scored.pieces)}

    def rows_of(scored: ScoredCase) -> list[CaseRow]:
        return [CaseRow.of(row) for row in scored.rows]

    names = [case.name for case in cases]
    for answer in answers(names, work, limits=limits, reads=[submitted.path], beat=beat, seconds=seconds):
        found = scored_of(assessment, answer, members[answer.item], prepared[answer.item])
        more = of_annotators(assessment, answer, members[answer.item], drawn[answer.item])
        apart = disentangling.trusted(assessment, None if found.note else answer.value, prepared[answer.item])
        details = found.details or disentangling.doubt(apart, noted=bool(found.note))
        handed = handed_for_decoy(answer.value)
        yield replace(found, annotators=more, handed=handed, disentangled=apart, details=details)
