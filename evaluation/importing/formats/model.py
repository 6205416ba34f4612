"""Interface of a format of results."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evaluation.importing.formats.building import Table
    from evaluation.importing.formats.parts import Part
    from evaluation.importing.sheets import SheetLimits


class Format(Protocol):
    """A format of results.

    Attributes
    ----------
    name
        Name of the format, for people: ``nnU-Net summary.json``.
    """

    name: str

    def recognizes(self, part: Part, limits: SheetLimits) -> bool:
        """Return whether a file is of this format."""

    def read(self, parts: Sequence[Part], limits: SheetLimits) -> Table:
        """Read the files of one archive, or one file.

        Raises
        ------
        TableError
            If the files hold no table of results; the reason names the file.
        """
