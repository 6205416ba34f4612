"""Reading of a results file of any known format."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from evaluation.importing.formats.codabench import Codabench
from evaluation.importing.formats.evalai import EvalAI
from evaluation.importing.formats.grand_challenge import GrandChallenge
from evaluation.importing.formats.kaggle import Kaggle
from evaluation.importing.formats.monai import Monai
from evaluation.importing.formats.nnunet import NnUNet
from evaluation.importing.formats.parts import Part, is_workbook, parts_of, refuse_markup
from evaluation.importing.formats.records import Records
from evaluation.importing.formats.summary_rows import without_summary_rows
from evaluation.importing.roles import guess_roles
from evaluation.importing.sheets import DEFAULT, Sheet, SheetLimits, TableError, sheet_of, shown

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from evaluation.importing.formats.model import Format

FORMATS: Final[tuple[Format, ...]] = (
    # First EvalAI, whose result files can be text that only looks like JSON.
    *(EvalAI(), NnUNet(), GrandChallenge(), Codabench(), Kaggle(), Monai()),
    Records(),  # last: lists of objects that no platform is known to write
)
"""Formats in the order in which a file is compared with them; CSV tables of unknown columns are read in addition."""
_CSV: Final = "a CSV table"


def read_results_file(path: Path, *, name: str = "", limits: SheetLimits = DEFAULT) -> Sheet:
    """Read a file of results: CSV with a header, a format of `FORMATS`, or a ZIP archive of files of one format.

    Parameters
    ----------
    name
        What the file is called in messages; that of `path` if not given.

    Raises
    ------
    TableError
        For a file that is no table of results; it is named for what it is.
    OSError
        If it cannot be opened.
    """
    name = name or path.name
    size = path.stat().st_size
    if size > limits.file_bytes:
        problem = f"the file has {size:,} bytes, and at most {limits.file_bytes:,} are read"
        raise TableError(name, problem, "Send fewer columns.")
    content = path.read_bytes()
    if is_workbook(content):
        return without_summary_rows(sheet_of(name, content, limits=limits))
    parts = parts_of(name, content, limits=limits)
    for part in parts:
        refuse_markup(part)
    format_of = _format(name, parts, limits)
    digest = hashlib.sha256(content).hexdigest()
    if format_of is not None:
        sheet = format_of.read(parts, limits).sheet(name, digest, limits)
        if isinstance(format_of, Records):
            # The keys are columns of unknown meaning, as those of a CSV table.
            sheet = replace(sheet, roles={})
            sheet = replace(sheet, roles=guess_roles(sheet))
        return sheet
    if len(parts) > 1:
        raise TableError(name, "the archive holds several CSV tables", "Send one table, or one file per method.")
    [part] = parts
    return without_summary_rows(replace(sheet_of(name, part.content, limits=limits), sha256=digest))


def _format(name: str, parts: Sequence[Part], limits: SheetLimits) -> Format | None:
    """The one format of all parts; ``None`` for a CSV table.

    Raises
    ------
    TableError
        If they are of several formats, or are JSON of none.
    """
    by_part = [next((entry for entry in FORMATS if entry.recognizes(part, limits)), None) for part in parts]
    for part, entry in zip(parts, by_part, strict=True):
        if entry is None and part.looks_like_json:
            raise TableError(part.path, f"this is JSON{_keys(part)}, and no known form of results", _KNOWN)
    first = by_part[0]
    other = next((number for number, entry in enumerate(by_part) if entry is not first), None)
    if other is not None:
        names = [entry.name if entry else _CSV for entry in (first, by_part[other])]
        what = f"the archive mixes {names[0]} ({shown(parts[0].path)}) and {names[1]} ({shown(parts[other].path)})"
        raise TableError(name, what, "Send files of one format.")
    return first


_KNOWN: Final = f"Known are {', '.join(entry.name for entry in FORMATS)}, and CSV."


def _keys(part: Part) -> str:
    document = part.document
    if not isinstance(document, dict) or not document:
        return ""
    return f" with the keys {', '.join(shown(str(key)) for key in list(document)[:4])}"
