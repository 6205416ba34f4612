"""What uploads ask of the apps below: which files of the private storage their rows name."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from web.hooks import Hook


@dataclass(frozen=True)
class StoredFile:
    """A file that a row of the database names.

    Attributes
    ----------
    name
        In the private storage.
    what
        What it is, by numbers and not by names of people, challenges or cases: reports about it are read by operators.
    proof
        Reads it and says in one sentence what is wrong, or nothing; None where the row has nothing to compare with.
    """

    name: str
    what: str
    proof: Callable[[], str] | None = None


stored_files: Hook[Callable[[], Iterator[StoredFile]]] = Hook()
