"""What all figures have that a kind of problem brings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import pandas as pd

    from evaluation.assessment import Assessment
    from evaluation.ranking.reading import Entry
    from evaluation.scoring.evidence_blocks import Evidence


@dataclass(frozen=True, kw_only=True)
class KindFigure:
    """One kind of figure, answering one question.

    Attributes
    ----------
    name
        As in its address; of its own among all kinds.
    title, reading
        The question, and how the figure is read by whoever sees it for the first time.
    draw
        Makes the figure of what `of_entry` gathers; ``None`` where there is nothing to draw.
    shows
        What can be read from it: ``values``, which a ranking tells as well; ``results by case``, how well an algorithm did in
        each; ``references``, what these say.
    spans_regions
        Whether it is drawn once for all regions.
    """

    name: str
    title: str
    reading: str
    draw: Callable[[Any], dict[str, Any] | None]
    shows: Literal["values", "results by case", "references"] = "references"
    spans_regions: ClassVar[bool] = False

    def of_entry(
        self,
        assessment: Assessment,
        evidence: Evidence | None,
        document: Mapping[str, Any],
        entry: Entry,
        results: pd.DataFrame | None = None,
    ) -> dict[str, Any] | None:
        """Draw it for one ranking; ``None`` where it has nothing to say beside it.

        Parameters
        ----------
        evidence, results
            Of the cases that count.
        entry
            One of the ranking document.
        """
        raise NotImplementedError
