"""Annotations of each of several annotators, kept next to the references that are scored."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from datastore.test_sets.queries.test_sets import has_one_table
from datastore.test_sets.services import reference_tables
from datastore.test_sets.services.files import keep_secret
from datastore.uploads.storage import sha256_of
from evaluation.admission import instances_beside, read_one_table
from evaluation.assessment import Assessment
from evaluation.problems.files import file_problem
from evaluation.problems.tables import table_problem
from evaluation.readers.instance_tables import INSTANCES_FILE


@dataclass(frozen=True)
class Drawn:
    """The reference of a case by one annotator, stored."""

    annotator: str
    case: str
    stored: str
    digest: str


@dataclass
class Annotations:
    """References of several annotators.

    Attributes
    ----------
    drawn
        One entry per annotator and case.
    labels
        Classes that they assigned in a classification, without those of decoys.
    instances
        Annotator → name of the stored table of instances, for annotators who have one.
    """

    drawn: list[Drawn] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)
    instances: dict[str, str] = field(default_factory=dict)

    @property
    def shared(self) -> dict[str, Any]:
        """Data of the annotators that the test set stores in addition to the entries."""
        return {reference_tables.ANNOTATORS_INSTANCES: self.instances} if self.instances else {}


def keep_annotators(
    folders: Mapping[str, Path], assessment: Assessment, cases: Sequence[str], scored: Sequence[str]
) -> Annotations:
    """Store what each annotator drew, encrypted.

    Raises
    ------
    ReferenceTableError
        When an annotator's table is not there or cannot be taken.
    ReadError
        When it cannot be read.
    """
    annotations = Annotations()
    for name, folder in folders.items():
        if has_one_table(assessment):
            _keep_table(annotations, name, folder, assessment, cases, scored)
        else:
            _keep_files(annotations, name, folder, assessment, set(cases))
    return annotations


def _keep_files(annotations: Annotations, name: str, folder: Path, assessment: Assessment, cases: set[str]) -> None:
    problem = file_problem(assessment.problem)
    table = instances_beside(folder, assessment)
    table_digest = ""
    if table is not None:
        annotations.instances[name] = keep_secret("references", folder / INSTANCES_FILE)
        table_digest = sha256_of(folder / INSTANCES_FILE)
    for path in sorted(folder.iterdir()):
        if (case := problem.case_of(path.name)) not in cases:
            continue
        digest = sha256_of(path)
        if table_digest:
            digest = reference_tables.digest_with_instances(case, digest, table_digest)
        annotations.drawn.append(
            Drawn(name, case, keep_secret("references", path, ending=problem.ending_of(path.name)), digest)
        )


def _keep_table(
    annotations: Annotations,
    name: str,
    folder: Path,
    assessment: Assessment,
    cases: Sequence[str],
    scored: Sequence[str],
) -> None:
    path, table = read_one_table(folder, table_problem(assessment.problem))
    table_file, file_digest = keep_secret("references", path), sha256_of(path)
    annotations.drawn += [
        Drawn(name, case, table_file, reference_tables.digest_of(case, file_digest)) for case in table.covered(cases)
    ]
    if table.classes is not None:
        annotations.labels += [table.classes[case] for case in scored if case in table.classes]
