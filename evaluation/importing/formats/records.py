"""JSON lines, and lists of JSON objects: one object per row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evaluation.importing.formats.building import Table, flattened
from evaluation.importing.formats.parts import distinct_names
from evaluation.importing.sheets import TableError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evaluation.importing.formats.parts import Part
    from evaluation.importing.sheets import SheetLimits


class Records:
    """Reader of objects that are rows; their keys are columns without known roles."""

    name = "JSON lines"

    def recognizes(self, part: Part, limits: SheetLimits) -> bool:  # noqa: ARG002 (the signature)
        """Return whether every line or every entry of the list is an object."""
        if not part.looks_like_json:
            return False
        if part.lines and (len(part.lines) > 1 or part.path.casefold().endswith((".jsonl", ".ndjson"))):
            return True
        document = part.document
        return isinstance(document, list) and bool(document) and all(isinstance(entry, dict) for entry in document)

    def read(self, parts: Sequence[Part], limits: SheetLimits) -> Table:  # noqa: ARG002 (the signature)
        """Read the objects; the files of an archive are of one method each unless the objects name it."""
        table = Table()
        names = distinct_names([part.path for part in parts])
        for name, part in zip(names, parts, strict=True):
            for number, entry in _entries(part):
                flat = flattened(part.path, f"line {number}", entry)
                if len(parts) > 1 and "algorithm" in flat:
                    raise TableError(part.path, "the objects of several files name algorithms", "Send one file.")
                table.add({**({"algorithm": name} if len(parts) > 1 else {}), **flat})
        return table


def _entries(part: Part) -> list[tuple[int, Any]]:
    if part.lines:
        return part.lines
    return list(enumerate(part.document, start=1))
