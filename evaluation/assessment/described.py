"""What an assessment says itself of a metric that Podium does not compute: its name, and what bounds its values."""

from __future__ import annotations

import re
from typing import Final

from evaluation.assessment.errors import AssessmentError
from evaluation.assessment.reading import is_number
from evaluation.catalogue import CatalogueError, get

_ID: Final = re.compile(r"[a-z0-9][a-z0-9_]*")
_ALLOWED_IDS: Final = "lower-case letters, digits and _, and no id of the catalogue of metrics"


def own_id(value: object, path: str) -> str:
    """Check an id that is none of the catalogue's.

    Raises
    ------
    AssessmentError
        For any other.
    """
    if not isinstance(value, str) or len(value) > 100 or not _ID.fullmatch(value):
        raise AssessmentError(path, value, _ALLOWED_IDS)
    try:
        get(value)
    except CatalogueError:
        return value
    raise AssessmentError(path, value, _ALLOWED_IDS)


def value_range(value: object, path: str) -> tuple[float | None, float | None]:
    """Check the two ends of a range, either of which may be open.

    Raises
    ------
    AssessmentError
        For anything else than two ends in their order.
    """
    if value is None:
        return None, None
    allowed = "two numbers, the smaller first, either of which may be null"
    if not isinstance(value, (list, tuple)) or len(value) != 2:
        raise AssessmentError(path, value, allowed)
    if not all(end is None or is_number(end) for end in value):
        raise AssessmentError(path, value, allowed)
    low, high = (None if end is None else float(end) for end in value)
    if low is not None and high is not None and low >= high:
        raise AssessmentError(path, value, allowed)
    return low, high
