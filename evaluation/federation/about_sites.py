"""Site entries of a pooled document: table, own ranking, and effect on the ranking."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from evaluation.federation.scores import Sites, at_site, full_ranking

if TYPE_CHECKING:
    from collections.abc import Mapping

FloatArray = npt.NDArray[np.float64]
_PAIRS: Final = (("median", "p10"), ("mean", "tail"))
"""Pairs of values to compare: the average, and the worst tenth of the cases.

The first pair that a site provides is used.
"""


def about_sites(sites: Sites) -> dict[str, Any]:
    """Sites of one ranking.

    Returns
    -------
    dict
        ``name``; ``sites``: for each site ``place`` and ``score`` by algorithm (of the combined ranking at that site
        alone), its ``winners``, its ``cells`` for a heat map, and which ``covariance`` it sent; ``wins``: at how many
        sites each algorithm would win, alone or together with others; ``rank_range``: best and worst place over sites;
        ``leave_one_site_out`` and ``winner_stays``; ``average_and_worst``.
    """
    names = sites.algorithms
    rows: list[dict[str, Any]] = []
    ranks = []
    for k, ranking in enumerate(sites.rankings):
        score, site_ranks = at_site(sites, k)
        ranks.append(site_ranks)
        covariance = ranking.get("covariance")
        rows.append(
            {
                "site": sites.names[k],
                "units": sites.units[k],
                "place": _by_name(names, site_ranks),
                "score": _by_name(names, score),
                "winners": _winners(names, site_ranks),
                "covariance": None if covariance is None else covariance["kind"],
                "cells": [dict(cell) for cell in ranking["cells"]],
            }
        )
    wins = Counter(name for row in rows for name in row["winners"])
    table = np.array(ranks)
    all_ranked = not np.isnan(table).any()
    return {
        "name": sites.scheme.registered.name,
        "sites": rows,
        "wins": {name: wins[name] for name in names},
        "rank_range": {
            name: [float(table[:, j].min()), float(table[:, j].max())] if all_ranked else None
            for j, name in enumerate(names)
        },
        **_left_out(sites),
        "average_and_worst": _average_and_worst(sites),
    }


def _left_out(sites: Sites) -> dict[str, Any]:
    """The ranking without each site in turn."""
    if len(sites.summaries) < 2:
        return {"leave_one_site_out": [], "winner_stays": None}
    winners = _winners(sites.algorithms, full_ranking(sites)[1])
    rows = []
    for k, name in enumerate(sites.names):
        without = _winners(sites.algorithms, full_ranking(sites.without(k))[1])
        rows.append({"site": name, "winners": without, "changed": without != winners})
    stays = sum(not row["changed"] for row in rows) / len(rows)
    return {"leave_one_site_out": rows, "winner_stays": stays}


def _average_and_worst(sites: Sites) -> list[dict[str, Any]]:
    """Return, for every cell and algorithm, the site with the worst tenth of its cases, and its average.

    A site without enough cases for a tenth percentile provides the mean of its worst cases. The row states which of
    both values is used. The count ``of`` includes sites that provide neither value.
    """
    rows = []
    for c, cell in enumerate(sites.cells):
        higher = sites.assessment.metric(cell["metric"]).higher_is_better
        for j, name in enumerate(sites.algorithms):
            given = [(site, pair) for site, pair in zip(sites.names, _pairs(sites, c, j), strict=True) if pair]
            row: dict[str, Any] = {"metric": cell["metric"], "region": cell["region"], "algorithm": name}
            row |= {"sites": len(given), "of": len(sites.names), "worst": None}
            if given:
                site, pair = (min if higher else max)(given, key=lambda item: item[1]["worst"])
                row["worst"] = {"site": site, **pair}
            rows.append(row)
    return rows


def _pairs(sites: Sites, cell: int, algorithm: int) -> list[Mapping[str, Any] | None]:
    pairs: list[Mapping[str, Any] | None] = []
    for ranking in sites.rankings:
        site_cell = ranking["cells"][cell]
        pair = None
        for average, worst in _PAIRS:
            numbers = [site_cell[key][algorithm] if key in site_cell else None for key in (average, worst)]
            if None not in numbers:
                pair = {"average": numbers[0], "worst": numbers[1], "average_is": average, "worst_is": worst}
                break
        pairs.append(pair)
    return pairs


def _winners(names: list[str], ranks: FloatArray) -> list[str]:
    if np.isnan(ranks).all():
        return []
    return [name for name, rank in zip(names, ranks, strict=True) if rank == np.nanmin(ranks)]


def _by_name(names: list[str], values: FloatArray) -> dict[str, float | None]:
    return {name: float(value) if np.isfinite(value) else None for name, value in zip(names, values, strict=True)}
