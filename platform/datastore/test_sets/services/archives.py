"""One archive of an organizer: unpacked and read in confined children, then sealed as a test set."""

import csv
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Any

import pandas as pd
from django.conf import settings

from accounts.models import User
from challenges.models import Phase
from confinement import archive
from confinement.limits import MIB, ArchiveLimits, ChildLimits, TableLimits
from confinement.sandbox import answers
from datastore.test_sets.models import TestCase, TestSet
from datastore.test_sets.queries.test_sets import has_one_table
from datastore.test_sets.services import archive_parts as parts
from datastore.test_sets.services.annotated_tables import join_tables
from datastore.test_sets.services.archive_files import PROBLEMS_SHOWN, read_files, refuse
from datastore.test_sets.services.archive_groups import join_groups
from datastore.test_sets.services.archive_parts import IMAGES, REFERENCES, ArchiveContent
from datastore.test_sets.services.replacing import Replacement, TestSetError
from datastore.test_sets.services.sealing import PHOTOGRAPHS, create_test_set
from datastore.uploads.storage import child_limits, free_bytes, working_folder
from evaluation.admission import refusal
from evaluation.assessment import Assessment
from evaluation.assessment.columns import grouping_columns
from evaluation.problems import kind_of
from evaluation.problems.base import Problem
from evaluation.problems.files import FileProblem
from evaluation.readers import case_name
from evaluation.readers.instance_tables import INSTANCES_FILE

CASES = "cases.csv"
_LARGE_TABLE = "too large for a table."
_MESSAGE_BYTES = 32 * MIB
_NAME_LENGTH = 150
# So many endings are named in a message.
_FEW = 3
# Read as they are written: 007 is a name and not a number.
_NAMES = ("case", "patient")
# Slower than any disk that would be used: bounds unpacking by the size of the archive.
_BYTES_PER_SECOND = 20e6


@dataclass(frozen=True)
class Ready:
    """An archive that was unpacked, read and is complete; its files are in a temporary folder.

    Attributes
    ----------
    cases
        In their order; `decoys` are those that are required and not scored.
    metadata
        Metadata of the cases; `None` if the archive has no table of cases.
    geometries
        Facts that participants may know of each reference, by case.
    rule
        Rule by which references of several annotators were merged; empty without annotators.
    """

    folder: Path
    cases: list[str]
    decoys: list[str]
    annotators: dict[str, Path]
    rule: str
    metadata: pd.DataFrame | None
    geometries: dict[str, dict[str, Any]]
    images: Path | None
    replacement: Replacement | None

    @property
    def references(self) -> Path:
        """The folder with what is scored."""
        return self.folder / REFERENCES


def take_archive(
    *,
    phase: Phase,
    path: Path,
    actor: User | None,
    reason: str = "",
    replaces: bool = False,
    merge_rule: str = "",
    beat: Callable[[], None] = lambda: None,
    within: Callable[[TestSet], None] = lambda _: None,
) -> TestSet:
    """Seal what a ZIP or TAR archive holds as the test set of a phase; parameters as of `opened`.

    Parameters
    ----------
    within
        Called in the transaction that seals.

    Raises
    ------
    TestSetError
        With one line for each problem: file, case, what was found, and the remedy.
    """
    with opened(phase=phase, path=path, reason=reason, replaces=replaces, merge_rule=merge_rule, beat=beat) as ready:
        return create_test_set(
            phase=phase,
            references=ready.references,
            images=ready.images,
            cases=ready.cases,
            decoys=ready.decoys,
            annotators=ready.annotators,
            merge_rule=ready.rule,
            metadata=ready.metadata,
            actor=actor,
            geometries=ready.geometries,
            replacement=ready.replacement,
            within=within,
        )


