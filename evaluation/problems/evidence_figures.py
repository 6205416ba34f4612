"""Figures specific to a kind of problem, drawn from the components of values of the whole data set."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from evaluation.problems.kind_figures import KindFigure
from evaluation.problems.registry import kind_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import pandas as pd

    from evaluation.assessment.model import Assessment
    from evaluation.problems.kind_figures import RankedEntry
    from evaluation.scoring.evidence_blocks import CaseEvidence

MOST_PANELS: Final = 6
"""Maximum number of algorithms with a separate panel.

The first algorithms get a panel each where a figure cannot show all algorithms in one panel.
"""


class FigureSource(NamedTuple):
    """Data from which a figure is drawn.

    Attributes
    ----------
    answers
        Evidence of every algorithm in one region, the best first. Algorithms without a readable submission have none.
    lacking
        Algorithms of the ranking without evidence.
    cases
        Known characteristics of the cases.
    """

    assessment: Assessment
    document: Mapping[str, Any]
    region: str
    answers: Mapping[str, CaseEvidence]
    lacking: tuple[str, ...] = ()
    cases: pd.DataFrame | None = None


@dataclass(frozen=True, kw_only=True)
class EvidenceFigure(KindFigure):
    """A figure of answers and references, as the evidence holds them.

    Attributes
    ----------
    draw
        Makes the figure of what is `FigureSource`; ``None`` where there is nothing to draw.
    """

    draw: Callable[[FigureSource], dict[str, Any] | None]

    def draw_beside(self, ranked: RankedEntry) -> dict[str, Any] | None:
        """Draw it for the ranking of a metric of the whole data set, or for that of all where there are no regions."""
        from evaluation.ranking.reading import is_combined
        from evaluation.scoring.given_evidence import is_given

        assessment, evidence, entry = ranked.assessment, ranked.evidence, ranked.entry
        if evidence is None or not evidence.blocks or entry.get("task"):
            return None
        if is_given(evidence):
            return None  # nobody here knows what the values are made of
        if is_combined(entry) and kind_of(assessment).evidence.data_set_columns(assessment.settings):
            return None  # a figure over several data sets would show what tells them apart
        metrics = [use.name for use in assessment.computed if use.level == "dataset" and use.name in evidence.metrics]
        regions = {block.region for block in evidence.blocks.values()}
        if is_combined(entry):
            if not metrics or len(regions) > 1:
                return None
            metric, region = metrics[0], next(iter(regions))
        else:
            metric, region = entry["metric"], ranked.region
        if metric not in metrics:
            return None
        answers, lacking = {}, []
        for name in ranked.algorithms:
            try:
                answers[name] = evidence.select(metric, name, region)
            except KeyError:
                lacking.append(name)
        context = FigureSource(assessment, ranked.document, region, answers, tuple(lacking), ranked.cases)
        figure = self.draw(context) if answers else None
        if figure is None or not lacking:
            return figure
        words = f"Without an answer that could be read, and not drawn: {', '.join(lacking)}."
        return {**figure, "remarks": [*figure.get("remarks", []), words]}
