"""Untrusted images of several files, repacked as one file per case, so that everything after reads one file."""

import zipfile
from pathlib import Path

from confinement import archive
from confinement.limits import ArchiveLimits
from datastore.uploads.domain.several_files import extracted, join, paths_of
from evaluation.admission import Expectation
from evaluation.checking.naming import bare_name
from evaluation.problems.files import FILE_PATTERN, file_problem


def repack(path: Path, wanted: Expectation, limits: ArchiveLimits, folder: Path, target: Path) -> bool:
    """Write a ZIP archive with one file for each image of several files, and all other files as they are.

    Returns False, and writes nothing, if every image is one file.

    Raises
    ------
    ArchiveError
        If the archive is damaged or beyond a limit.
    """
    if wanted.table is not None:
        return False
    paths = [member.path for member in archive.members(path, limits)]
    groups = file_problem(wanted.problem).groups_of(
        paths,
        wanted.names,
        head=lambda member, size: archive.head(path, member, size),
        pattern=str(wanted.expected.get(FILE_PATTERN, "")),
    )
    if not groups:
        return False
    parts = paths_of(groups)
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as sink:
        for name in paths:
            if name not in parts:
                copied = extracted(path, name, folder, limits)
                sink.write(copied, name)
                copied.unlink()
        for group in groups:
            joined, name = join(path, group, folder, limits)
            path_inside = f"{group.path[: len(group.path) - len(bare_name(group.path))]}{name}"
            # Two files of one case are reported as such.
            sink.write(
                joined, f"joined/{path_inside}" if path_inside in paths and path_inside not in parts else path_inside
            )
            joined.unlink()
    return True
