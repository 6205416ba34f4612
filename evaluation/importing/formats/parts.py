"""A file or an archive as parts of text or JSON, with bounds that apply before anything is parsed."""

from __future__ import annotations

import io
import json
import stat
import zipfile
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, Final

from evaluation.importing.sheets import Sheet, SheetLimits, TableError, decoded, sheet_of, shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_READ: Final = (".json", ".jsonl", ".ndjson", ".csv", ".tsv", ".txt")
_CONFIGURATIONS: Final = (".yaml", ".yml")
MOST_PARTS: Final = 500
_DEEPEST: Final = 30
_MOST_RATIO: Final = 200
_BINARY: Final = (
    (b"\x1f\x8b", "a gzip archive"),
    (b"%PDF", "a PDF document"),
    (b"\x89HDF", "an HDF5 file"),
    (b"PAR1", "a Parquet file"),
    (b"SQLite format 3", "an SQLite database"),
    (b"\xd0\xcf\x11\xe0", "an old Excel workbook"),
    (b"RDX", "an R data file"),
    (b"\x80\x04", "a Python pickle, which is never opened,"),
    (b"\x80\x05", "a Python pickle, which is never opened,"),
    (b"\x93NUMPY", "a NumPy array"),
    (b"\x89PNG", "a PNG image"),
    (b"7z\xbc\xaf", "a 7-Zip archive"),
)
_READABLE: Final = "Send CSV, JSON, JSON lines, or a ZIP archive of these."


@dataclass(frozen=True)
class Part:
    """One file, alone or inside an archive.

    Attributes
    ----------
    path
        Name of the file, with its folders inside an archive.
    content
        Its bytes.
    """

    path: str
    content: bytes

    @cached_property
    def text(self) -> str:
        """The text of the file.

        Raises
        ------
        TableError
            If it is not in UTF-8.
        """
        return decoded(self.path, self.content)

    @property
    def looks_like_json(self) -> bool:
        """True if the text begins as a JSON object or list."""
        return self.text.lstrip("\ufeff \t\r\n")[:1] in ("{", "[")

    @cached_property
    def lines(self) -> list[tuple[int, Any]] | None:
        """Line number and JSON value of each line, or ``None`` if the lines are not JSON objects of their own."""
        if not self.looks_like_json:
            return None
        entries = []
        for number, line in enumerate(self.text.split("\n"), start=1):
            if not line.strip():
                continue
            if not line.lstrip().startswith("{"):
                return None
            try:
                entries.append((number, _parsed(line)))
            except json.JSONDecodeError as error:
                if not entries:
                    return None
                problem = (
                    f"this is JSON lines, and line {number} cannot be read ({error.msg}, character {error.pos + 1})"
                )
                raise TableError(self.path, problem, "Write one complete JSON object per line.") from None
            except (_TwiceError, RecursionError) as error:
                raise TableError(self.path, f"line {number}: {error}", "Correct the line.") from None
        return entries

    @cached_property
    def document(self) -> Any:
        """The JSON value of the file.

        Raises
        ------
        TableError
            If it is no JSON, names a key twice, or is nested too deeply.
        """
        try:
            value = _parsed(self.text)
        except json.JSONDecodeError as error:
            problem = f"this is JSON, and it cannot be read ({error.msg}, line {error.lineno}, column {error.colno})"
            raise TableError(self.path, problem, "Export the file again, or correct that line.") from None
        except (_TwiceError, RecursionError) as error:
            raise TableError(self.path, f"this is JSON, and {error}", "Export the file again.") from None
        if _depth(value) > _DEEPEST:
            raise TableError(self.path, f"this is JSON with more than {_DEEPEST} levels", _READABLE)
        return value

    def sheet(self, limits: SheetLimits) -> Sheet:
        """The cells of the file, read as CSV."""
        return sheet_of(self.path, self.content, limits=limits)


class _TwiceError(ValueError):
    pass


def parts_of(name: str, content: bytes, *, limits: SheetLimits) -> list[Part]:
    """Return the files of an archive that can hold results, or the one file that is no archive.

    Raises
    ------
    TableError
        For a file of a kind that is not read, named for what it is; for an archive that is encrypted, damaged or too
        large, or contains no results.
    """
    if content.startswith(b"PK\x03\x04"):
        return _unpacked(name, content, limits)
    for start, words in _BINARY:
        if content.startswith(start):
            raise TableError(name, f"this is {words} and no table of results", _READABLE)
    return [Part(name, content)]


def refuse_markup(part: Part) -> None:
    """Refuse web pages, XML and challenge configurations, which are no results.

    Raises
    ------
    TableError
        If the file is one of these.
    """
    start = part.text.lstrip("\ufeff \t\r\n")[:200].casefold()
    if start.startswith("<"):
        words = "an HTML page" if start.startswith(("<!doctype html", "<html")) else "XML"
        raise TableError(part.path, f"this is {words} and no table of results", _READABLE)
    if part.path.casefold().endswith(_CONFIGURATIONS):
        raise TableError(
            part.path,
            "this is YAML, which holds the configuration of a challenge and no results",
            "Import a configuration as a design; send results as CSV or JSON.",
        )


