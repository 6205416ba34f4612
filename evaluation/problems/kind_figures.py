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
        """Draw it for one ranking; ``None`` where it has nothing to say beside it.

        Parameters
        ----------
        evidence, results
            Of the cases that count.
        entry
            One of the ranking document.
        cases
            What is known of the cases.
        """
        raise NotImplementedError
