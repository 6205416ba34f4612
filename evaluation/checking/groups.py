"""Files that are one image together: a MetaImage header with its data file, and the DICOM files in the folder of a case."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final

from evaluation.checking.naming import UNREAD_FORMATS, bare_name, case_by_pattern, composed, expected_case
from evaluation.readers import ReadError, dicom, metaimage
from evaluation.readers.dicom.parts import ENDINGS, HEAD_BYTES

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

METAIMAGE: Final = ".mhd"
DICOM: Final = ".dcm"
_OTHER_FORMATS: Final = tuple(ending for ending in UNREAD_FORMATS if ending not in ENDINGS)


@dataclass(frozen=True)
class Group:
    """Files that are one image.

    Attributes
    ----------
    path
        Path that stands for all files; its last part is the file name of the case.
    parts
        Paths of the files, the header first.
    folder
        Folder of a DICOM image; empty for a MetaImage header, whose files have one folder.
    """

    path: str
    parts: tuple[str, ...]
    folder: str = ""


def groups_of(
    paths: Sequence[str],
    cases: Sequence[str] | None,
    *,
    stem_of: Callable[[str], str],
    head: Callable[[str, int], bytes],
    pattern: str = "",
    takes_folders: bool = True,
) -> list[Group]:
    """Return the images that consist of several files.

    Parameters
    ----------
    paths
        Files of a folder or archive.
    cases
        The expected cases. If ``None``, each first folder is a case.
    stem_of
        Function that returns the case of a file name; empty for a file that is not read.
    head
        Function that returns the first bytes of a file, for a path and a number.
    pattern
        Further names of files of cases, such as ``{case}/pred.nii.gz``; empty if there are none.
    takes_folders
        Whether the DICOM files of a folder are one image.
    """
    headers = _headers(paths, head)
    if not takes_folders:
        return headers
    in_headers = {part for group in headers for part in group.parts}
    return headers + _folders([path for path in paths if path not in in_headers], cases, stem_of, head, pattern)


def without_parts(paths: Sequence[str], groups: Sequence[Group]) -> list[str]:
    """Return the paths with one path for each group, which replaces those of its files."""
    parts = {part for group in groups for part in group.parts}
    return [*(path for path in paths if path not in parts), *(group.path for group in groups)]


def _headers(paths: Sequence[str], head: Callable[[str, int], bytes]) -> list[Group]:
    """MetaImage headers whose data file is next to them.

    A data file is part of one image. Another header that names it stays alone, so that repacking writes no file twice.
    """
    free = {path for path in paths if not path.lower().endswith(METAIMAGE)}
    groups = []
    for path in paths:
        if not path.lower().endswith(METAIMAGE):
            continue
        try:
            data_name = metaimage.data_file(head(path, metaimage.HEADER_BYTES), bare_name(path))
        except ReadError:
            continue  # the reader of the file says what is wrong
        data_path = path[: len(path) - len(bare_name(path))] + data_name
        if data_name and data_path in free:
            free.remove(data_path)
            groups.append(Group(path, (path, data_path)))
    return groups


def _folders(
    paths: Sequence[str],
    cases: Sequence[str] | None,
    stem_of: Callable[[str], str],
    head: Callable[[str, int], bytes],
    pattern: str,
) -> list[Group]:
    """Folders of cases with DICOM files and no other file of the case."""
    expected = None if cases is None else {composed(case): case for case in cases}
    parts: dict[tuple[str, str], list[str]] = defaultdict(list)
    claimed: set[str] = set()
    for path in paths:
        name = bare_name(path)
        is_other = bool(stem_of(name)) and not name.lower().endswith(DICOM)
        if is_other:
            claimed |= _claimed(path, expected, stem_of, pattern)
            continue
        case, folder = _case_folder(path, expected)
        if case and not name.lower().endswith(_OTHER_FORMATS) and dicom.is_dicom(head(path, HEAD_BYTES)):
            parts[case, folder].append(path)
    return [
        Group(f"{folder}/{case}{DICOM}", tuple(sorted(files)), folder)
        for (case, folder), files in sorted(parts.items())
        if case not in claimed
    ]


def _claimed(path: str, expected: dict[str, str] | None, stem_of: Callable[[str], str], pattern: str) -> set[str]:
    """The case that a file of another format is of."""
    stem = stem_of(bare_name(path))
    if expected is None:
        return {stem}
    case = expected_case(stem, expected) or (expected.get(case_by_pattern(composed(path), pattern)) if pattern else "")
    return {case} if case else set()


def _case_folder(path: str, expected: dict[str, str] | None) -> tuple[str, str]:
    """The case of the folder that a file is in, and that folder; both are empty if there is none."""
    folders = PurePosixPath(path.replace("\\", "/")).parts[:-1]
    if expected is None:
        return (folders[0], folders[0]) if folders else ("", "")
    for count in range(len(folders), 0, -1):
        case = expected.get(composed(folders[count - 1]))
        if case:
            return case, "/".join(folders[:count])
    return "", ""
