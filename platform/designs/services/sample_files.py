"""Archives of an organizer laid out as folders for a rehearsal; runs in confined children only."""

from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Final

from confinement import archive
from confinement.limits import ArchiveLimits
from designs.services.scanning import MAX_MEMBERS, MAX_UNPACKED, ScanError
from designs.services.sent_files import Arrived
from evaluation.assessment import Assessment
from evaluation.problems import kind_of
from evaluation.problems.files import FileProblem
from evaluation.rehearsal import OwnSample

_LIMITS: Final = ArchiveLimits(entries=MAX_MEMBERS, total_bytes=MAX_UNPACKED, entry_bytes=MAX_UNPACKED)
_SLICES: Final = ("", ".dcm")
"""Endings of the files of a DICOM series."""
LOOSE: Final = "Your predictions"
"""Name of the submission that single files form."""


def laid_out(arrived: Sequence[Arrived], assessment: Assessment, folder: Path) -> OwnSample:
    """Write references into one folder, and each archive of predictions into a folder of its own.

    Files that are not in an archive form one submission together.

    Raises
    ------
    ScanError
        For an archive that cannot be taken, or two archives of the same name.
    """
    references = folder / "references"
    references.mkdir()
    submissions: dict[str, Path] = {}
    for number, file in enumerate(arrived):
        packed = archive.is_nested_archive(file.name)
        if file.role == "references":
            _take(file, folder / f"{number}.zip", _ReferenceNames(assessment, references))
            continue
        name = _without_ending(file.name) if packed else LOOSE
        if packed and name in submissions:
            raise ScanError(f"Two archives have the name {name}. Rename one of them.")
        target = submissions.setdefault(name, folder / f"submission-{len(submissions)}")
        target.mkdir(exist_ok=True)
        _take(file, folder / f"{number}.zip", _SubmittedNames(target))
    return OwnSample(references, submissions)


class _SubmittedNames:
    """Paths of submitted files: as in the archive, like those of a team."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __call__(self, names: Sequence[str]) -> Path:
        return self.folder.joinpath(*names)


class _ReferenceNames:
    """Paths of references: those that the kind of problem reads, tables by their names alone."""

    def __init__(self, assessment: Assessment, folder: Path) -> None:
        self.problem, self.folder = kind_of(assessment), folder

    def __call__(self, names: Sequence[str]) -> Path:
        if isinstance(self.problem, FileProblem):
            is_slice = len(names) > 1 and PurePosixPath(names[-1]).suffix.lower() in _SLICES
            if is_slice and self.problem.takes_folders:
                return self.folder.joinpath(*names[-2:])
            if path := self.problem.place_of(names)[1]:
                return self.folder / path
        return self.folder / names[-1]


def _take(file: Arrived, scratch: Path, path_of: _SubmittedNames | _ReferenceNames) -> None:
    try:
        _lay_out(file, scratch, path_of)
    except archive.ArchiveError as error:
        raise ScanError(f"{file.name}: {error}") from error
    except FileExistsError as error:
        raise ScanError(f"{file.name} was sent twice. Keep one of the files.") from error


def _lay_out(file: Arrived, scratch: Path, path_of: _SubmittedNames | _ReferenceNames) -> None:
    if not archive.is_nested_archive(file.name):
        target = path_of([file.name])
        target.parent.mkdir(parents=True, exist_ok=True)
        with file.path.open("rb") as source, target.open("xb") as stream:
            while block := source.read(archive.BLOCK):
                stream.write(block)
        return
    source_path = file.path
    if archive.is_tar(source_path):
        archive.repack_tar(source_path, scratch, _LIMITS)
        source_path = scratch
    paths = {
        member.path: PurePosixPath(member.path.replace("\\", "/")).parts
        for member in archive.members(source_path, _LIMITS)
    }
    with archive.opened(source_path) as opened:
        for path, names in _without_top(paths).items() if file.role == "references" else paths.items():
            target = path_of(names)
            target.parent.mkdir(parents=True, exist_ok=True)
            if target.exists():
                raise ScanError(f"{file.name} has two files {target.name}. Keep one of them.")
            opened.extract(path, target, limit=MAX_UNPACKED)
    scratch.unlink(missing_ok=True)


def _without_top(paths: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """Return the paths without folders that contain all files, such as ``references``."""
    while all(len(names) > 1 for names in paths.values()) and len({names[0] for names in paths.values()}) == 1:
        paths = {path: names[1:] for path, names in paths.items()}
    return dict(paths)


def _without_ending(name: str) -> str:
    ending = next(ending for ending in sorted(archive.NESTED, key=len, reverse=True) if name.lower().endswith(ending))
    return name[: -len(ending)] or LOOSE
