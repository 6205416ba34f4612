"""A sample test set: references that are read and checked as at sealing, and submissions that are validated and scored.

Nothing is stored. The functions are those that the platform calls on its stored test sets and archives.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from evaluation.admission import (
    Expectation,
    ExpectedCase,
    check_characteristics,
    expectation_of,
    files_of_references,
    instances_beside,
    read_case,
    read_file,
    read_table,
    refusal,
    table_and_shared,
)
from evaluation.checking.naming import bare_name
from evaluation.checking.rows import judge_rows, the_table
from evaluation.problems import kind_of
from evaluation.problems.files import FileProblem
from evaluation.problems.tables import ReferenceTableError, TableProblem
from evaluation.readers import Issue, ReadError
from evaluation.scoring.assembling import assemble

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from evaluation.assessment.model import Assessment
    from evaluation.scoring.evidence_blocks import Evidence
    from evaluation.scoring.rows import Pieces, Row


class RefusedError(ValueError):
    """References or a submission that are refused.

    Attributes
    ----------
    file, case
        Location; empty where it does not apply.
    """

    def __init__(self, message: str, *, file: str = "", case: str = "") -> None:
        self.file, self.case = file, case
        super().__init__(message)


@dataclass(frozen=True)
class SampleTestSet:
    """A sealed sample test set.

    Attributes
    ----------
    prepared
        Prepared reference of each case.
    shared
        Content that the evidence of all submissions has in common.
    """

    assessment: Assessment
    expectation: Expectation
    prepared: Mapping[str, Any]
    shared: Mapping[str, Any]


@dataclass
class Validated:
    """A validated submission.

    Attributes
    ----------
    predictions
        Prediction of each valid case, in the form that scoring takes.
    findings
        Messages about cases and rows.
    """

    predictions: dict[str, Any] = field(default_factory=dict)
    findings: list[str] = field(default_factory=list)


def seal(
    assessment: Assessment, folder: Path, cases: Sequence[str], facts: Mapping[str, Mapping[str, Any]]
) -> SampleTestSet:
    """Read and check references as the platform does when it seals a test set.

    Parameters
    ----------
    folder
        Folder of references.
    facts
        Characteristics of the cases.

    Raises
    ------
    RefusedError
        With what would keep the references from being sealed.
    """
    if why := refusal(assessment):
        raise RefusedError(why)
    problem = kind_of(assessment)
    case = file = ""
    try:
        check_characteristics(assessment, cases, facts)
        prepared: dict[str, Any] = {}
        if isinstance(problem, TableProblem):
            path, table, shared = table_and_shared(folder, assessment, facts)
            file = path.name
            shared |= problem.public_ids(table, assessment, cases)
            public = problem.facts_of(table, assessment)
            expected = tuple(ExpectedCase.of(problem, name, public) for name in cases)
            prepared = {name: problem.prepare(table, name, shared) for name in cases}
        else:
            assert isinstance(problem, FileProblem)
            files = files_of_references(problem, folder, cases)
            beside = instances_beside(folder, assessment)
            shared = {}
            of_cases = []
            for case in cases:
                file = files[case].name
                content, public = read_file(problem, assessment, case, files[case], beside)
                of_cases.append(ExpectedCase.of(problem, case, public))
                prepared[case] = problem.prepare(assessment, content, None if beside is None else beside.of(case))
            expected = tuple(of_cases)
        common = problem.evidence.shared(assessment, shared, facts)
    except ReferenceTableError as error:
        raise RefusedError(str(error), file=file, case=case) from error
    except ReadError as error:
        raise RefusedError(f"{error.message}. {error.remedy}", file=file, case=case) from error
    return SampleTestSet(assessment, expectation_of(assessment, expected, shared), prepared, common)


def validate(test_set: SampleTestSet, folder: Path) -> Validated:
    """Validate the files of a submission as the platform does.

    Raises
    ------
    RefusedError
        If the submission as a whole is refused.
    """
    paths = {path.relative_to(folder).as_posix(): path for path in sorted(folder.rglob("*")) if path.is_file()}
    if test_set.expectation.table is not None:
        return _validate_table(test_set, paths)
    return _validate_files(test_set, paths)


def _validate_table(test_set: SampleTestSet, paths: Mapping[str, Path]) -> Validated:
    expectation = test_set.expectation
    assert expectation.table is not None
    name = the_table(list(paths), expectation.table.files)
    if not isinstance(name, str):
        raise RefusedError(name.sentence)
    try:
        rows = read_table(paths[name], expectation)
    except ReadError as error:
        raise RefusedError(f"{error.message}. {error.remedy}", file=name) from error
    judged = judge_rows(rows, expectation.names, name)
    result = Validated(findings=[finding.sentence for finding in judged.findings.values()])
    result.findings += [f"{case}: {remark}" for case, remark in judged.remarks.items()]
    result.findings += [finding.sentence for finding in rows.findings(bare_name(name))]
    for case in expectation.names:
        if case not in judged.findings and (prediction := rows.of(case)) is not None:
            result.predictions[case] = prediction
    return result


def _validate_files(test_set: SampleTestSet, paths: Mapping[str, Path]) -> Validated:
    problem, expectation = kind_of(test_set.assessment), test_set.expectation
    assert isinstance(problem, FileProblem)
    rules, table = expectation.beside, None
    beside = [path for path in paths if rules is not None and bare_name(path).lower() == rules.file]
    if rules is not None and not beside and rules.needed:
        message = f"There is no {rules.file}, which contains {rules.purpose}."
        raise RefusedError(message, file=rules.file)
    if rules is not None and beside:
        try:
            table = rules.read(paths[beside[0]])
        except ReadError as error:
            raise RefusedError(f"{error.message}. {error.remedy}", file=beside[0]) from error
    pattern = problem.file_pattern(test_set.assessment)
    assigned = problem.assign([path for path in paths if path not in beside], expectation.names, pattern=pattern)
    result = Validated(findings=[finding.sentence for finding in assigned.findings.values()])
    of_cases = {case.name: case for case in expectation.cases}
    for case, name in assigned.files.items():
        try:
            content = read_case(paths[name], of_cases[case], expectation)
        except ReadError as error:
            result.findings.append(f"{error.message}. {error.remedy}")
            continue
        if remark := problem.unused(content, table, case=case, file=bare_name(name)).remark:
            result.findings.append(f"{remark}.")
        result.predictions[case] = problem.submitted(paths[name], table)
    return result


def score(test_set: SampleTestSet, validated: Validated, name: str) -> tuple[list[Row], Evidence | None]:
    """Score all cases of a submission, and assemble the values of the whole data set.

    Raises
    ------
    RefusedError
        If a prediction that validation accepted cannot be read.
    """
    assessment = test_set.assessment
    problem = kind_of(assessment)
    rows: list[Row] = []
    pieces: dict[str, Pieces | None] = {}
    for case in test_set.expectation.names:
        reference = problem.reference_for(test_set.prepared[case], name)
        scored = problem.score(assessment, case, reference, validated.predictions.get(case), parts=True)
        if isinstance(scored.reason, Issue) and case in validated.predictions:
            raise RefusedError(f"{scored.reason.message}. {scored.reason.remedy}", case=case)
        rows += scored.rows
        pieces[case] = scored.pieces
    evidence = None
    if assessment.is_pooled:
        of_data_set, evidence = assemble(assessment, pieces, shared=test_set.shared)
        rows += of_data_set
        evidence = evidence.renamed(name)
    return [row._replace(algorithm=name) for row in rows], evidence
