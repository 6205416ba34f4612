"""Common parts of all figures that a kind of problem provides."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandas as pd

    from evaluation.assessment.model import Assessment
    from evaluation.ranking.reading import Entry
    from evaluation.scoring.evidence_blocks import Evidence


@dataclass(frozen=True)
class RankedEntry:
    """One ranking of a document, with all data from which a figure next to it can be drawn.

    Attributes
    ----------
    evidence, results
        Evidence and results of the cases that count; ``None`` where they are not available.
    entry
        Entry of the ranking document.
    cases
        Known characteristics of the cases.
    length_unit
        Unit of distances: mm, or pixels or voxels where the images do not state their spacing.
    """

    assessment: Assessment
    evidence: Evidence | None
    document: Mapping[str, Any]
    entry: Entry
    results: pd.DataFrame | None = None
    cases: pd.DataFrame | None = None
    length_unit: str = "mm"

    @property
    def is_single(self) -> bool:
        """True if the entry ranks by one metric and belongs to the only task."""
        from evaluation.ranking.reading import is_combined

        return not is_combined(self.entry) and not self.entry.get("task")

    @property
    def algorithms(self) -> list[str]:
        """The best first."""
        from evaluation.ranking.reading import names

        return names(self.entry)

    @property
    def region(self) -> str:
        """Empty where metrics have no regions."""
        return self.entry.get("region") or ""

    def rows_of(self, metric: str) -> pd.DataFrame:
        """Return the rows of a metric for single cases in the region of the entry, with or without a value.

        This requires results.
        """
        assert self.results is not None
        rows = self.results
        in_region = (rows["metric"] == metric) & (rows["region"].fillna("") == self.region)
        return rows[in_region & (rows["case"] != "")]

    def values_of(self, metric: str) -> dict[str, dict[str, float]]:
        """By algorithm, the best first, and case the values of a metric in that region, where there are any; needs results."""
        rows = self.rows_of(metric)
        values = {
            name: dict(zip(own_rows["case"], own_rows["value"].astype(float), strict=True))
            for name, own_rows in rows[rows["value"].notna()].groupby("algorithm")
        }
        return {name: values[name] for name in self.algorithms if name in values}


@dataclass(frozen=True, kw_only=True)
class KindFigure:
    """One kind of figure, which answers one question.

    Attributes
    ----------
    name
        Name in its address; unique among all kinds.
    title, reading
        The question, and an explanation of the figure for first-time readers.
    shows
        Information that the figure reveals: ``values``, which a ranking contains as well; ``results by case``, the performance
        of an algorithm in each case; ``references``, the content of the references.
    """

    name: str
    title: str
    reading: str
    shows: Literal["values", "results by case", "references"] = "references"

    def place_of(self, entry: Entry) -> str:
        """Return the key for which the figure is drawn once in a report of all rankings: a region."""
        return entry.get("region") or ""

    def of_entry(
        self,
        assessment: Assessment,
        evidence: Evidence | None,
        document: Mapping[str, Any],
        entry: Entry,
        results: pd.DataFrame | None = None,
        cases: pd.DataFrame | None = None,
        length_unit: str = "mm",
    ) -> dict[str, Any] | None:
        """Draw the figure for one ranking; ``None`` where it does not apply to that ranking.

        The parameters are the content of `RankedEntry`.
        """
        return self.draw_beside(RankedEntry(assessment, evidence, document, entry, results, cases, length_unit))

    def draw_beside(self, ranked: RankedEntry) -> dict[str, Any] | None:
        """Draw the figure for one ranking; ``None`` where it does not apply to that ranking."""
        raise NotImplementedError