@contextmanager
def opened(
    *,
    phase: Phase,
    path: Path,
    reason: str = "",
    replaces: bool = False,
    merge_rule: str = "",
    beat: Callable[[], None] = lambda: None,
) -> Iterator[Ready]:
    """Unpack an archive of references and read everything in it.

    Parameters
    ----------
    phase
        The phase.
    path
        The archive. It contains a folder `references` with one label image per case, or with the table of all
        cases. Optional are a folder `images` and a table `cases.csv` with a column `case` and one column per
        characteristic. A column `decoy` marks the cases that are required and not scored. Folders
        `annotator-<id>` contain the references of several annotators, each laid out like `references`.
    reason
        Reason why the present version is replaced.
    replaces
        True if a version must exist already.
    merge_rule
        Rule by which references of several annotators are merged, if no registered design states it; a
        majority vote if empty.
    beat
        Called every second while a child works.

    Raises
    ------
    TestSetError
        With one line for each problem: file, case, problem, and remedy.
    """
    replacement = Replacement(reason) if replaces else None
    if replacement is None and TestSet.objects.filter(phase=phase, is_active=True).exists():
        raise TestSetError(f"{phase.name} has a test set already. Replace it, with a reason.")
    assessment = phase.assessment
    if problem := refusal(assessment):
        raise TestSetError(problem)
    with working_folder() as folder:
        contents = _unpack(path, folder, assessment, beat)
        if replaces:
            _keep_table(contents, phase)
        decoys = parts.take_decoys(contents)
        rule = parts.merge_rule(contents, phase, assessment, merge_rule)
        cases = _cases(contents, assessment, decoys)
        scored = [case for case in cases if case not in decoys]
        parts.check_characteristics(contents, phase, scored)
        parts.check_hierarchy(contents, assessment, scored)
        refuse(contents.problems)
        geometries = read_files(contents, folder, assessment, beat)
        if not has_one_table(assessment):
            grids = _present_grids(phase) if replaces else {}
            geometries |= parts.join(
                contents, folder, rule=rule, decoys=decoys, grids=grids, assessment=assessment, beat=beat
            )
        else:
            join_tables(contents, folder, rule=rule, scored=scored, assessment=assessment, beat=beat)
        refuse(contents.problems)
        yield Ready(
            folder=folder,
            cases=cases,
            decoys=decoys,
            annotators={name: folder / f"annotator-{name}" for name in sorted(contents.annotators)},
            rule=rule,
            metadata=pd.DataFrame(contents.records, columns=contents.columns) if contents.records is not None else None,
            geometries=geometries,
            images=folder / IMAGES if contents.images else None,
            replacement=replacement,
        )


