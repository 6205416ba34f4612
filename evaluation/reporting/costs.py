"""Costs of running the algorithms, shown next to their quality."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluation.analyses.catalogue import BY_NAME, PICTURES
from evaluation.analyses.costs import planes
from evaluation.claims.costs import measured
from evaluation.ranking.reading import label

if TYPE_CHECKING:
    from evaluation.analyses.sources import Sources
    from evaluation.documents import DocumentBuilder


def costs_section(page: DocumentBuilder, sources: Sources, *, most: int | None = None) -> None:
    """Quality against cost, for the first `most` pairs of metric and region; nothing where no cost is measured."""
    if not sources.assessment.by_run:
        return
    page.heading(2, "Quality and cost")
    page.text(measured(sources.assessment))
    of_cost = {picture.cost: picture.name for picture in PICTURES if picture.cost}
    for entry, cost, figure in planes(sources, most=most):
        picture = BY_NAME[of_cost[cost.id]]
        page.heading(3, f"{picture.title} {label(entry)}")
        page.figure(figure, picture.reading)
        page.points(figure["remarks"])
