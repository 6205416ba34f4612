"""Figures specific to a kind of problem, drawn from values of single cases.

The values are from several regions or of several metrics.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from evaluation.problems.kind_figures import KindFigure

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import pandas as pd

    from evaluation.assessment.model import Assessment
    from evaluation.problems.kind_figures import RankedEntry
    from evaluation.ranking.reading import Entry


class Measured(NamedTuple):
    """Data from which a figure is drawn.

    Attributes
    ----------
    algorithms
        Algorithms, the best first.
    rows
        Rows of the results table, for the metrics that the figure shows.
    names
        Name of each of these metrics in the assessment, by id.
    unit
        Unit of the first of these metrics; empty without one.
    """

    assessment: Assessment
    document: Mapping[str, Any]
    algorithms: tuple[str, ...]
    rows: pd.DataFrame
    names: Mapping[str, str]
    unit: str = ""


@dataclass(frozen=True, kw_only=True)
class ValueFigure(KindFigure):
    """A figure of values of single cases.

    Attributes
    ----------
    metrics
        Ids of the metrics that it needs, all of them.
    draw
        Makes the figure of what was `Measured`; ``None`` where there is nothing to draw.
    """

    metrics: tuple[str, ...]
    draw: Callable[[Measured], dict[str, Any] | None]
    shows: Literal["values", "results by case", "references"] = "results by case"

    def place_of(self, entry: Entry) -> str:
        """Once for all."""
        return ""

    def draw_beside(self, ranked: RankedEntry) -> dict[str, Any] | None:
        """Draw the figure for the combined ranking, and for that of its first metric in its first region."""
        from evaluation.ranking.reading import entries, is_combined

        assessment, document, entry, results = ranked.assessment, ranked.document, ranked.entry, ranked.results
        uses = {use.id: use for use in assessment.computed if use.id in self.metrics and use.level == "case"}
        if results is None or entry.get("task") or set(uses) != set(self.metrics):
            return None
        first = uses[self.metrics[0]]
        about = next((one for one in entries(document) if one["metric"] == first.name), None)
        if not is_combined(entry) and (about is None or _place(entry) != _place(about)):
            return None
        wanted = {use.name for use in uses.values()}
        rows = results[results["metric"].isin(wanted) & (results["case"] != "")]
        if not len(rows):
            return None
        called = {identity: use.name for identity, use in uses.items()}
        return self.draw(
            Measured(assessment, document, tuple(ranked.algorithms), rows, called, first.unit_in(ranked.length_unit))
        )


@dataclass(frozen=True, kw_only=True)
class CasePairs(KindFigure):
    """The best algorithm against each other one, case by case, in every metric of single cases."""

    shows: Literal["values", "results by case", "references"] = "results by case"

    def draw_beside(self, ranked: RankedEntry) -> dict[str, Any] | None:
        """Draw the figure for the ranking of a metric of single cases in a region."""
        from evaluation.figures.case_pairs import case_pairs
        from evaluation.problems.evidence_figures import MOST_PANELS

        if ranked.results is None or not ranked.is_single:
            return None
        use = ranked.assessment.metric(ranked.entry["metric"])
        return case_pairs(
            ranked.document,
            ranked.values_of(use.name),
            self.title,
            cases=ranked.rows_of(use.name)["case"].nunique(),
            what=use.title,
            unit=use.unit_in(ranked.length_unit),
            higher=use.higher_is_better,
            most=MOST_PANELS,
        )


def _place(entry: Entry) -> tuple[Any, ...]:
    return entry.get("name"), entry["metric"], entry.get("region")
