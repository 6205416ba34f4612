"""References that are one table for all cases: read from the organizers' folder, stored once, looked up case by case."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from evaluation.assessment import Assessment
from evaluation.assessment.instances import instance_rules
from evaluation.canonical import sha256
from evaluation.matching import Objects
from evaluation.readers.instance_tables import (
    INSTANCES_FILE,
    InstanceRules,
    Instances,
    InstanceTable,
    read_instances,
)
from evaluation.readers.object_tables import ObjectTable, read_objects
from evaluation.readers.tables import read_reference_labels
from submissions import vault
from submissions.expectation import TABLE_FILES
from submissions.models import TestCase


class ReferenceTableError(ValueError):
    """A table of references that cannot be taken; the message is for the organizer."""


@dataclass(frozen=True)
class ReferenceTable:
    """The references of all cases.

    Attributes
    ----------
    labels
        Class of every case, of a classification.
    objects
        Objects of every case, of a detection.
    """

    labels: dict[str, str] | None = None
    objects: ObjectTable | None = None

    def geometry(self) -> dict[str, Any]:
        """What participants may know about the kind of references; the same for all cases."""
        if self.objects is None:
            return {}
        return {"objects": self.objects.kind[0], "axes": self.objects.kind[1]}

    def objects_of(self, case: str) -> Objects:
        """Objects of a case of a detection."""
        if self.objects is None:
            raise ValueError("This is no table of objects.")
        return self.objects.of(case)


def find(folder: Path, problem: str) -> Path:
    """Return the table in a folder of references.

    Raises
    ------
    ReferenceTableError
        When there is none, or more than one.
    """
    present = [folder / name for name in TABLE_FILES[problem] if (folder / name).is_file()]
    if len(present) != 1:
        names = " or ".join(TABLE_FILES[problem])
        raise ReferenceTableError(f"The folder of references needs one table {names}; it has {len(present)}.")
    return present[0]


def read(path: Path, problem: str) -> ReferenceTable:
    """Read a table of references.

    Raises
    ------
    ReadError
        When it cannot be taken.
    """
    if problem == "image_classification":
        return ReferenceTable(labels=read_reference_labels(path))
    return ReferenceTable(objects=read_objects(path, scored=False))


def digest_of(case: str, file_digest: str) -> str:
    """Digest of the reference of one case.

    Over the whole table: a digest of the case's own rows would tell which class they name to whoever tries them all.
    """
    return sha256({"case": case, "table": file_digest})


def check(table: ReferenceTable, assessment: Assessment, cases: Sequence[str]) -> None:
    """Refuse a table that lacks a case, or has objects that no region of the assessment names.

    Raises
    ------
    ReferenceTableError
        With the case.
    """
    if table.labels is not None:
        if absent := [case for case in cases if case not in table.labels]:
            raise ReferenceTableError(f"There is no reference for the case {absent[0]}.")
        return
    known = {str(label) for region in assessment.regions for label in region.labels}
    for case in cases:
        strange = sorted({str(name) for name in table.objects_of(case).classes if name} - known)
        if strange:
            raise ReferenceTableError(
                f"The reference of {case} cannot be taken: no region of the assessment names the class {strange[0]!r}."
            )


def shared(
    table: ReferenceTable, assessment: Assessment, cases: Sequence[str], patients: dict[str, str]
) -> dict[str, Any]:
    """Return what the evidence of all teams has in common, as the command line has it for the same cases.

    Raises
    ------
    ReferenceTableError
        When only one class is known.
    """
    # Here, so that web processes start without the libraries of scoring.
    from evaluation.scoring.classification import describe_classes
    from evaluation.scoring.objects import shared_evidence

    if table.labels is None:
        return shared_evidence(assessment, patients)
    try:
        return describe_classes(assessment, [table.labels[case] for case in cases])
    except ValueError as error:
        raise ReferenceTableError(f"The classes cannot be told: {error}.") from error


@lru_cache(maxsize=4)
def stored(name: str, problem: str) -> ReferenceTable:
    """Return the table in the private storage; its name is its digest, so that it can be kept."""
    with vault.opened(name) as path:
        return read(path, problem)


def read_instances_beside(folder: Path, assessment: Assessment) -> InstanceTable | None:
    """Read the classes of the objects of label maps from the table beside them; None where there is and need be none.

    Raises
    ------
    ReferenceTableError
        When there is none although the regions of the assessment need the class of each object.
    ReadError
        When it cannot be taken.
    """
    if assessment.problem != "instance_segmentation":
        return None
    path, rules = folder / INSTANCES_FILE, instance_rules(assessment)
    if path.is_file():
        return read_instances(path, rules, scored=False)
    if rules.need_class:
        raise ReferenceTableError(
            f"{INSTANCES_FILE}: is missing. With {len(assessment.regions)} regions it has to tell {rules.purpose}: columns "
            "case, instance, class."
        )
    return None


def digest_with_instances(image_digest: str, table_digest: str) -> str:
    """Digest of a label map and the classes of its objects; over the whole table, as that of a case in a table is."""
    return sha256({"image": image_digest, "instances": table_digest})


def instances_file(shared: Mapping[str, Any]) -> str:
    """Where the table of instances of a test set is kept, from what its cases share; empty without one."""
    return str(shared.get("instances", ""))


def instances_of(case: TestCase) -> Instances | None:
    """Classes of the objects of a case; None where its test set has no table of instances."""
    name = instances_file(case.test_set.shared)
    return _stored_instances(name).of(case.name) if name else None


@lru_cache(maxsize=4)
def _stored_instances(name: str) -> InstanceTable:
    with vault.opened(name) as path:
        return read_instances(path, InstanceRules(None), scored=False)