def distinct_names(paths: Sequence[str], *, are_folders: bool = False) -> list[str]:
    """Return what distinguishes paths: the folders and file names that are not common to all of them.

    Parameters
    ----------
    are_folders
        Whether the paths are folders, whose names keep everything after a dot.

    Examples
    --------
    >>> distinct_names(["run/unet/summary.json", "run/swin/summary.json"])
    ['unet', 'swin']
    >>> distinct_names(["unet.json", "swin.json"])
    ['unet', 'swin']
    """
    pure = [PurePosixPath(path) for path in paths]
    split = [(path if are_folders or not path.name else path.with_suffix("")).parts or (".",) for path in pure]
    if len(split) == 1:
        return [split[0][-1]]
    start = 0
    while all(len(steps) > start + 1 for steps in split) and len({steps[start] for steps in split}) == 1:
        start += 1
    end = 0
    while all(len(steps) - end > start + 1 for steps in split) and len({steps[-1 - end] for steps in split}) == 1:
        end += 1
    return ["/".join(steps[start : len(steps) - end]) for steps in split]


def cell(value: Any) -> str:
    """Return a JSON value as the text of a cell; numbers keep all digits, and ``null`` is empty.

    Examples
    --------
    >>> cell(0.1), cell(None), cell(True), cell(float("nan"))
    ('0.1', '', 'true', 'nan')
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(value) if isinstance(value, float) else str(value).strip()


def is_plain(value: Any) -> bool:
    """Return whether a JSON value fits in one cell."""
    return value is None or isinstance(value, (str, int, float, bool))


def _parsed(text: str) -> Any:
    return json.loads(text, object_pairs_hook=_without_repetition)


def _without_repetition(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    read: dict[str, Any] = {}
    for key, value in pairs:
        if key in read:
            message = f"an object names the key {shown(key)} twice"
            raise _TwiceError(message)
        read[key] = value
    return read


def _depth(value: Any) -> int:
    depth, level = 0, [value]
    while level and depth <= _DEEPEST:
        depth += 1
        level = [
            child
            for entry in level
            if isinstance(entry, (dict, list))
            for child in (entry.values() if isinstance(entry, dict) else entry)
            if isinstance(child, (dict, list))
        ]
    return depth


def is_workbook(content: bytes) -> bool:
    """Return whether a file is a workbook of a spreadsheet program, which is read as a table."""
    if not content.startswith(b"PK\x03\x04"):
        return False
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return "xl/workbook.xml" in archive.namelist()
    except (zipfile.BadZipFile, NotImplementedError, EOFError, OSError):
        return False


def _unpacked(name: str, content: bytes, limits: SheetLimits) -> list[Part]:
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return _members(name, archive, limits)
    except (zipfile.BadZipFile, NotImplementedError, EOFError, OSError) as error:
        raise TableError(
            name, f"this is a ZIP archive, and it is damaged ({error})", "Make the archive again."
        ) from None


def _members(name: str, archive: zipfile.ZipFile, limits: SheetLimits) -> list[Part]:
    entries = archive.infolist()
    names = {entry.filename for entry in entries}
    if "[Content_Types].xml" in names:
        raise TableError(name, "this is an Office document and no workbook", "Save the table as CSV (UTF-8).")
    if any(PurePosixPath(path).name.casefold() in ("competition.yaml", "competition.yml") for path in names):
        raise TableError(
            name,
            "this is a Codabench bundle, which holds the configuration of a challenge and no results",
            "Import it as a design.",
        )
    chosen = [entry for entry in entries if _is_results(entry)]
    if not chosen:
        raise TableError(name, "this is a ZIP archive without a CSV or JSON file", _READABLE)
    if len(chosen) > MOST_PARTS:
        raise TableError(
            name, f"the archive has {len(chosen):,} files, and at most {MOST_PARTS} are read", "Send fewer."
        )
    total = sum(entry.file_size for entry in chosen)
    if total > limits.file_bytes or any(
        entry.file_size > _MOST_RATIO * (entry.compress_size + 100) for entry in chosen
    ):
        raise TableError(
            name,
            f"the files of the archive have {total:,} bytes unpacked, and at most {limits.file_bytes:,} are read",
            "Send fewer files, and only results.",
        )
    return [Part(entry.filename, _content(name, archive, entry)) for entry in chosen]


def _is_results(entry: zipfile.ZipInfo) -> bool:
    path = PurePosixPath(entry.filename)
    hidden = any(step.startswith((".", "__MACOSX")) for step in path.parts)
    is_link = stat.S_ISLNK(entry.external_attr >> 16)
    return not entry.is_dir() and not hidden and not is_link and path.suffix.casefold() in _READ


def _content(name: str, archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bytes:
    if entry.flag_bits & 1:
        raise TableError(name, "the archive is encrypted", "Make it without a password.")
    with archive.open(entry) as stream:
        # What a header states can be wrong: one byte more than it states is a damaged archive.
        content = stream.read(entry.file_size + 1)
    if len(content) != entry.file_size:
        raise TableError(name, f"the archive is damaged at {shown(entry.filename)}", "Make the archive again.")
    return content
