"""Untrusted images of several files in an archive, written as one file each; runs in confined children only."""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import BinaryIO

from confinement import archive
from confinement.limits import ArchiveLimits
from evaluation.checking.groups import Group
from evaluation.checking.naming import bare_name
from evaluation.readers import ReadError, dicom, metaimage

_TOO_LARGE = "more than the files of a case need. Pack only the predictions."


def join(
    source: archive.OpenArchive, group: Group, folder: Path, limits: ArchiveLimits, *, top: str = ""
) -> tuple[Path, str]:
    """Write the files of an image as one file in `folder`; returns it and the name of the image.

    A MetaImage header gets its voxels. DICOM files are packed as they are and read later.

    Parameters
    ----------
    top
        Folder of the archive that the folder of the image is in; empty if it is named from the top.
    """
    name = bare_name(group.path)
    target = folder / "joined"
    if group.folder:
        before = f"{top}/{group.folder}/" if top else f"{group.folder}/"
        parts = {part: f"{number:05d}" for number, part in enumerate(group.parts)}
        files = {part: extracted(source, part, folder, limits, name=number) for part, number in parts.items()}
        names = {part: part.replace("\\", "/").partition(before)[2] or bare_name(part) for part in group.parts}
        dicom.pack([(names[part], partial(_opened, file)) for part, file in files.items()], target)
        for file in files.values():
            file.unlink()
        return target, name
    header, voxels = group.parts
    start = source.head(header, metaimage.HEADER_BYTES)
    stem = name[: -len(".mhd")]
    try:
        head = metaimage.as_one_file(start, name)
    except ReadError:
        # The header alone, whose reader names what is wrong.
        return extracted(source, header, folder, limits, name="joined"), name
    data = extracted(source, voxels, folder, limits)
    with target.open("wb") as sink, data.open("rb") as stream:
        sink.write(head)
        while block := stream.read(archive.BLOCK):
            sink.write(block)
    data.unlink()
    return target, f"{stem}.mha"


def check_sizes(groups: Sequence[Group], sizes: Mapping[str, int], limits: ArchiveLimits) -> None:
    """Refuse images that are larger together than an archive may be, or than the free space, before one is written.

    Parameters
    ----------
    sizes
        Size of each file of the archive by its path. What is not part of an image is copied as well.

    Raises
    ------
    ArchiveError
        If they are too large.
    """
    of_groups = [sum(sizes[part] for part in group.parts) for group in groups]
    if sum(of_groups) > limits.total_bytes:
        raise archive.BombError(
            f"The images of several files have {sum(of_groups):,} bytes; at most {limits.total_bytes:,} are taken. "
            "Pack only the predictions, each file for one image."
        )
    parts = paths_of(groups)
    others = sum(size for path, size in sizes.items() if path not in parts)
    # The parts of an image lie next to the image while it is written.
    archive.check_room(others + sum(of_groups) + 2 * max(of_groups, default=0), limits)


def _opened(file: Path) -> BinaryIO:
    return file.open("rb")


def extracted(
    source: archive.OpenArchive, member: str, folder: Path, limits: ArchiveLimits, *, name: str = "part"
) -> Path:
    """Write a file of an archive to `folder` under the given name."""
    target = folder / name
    source.extract(member, target, limit=limits.entry_bytes, remedy=_TOO_LARGE)
    return target


def paths_of(groups: Sequence[Group]) -> set[str]:
    """Paths of all files of the images."""
    return {part for group in groups for part in group.parts}
