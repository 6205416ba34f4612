"""Requirements on references before they are sealed as a test set; nothing is stored here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evaluation import problems
from evaluation.assessment.columns import grouping_columns
from evaluation.assessment.exclusions import GRADES
from evaluation.problems import kind_of
from evaluation.problems.files import FileProblem
from evaluation.problems.tables import ReferenceTableError, table_problem
from evaluation.readers.instance_tables import INSTANCES_FILE, InstanceTable, read_instances

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from evaluation.assessment.model import Assessment
    from evaluation.problems.tables import ReferenceTable, TableProblem


def refusal(assessment: Assessment) -> str | None:
    """Return the reason why submissions with this assessment cannot be scored here; ``None`` if they can.

    Submissions are scored case by case, in any order and by any worker. Values of the whole data set are computed at
    the end from the contributions of the cases.
    """
    problem = kind_of(assessment)
    if not problem.is_scored:
        return (
            f"Submissions to a phase of the problem {assessment.problem} cannot be scored here; "
            f"possible are {', '.join(kind.id for kind in problems.scored_problems())}."
        )
    return problem.plausibility.refusal(assessment) or None


def check_characteristics(
    assessment: Assessment, scored: Sequence[str], facts: Mapping[str, Mapping[str, Any]]
) -> None:
    """Refuse cases that lack a characteristic that the ranking needs, or have an unknown quality grade.

    Raises
    ------
    ReferenceTableError
        With the characteristic and the case.
    """
    for column in grouping_columns(assessment):
        if lacking := [case for case in scored if facts.get(case, {}).get(column) in (None, "")]:
            message = f"The ranking needs the characteristic {column} of every case; {lacking[0]} has none."
            raise ReferenceTableError(message)
    graded = assessment.exclusions.grade_column
    if graded and (wrong := [case for case in scored if facts[case][graded] not in GRADES]):
        message = f"Case {wrong[0]} has no quality grade in {graded}; it is one of {', '.join(GRADES)}."
        raise ReferenceTableError(message)


def table_file(folder: Path, problem: TableProblem) -> Path:
    """Return the table in a folder of references.

    Raises
    ------
    ReferenceTableError
        When there is none, or more than one.
    """
    present = [folder / name for name in problem.references.tables if (folder / name).is_file()]
    if len(present) != 1:
        names = " or ".join(problem.references.tables)
        message = f"The folder of references needs one table {names}; it has {len(present)}."
        raise ReferenceTableError(message)
    return present[0]


def read_one_table(folder: Path, problem: TableProblem) -> tuple[Path, ReferenceTable]:
    """Find and read the table in a folder of references.

    Raises
    ------
    ReferenceTableError
        When there is none, or more than one.
    ReadError
        When it cannot be taken.
    """
    path = table_file(folder, problem)
    return path, problem.read_references(path)


def shared_of_table(
    table: ReferenceTable,
    assessment: Assessment,
    cases: Sequence[str],
    patients: dict[str, str],
    named: Sequence[str] = (),
) -> dict[str, Any]:
    """Return the data common to the evidence of all teams, identical to the command line for the same cases.

    Parameters
    ----------
    named
        Classes that annotators assigned; they can differ from those of the references.

    Raises
    ------
    ReferenceTableError
        If the classes cannot be determined.
    """
    try:
        return table_problem(assessment.problem).shared(table, assessment, cases, patients, named)
    except ValueError as error:
        message = f"The classes cannot be determined: {error}."
        raise ReferenceTableError(message) from error


def table_and_shared(
    folder: Path, assessment: Assessment, facts: Mapping[str, Mapping[str, Any]], named: Sequence[str] = ()
) -> tuple[Path, ReferenceTable, dict[str, Any]]:
    """Return the one table of references in a folder, its content, and what the evidence of all teams has in common.

    Parameters
    ----------
    facts
        Characteristics of the scored cases.
    named
        Classes that annotators named.

    Raises
    ------
    ReferenceTableError
        When the table is not there, lacks a case, or names what no region of the assessment names.
    ReadError
        When it cannot be read.
    """
    patients = {case: str(each["patient"]) for case, each in facts.items() if each.get("patient") is not None}
    problem = table_problem(assessment.problem)
    path, table = read_one_table(folder, problem)
    problem.check_references(table, assessment, list(facts))
    shared = shared_of_table(table, assessment, list(facts), patients, named)
    shared |= problem.shared_facts(table, assessment, facts)
    return path, table, shared


def instances_beside(folder: Path, assessment: Assessment) -> InstanceTable | None:
    """Read the classes of the objects of label maps from the accompanying table.

    The result is ``None`` if there is no table and none is required.

    Raises
    ------
    ReferenceTableError
        If there is no table although the regions of the assessment need the class of each object.
    ReadError
        If the table is not acceptable.
    """
    problem = kind_of(assessment)
    rules = problem.table_beside(assessment) if isinstance(problem, FileProblem) else None
    if rules is None:
        return None
    path = folder / INSTANCES_FILE
    if path.is_file():
        return read_instances(path, rules, scored=False)
    if rules.need_class:
        message = (
            f"{INSTANCES_FILE}: is missing. With {len(assessment.regions)} regions it has to tell {rules.purpose}: columns "
            "case, instance, class."
        )
        raise ReferenceTableError(message)
    return None


def files_of_references(problem: FileProblem, folder: Path, cases: Sequence[str]) -> dict[str, Path]:
    """Return the file of each case in a folder of references.

    Raises
    ------
    ReferenceTableError
        For a case without a file.
    """
    files = problem.find_references(folder)
    for case in cases:
        if case not in files:
            message = f"There is no reference for the case {case}."
            raise ReferenceTableError(message)
    return files


def read_file(
    problem: FileProblem, assessment: Assessment, case: str, path: Path, table: InstanceTable | None
) -> tuple[Any, dict[str, Any]]:
    """Read the reference of a case, and return its content and the facts that predictions are compared with.

    Raises
    ------
    ReadError
        If it cannot be taken, or does not match the table of instances.
    """
    content = problem.read_reference(assessment, path)
    if table is not None:
        problem.check_objects(content, table.of(case), case=case, file=path.name)
    return content, problem.facts_of(content)
