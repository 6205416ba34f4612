"""Figures that are specific to a kind of problem, computed from the answers to all cases."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evaluation.problems import kind_of
from evaluation.ranking.reading import entries

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandas as pd

    from evaluation.assessment.model import Assessment
    from evaluation.documents import DocumentBuilder
    from evaluation.scoring.evidence import Evidence


def kind_section(
    page: DocumentBuilder,
    assessment: Assessment,
    document: Mapping[str, Any],
    evidence: Evidence | None,
    results: pd.DataFrame,
    *,
    cases: pd.DataFrame | None = None,
    tells_references: bool = True,
    length_unit: str = "mm",
) -> None:
    """Draw each figure of the kind once per region, or once per other subject, with its explanation.

    Parameters
    ----------
    evidence
        Evidence of the cases that count; without it, only figures based on values of single cases are drawn.
    results
        Results of the cases that count.
    cases
        Table of case characteristics.
    tells_references
        True if figures may be included from which references can be read.
    length_unit
        Unit of distances: mm, or pixels or voxels where the images do not state their spacing.
    """
    figures = []
    for figure in kind_of(assessment).evidence.figures:
        if figure.shows == "references" and not tells_references:
            continue
        places = set()
        for entry in entries(document):
            subject = figure.place_of(entry)
            drawn = (
                None
                if subject in places
                else figure.of_entry(assessment, evidence, document, entry, results, cases, length_unit)
            )
            if drawn is not None:
                places.add(subject)
                figures.append((figure, subject, drawn))
    if not figures:
        return
    page.heading(2, "The answers")
    for figure, subject, drawn in figures:
        page.heading(3, f"{figure.title} {subject}".strip())
        page.figure(drawn, figure.reading)
        page.points(drawn.get("remarks", []))
