"""A table that may stand beside the files of predictions: what a kind of problem asks of it, and what is read of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from pathlib import Path

    from evaluation.readers import Issue, Limits


class TableBeside(Protocol):
    """The rows of all cases.

    Attributes
    ----------
    invalid
        Why the rows of a case cannot be taken, by case.
    """

    invalid: dict[str, Issue]

    @property
    def cases(self) -> list[str]:
        """All cases that the table names."""
        ...

    def of(self, case: str) -> Any:
        """What it says of a case."""
        ...


class RulesBeside(Protocol):
    """What a task asks of the table, known to everybody.

    Attributes
    ----------
    file
        Its name.
    words
        What it is called in messages, and what to do about one that is far too large.
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
        """Whether it has to be there."""
        ...

    @property
    def purpose(self) -> str:
        """What it is needed for, to end a sentence."""
        ...

    def read(self, path: Path, *, limits: Limits = ...) -> TableBeside:
        """Read it; what cannot be taken of a case is told and costs no other.

        Raises
        ------
        ReadError
            If it cannot be taken as a whole.
        """
        ...
