"""Bands around what a figure draws: the same figure again and again, of cases drawn with replacement."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from evaluation.figures.layout import CLEAR, percent
from evaluation.ranking.resampling import Design, multiplicities

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evaluation.assessment import Assessment
    from evaluation.metrics.values import FloatArray

MOST_DRAWS: Final = 500
"""Enough for a band on a screen; statements of the ranking take all draws of the assessment."""
_LEVELS: Final = ("patient", "case")
"""What evidence tells of the levels that an assessment resamples."""
_STRATUM: Final = "stratum"


def draws_of(
    assessment: Assessment,
    cases: Sequence[str],
    patients: Mapping[str, str] | None = None,
    *,
    strata: Mapping[str, str] | None = None,
) -> FloatArray:
    """How often each case stands in each draw, ``(B, n)``; with the seed of the assessment, so that it is the same each time.

    Patients are drawn where the assessment draws them and evidence knows them; what else it draws is left to the ranking.

    Parameters
    ----------
    strata
        Of each case, where evidence knows them: each keeps its number of cases in every draw.
    """
    uncertainty = assessment.uncertainty
    available_levels = {"case"} | ({"patient"} if patients else set())
    levels = tuple(level for level in uncertainty.resample if level in _LEVELS and level in available_levels) or (
        "case",
    )
    owners = tuple((patients or {}).get(case, case) for case in cases) if "patient" in levels else ()
    case_strata = tuple(strata[case] for case in cases) if strata else ()
    return _drawn(tuple(cases), levels, owners, case_strata, min(uncertainty.bootstrap, MOST_DRAWS), uncertainty.seed)


@lru_cache(maxsize=8)
def _drawn(
    cases: tuple[str, ...],
    levels: tuple[str, ...],
    owners: tuple[str, ...],
    strata: tuple[str, ...],
    draws: int,
    seed: int,
) -> FloatArray:
    columns = {name: column for name, column in (("patient", owners), (_STRATUM, strata)) if column}
    design = Design(cases, levels, columns or None, (_STRATUM,) if strata else ())
    if draws < 2 or design.clusters < 2:
        return np.zeros((0, len(cases)))
    return np.ascontiguousarray(multiplicities(design.draw(draws, seed), len(cases), draws).T)


def band(values: FloatArray, interval: float) -> tuple[FloatArray, FloatArray] | None:
    """Ends of the range that holds a share of the draws, for each column; ``None`` without draws.

    Parameters
    ----------
    values
        ``(B, m)``; not a number where a draw has no value. A column that is so in most draws has no range.
    """
    if len(values) < 2:
        return None
    low, high = np.full(values.shape[1], np.nan), np.full(values.shape[1], np.nan)
    defined = np.isfinite(values).mean(axis=0) > 0.5
    if defined.any():
        ends = [(1 - interval) / 2, (1 + interval) / 2]
        low[defined], high[defined] = np.nanquantile(values[:, defined], ends, axis=0)
    return low, high


def filled(x: FloatArray, low: FloatArray, high: FloatArray, colour: str, *, shape: str = "linear") -> dict[str, Any]:
    """The trace of a band; columns without a range are left out."""
    defined = np.isfinite(low) & np.isfinite(high)
    across, below, above = x[defined], low[defined], high[defined]
    if shape == "hv" and len(across) > 1:
        # As the line does: from the place before it on, a level holds up to the next place.
        across = np.repeat(across, 2)[1:]
        below, above = np.repeat(below, 2)[:-1], np.repeat(above, 2)[:-1]
    return {
        "type": "scatter",
        "mode": "none",
        "x": [*across.tolist(), *across[::-1].tolist()],
        "y": [*below.tolist(), *above[::-1].tolist()],
        "fill": "toself",
        "fillcolor": colour,
        "opacity": 0.18,
        "line": {"width": 0, "color": CLEAR},
        "hoverinfo": "skip",
        "showlegend": False,
    }


def words(assessment: Assessment) -> str:
    """What a band is, in a sentence."""
    share = percent(assessment.uncertainty.interval)
    return f"A band holds {share} of the draws of cases with replacement, at each place by itself."
