"""References that are one table for all cases: read from the organizers' folder, stored once, looked up case by case."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

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
from test_sets import vault
from test_sets.models import Annotation, TestCase
from test_sets.queries.expectation import TABLE_FILES

ANNOTATORS_INSTANCES: Final = "annotator_instances"
"""Under what a test set keeps where the table of instances of each annotator is."""
_TABLES_KEPT: Final = 24
"""Those of one test set: the references, and of twenty annotators each."""


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

    def covered(self, cases: Sequence[str]) -> list[str]:
        """Those of the cases that whoever made the table looked at.

        Of a CSV file of objects these are all, since a case without objects has no row; COCO JSON lists its images.
        """
        if self.labels is not None:
            return [case for case in cases if case in self.labels]
        known = set(self.objects.cases) if self.objects is not None and self.objects.image_names else set(cases)
        return [case for case in cases if case in known]

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
        check_labels({case: table.labels[case] for case in cases}, assessment)
        return
    check_classes(table, assessment, cases)


def check_labels(labels: Mapping[str, str], assessment: Assessment) -> None:
    """Refuse a class of a case that the assessment does not name: its name would tell participants that it occurs.

    An assessment that names one class leaves the other one of two to the table; one that names none, all of them.

    Parameters
    ----------
    labels
        Class by case.

    Raises
    ------
    ReferenceTableError
        With the case and the class.
    """
    known = {str(label) for region in assessment.regions for label in region.labels}
    if not known:
        return
    unnamed = list(dict.fromkeys(label for label in labels.values() if label not in known))
    strange = unnamed[1:] if len(known) == 1 else unnamed
    if strange:
        case = next(case for case, label in labels.items() if label == strange[0])
        raise ReferenceTableError(
            f"The reference of {case} cannot be taken: no region of the assessment names the class {strange[0]!r}. "
            "Correct the table, or register the class."
        )


def check_classes(table: ReferenceTable, assessment: Assessment, cases: Sequence[str]) -> None:
    """Refuse objects that no region of the assessment names.

    Raises
    ------
    ReferenceTableError
        With the case.
    """
    known = {str(label) for region in assessment.regions for label in region.labels}
    for case in cases:
        strange = sorted({str(name) for name in table.objects_of(case).classes if name} - known)
        if strange:
            raise ReferenceTableError(
                f"The reference of {case} cannot be taken: no region of the assessment names the class {strange[0]!r}."
            )


def shared(
    table: ReferenceTable,
    assessment: Assessment,
    cases: Sequence[str],
    patients: dict[str, str],
    named: Sequence[str] = (),
) -> dict[str, Any]:
    """Return what the evidence of all teams has in common, as the command line has it for the same cases.

    Parameters
    ----------
    named
        Classes that annotators named; theirs may be others than those of the references.

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
        return describe_classes(assessment, [*(table.labels[case] for case in cases), *named])
    except ValueError as error:
        raise ReferenceTableError(f"The classes cannot be told: {error}.") from error


@lru_cache(maxsize=_TABLES_KEPT)
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


def digest_with_instances(case: str, image_digest: str, table_digest: str) -> str:
    """Digest of a label map and the classes of its objects; over the whole table, as that of a case in a table is.

    With the name of the case: two may have the same label map and different rows.
    """
    return sha256({"case": case, "image": image_digest, "instances": table_digest})


def instances_file(shared: Mapping[str, Any]) -> str:
    """Where the table of instances of a test set is kept, from what its cases share; empty without one."""
    return str(shared.get("instances", ""))


def instances_of(case: TestCase | Annotation) -> Instances | None:
    """Classes of the objects of a case; None where whoever drew them has no table of instances."""
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
