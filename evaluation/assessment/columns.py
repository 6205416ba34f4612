"""Kinds of the columns of the case metadata.

A declared kind takes precedence over any guess. Columns by which the assessment groups are names
(`grouping_columns`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from evaluation.assessment.errors import AssessmentError, listed
from evaluation.assessment.reading import name
from evaluation.problems import kind_of

if TYPE_CHECKING:
    from evaluation.assessment.model import Assessment

KEY: Final = "columns"
NAME, NUMBER, YES_NO = "name", "number", "yes_no"
KINDS: Final[Mapping[str, str]] = {
    NAME: "a name or identifier",
    NUMBER: "a number",
    YES_NO: "yes or no",
}
_OWN_UNITS: Final = frozenset({"case", "metric", "region", "task"})


def read_columns(value: object) -> dict[str, str]:
    """Read the key ``columns`` of an assessment document: kind (a key of `KINDS`) by column of the case metadata.

    Raises
    ------
    AssessmentError
        For an unknown kind.

    Examples
    --------
    >>> read_columns({"site": "name", "age": "number"})
    {'age': 'number', 'site': 'name'}
    """
    if value is None:
        return {}
    if not isinstance(value, Mapping) or len(value) > 1000:
        raise AssessmentError(KEY, value, 'an object such as {"site": "name", "age": "number"}')
    for column, kind in value.items():
        name(column, KEY)
        if kind not in KINDS:
            raise AssessmentError(f"{KEY}.{column}", kind, f"one of {listed(KINDS)}")
    return {str(column): str(value[column]) for column in sorted(value)}


def column_name(words: str) -> str:
    """Return the column name in a case table of a characteristic named in a design.

    Names that differ only in case, spaces and signs give the same column.

    Examples
    --------
    >>> column_name("Smoke in view")
    'smoke_in_view'
    """
    return re.sub(r"[^a-z0-9]+", "_", words.casefold()).strip("_")


def grouping_columns(assessment: Assessment) -> tuple[str, ...]:
    """Return the columns of the case metadata that the ranking depends on, always treated as names.

    They are those of levels, resampling, strata, combinations, data sets and quality grades. A bundle contains no
    others.

    Examples
    --------
    >>> from evaluation.assessment import parse
    >>> grouping_columns(parse({"problem": "table", "metrics": [{"id": "value", "direction": "higher"}],
    ...                         "aggregation": {"levels": ["case", "patient"], "operator": "mean"}}))
    ('patient',)
    """
    named = [*assessment.aggregation.levels, *assessment.uncertainty.resample, *assessment.uncertainty.strata]
    for scheme in assessment.rankings:
        for step in scheme.combine or ():
            named += step.over
    named += kind_of(assessment).evidence.data_set_columns(assessment.settings)
    named += filter(None, [assessment.exclusions.grade_column])
    return tuple(dict.fromkeys(column for column in named if column not in _OWN_UNITS))
