"""Scores of every label, as in the ranking of each label."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from evaluation.problems.kind_figures import KindFigure

if TYPE_CHECKING:
    from evaluation.problems.kind_figures import RankedEntry
    from evaluation.ranking.reading import Entry


@dataclass(frozen=True, kw_only=True)
class ScoresOfLabels(KindFigure):
    """The score of every algorithm for every label, of one metric.

    It combines the rankings of single labels in one figure.
    """

    shows: Literal["values", "results by case", "references"] = "values"

    def place_of(self, entry: Entry) -> str:
        """Return the metric, because all its labels appear in one figure."""
        return entry.get("metric") or ""

    def draw_beside(self, ranked: RankedEntry) -> dict[str, Any] | None:
        """Draw the figure for rankings of a metric with a value for each label.

        For a combined ranking, its first metric is used.
        """
        from evaluation.figures.label_map import label_map
        from evaluation.ranking.reading import entries, is_combined

        assessment, entry = ranked.assessment, ranked.entry
        of_labels = [
            one
            for one in entries(ranked.document)
            # Values of the whole data set are ranked as they are, by whatever scheme.
            if one.get("region")
            and not one.get("task")
            and assessment.metric(one["metric"]).level == "dataset"
            and one.get("name") == entry.get("name")
        ]
        metrics = [one["metric"] for one in of_labels] if is_combined(entry) else [entry["metric"]]
        metric_entries = [one for one in of_labels if one["metric"] in metrics[:1]]
        if not metric_entries:
            return None
        scores = {one["region"]: {row["name"]: row["score"] for row in one["algorithms"]} for one in metric_entries}
        use = assessment.metric(metric_entries[0]["metric"])
        return label_map(
            scores,
            ranked.algorithms,
            self.title,
            what=use.title,
            higher=use.higher_is_better,
            bounds=(use.worst, use.best),
        )


FIGURE = ScoresOfLabels(
    name="labels",
    title="Which labels does each team recognise?",
    reading="A row is a label, a column a team. A row that is dark from side to side is a label that all find hard, or one of which there "
    "are few cases; a single dark cell is a weakness of that team.",
)
