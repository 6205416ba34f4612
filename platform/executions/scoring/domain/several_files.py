"""Untrusted images of several files, repacked as one file per case, so that everything after reads one file."""

import zipfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from confinement import archive
from confinement.limits import ArchiveLimits
from datastore.uploads.domain.several_files import check_sizes, extracted, join, paths_of
from evaluation.admission import Expectation
from evaluation.checking.groups import Group
from evaluation.checking.naming import bare_name
from evaluation.problems.files import FILE_PATTERN, file_problem


def repack(
    path: Path, wanted: Expectation, limits: ArchiveLimits, folder: Path, target: Path, *, room_bytes: int
) -> bool:
    """Write a ZIP archive with one file for each image of several files, and all other files as they are.

    Returns False, and writes nothing, if every image is one file.

    Parameters
    ----------
    room_bytes
        Free space for the new archive and for the image that is being written.

    Raises
    ------
    ArchiveError
        If the archive is damaged or beyond a limit.
    """
    if wanted.table is not None:
        return False
    sizes = {member.path: member.size for member in archive.members(path, limits)}
    with archive.opened(path) as source:
        groups = file_problem(wanted.problem).groups_of(
            list(sizes),
            wanted.names,
            head=source.head,
            pattern=str(wanted.expected.get(FILE_PATTERN, "")),
        )
        if not groups:
            return False
        check_sizes(groups, sizes, replace(limits, room_bytes=room_bytes))
        _write(source, list(sizes), groups, limits, folder, target)
    return True


def _write(
    source: archive.OpenArchive,
    paths: Sequence[str],
    groups: Sequence[Group],
    limits: ArchiveLimits,
    folder: Path,
    target: Path,
) -> None:
    parts = paths_of(groups)
    others = {path for path in paths if path not in parts}
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as sink:
        for path in paths:
            if path in others:
                copied = extracted(source, path, folder, limits)
                sink.write(copied, path)
                copied.unlink()
        for group in groups:
            joined, name = join(source, group, folder, limits)
            path_inside = f"{group.path[: len(group.path) - len(bare_name(group.path))]}{name}"
            # Two files of one case are reported as such.
            sink.write(joined, f"joined/{path_inside}" if path_inside in others else path_inside)
            joined.unlink()
