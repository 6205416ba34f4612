"""``METRIC_raw.csv`` of MONAI's ``MetricsSaver``: one row per image, one column per class, and their mean last.

Structure: ``write_metrics_reports`` in monai/handlers/utils.py (Project-MONAI/MONAI).
"""

from __future__ import annotations

import math
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final

from evaluation.importing.formats.building import ONE_METHOD, Table
from evaluation.importing.formats.parts import distinct_names
from evaluation.importing.numbers import as_number, is_blank
from evaluation.importing.sheets import TableError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evaluation.importing.formats.parts import Part
    from evaluation.importing.sheets import Sheet, SheetLimits

_RAW: Final = "_raw"
_ROUNDED: Final = 2e-4
"""MONAI writes four digits, so that a mean of rounded values differs by up to half of the last one, and one more."""
_AMBIGUOUS: Final = (
    "the columns are either classes with their mean, as MONAI writes them, or algorithms with their mean",
    "Name the file METRIC_raw.csv if MONAI wrote it; otherwise remove the column “mean”.",
)


class Monai:
    """Reader of ``METRIC_raw.csv``."""

    name = "MONAI CSV"

    def recognizes(self, part: Part, limits: SheetLimits) -> bool:
        """Return whether the header is MONAI's, or the file is one of its summaries."""
        if part.looks_like_json:
            return False
        head = part.text.lstrip("\ufeff").split("\n", 1)[0].strip()
        cells = next((head.split(sign) for sign in (",", "\t", ";") if sign in head), [head])
        is_summary = cells[0] == "class" and bool({"mean", "median", "notnans"} & set(cells[1:]))
        if is_summary:
            return True
        if cells[0] != "filename" or cells[-1] != "mean" or len(cells) < 3:
            return False
        return _has_raw_name(part) or _is_mean(part.sheet(limits))

    def read(self, parts: Sequence[Part], limits: SheetLimits) -> Table:
        """Read one file per metric and method; classes are regions."""
        table = Table(roles={"algorithm": "algorithm", "case": "case", "region": "region", "metric": "metric"})
        folders = [str(PurePosixPath(part.path).parent) for part in parts]
        distinct = list(dict.fromkeys(folders))
        methods = dict(zip(distinct, distinct_names(distinct, are_folders=True), strict=True))
        if len(methods) == 1:
            table.question = ONE_METHOD
        for folder, part in zip(folders, parts, strict=True):
            sheet = part.sheet(limits)
            if sheet.columns[0] == "class":
                what = "this is a summary of MONAI, and it holds means without values of single cases"
                raise TableError(part.path, what, "Send the files whose names end in _raw.csv.")
            if not _has_raw_name(part):
                raise TableError(part.path, *_AMBIGUOUS)
            metric = PurePosixPath(part.path).stem.removesuffix(_RAW)
            classes = sheet.columns[1:-1]
            for row in sheet.rows:
                for label, value in zip(classes, row[1:-1], strict=True):
                    start = {} if len(methods) == 1 else {"algorithm": methods[folder]}
                    region = {"region": label} if len(classes) > 1 else {}
                    table.add({**start, "case": _case(row[0]), "metric": metric, **region, "value": value})
        table.roles["value"] = "value"
        table.notes.append("The column “mean” of MONAI is the mean of the classes and was not used.")
        return table


def _has_raw_name(part: Part) -> bool:
    return PurePosixPath(part.path).stem.endswith(_RAW)


def _case(path: str) -> str:
    name = PurePosixPath(path.replace("\\", "/")).name
    return name.removesuffix(".gz").removesuffix(".nii") or path


def _is_mean(sheet: Sheet) -> bool:
    """Return whether the last column is the mean of the others in every row."""
    for row in sheet.rows:
        numbers = [as_number(text) for text in row[1:] if not is_blank(text)]
        if any(number is None for number in numbers) or len(numbers) < 2:
            return False
        *values, mean = [float(number) for number in numbers if number is not None]
        if not math.isclose(sum(values) / len(values), mean, abs_tol=_ROUNDED, rel_tol=_ROUNDED):
            return False
    return True
