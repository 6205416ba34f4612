"""Unit of coordinates and size of pixels, as an assessment registers them for problems with places of objects."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

from evaluation.metrics.options import Option
from evaluation.problems.registry import kind_of
from evaluation.problems.score_ranges import ANY_SCORE, has_any_score
from evaluation.problems.tables import ReferenceTableError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evaluation.assessment.model import Assessment

SPACINGS: Final = ("spacing_x", "spacing_y", "spacing_z")
"""Columns of ``cases.csv`` with the size of a pixel."""
AREA_COLUMN: Final = "area_mm2"
"""Column of ``cases.csv`` with the annotated area, where false positives are counted per mm²."""
FROM_CASES: Final = "cases"
DISTANCE: Final = "loc_center_distance"
"""The hit criterion that compares a distance with a threshold."""
SYMBOLS: Final = {"px": "px", "mm": "mm", "um": "µm"}
SETTINGS: Final = (
    Option(
        "unit",
        "enum",
        None,
        "Unit of the coordinates in all tables: px from the upper left corner of the image, mm or um (µm).",
        choices=tuple(SYMBOLS),
        stands_where_set=True,
    ),
    Option(
        "spacing",
        "enum|array",
        None,
        "With coordinates in px, the size of a pixel along x, y (and z): cases reads the columns spacing_x, spacing_y "
        "(and spacing_z) of cases.csv; a list holds for all cases.",
        choices=(FROM_CASES,),
        stands_where_set=True,
    ),
    Option(
        "spacing_unit",
        "enum",
        None,
        "Unit of the spacing, and then of all distances; mm if it is not set.",
        choices=("mm", "um"),
        stands_where_set=True,
    ),
)
"""Settings of a kind of problem with coordinates; documents that do not set them keep their meaning."""


def check_settings(settings: Mapping[str, Any]) -> None:
    """Refuse settings of coordinates that contradict each other.

    Raises
    ------
    AssessmentError
        For a spacing of coordinates that are not in px, or a unit of a spacing that is not set.
    """
    from evaluation.assessment.errors import AssessmentError

    unit, spacing = settings.get("unit"), settings.get("spacing")
    if spacing is not None and unit != "px":
        raise AssessmentError("settings.spacing", spacing, 'nothing unless "unit" is "px"')
    if settings.get("spacing_unit") is not None and spacing is None:
        raise AssessmentError("settings.spacing_unit", settings["spacing_unit"], 'nothing unless "spacing" is set')


def refuse_fixed_thresholds(assessment: Assessment) -> None:
    """Refuse metrics that compare scores with fixed numbers, where scores are any finite numbers.

    Raises
    ------
    AssessmentError
        With the metric.
    """
    from evaluation.assessment.errors import AssessmentError
    from evaluation.metrics.detection_values import CURVES

    if not has_any_score(assessment.settings):
        return
    for index, use in enumerate(assessment.computed):
        if use.id not in CURVES:
            raise AssessmentError(
                f"metrics[{index}].id", use.id, f'one of {", ".join(sorted(CURVES))} with settings.scores "{ANY_SCORE}"'
            )


def axes_of(settings: Mapping[str, Any]) -> int:
    """Return the number of axes that the registered size of a pixel implies; 2 if it implies none.

    Examples
    --------
    >>> axes_of({"unit": "px", "spacing": [0.5, 0.5, 2.0]}), axes_of({})
    (3, 2)
    """
    spacing = settings.get("spacing")
    return len(spacing) if isinstance(spacing, (list, tuple)) else 2


def distance_unit(settings: Mapping[str, Any]) -> str:
    """Return the unit of distances between objects; empty where the assessment registers no unit of coordinates.

    Examples
    --------
    >>> distance_unit({"unit": "px", "spacing": [0.25, 0.25], "spacing_unit": "um"}), distance_unit({"unit": "px"})
    ('um', 'px')
    >>> distance_unit({})
    ''
    """
    unit = settings.get("unit")
    if unit == "px" and settings.get("spacing") is not None:
        return str(settings.get("spacing_unit") or "mm")
    return str(unit or "")


def spacings(assessment: Assessment, axes: int, facts: Mapping[str, Mapping[str, Any]]) -> dict[str, list[float]]:
    """Return the size of a pixel of each case along its axes; empty where no spacing is registered.

    Parameters
    ----------
    axes
        Number of axes of the coordinates.
    facts
        Row of ``cases.csv`` by case.

    Raises
    ------
    ReferenceTableError
        If a case has no spacing, or the list has another number of axes than the references.
    """
    spacing = assessment.settings.get("spacing")
    if spacing is None:
        return {}
    if spacing == FROM_CASES:
        columns = SPACINGS[:axes]
        return {case: [positive_fact(case, row, column) for column in columns] for case, row in facts.items()}
    if len(spacing) != axes:
        message = f"The design registers a spacing of {len(spacing)} axes, and the references have {axes}. Register one number per axis."
        raise ReferenceTableError(message)
    return {case: list(spacing) for case in facts}


def positive_fact(case: str, facts: Mapping[str, Any], column: str) -> float:
    """Return a cell of ``cases.csv`` as a number above 0.

    Raises
    ------
    ReferenceTableError
        If it is anything else.
    """
    value = facts.get(column)
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        number = math.nan
    if not (math.isfinite(number) and number > 0):
        given = "nothing" if value in (None, "") else repr(value)
        message = f"cases.csv: {given} as {column} of the case {case}; expected a number above 0"
        raise ReferenceTableError(message)
    return number


def lacks_unit(assessment: Assessment) -> bool:
    """Return whether a metric compares distances of coordinates whose unit is not registered."""
    takes_unit = any(option.name == "unit" and option.stands_where_set for option in kind_of(assessment).settings)
    compares = any(use.options.get("localization_criterion") == DISTANCE for use in assessment.computed)
    return takes_unit and compares and assessment.settings.get("unit") is None


def coordinate_words(unit: str) -> str:
    """Describe the coordinates of a table to those who write it.

    Examples
    --------
    >>> coordinate_words("um")
    'Coordinates are in µm, measured from the corner of the image at the first pixel.'
    """
    if unit in ("mm", "um"):
        return f"Coordinates are in {SYMBOLS[unit]}, measured from the corner of the image at the first pixel."
    return "Coordinates are in pixels from the upper left corner of the image."
