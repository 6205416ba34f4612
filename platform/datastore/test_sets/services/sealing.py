"""Making and sealing test sets."""

import secrets
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd
from django.db import transaction
from django.utils import timezone

from accounts.models import User
from challenges.models import Phase
from core.audit.services import record
from datastore.test_sets.models import Annotation, TestCase, TestSet
from datastore.test_sets.queries.test_sets import has_one_table
from datastore.test_sets.services import overlap_requests, reference_tables, replacing
from datastore.test_sets.services.annotations import Annotations, keep_annotators
from datastore.test_sets.services.checking import check_cases, table_content
from datastore.test_sets.services.files import keep, keep_secret
from datastore.test_sets.services.replacing import Replacement, TestSetError
from datastore.uploads.storage import sha256_of, working_folder
from evaluation.admission import instances_beside, read_file, refusal
from evaluation.assessment import Assessment
from evaluation.canonical import sha256
from evaluation.problems.files import FileProblem, file_problem
from evaluation.problems.tables import ReferenceTableError, table_problem
from evaluation.readers import ReadError, case_name
from evaluation.readers.instance_tables import INSTANCES_FILE, InstanceTable

# Beside the formats of label images: pictures may have lost something in compression, labels may not.
PHOTOGRAPHS = (".jpg", ".jpeg")


@dataclass(frozen=True)
class _Reference:
    name: str
    stored: str
    digest: str
    geometry: dict[str, Any]
    image: str


def create_test_set(
    *,
    phase: Phase,
    references: Path,
    cases: Sequence[str],
    images: Path | None = None,
    metadata: pd.DataFrame | None = None,
    name: str = "",
    actor: User | None = None,
    geometries: Mapping[str, dict[str, Any]] | None = None,
    replacement: Replacement | None = None,
    decoys: Collection[str] = (),
    annotators: Mapping[str, Path] | None = None,
    merge_rule: str = "",
    within: Callable[[TestSet], None] = lambda _: None,
) -> TestSet:
    """Read, store and seal references as the version of the phase's test set that new runs are scored against.

    Parameters
    ----------
    phase
        The phase; an older version of its test set stays readable but is no longer active.
    references
        Folder with one file per case, `<case><suffix>` (and `instances.csv` for instances), or with one table
        of all cases, in the layout of the contract.
    cases
        Names of the cases, in the order in which they are listed.
    images
        Folder with the images that pictures show, `<case><suffix>`; cases without an image get pictures
        without background.
    metadata
        Table with a column `case` and one column per characteristic.
    geometries
        Grids of the references by case, if a confined child has read them already; they are then not read
        again.
    replacement
        Reason why an earlier version is replaced. All scored submissions are then scored again, in the same
        transaction.
    decoys
        Cases that are required and not scored. Decoys of label images need a file in `references` like
        others.
    annotators
        Folder with the label images or the table of each annotator, if `references` contains the merged work
        of several annotators.
    merge_rule
        Rule by which they were merged.
    within
        Called at the end of that transaction.

    Raises
    ------
    TestSetError
        If a reference is missing, cannot be read, or has labels that no region of the assessment names. If
        the table lacks a characteristic that the ranking groups cases by. If the phase would reveal decoys.
        If submissions could not be scored by the phase's assessment.
    """
    if why := refusal(phase.assessment):
        raise TestSetError(why)
    pictures = _by_case(images) if images else {}
    scored, facts = check_cases(phase, cases, decoys, metadata)
    shared: dict[str, Any] = {}
    drawn = _annotations(annotators or {}, phase.assessment, cases, scored)
    if has_one_table(phase.assessment):
        stored, shared = _store_table(
            references, phase.assessment, cases, {case: facts.get(case, {}) for case in scored}, pictures, drawn.labels
        )
    else:
        problem = file_problem(phase.assessment.problem)
        files = problem.find_references(references)
        geometry_by_case = geometries or {}
        table = _table_beside(references, phase.assessment)
        stored = [
            _store(
                phase.assessment, problem, case, files.get(case), pictures.get(case), geometry_by_case.get(case), table
            )
            for case in cases
        ]
        if table is not None:
            stored, shared = _with_instances(references / INSTANCES_FILE, stored)
    shared |= drawn.shared
    with transaction.atomic():
        phase = (
            Phase.objects.select_for_update(of=("self",), no_key=True)
            .select_related("task__challenge")
            .get(pk=phase.pk)
        )
        version = TestSet.objects.filter(phase=phase).count() + 1
        former: dict[str, str] = {}
        change = None
        if replacement is not None:
            waiting, change = replacing.check(phase, {entry.name: entry.geometry for entry in stored})
            present = TestCase.objects.filter(test_set__phase=phase, test_set__is_active=True)
            former = dict(present.values_list("name", "image_file"))
        test_set = TestSet.objects.create(
            phase=phase,
            version=version,
            name=name or f"Test set of {phase.name}",
            shared=shared,
            salt=secrets.token_hex(32),
            merge_rule=merge_rule,
            change_request=change,
        )
        TestCase.objects.bulk_create(
            TestCase(
                test_set=test_set,
                name=entry.name,
                position=position,
                reference_file=entry.stored,
                reference_sha256=entry.digest,
                image_file=entry.image or former.get(entry.name, ""),
                geometry=entry.geometry,
                metadata=facts.get(entry.name, {}),
                is_decoy=entry.name in decoys,
            )
            for position, entry in enumerate(stored, start=1)
        )
        if drawn.drawn:
            numbers = dict(test_set.cases.values_list("name", "pk"))
            Annotation.objects.bulk_create(
                Annotation(
                    case_id=numbers[entry.case],
                    annotator=entry.annotator,
                    reference_file=entry.stored,
                    reference_sha256=entry.digest,
                )
                for entry in drawn.drawn
            )
        seal_version(test_set, actor=actor, reason=replacement.reason if replacement else "")
        overlap_requests.request(test_set)
        if replacement is not None:
            for dependents in waiting:
                dependents.score_again(actor=actor)
        within(test_set)
        return test_set


