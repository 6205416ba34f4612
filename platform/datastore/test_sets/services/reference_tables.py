"""References that are one table for all cases: read from the organizers' folder, stored once, looked up case by case."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from datastore.test_sets import vault
from datastore.test_sets.models import Annotation, TestCase
from evaluation.assessment import Assessment
from evaluation.canonical import sha256
from evaluation.problems.files import FileProblem
from evaluation.problems.tables import ReferenceTable, ReferenceTableError, TableProblem, table_problem
from evaluation.readers.instance_tables import (
    INSTANCES_FILE,
    InstanceRules,
    Instances,
    InstanceTable,
    read_instances,
)

ANNOTATORS_INSTANCES: Final = "annotator_instances"
"""Under what a test set keeps where the table of instances of each annotator is."""
_TABLES_KEPT: Final = 24
"""Those of one test set: the references, and of twenty annotators each."""


def find(folder: Path, problem: TableProblem) -> Path:
    """Return the table in a folder of references.

    Raises
    ------
    ReferenceTableError
        When there is none, or more than one.
    """
    present = [folder / name for name in problem.references.tables if (folder / name).is_file()]
    if len(present) != 1:
        names = " or ".join(problem.references.tables)
        raise ReferenceTableError(f"The folder of references needs one table {names}; it has {len(present)}.")
    return present[0]


def read(folder: Path, problem: TableProblem) -> tuple[Path, ReferenceTable]:
    """Find and read the table in a folder of references.

    Raises
    ------
    ReferenceTableError
        When there is none, or more than one.
    ReadError
        When it cannot be taken.
    """
    path = find(folder, problem)
    return path, problem.read_references(path)


def digest_of(case: str, file_digest: str) -> str:
    """Return the digest of the reference of one case.

    The digest covers the whole table. A digest of the case's own rows would reveal their class to a person
    who tries all classes.
    """
    return sha256({"case": case, "table": file_digest})


def shared(
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
        raise ReferenceTableError(f"The classes cannot be told: {error}.") from error


@lru_cache(maxsize=_TABLES_KEPT)
def stored(name: str, problem: str) -> ReferenceTable:
    """Return the table in the private storage; its name is its digest, so that it can be kept."""
    with vault.opened(name) as path:
        return table_problem(problem).read_references(path)


def read_instances_beside(folder: Path, assessment: Assessment) -> InstanceTable | None:
    """Read the classes of the objects of label maps from the accompanying table.

    None if there is no table and none is required.

    Raises
    ------
    ReferenceTableError
        If there is no table although the regions of the assessment need the class of each object.
    ReadError
        If the table is not acceptable.
    """
    problem = assessment.kind
    rules = problem.table_beside(assessment) if isinstance(problem, FileProblem) else None
    if rules is None:
        return None
    path = folder / INSTANCES_FILE
    if path.is_file():
        return read_instances(path, rules, scored=False)
    if rules.need_class:
        raise ReferenceTableError(
            f"{INSTANCES_FILE}: is missing. With {len(assessment.regions)} regions it has to tell {rules.purpose}: columns "
            "case, instance, class."
        )
    return None


def digest_with_instances(case: str, image_digest: str, table_digest: str) -> str:
    """Digest of a label map and the classes of its objects; over the whole table, as that of a case in a table is.

    With the name of the case: two may have the same label map and different rows.
    """
    return sha256({"case": case, "image": image_digest, "instances": table_digest})


def instances_file(shared: Mapping[str, Any]) -> str:
    """Return the name of the stored table of instances, from the shared data of a test set; empty without one."""
    return str(shared.get("instances", ""))


def instances_of(case: TestCase | Annotation) -> Instances | None:
    """Return the classes of the objects of a case; None if its annotator has no table of instances."""
    shared = case.test_set.shared
    if isinstance(case, Annotation):
        name = shared.get(ANNOTATORS_INSTANCES, {}).get(case.annotator, "")
    else:
        name = instances_file(shared)
    return _stored_instances(name).of(case.name) if name else None


@lru_cache(maxsize=_TABLES_KEPT)
def _stored_instances(name: str) -> InstanceTable:
    with vault.opened(name) as path:
        return read_instances(path, InstanceRules(None), scored=False)
