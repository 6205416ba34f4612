"""Figures that a kind of problem has of its own, drawn from values of single cases in several regions or of several metrics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

from evaluation.problems.kind_figures import KindFigure

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandas as pd

    from evaluation.assessment import Assessment
    from evaluation.figures.selection import Entry
    from evaluation.scoring.evidence_blocks import Evidence


class Measured(NamedTuple):
    """What a figure is drawn of.

    Attributes
    ----------
    algorithms
        The best first.
    rows
        Of the results table, of the metrics that the figure is about.
    names
        By id, what the assessment calls each of these metrics.
    unit
        Of the first of them; empty without one.
    """

    assessment: Assessment
    document: Mapping[str, Any]
    algorithms: tuple[str, ...]
    rows: pd.DataFrame
    names: Mapping[str, str]
    unit: str = ""


@dataclass(frozen=True, kw_only=True)
class ValueFigure(KindFigure):
    """A figure of values of single cases; `draw` is given what was `Measured`.

    Attributes
    ----------
    metrics
        Ids of the metrics that it needs, all of them.
    """

    metrics: tuple[str, ...]
    shows: Literal["values", "results by case", "references"] = "results by case"
    spans_regions: ClassVar[bool] = True

    def of_entry(
        self,
        assessment: Assessment,
        evidence: Evidence | None,
        document: Mapping[str, Any],
        entry: Entry,
        results: pd.DataFrame | None = None,
    ) -> dict[str, Any] | None:
        """Draw it beside the combined ranking, and beside that of its first metric in its first region."""
        from evaluation.figures.selection import entries, is_combined, names

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
        return self.draw(Measured(assessment, document, tuple(names(entry)), rows, called, first.unit or ""))


def _place(entry: Entry) -> tuple[Any, ...]:
    return entry.get("name"), entry["metric"], entry.get("region")
