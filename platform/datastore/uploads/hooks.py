"""Hook for the apps below to list the files of the private storage that their rows reference."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from web.hooks import Hook


@dataclass(frozen=True)
class StoredFile:
    """A file that a row of the database references.

    Attributes
    ----------
    name
        Name in the private storage.
    what
        Description by numbers, without names of people, challenges or cases, because operators read reports
        about it.
    proof
        Function that reads the file and returns one sentence on what is wrong, or an empty text. None if the
        row has nothing to compare with.
    """

    name: str
    what: str
    proof: Callable[[], str] | None = None


stored_files: Hook[Callable[[], Iterator[StoredFile]]] = Hook()
