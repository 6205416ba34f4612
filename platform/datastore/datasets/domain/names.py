"""Names of hosted files: one path component each, so that no client ever writes outside of its folder."""

import re
from pathlib import PurePosixPath

LONGEST = 200
_ALLOWED = re.compile(r"[\w][\w .+()=,@-]*", re.ASCII)
_RESERVED = {"con", "prn", "aux", "nul", *(f"{kind}{number}" for kind in ("com", "lpt") for number in range(1, 10))}


def is_file_name(name: str) -> bool:
    """Return whether a name is valid for a file on every system.

    Examples
    --------
    >>> is_file_name("imagesTr.tar.gz"), is_file_name("../x"), is_file_name("CON.zip"), is_file_name("a ")
    (True, False, False, False)
    """
    return (
        len(name) <= LONGEST
        and _ALLOWED.fullmatch(name) is not None
        and name[-1] not in " ."
        and name.split(".", maxsplit=1)[0].casefold() not in _RESERVED
    )


def file_name(text: str) -> str:
    """The last component of what a sender calls a file."""
    return PurePosixPath(text.replace("\\", "/")).name[:LONGEST]
