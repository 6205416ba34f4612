"""Declaration of a metric that Podium does not compute: its name, and the bounds of its values."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from evaluation.assessment.errors import AssessmentError
from evaluation.assessment.reading import is_number
from evaluation.catalogue import CatalogueError, get

if TYPE_CHECKING:
    from evaluation.assessment.reading import Place
    from evaluation.catalogue import Metric

WITHOUT: Final = "without_uncertainty"
"""Option of a metric of the whole data set whose values come without any word on how uncertain they are."""
_ID: Final = re.compile(r"[a-z0-9][a-z0-9_]*")
_ALLOWED_IDS: Final = "lower-case letters, digits and _, and no id of the catalogue of metrics"


def same_metric(section: Place) -> Metric | None:
    """Return the metric of the catalogue that an entry names under ``as``, or ``None``.

    Raises
    ------
    AssessmentError
        For an unknown metric, or one whose direction, range or unit the entry contradicts.
    """
    identity = section.raw("as")
    if identity is None:
        return None
    try:
        metric = get(identity) if isinstance(identity, str) else None
    except CatalogueError:
        metric = None
    if metric is None:
        raise AssessmentError(section.at("as"), identity, "an id of the catalogue of metrics")
    for key, expected in (("direction", metric.direction), ("range", list(metric.range)), ("unit", metric.unit)):
        given = section.raw(key)
        if given is not None and (list(given) if isinstance(given, (list, tuple)) else given) != expected:
            allowed = f"{_words(expected)}, as {metric.id} has it"
            raise AssessmentError(section.at(key), given, allowed)
    return metric


def _words(value: object) -> str:
    if value is None:
        return "nothing"
    return (
        str(value)
        if not isinstance(value, list)
        else "[" + ", ".join("null" if end is None else f"{end:g}" for end in value) + "]"
    )


def own_id(value: object, path: str, *, same_as: str | None = None) -> str:
    """Check an id that is not in the catalogue, or is the id of the metric declared as identical.

    Parameters
    ----------
    same_as
        The declared metric of the catalogue, empty if none is declared; ``None`` where it cannot be declared.

    Raises
    ------
    AssessmentError
        For any other.
    """
    allowed = _ALLOWED_IDS if same_as is None else f"{_ALLOWED_IDS}, unless “as” says that it is that metric"
    if value and value == same_as:
        return str(value)
    if not isinstance(value, str) or len(value) > 100 or not _ID.fullmatch(value):
        raise AssessmentError(path, value, allowed)
    try:
        get(value)
    except CatalogueError:
        return value
    raise AssessmentError(path, value, allowed)


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
