"""What a kind of problem shows of its own: figures made of the answers to all cases."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evaluation.ranking.reading import entries

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandas as pd

    from evaluation.assessment import Assessment
    from evaluation.documents import DocumentBuilder
    from evaluation.scoring.evidence import Evidence


def kind_section(
    page: DocumentBuilder,
    assessment: Assessment,
    document: Mapping[str, Any],
    evidence: Evidence | None,
    results: pd.DataFrame,
) -> None:
    """Draw each figure of the kind once a region, with what it says in words.

    Parameters
    ----------
    evidence
        Of the cases that count; without it only what values of single cases tell is drawn.
    results
        Of the cases that count.
    """
    made = []
    for figure in assessment.kind.figures:
        regions = set()
        for entry in entries(document):
            region = entry.get("region")
            drawn = None if region in regions else figure.of_entry(assessment, evidence, document, entry, results)
            if drawn is not None:
                regions.add(region)
                made.append((figure, "" if figure.spans_regions else region, drawn))
    if not made:
        return
    page.heading(2, "The answers")
    for figure, region, drawn in made:
        page.heading(3, f"{figure.title} {region or ''}".strip())
        page.figure(drawn, figure.reading)
        page.points(drawn.get("remarks", []))
