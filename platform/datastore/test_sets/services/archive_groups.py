"""Images of several files in an archive of references: joined to one file per case before anything is read."""

from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

from confinement import archive
from confinement.limits import ArchiveLimits
from datastore.test_sets.services.archive_parts import ANNOTATOR, IMAGES, REFERENCES, ArchiveContent
from datastore.uploads.domain.several_files import check_sizes, join, paths_of
from evaluation.checking.groups import Group, groups_of
from evaluation.checking.naming import bare_name
from evaluation.problems.base import Problem
from evaluation.problems.files import FileProblem
from evaluation.readers import ReadError, case_name
from evaluation.readers.geometry import Geometry
from evaluation.running.as_mha import write_plain

DICOM = ".dcm"


def join_groups(
    source: Path,
    folder: Path,
    problem: Problem,
    places: Mapping[str, tuple[str, ...]],
    limits: ArchiveLimits,
    contents: ArchiveContent,
) -> set[str]:
    """Write each image of several files as one file; returns the files of the archive that need no more attention.

    Parameters
    ----------
    places
        Folders and name of each file of the archive, by its path there.
    """
    done: set[str] = set()
    sizes = {member.path: member.size for member in archive.members(source, limits)}
    with archive.opened(source) as opened:
        for top, member_of in _tops(problem, places).items():
            groups = groups_of(
                list(member_of),
                None,
                stem_of=_stem,
                head=lambda name, size, of=member_of: opened.head(of[name], size),  # type: ignore[misc]
            )
            in_archive = [
                Group(group.path, tuple(member_of[part] for part in group.parts), group.folder) for group in groups
            ]
            parts = paths_of(in_archive)
            check_sizes(in_archive, {part: sizes[part] for part in parts}, limits)
            for group in in_archive:
                _keep(opened, folder, top, group, limits, contents)
            done |= parts
    return done


def _tops(problem: Problem, places: Mapping[str, tuple[str, ...]]) -> dict[str, dict[str, str]]:
    """Paths in the archive by the paths in each folder whose images can have several files."""
    by_top: dict[str, dict[str, str]] = defaultdict(dict)
    takes_folders = isinstance(problem, FileProblem) and problem.takes_folders
    for path, parts in places.items():
        top = parts[0] if len(parts) > 1 else ""
        if top == IMAGES or (takes_folders and (top == REFERENCES or ANNOTATOR.fullmatch(top))):
            by_top[top]["/".join(parts[1:])] = path
    return dict(sorted(by_top.items()))


def _keep(
    source: archive.OpenArchive, folder: Path, top: str, group: Group, limits: ArchiveLimits, contents: ArchiveContent
) -> None:
    (folder / top).mkdir(exist_ok=True)
    joined, name = join(source, group, folder, limits, top=top)
    case = _stem(name)
    annotator = ANNOTATOR.fullmatch(top)
    if annotator:
        files_by_case = contents.annotators.setdefault(annotator[1], {})
    else:
        files_by_case = contents.images if top == IMAGES else contents.references
    if case in files_by_case:
        contents.problems.append(
            f"{group.parts[0]}: the case {case} has the file {files_by_case[case]} already. Keep one file for each case."
        )
        joined.unlink()
        return
    files_by_case[case] = name
    joined.replace(folder / top / name)


def _stem(name: str) -> str:
    name_parts = case_name(Path(name))
    return name_parts[0] if name_parts else ""


def without_tags(folder: Path, item: str, image: str, target: Path) -> Path:
    """Write a DICOM image without its tags; returns the new file.

    Parameters
    ----------
    item
        The file, relative to the folder.
    target
        Folder for the new file.
    image
        Image of the same case, relative to the folder; empty if there is none. A segmentation gets its grid.

    Raises
    ------
    ReadError
        If the image cannot be read.
    """
    is_image = item.startswith(f"{IMAGES}/")
    plain = target / f"{bare_name(item)[: -len(DICOM)]}.mha"
    grid = None if is_image or not image else _grid(folder / image)
    write_plain(folder / item, plain, labels=not is_image, grid=grid)
    return plain


def _grid(image: Path) -> Geometry | None:
    from evaluation.readers import dicom, read_geometry
    from evaluation.readers.limits import DEFAULT

    try:
        if image.name.lower().endswith(DICOM):
            return dicom.read_header(image, DEFAULT, labels=False).geometry
        return read_geometry(image) if case_name(image) else None
    except ReadError:
        return None  # the image itself is reported
