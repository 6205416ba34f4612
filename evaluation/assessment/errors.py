"""Errors in an assessment document, described in terms that allow an organizer to fix them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


class AssessmentError(ValueError):
    """Error for a key, id or value that an assessment document must not contain.

    Attributes
    ----------
    place
        Path of the value: ``metrics[1].options.tolerance``.
    value
        The value found there.
    allowed
        Description of the allowed values.
    """

    def __init__(self, field_path: str, value: object, allowed: str) -> None:
        self.place = field_path
        self.value = value
        self.allowed = allowed
        super().__init__(f"{field_path or 'document'}: {shown(value)} is not allowed; allowed is {allowed}")


def shown(value: object, limit: int = 120) -> str:
    """Return a value as written in the document, shortened for a message.

    Examples
    --------
    >>> shown("dsc"), shown(None)
    ('"dsc"', 'null')
    """
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= limit else text[: limit - 1] + "…"


def listed(choices: Iterable[object]) -> str:
    """Join choices for the ``allowed`` part of a message.

    Examples
    --------
    >>> listed(["mean", "median"])
    'mean, median'
    """
    return ", ".join(str(choice) for choice in choices)