def _unpack(path: Path, folder: Path, assessment: Assessment, beat: Callable[[], None]) -> ArchiveContent:
    # A tar archive is there twice, repacked and unpacked.
    room = max(0, free_bytes() - settings.PODIUM_WORK_RESERVE_BYTES)
    limits = replace(ArchiveLimits(), room_bytes=room if archive.is_zip(path) else room // 2)
    problem = kind_of(assessment)
    takes_instances = isinstance(problem, FileProblem) and problem.table_beside(assessment) is not None

    def work(_item: str, child_folder: Path) -> object:
        contents = ArchiveContent()
        try:
            source = path
            if archive.is_tar(path):
                source = child_folder / "repacked.zip"
                archive.repack_tar(path, source, limits)
            _sort(source, folder, problem, limits, contents, instances=takes_instances)
        except archive.ArchiveError as error:
            contents.problems.append(str(error))
        if (folder / CASES).exists():
            _read_cases(folder / CASES, contents)
        return vars(contents)

    usual = child_limits()
    bounds = ChildLimits(
        memory_bytes=usual.memory_bytes,
        file_bytes=limits.total_bytes,
        folder_bytes=2 * limits.total_bytes,
        folder_files=limits.entries + 100,
        item_seconds=usual.item_seconds + path.stat().st_size / _BYTES_PER_SECOND,
        message_bytes=_MESSAGE_BYTES,
    )
    for part in (REFERENCES, IMAGES):
        (folder / part).mkdir()
    [answer] = answers(["archive"], work, limits=bounds, reads=[path], beat=beat, hands_over=folder)
    if answer.failure is not None or not isinstance(answer.value, dict):
        raise TestSetError(
            "The archive could not be read within the limits of time and memory. Pack it with an ordinary program."
        )
    return ArchiveContent(**answer.value)


_READMES = ("readme.txt", "readme.md")
"""Explanations at the top of an archive, such as that of the template, which are not read."""


def _sort(
    source: Path, folder: Path, problem: Problem, limits: ArchiveLimits, contents: ArchiveContent, *, instances: bool
) -> None:
    """Write every file to its destination under its own name, regardless of the folders in the archive."""
    members = archive.members(source, limits)
    paths = {member.path: PurePosixPath(member.path.replace("\\", "/")).parts for member in members}
    tops = {names[0] for names in paths.values() if len(names) > 1}
    part_folders = {REFERENCES, IMAGES, *filter(parts.ANNOTATOR.fullmatch, tops)}
    # One folder around everything is how many programs pack.
    shared = len(tops) == 1 and not tops & part_folders and all(len(names) > 1 for names in paths.values())
    places = {path: names[1:] if shared else names for path, names in paths.items()}
    joined = join_groups(source, folder, problem, places, limits, contents)
    others = {member.path: places[member.path] for member in members if member.path not in joined}
    with archive.opened(source) as opened_archive:
        _sort_files(opened_archive, folder, problem, others, limits, contents, instances=instances)


def _sort_files(
    source: archive.OpenArchive,
    folder: Path,
    problem: Problem,
    places: Mapping[str, tuple[str, ...]],
    limits: ArchiveLimits,
    contents: ArchiveContent,
    *,
    instances: bool,
) -> None:
    tables = (*problem.references.tables, *problem.references.additional_files)
    for path, names in places.items():
        top_folder, name = (names[0] if len(names) > 1 else ""), names[-1]
        if top_folder == "" and name.lower() in _READMES:
            continue
        if top_folder == "" and name == CASES:
            source.extract(path, folder / CASES, limit=_MESSAGE_BYTES, remedy="too large for a table.")
            continue
        files_by_case = {REFERENCES: contents.references, IMAGES: contents.images}.get(top_folder)
        if annotator := parts.ANNOTATOR.fullmatch(top_folder):
            files_by_case = contents.annotators.setdefault(annotator[1], {})
            if len(contents.annotators) > parts.MOST_ANNOTATORS:
                contents.problems.append(f"There are more than {parts.MOST_ANNOTATORS} folders annotator-….")
                return
            (folder / top_folder).mkdir(exist_ok=True)
        if files_by_case is None:
            contents.problems.append(
                f"{path}: belongs to nothing. Put references into {REFERENCES}/ (or, of several annotators, into "
                f"annotator-1/, annotator-2/, …), images into {IMAGES}/, and characteristics into {CASES}."
            )
            continue
        if instances and top_folder != IMAGES and name == INSTANCES_FILE:
            source.extract(path, folder / top_folder / name, limit=TableLimits().bytes, remedy=_LARGE_TABLE)
            continue
        is_table = bool(tables) and top_folder != IMAGES
        if top_folder == IMAGES:
            case = _image_case(name)
        elif isinstance(problem, FileProblem):
            case, inner = problem.place_of(names[1:])
            if inner != name and inner and files_by_case.get(case) in (None, inner.partition("/")[0]):
                # One of several files of a reference, which keep their folder.
                _extract_part(source, path, folder / top_folder, inner, limits, contents)
                files_by_case |= {case: inner.partition("/")[0]} if case else {}
                continue
        else:
            case = name if name in tables else ""
        if not case:
            wanted = " or ".join(tables) if is_table else _file_wanted(None if top_folder == IMAGES else problem)
            contents.problems.append(f"{path}: is not read. Name it {wanted}, or leave it out.")
        elif case in files_by_case:
            contents.problems.append(
                f"{path}: the case {case} has the file {files_by_case[case]} already. Keep one file for each case."
            )
        else:
            files_by_case[case] = name
            source.extract(path, folder / top_folder / name, limit=limits.entry_bytes)


def _extract_part(
    source: archive.OpenArchive, member: str, folder: Path, inner: str, limits: ArchiveLimits, contents: ArchiveContent
) -> None:
    target = folder / inner
    if target.exists() or not set(PurePosixPath(inner).parts).isdisjoint((".", "..", "/")):
        contents.problems.append(f"{member}: {inner} is there already. Keep one file of that name.")
        return
    target.parent.mkdir(exist_ok=True)
    source.extract(member, target, limit=limits.entry_bytes)


def _image_case(name: str) -> str:
    if name_parts := case_name(Path(name)):
        return name_parts[0]
    path = PurePosixPath(name)
    return path.stem if path.suffix.lower() in PHOTOGRAPHS else ""


def _file_wanted(problem: Problem | None) -> str:
    """Return the file name pattern of a case: a reference of a kind of problem, or an image."""
    if not isinstance(problem, FileProblem) or len(problem.suffixes) > _FEW:
        return "<case>.nii.gz or another image format"
    return " or ".join(f"<case>{ending}" for ending in problem.suffixes)


def _read_cases(path: Path, contents: ArchiveContent) -> None:
    """Read the table of characteristics; the type of values (numbers, text) is determined from the whole column."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            head = next(csv.reader(file), [])
        table = pd.read_csv(path, encoding="utf-8-sig", dtype=dict.fromkeys(_NAMES, str))
    except (ValueError, csv.Error) as error:  # also what pandas raises over a table that it cannot parse
        words = " ".join(str(error).split())[:160]
        contents.problems.append(f"{CASES}: cannot be read ({words}). Save it as CSV in UTF-8, with commas.")
        return
    if twice := [name for name in head if head.count(name) > 1]:
        contents.problems.append(f"{CASES}: the column {twice[0]} is there twice. Keep one of them.")
    if "case" not in table.columns:
        contents.problems.append(f"{CASES}: has no column named case. Name the column with the names of the cases so.")
        return
    for case in table.loc[table["case"].duplicated() & table["case"].notna(), "case"].unique()[:PROBLEMS_SHOWN]:
        contents.problems.append(f"{CASES}: the case {case} is listed twice. Keep one row per case.")
    if table["case"].isna().any():
        line = int(table["case"].isna().to_numpy().argmax()) + 2
        contents.problems.append(f"{CASES}: line {line} names no case. Fill it in, or delete the line.")
    contents.columns = [str(column) for column in table.columns]
    plain = table.astype(object).where(table.notna(), None)
    contents.records = [
        {str(name): value.item() if hasattr(value, "item") else value for name, value in row.items()}
        for row in plain.to_dict("records")
    ]


def _keep_table(contents: ArchiveContent, phase: Phase) -> None:
    """Take order and characteristics from the present version where the archive has no table and the same cases."""
    present = TestCase.objects.filter(test_set__phase=phase, test_set__is_active=True).order_by("position")
    rows: list[dict[str, Any]] = []
    for name, metadata, is_decoy in present.values_list("name", "metadata", "is_decoy"):
        rows.append({"case": name, **metadata, **({parts.DECOY: True} if is_decoy else {})})
    scored, every = {row["case"] for row in rows if parts.DECOY not in row}, {row["case"] for row in rows}
    is_table = has_one_table(phase.assessment)
    if contents.records is None and (is_table or scored <= contents.named <= every):
        contents.records = rows
        contents.columns = list(dict.fromkeys(["case", *(column for row in rows for column in row)]))


def _present_grids(phase: Phase) -> dict[str, dict[str, Any]]:
    present = TestCase.objects.filter(test_set__phase=phase, test_set__is_active=True)
    return dict(present.values_list("name", "geometry"))


def _cases(contents: ArchiveContent, assessment: Assessment, decoys: Sequence[str] = ()) -> list[str]:
    """The cases in their order; what does not fit together is added to the problems."""
    rows = {str(record["case"]): record for record in contents.records or ()}
    problem = kind_of(assessment)
    is_table = has_one_table(assessment)
    if is_table and not rows:
        contents.problems.append(
            f"{CASES}: is missing. With references in one table it has to say which cases there are."
        )
    cases = list(rows) or sorted(contents.named)
    for case in cases:
        if len(case) > _NAME_LENGTH or "/" in case:
            contents.problems.append(
                f"{case[:60]}: no name for a case. Use at most {_NAME_LENGTH} characters and no slash."
            )
        if not is_table and case not in contents.named and case not in decoys:
            contents.problems.append(
                f"{CASES}: the case {case} has no reference. Add {REFERENCES}/{parts.file_of(problem, case)}, or delete its line."
            )
    drawn = [(files, f"annotator-{name}") for name, files in contents.annotators.items()]
    for files_by_case, top_folder in (
        (contents.images, IMAGES),
        *(() if is_table else (*drawn, (contents.references, REFERENCES))),
    ):
        for case, name in files_by_case.items():
            if case not in set(cases):
                contents.problems.append(
                    f"{top_folder}/{name}: {CASES if rows else REFERENCES} has no case {case}. Add it there, or remove the file."
                )
    if not cases:
        words = problem.texts.file_noun if isinstance(problem, FileProblem) else "file"
        contents.problems.append(f"{REFERENCES}: has no files that are read. Add one {words} for each case.")
    for column in grouping_columns(assessment):
        lacking = [case for case in cases if case not in decoys and rows.get(case, {}).get(column) in (None, "")]
        if lacking:
            contents.problems.append(
                f"{CASES}: the ranking groups cases by {column}, which {lacking[0]}"
                f"{f' and {len(lacking) - 1} more' if len(lacking) > 1 else ''} lack. Add the column {column} with a value "
                "for each case."
            )
    return cases
