"""Several data sets among the cases of one assessment: each has its own values, and all together have one only where that is set."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from evaluation.metrics.options import Option
from evaluation.problems.evidence import KindEvidence
from evaluation.problems.texts import PageTexts

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evaluation.scoring.evidence_blocks import CaseEvidence

DATASET: Final = "dataset"
POOLED: Final = "pooled"
SHARED: Final = "datasets"
"""Key of the evidence that contains the data set of each case."""
EVERYTHING: Final = ""
"""The region of a value over all data sets."""
_NO_CHARACTERISTICS: Final = ("case", "region", "metric", "task")
SETTINGS: Final = (
    Option(
        DATASET,
        "string",
        None,
        "Column of the case table by whose values the cases are data sets of their own: each has its own values, and resamples keep "
        "its size",
        stands_where_set=True,
    ),
    Option(
        POOLED,
        "boolean",
        False,
        "Also a value over all data sets together, which rewards what only tells the data sets apart",
        stands_where_set=True,
    ),
)


def check(settings: Mapping[str, Any]) -> None:
    """Refuse a column that is no characteristic of cases, and pooling of nothing.

    Raises
    ------
    AssessmentError
        Naming place, value and what is allowed.
    """
    from evaluation.assessment.errors import AssessmentError
    from evaluation.assessment.reading import name

    column = settings.get(DATASET)
    if column is not None and name(column, f"settings.{DATASET}") in _NO_CHARACTERISTICS:
        raise AssessmentError(f"settings.{DATASET}", column, "a column of the case table with characteristics")
    if column is None and settings.get(POOLED):
        raise AssessmentError(
            f"settings.{POOLED}", True, f"false, or the column of the data sets as settings.{DATASET}"
        )


def column_of(settings: Mapping[str, Any]) -> str:
    """Return the column that identifies data sets; empty where all cases form one data set."""
    return str(settings.get(DATASET) or "")


def shared_of(settings: Mapping[str, Any], facts: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Return the data set of each case, as stored in evidence; empty where all cases form one data set.

    Raises
    ------
    ValueError
        If the column is missing, or is empty for a case.
    """
    column = column_of(settings)
    if not column:
        return {}
    by_case = {}
    for case, case_facts in facts.items():
        value = case_facts.get(column)
        if value is None or str(value) == "":
            message = f"The data set of the case {case} is not known: give the column {column} in cases.csv."
            raise ValueError(message)
        by_case[case] = str(value)
    return {SHARED: by_case}


def regions_of(settings: Mapping[str, Any], shared: Mapping[str, Any]) -> list[str]:
    """The data sets, and the empty name for a value over all of them where there is one."""
    names = sorted(set(shared.get(SHARED, {}).values()))
    if not names:
        return [EVERYTHING]
    return [*names, EVERYTHING] if settings.get(POOLED) else names


def inside(evidence: CaseEvidence) -> Any:
    """Return a mask ``(n,)`` of the cases in the data set of the evidence.

    For a value over all data sets, every case is included.
    """
    import numpy as np

    of_case = evidence.shared.get(SHARED, {})
    if evidence.region == EVERYTHING or not of_case:
        return np.ones(len(evidence.cases), dtype=bool)
    return np.array([of_case.get(case) == evidence.region for case in evidence.cases], dtype=bool)


class DataSetTexts(PageTexts):
    """Texts about several data sets on pages."""

    def pooled_cases(self, settings: Mapping[str, Any]) -> str:
        """All cases, or those of each data set."""
        column = column_of(settings)
        if not column:
            return "all cases together"
        more = ", and all cases together," if settings.get(POOLED) else ""
        return f"the cases of each {column} together{more}"


class DataSetEvidence(KindEvidence):
    """Evidence of a kind whose cases can belong to several data sets.

    This class must precede the other base classes.
    """

    def data_set_columns(self, settings: Mapping[str, Any]) -> tuple[str, ...]:
        """The column of the data sets, where there are several."""
        column = column_of(settings)
        return (column,) if column else ()

    def has_overall_value(self, settings: Mapping[str, Any]) -> bool:
        """Return whether a value over all data sets is reported next to the others.

        It is kept separate because it rewards predictions that only distinguish the data sets.
        """
        return bool(settings.get(POOLED))