def manifest_digest(test_set: TestSet) -> str:
    """Digest over everything that decides about results: see `TestSet`."""
    cases = test_set.cases.order_by("position").prefetch_related("annotations")
    return sha256(
        {
            "salt": test_set.salt,
            "merge_rule": test_set.merge_rule,
            "cases": [case.manifest_entry() for case in cases],
        }
    )


def seal_version(test_set: TestSet, *, actor: User | None, reason: str) -> None:
    """Put a version in use, with its digest and its audit entry; called in the transaction that makes it."""
    TestSet.objects.filter(phase=test_set.phase, is_active=True).update(is_active=False)
    test_set.manifest_digest = manifest_digest(test_set)
    test_set.sealed_at = timezone.now()
    test_set.is_active = True
    test_set.save(update_fields=["manifest_digest", "sealed_at", "is_active"])
    record(
        actor=actor,
        act="test_set_sealed",
        subject=test_set,
        scope=test_set.phase.challenge.slug,
        facts={
            "phase": test_set.phase.name,
            "version": test_set.version,
            "cases": test_set.cases.count(),
            "manifest_digest": test_set.manifest_digest,
            **({"reason": reason} if reason else {}),
            **({"change_request": test_set.change_request.number} if test_set.change_request else {}),
        },
    )


def _annotations(
    folders: Mapping[str, Path], assessment: Assessment, cases: Sequence[str], scored: Sequence[str]
) -> Annotations:
    try:
        return keep_annotators(folders, assessment, cases, scored)
    except ReferenceTableError as error:
        raise TestSetError(str(error)) from error
    except ReadError as error:
        raise TestSetError(f"The references of an annotator cannot be taken: {error}") from error


def _by_case(folder: Path) -> dict[str, Path]:
    paths: dict[str, Path] = {}
    for path in sorted(folder.iterdir()):
        if (name_parts := case_name(path)) is not None:
            paths[name_parts[0]] = path
        elif path.suffix.lower() in PHOTOGRAPHS:
            paths.setdefault(path.stem, path)
    return paths


def _store(
    assessment: Assessment,
    problem: FileProblem,
    case: str,
    reference: Path | None,
    image: Path | None,
    geometry: dict[str, Any] | None,
    table: InstanceTable | None,
) -> _Reference:
    if reference is None:
        raise TestSetError(f"There is no reference for the case {case}.")
    try:
        if geometry is None:
            _, geometry = read_file(problem, assessment, case, reference, table)
    except ReadError as error:
        raise TestSetError(f"The reference of {case} cannot be taken: {error}") from error
    with working_folder() as folder:
        whole = problem.packed(reference, folder)
        digest = sha256_of(whole)
        reference_file = keep_secret("references", whole, ending=problem.ending_of(whole.name))
    return _Reference(case, reference_file, digest, geometry, keep("images", image) if image else "")


def _table_beside(references: Path, assessment: Assessment) -> InstanceTable | None:
    try:
        return instances_beside(references, assessment)
    except ReferenceTableError as error:
        raise TestSetError(str(error)) from error
    except ReadError as error:
        raise TestSetError(f"The references cannot be taken: {error}") from error


def _with_instances(path: Path, stored: Sequence[_Reference]) -> tuple[list[_Reference], dict[str, Any]]:
    """Keep the table of instances once; the digest of each case covers it."""
    digest = sha256_of(path)
    references = [
        replace(entry, digest=reference_tables.digest_with_instances(entry.name, entry.digest, digest))
        for entry in stored
    ]
    return references, {"instances": keep_secret("references", path)}


def _store_table(
    folder: Path,
    assessment: Assessment,
    cases: Sequence[str],
    facts: Mapping[str, Mapping[str, Any]],
    pictures: dict[str, Path],
    named: Sequence[str],
) -> tuple[list[_Reference], dict[str, Any]]:
    """Store the table once; each case has its own digest."""
    path, table, shared = table_content(folder, assessment, facts, named)
    problem = table_problem(assessment.problem)
    shared |= problem.public_ids(table, assessment, cases, has_decoys=len(facts) != len(cases))
    table_file, file_digest = keep_secret("references", path), sha256_of(path)
    stored = [
        _Reference(
            case,
            table_file,
            reference_tables.digest_of(case, file_digest),
            problem.facts_of(table, assessment),
            keep("images", pictures[case]) if case in pictures else "",
        )
        for case in cases
    ]
    return stored, shared
