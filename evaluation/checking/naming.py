"""Assignment of files to expected cases by their names, with suggestions for misnamed files."""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final

from evaluation.checking.sentences import finding

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from evaluation.checking.findings import Finding

NESTED: Final = (".zip", ".tar", ".tgz", ".tar.gz", ".tar.zst", ".rar", ".7z", ".bz2", ".xz")
"""Endings of archives."""
SECOND_ENDINGS: Final = (".seg", ".ome", ".label", ".labels")
"""Endings before the last one by which programs mark label images, such as ``.seg.nrrd`` of 3D Slicer."""
UNREAD_FORMATS: Final = (
    *(".nhdr", ".hdr", ".img", ".raw", ".zraw", ".dicom", ".ima", ".npy", ".npz", ".gipl", ".gipl.gz", ".nii.bz2"),
    *(".jpg", ".jpeg", ".bmp", ".gif", ".webp", ".h5", ".hdf5", ".mat", ".pt", ".pth", ".pkl", ".zarr", ".vtk", ".vti"),
    *(".xlsx", ".xls", ".ods", ".tsv", ".txt", ".json", ".csv", ".parquet"),
)
"""Endings of formats in which programs save predictions and which are not read for a case, the longest first."""
CASE: Final = "{case}"
"""Placeholder of the case in patterns of file names."""
_NUMBER: Final = re.compile(r"\d+")
_FILES_SHOWN: Final = 5
_GUESSED_PAIRS: Final = 40_000
_CONTAINED_PAIRS: Final = 4_000_000


@dataclass
class Assignment:
    """Files by case, and findings about cases and files.

    Attributes
    ----------
    files
        Path of the single file of each case that has one.
    findings
        Reason why a case has no single file, by case.
    extra
        Note on each file that belongs to no case, by path.
    """

    files: dict[str, str] = field(default_factory=dict)
    findings: dict[str, Finding] = field(default_factory=dict)
    extra: dict[str, Finding] = field(default_factory=dict)


def bare_name(path: str) -> str:
    r"""Name of a file without its folders; Windows archives separate them by backslashes.

    Examples
    --------
    >>> bare_name("preds\\case_1.nii.gz"), bare_name("preds/case_1.nii.gz")
    ('case_1.nii.gz', 'case_1.nii.gz')
    """
    return PurePosixPath(path.replace("\\", "/")).name


def is_table_name(path: str, file_names: Sequence[str]) -> bool:
    """Return whether a file can be the table, by its name: capital letters do not matter, and CSV files may be workbooks.

    Examples
    --------
    >>> [is_table_name(path, ["labels.csv"]) for path in ("Labels.CSV", "out/labels.xlsx", "labels.json")]
    [True, True, False]
    """
    name = bare_name(path).lower()
    workbooks = {f"{each.removesuffix('.csv')}.xlsx" for each in file_names if each.endswith(".csv")}
    return name in file_names or name in workbooks


def is_hidden(path: str) -> bool:
    """Return whether an operating system made a file, so that it is no prediction.

    Examples
    --------
    >>> is_hidden("__MACOSX/a.png"), is_hidden("a/.DS_Store"), is_hidden("a/b.png")
    (True, True, False)
    """
    parts = PurePosixPath(path.replace("\\", "/")).parts
    return any(part.startswith((".", "__MACOSX")) for part in parts) or bool(
        parts and parts[-1] in ("Thumbs.db", "desktop.ini")
    )


