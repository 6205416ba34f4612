"""Assignment of archive files to expected cases, with suggestions for misnamed files."""

import difflib
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from confinement.archive import Member, is_nested_archive
from executions.scoring.domain.report import Extra, Finding, Report, Status

EXTRAS_SHOWN = 100
_NUMBER = re.compile(r"\d+")


def match(
    members: Iterable[Member], names: Sequence[str], suffixes: Sequence[str], *, words: str = "label image"
) -> Report:
    """Assign files to cases by their names: `<case><suffix>`, in any folder.

    Parameters
    ----------
    members
        Files of the archive.
    names
        The expected cases.
    suffixes
        Supported file endings. If an ending contains another, the longer one comes first.
    words
        Name for the file of a case in messages.

    Returns
    -------
    Report
        With `members`, and findings for missing and duplicate cases.
    """
    expected = set(names)
    paths_by_case: dict[str, list[str]] = defaultdict(list)
    extra: list[Member] = []
    for member in members:
        case = _case(member.name, suffixes)
        if case in expected:
            paths_by_case[case].append(member.path)
        else:
            extra.append(member)
    report = Report(inspected=True)
    meant = _meant([member.name for member in extra], [name for name in names if name not in paths_by_case], suffixes)
    for name in names:
        paths = paths_by_case.get(name, [])
        if len(paths) == 1:
            report.members[name] = paths[0]
        elif paths:
            report.findings[name] = _duplicate(name, paths)
        else:
            report.findings[name] = _missing(name, meant.get(name), suffixes)
    intended = {file: case for case, file in meant.items()}
    report.extra = [
        Extra(member.path, _hint(member.name, intended, suffixes, words)) for member in extra[:EXTRAS_SHOWN]
    ]
    report.extra_total = len(extra)
    return report


def _case(name: str, suffixes: Sequence[str]) -> str:
    lower = name.lower()
    return next((name[: -len(suffix)] for suffix in suffixes if lower.endswith(suffix)), "")


def _duplicate(name: str, paths: list[str]) -> Finding:
    return Finding(
        name,
        Status.INVALID,
        kind="duplicate",
        file=paths[0],
        message=f"{name} is in the archive {len(paths)} times: {', '.join(paths[:5])}",
        remedy="Keep one file for each case.",
    )


def _missing(name: str, meant: str | None, suffixes: Sequence[str]) -> Finding:
    if meant:
        ending = next((suffix for suffix in suffixes if meant.lower().endswith(suffix)), suffixes[0])
        return Finding(
            name,
            Status.MISSING,
            kind="misnamed",
            file=meant,
            message=f"there is no file for {name}; {meant} looks as if it were meant",
            remedy=f"Rename {meant} to {name}{ending}.",
        )
    return Finding(
        name,
        Status.MISSING,
        kind="not_found",
        message=f"there is no file for {name}",
        remedy=f"Add {name}{suffixes[0]} to the archive.",
    )


def _hint(name: str, intended: dict[str, str], suffixes: Sequence[str], words: str) -> str:
    if name in intended:
        return f"meant for {intended[name]}?"
    if is_nested_archive(name):
        return "an archive inside the archive is not opened; pack its files directly"
    if not _case(name, suffixes):
        return f"not {'an' if words[0] in 'aeiou' else 'a'} {words} that is read; ignored"
    return "no case of this name; ignored"


def _meant(files: Sequence[str], names: Sequence[str], suffixes: Sequence[str]) -> dict[str, str]:
    """Guess for unclaimed files which unclaimed case they were meant for, each once."""
    stems = {file: _case(file, suffixes) for file in files}
    return guess({file: stem for file, stem in stems.items() if stem}, names)


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
    for file, stem in usable.items():
        same = [name for name in by_key.get(_key(stem), []) if name not in meant]
        around = [name for name in names if name not in meant and (name in stem)]
        if same or len(around) == 1:
            meant[(same or around)[0]] = file
    left = [name for name in names if name not in meant]
    # Comparing every file with every case would grow with their product; beyond this size a guess helps nobody.
    if len(usable) * len(left) <= 40_000:
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


def _key(name: str) -> str:
    """Reduce a name to what remains when case, separators and leading zeros are ignored."""
    plain = _NUMBER.sub(lambda number: str(int(number.group())), name.lower())
    return re.sub(r"[\s_.\-]+", "", plain)
