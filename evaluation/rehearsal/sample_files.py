"""Sample submissions as folders of files: a good one, a mediocre one, and the good one without its last case."""

from __future__ import annotations

import csv
import shutil
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathlib import Path

GOOD, MEDIOCRE, INCOMPLETE = "Good sample", "Mediocre sample", "Incomplete sample"
DESCRIPTIONS: Final = {
    GOOD: "Predictions close to the references.",
    MEDIOCRE: "Predictions with larger errors.",
    INCOMPLETE: "The good sample without its last case.",
}
_LINES_SHOWN: Final = 4


def write_incomplete(folder: Path, case: str) -> Path:
    """Copy the good sample without one case, and return the folder."""
    target = folder / INCOMPLETE
    shutil.copytree(folder / GOOD, target)
    for path in sorted(target.rglob("*")):
        if path.name.startswith(f"{case}."):
            path.unlink()
        elif path.suffix == ".csv":
            with path.open(encoding="utf-8", newline="") as stream:
                columns, *rows = list(csv.reader(stream))
            with path.open("w", encoding="utf-8", newline="") as stream:
                writer = csv.writer(stream, lineterminator="\n")
                writer.writerows([columns, *(row for row in rows if row[0] != case)])
    return target


def example_lines(folder: Path) -> list[str]:
    """Return the first lines of the table of a submission, or the names of its first files."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    tables = [path for path in paths if path.suffix == ".csv"]
    if len(tables) == len(paths) == 1:
        return [tables[0].name, *tables[0].read_text(encoding="utf-8").splitlines()[:_LINES_SHOWN]]
    return [path.relative_to(folder).as_posix() for path in [*tables, *(p for p in paths if p not in tables)]][
        :_LINES_SHOWN
    ]