def assign(
    paths: Iterable[str],
    cases: Sequence[str],
    stem_of: Callable[[str], str],
    *,
    ending_of: Callable[[str], str],
    ending: str,
    words: str = "label image",
    pattern: str = "",
) -> Assignment:
    """Assign files to cases by their names, in any folder.

    Parameters
    ----------
    paths
        Files of a folder or archive.
    cases
        The expected cases.
    stem_of, ending_of
        Functions that return the case and the ending of a file name; both are empty for a file that is not read.
    ending
        Recommended ending, for advice, if no case has a file; otherwise it is the most frequent ending of those files.
    words
        Name for the file of a case in messages.
    pattern
        Further names of files, such as ``{case}/pred.nii.gz``; empty if there are none.
    """
    by_plain_name = {composed(case): case for case in cases}
    paths_by_case: dict[str, list[str]] = defaultdict(list)
    extra: list[str] = []
    for path in paths:
        case = expected_case(stem_of(bare_name(path)), by_plain_name)
        if not case and pattern:
            case = by_plain_name.get(case_by_pattern(composed(path), pattern), "")
        if case:
            paths_by_case[case].append(path)
        else:
            extra.append(path)
    assignment = Assignment()
    endings = Counter(ending_of(bare_name(path)) for assigned in paths_by_case.values() for path in assigned)
    ending = max(endings, key=lambda each: (endings[each], each), default="") or ending
    absent = [case for case in cases if case not in paths_by_case]
    common, by_pattern = _common_pattern([path for path in extra if ending_of(bare_name(path))], absent)
    left = [path for path in extra if path not in set(by_pattern.values())]
    intended = by_pattern | _intended(left, [case for case in absent if case not in by_pattern], stem_of)
    for case in cases:
        assigned = paths_by_case.get(case, [])
        if len(assigned) == 1:
            assignment.files[case] = assigned[0]
        elif assigned:
            files = ", ".join(assigned[:_FILES_SHOWN])
            assignment.findings[case] = finding(
                "file_duplicate", case=case, count=len(assigned), files=files, file=assigned[0]
            )
        elif case in by_pattern:
            path = _tail(by_pattern[case], common)
            assignment.findings[case] = finding(
                "file_pattern", case=case, file=path, value=common, ending=ending_of(bare_name(path))
            )
        else:
            assignment.findings[case] = _missing(case, intended.get(case, ""), ending_of, ending)
    case_of_extra = {path: case for case, path in intended.items()}
    assignment.extra = {path: _note(path, case_of_extra, stem_of, words) for path in extra}
    return assignment


def case_by_pattern(path: str, pattern: str) -> str:
    r"""Return the case of a file by a pattern of file names; empty for a file with another name.

    Examples
    --------
    >>> case_by_pattern("run1/case_7/pred.nii.gz", "{case}/pred.nii.gz")
    'case_7'
    >>> case_by_pattern("run1\\sub-1_dseg.nii.gz", "{case}_dseg.nii.gz")
    'sub-1'
    >>> case_by_pattern("sub-1/sub-2_seg.nii.gz", "{case}/{case}_seg.nii.gz")
    ''
    """
    first, *others = (re.escape(part) for part in pattern.split(CASE))
    expression = first + (r"([^/]+)" + r"\1".join(others) if others else "")
    matched = re.fullmatch(expression, _tail(path, pattern), re.IGNORECASE)
    return matched.group(1) if matched and others else ""


def pattern_problem(pattern: str, suffixes: Sequence[str]) -> str:
    """Return what a pattern of file names must be, if it is not that; empty for a valid pattern.

    Examples
    --------
    >>> pattern_problem("{case}/pred.nii.gz", (".nii.gz", ".png")), pattern_problem("pred.png", (".png",))
    ('', 'a path with {case}')
    """
    rest = pattern.replace(CASE, "")
    if rest == pattern:
        return f"a path with {CASE}"
    if any(mark in rest for mark in "{}\\*?") or any(part in ("", ".", "..") for part in pattern.split("/")):
        return f"a relative path with / between folders, without placeholders other than {CASE}"
    if not pattern.lower().endswith(tuple(suffixes)):
        return f"a path that ends in {', '.join(suffixes)}"
    return ""


def _tail(path: str, pattern: str) -> str:
    """Return as many last parts of a path as a pattern has."""
    return "/".join(path.replace("\\", "/").split("/")[-pattern.count("/") - 1 :])


def _common_pattern(paths: Sequence[str], absent: Sequence[str]) -> tuple[str, dict[str, str]]:
    """Return the pattern that the files of most absent cases follow, and the file of each of these cases."""
    if len(paths) * len(absent) > _GUESSED_PAIRS:
        return "", {}
    cases_by_pattern: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for path in paths:
        *folders, name = composed(path).replace("\\", "/").split("/")
        for case in absent:
            plain = composed(case)
            if plain in name:
                cases_by_pattern[name.replace(plain, CASE, 1)][case].append(path)
            elif plain in folders:
                last = len(folders) - 1 - folders[::-1].index(plain)
                pattern = "/".join([CASE, *folders[last + 1 :], name])
                cases_by_pattern[pattern][case].append(path)
    if not cases_by_pattern:
        return "", {}
    pattern, by_case = max(cases_by_pattern.items(), key=lambda item: (len(item[1]), item[0]))
    single = {case: files[0] for case, files in by_case.items() if len(files) == 1}
    return (pattern, single) if len(single) >= max(2, len(absent) / 2) else ("", {})


