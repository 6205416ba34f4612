"""Images of several files in an archive of references: joined to one file per case before anything is read."""

from collections.abc import Mapping
from pathlib import Path

from confinement import archive
from confinement.limits import ArchiveLimits
from datastore.test_sets.services.archive_parts import ANNOTATOR, IMAGES, REFERENCES, ArchiveContent
from datastore.uploads.domain.several_files import join, paths_of
from evaluation.checking.groups import Group, groups_of
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
    tops = {parts[0] for parts in places.values() if len(parts) > 1}
    for top in sorted(top for top in tops if top in (REFERENCES, IMAGES) or ANNOTATOR.fullmatch(top)):
        is_images = top == IMAGES
        if not is_images and not (isinstance(problem, FileProblem) and problem.takes_folders):
            continue
        member_of = {"/".join(parts[1:]): path for path, parts in places.items() if len(parts) > 1 and parts[0] == top}

        def head(name: str, size: int, members: Mapping[str, str] = member_of) -> bytes:
            return archive.head(source, members[name], size)

        groups = groups_of(list(member_of), None, stem_of=_stem, head=head)
        for group in groups:
            in_archive = Group(group.path, tuple(member_of[part] for part in group.parts), group.folder)
            if is_images or isinstance(problem, FileProblem):
                _keep(source, folder, top, in_archive, limits, contents)
        done |= {member_of[name] for name in paths_of(groups)}
    return done


def _keep(source: Path, folder: Path, top: str, group: Group, limits: ArchiveLimits, contents: ArchiveContent) -> None:
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


def without_tags(folder: Path, item: str, image: str) -> str:
    """Write a DICOM image without its tags; returns the new file, relative to the folder, or `item` for other formats.

    Parameters
    ----------
    item
        The file, relative to the folder.
    image
        Image of the same case, relative to the folder; empty if there is none. A segmentation gets its grid.

    Raises
    ------
    ReadError
        If the image cannot be read.
    """
    if not item.lower().endswith(DICOM):
        return item
    is_image = item.startswith(f"{IMAGES}/")
    plain = f"{item[: -len(DICOM)]}.mha"
    grid = None if is_image or not image else _grid(folder / image)
    write_plain(folder / item, folder / plain, labels=not is_image, grid=grid)
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
