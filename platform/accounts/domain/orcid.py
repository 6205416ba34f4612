"""ORCID iDs: sixteen digits with a check digit (ISO 7064, MOD 11-2)."""

import re

from django.core.exceptions import ValidationError

_SHAPE = re.compile(r"\d{4}-\d{4}-\d{4}-\d{3}[\dX]")


def is_orcid(text: str) -> bool:
    """Return whether `text` is an ORCID iD with the right check digit.

    >>> is_orcid("0000-0002-1825-0097"), is_orcid("0000-0002-1694-233X")
    (True, True)
    >>> is_orcid("0000-0002-1825-0098"), is_orcid("0000000218250097"), is_orcid("")
    (False, False, False)
    """
    if not _SHAPE.fullmatch(text):
        return False
    total = 0
    for digit in text.replace("-", "")[:-1]:
        total = (total + int(digit)) * 2
    check = (12 - total % 11) % 11
    return text[-1] == ("X" if check == 10 else str(check))


def plain_orcid(text: str) -> str:
    """Return the iD of an address or an iD with spaces around, as it is stored.

    >>> plain_orcid(" https://orcid.org/0000-0002-1694-233x ")
    '0000-0002-1694-233X'
    """
    return text.strip().removeprefix("https://orcid.org/").removeprefix("http://orcid.org/").upper()


def validate_orcid(text: str) -> None:
    """Refuse what is no ORCID iD.

    Raises
    ------
    ValidationError
        With what is expected.
    """
    if not is_orcid(text):
        raise ValidationError("An ORCID iD looks like 0000-0002-1825-0097; the last character is a check digit.")