def guess(usable: Mapping[str, str], names: Sequence[str]) -> dict[str, str]:
    """Guess which of the unclaimed `names` each unclaimed thing was meant for, by what it is called; case → thing.

    Examples
    --------
    >>> guess({"row 1": "Case-7"}, ["case_007", "case_008"])
    {'case_007': 'row 1'}
    """
    meant: dict[str, str] = {}
    by_key: dict[str, list[str]] = defaultdict(list)
    for name in names:
        by_key[_key(name)].append(name)
    is_small = len(usable) * len(names) <= _CONTAINED_PAIRS
    for file, stem in usable.items():
        same = [name for name in by_key.get(_key(stem), []) if name not in meant]
        around = [name for name in names if name not in meant and name in stem] if is_small else []
        if same or len(around) == 1:
            meant[(same or around)[0]] = file
    left = [name for name in names if name not in meant]
    # Comparing every file with every case would grow with their product; beyond this size a guess helps nobody.
    if len(usable) * len(left) <= _GUESSED_PAIRS:
        for file, stem in usable.items():
            if file in meant.values():
                continue
            close = [
                name
                for name in difflib.get_close_matches(stem, left, n=1, cutoff=0.85)
                if _NUMBER.findall(name) == _NUMBER.findall(stem)
            ]
            if close:
                meant[close[0]] = file
                left.remove(close[0])
    return meant


def expected_case(stem: str, by_plain_name: Mapping[str, str]) -> str:
    """Return the expected case that a file name means, by its composed name; empty if there is none."""
    plain = composed(stem)
    if plain in by_plain_name:
        return by_plain_name[plain]
    second = next((ending for ending in SECOND_ENDINGS if plain.lower().endswith(ending)), "")
    return by_plain_name.get(plain[: -len(second)], "") if second else ""


def composed(name: str) -> str:
    """Return a name with composed letters: macOS stores an umlaut as a letter and a mark."""
    return unicodedata.normalize("NFC", name)


def _intended(extra: Sequence[str], absent: Sequence[str], stem_of: Callable[[str], str]) -> dict[str, str]:
    """Files that were probably meant for cases without a file; case → path."""
    stems = {path: stem_of(bare_name(path)) for path in extra}
    by_path = guess({path: composed(stem) for path, stem in stems.items() if stem}, absent)
    by_path |= _by_folder([path for path in stems if stems[path] and path not in by_path.values()], absent, by_path)
    others = {path: _stem_of_unread(bare_name(path)) for path, stem in stems.items() if not stem}
    left = [case for case in absent if case not in by_path]
    return by_path | guess({path: composed(stem) for path, stem in others.items() if stem}, left)


def _by_folder(paths: Sequence[str], absent: Sequence[str], claimed: Mapping[str, str]) -> dict[str, str]:
    """The only file in the folder of a case, which is named as the case; case → path."""
    in_folder: dict[str, list[str]] = defaultdict(list)
    for path in paths:
        for part in PurePosixPath(path.replace("\\", "/")).parts[:-1]:
            in_folder[composed(part)].append(path)
    return {
        case: in_folder[composed(case)][0]
        for case in absent
        if case not in claimed and len(in_folder.get(composed(case), ())) == 1
    }


def _stem_of_unread(name: str) -> str:
    lower = name.lower()
    endings = sorted(UNREAD_FORMATS, key=len, reverse=True)
    return next((name[: -len(ending)] for ending in endings if lower.endswith(ending)), "")


def _missing(case: str, path: str, ending_of: Callable[[str], str], ending: str) -> Finding:
    if not path:
        return finding("file_missing", case=case, ending=ending)
    actual_ending = ending_of(bare_name(path))
    if not actual_ending:
        return finding("file_format", case=case, file=bare_name(path), ending=ending)
    return finding("file_misnamed", case=case, file=bare_name(path), ending=actual_ending)


def _note(path: str, case_of_extra: Mapping[str, str], stem_of: Callable[[str], str], words: str) -> Finding:
    if path in case_of_extra:
        return finding("file_intended", file=path, case=case_of_extra[path])
    if bare_name(path).lower().endswith(NESTED):
        return finding("file_nested", file=path)
    if not stem_of(bare_name(path)):
        article = "an" if words[0] in "aeiou" else "a"
        return finding("file_not_read", file=path, words=f"{article} {words}")
    return finding("file_of_no_case", file=path)


def _key(name: str) -> str:
    """Reduce a name to what remains when case, separators and leading zeros are ignored."""
    plain = _NUMBER.sub(lambda number: str(int(number.group())), name.lower())
    return re.sub(r"[\s_.\-]+", "", plain)
