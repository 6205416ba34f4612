"""Optional table next to the files of predictions.

The module defines the rules of a kind of problem for the table, and the content that is read from it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from pathlib import Path

    from evaluation.readers import Issue, Limits


class TableBeside(Protocol):
    """The rows of all cases.

    Attributes
    ----------
    dropped
        Reasons of the rows that are not used, by case.
    """

    dropped: dict[str, list[Issue]]

    @property
    def cases(self) -> list[str]:
        """All cases that the table names."""
        ...

    def of(self, case: str) -> Any:
        """Return the content of the table for a case."""
        ...


class RulesBeside(Protocol):
    """Public requirements of a task for the table.

    Attributes
    ----------
    file
        Name of the file.
    words, remedy
        Name of the table in messages, and the instruction for a table that is far too large.
    """

    @property
    def file(self) -> str: ...

    @property
    def words(self) -> str: ...

    @property
    def columns(self) -> tuple[str, ...]: ...

    @property
    def remedy(self) -> str: ...

    @property
    def needed(self) -> bool:
        """True if the table is required."""
        ...

    @property
    def purpose(self) -> str:
        """Purpose of the table, as the end of a sentence."""
        ...

    def read(self, path: Path, *, limits: Limits = ...) -> TableBeside:
        """Read the table.

        Invalid content of one case is reported and does not affect other cases.

        Raises
        ------
        ReadError
            If the table as a whole is invalid.
        """
        ...
