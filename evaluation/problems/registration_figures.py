"""Figures that registrations have of their own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

from evaluation.problems.kind_figures import KindFigure
from evaluation.problems.value_figures import Measured, ValueFigure

if TYPE_CHECKING:
    import pandas as pd

    from evaluation.figures.boxes import Pair
    from evaluation.problems.kind_figures import RankedEntry
    from evaluation.ranking.reading import Entry

_MOST: Final = 12
"""Maximum number of algorithms with a pair of boxes."""


def _overlap_and_folding(measured: Measured) -> dict[str, Any] | None:
    from evaluation.figures.folding import overlap_and_folding

    overlap, folding = (measured.names[key] for key in ("dsc", "folding_fraction"))
    # Regions of a case are one point: the field is one.
    values = measured.rows.pivot_table(index=["algorithm", "case"], columns="metric", values="value", aggfunc="mean")
    values = values.reindex(columns=[overlap, folding]).dropna()
    pairs = {
        str(name): [
            (str(case), float(row[overlap]), float(row[folding]))
            for case, row in algorithm_rows.droplevel(0).iterrows()
        ]
        for name, algorithm_rows in values.groupby(level="algorithm")
    }
    drawn = {name: pairs[name] for name in measured.algorithms if name in pairs}
    return overlap_and_folding(measured.document, drawn, overlap=measured.assessment.metric(overlap).title)


@dataclass(frozen=True, kw_only=True)
class BeforeAndAfter(KindFigure):
    """Values without any displacement next to the values of a field, for every metric that has both."""

    shows: Literal["values", "results by case", "references"] = "results by case"

    def place_of(self, entry: Entry) -> str:
        """A metric in a region."""
        return " ".join(part for part in (entry.get("metric"), entry.get("region")) if part)

    def draw_beside(self, ranked: RankedEntry) -> dict[str, Any] | None:
        """Draw the figure for the ranking of such a metric in a region."""
        from evaluation.figures.boxes import before_and_after

        if ranked.results is None or "before" not in ranked.results or not ranked.is_single:
            return None
        use = ranked.assessment.metric(ranked.entry["metric"])
        rows = ranked.rows_of(use.name)
        pairs = _pairs(rows)
        figure = before_and_after(
            ranked.document,
            {name: pairs[name] for name in ranked.algorithms if name in pairs},
            self.title,
            what=use.title,
            unit=use.unit_in(ranked.length_unit),
            higher=use.higher_is_better,
            most=_MOST,
        )
        gone = int((rows["before"].notna() & rows["value"].isna()).sum())
        if figure is None or not gone:
            return figure
        words = "One value that no prediction gave is" if gone == 1 else f"{gone} values that no prediction gave are"
        return {**figure, "remarks": [*figure["remarks"], f"{words} in neither box."]}


def _pairs(rows: pd.DataFrame) -> dict[str, Pair]:
    """By algorithm, of the cases with both values."""
    from evaluation.figures.boxes import Pair

    both = rows[rows["value"].notna() & rows["before"].notna()]
    return {
        str(name): Pair(algorithm_rows["before"].to_numpy(dtype=float), algorithm_rows["value"].to_numpy(dtype=float))
        for name, algorithm_rows in both.groupby("algorithm")
    }


FIGURES: Final = (
    BeforeAndAfter(
        name="before-and-after",
        title="Is it better than doing nothing?",
        reading="Grey is the value of every case with no displacement at all, in colour beside it that of the team’s field. A box that "
        "is no better than the grey one shows no gain over leaving the images as they are; where a case got worse, the field moved apart what fitted.",
    ),
    ValueFigure(
        name="overlap-and-folding",
        title="Do labels fit without tearing the image?",
        reading="A point is a case of a team: the higher, the better the warped labels fit, and the further to the right, the more "
        "of the image the field turns inside out. A field can always be bent until labels fit, so that good points are at the "
        "top left. Cases without a prediction have no point.",
        metrics=("dsc", "folding_fraction"),
        draw=_overlap_and_folding,
    ),
)
