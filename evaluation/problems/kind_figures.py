"""What all figures have that a kind of problem brings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandas as pd

    from evaluation.assessment import Assessment
    from evaluation.ranking.reading import Entry
    from evaluation.scoring.evidence_blocks import Evidence


@dataclass(frozen=True)
class RankedEntry:
    """One ranking of a document, with all that a figure beside it may be drawn of.

    Attributes
    ----------
    evidence, results
        Of the cases that count; ``None`` where they are not at hand.
    entry
        Of the ranking document.
    cases
        What is known of the cases.
    """

    assessment: Assessment
    evidence: Evidence | None
    document: Mapping[str, Any]
    entry: Entry
    results: pd.DataFrame | None = None
    cases: pd.DataFrame | None = None

    @property
    def is_single(self) -> bool:
        """Whether it ranks by one metric, of the only task."""
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
        """What a metric says of single cases in the region of the entry, with or without a value; needs results."""
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
    """One kind of figure, answering one question.

    Attributes
    ----------
    name
        As in its address; of its own among all kinds.
    title, reading
        The question, and how the figure is read by whoever sees it for the first time.
    shows
        What can be read from it: ``values``, which a ranking tells as well; ``results by case``, how well an algorithm did in
        each; ``references``, what these say.
    """

    name: str
    title: str
    reading: str
    shows: Literal["values", "results by case", "references"] = "references"

    def place_of(self, entry: Entry) -> str:
        """What it is drawn once for, in a report that shows every ranking: a region."""
        return entry.get("region") or ""

    def of_entry(
        self,
        assessment: Assessment,
        evidence: Evidence | None,
        document: Mapping[str, Any],
        entry: Entry,
        results: pd.DataFrame | None = None,
        cases: pd.DataFrame | None = None,
    ) -> dict[str, Any] | None:
        """Draw it for one ranking, of what `RankedEntry` holds; ``None`` where it has nothing to say beside it."""
        return self.draw_beside(RankedEntry(assessment, evidence, document, entry, results, cases))

    def draw_beside(self, ranked: RankedEntry) -> dict[str, Any] | None:
        """Draw it for one ranking; ``None`` where it has nothing to say beside it."""
        raise NotImplementedError
