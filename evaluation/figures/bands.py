"""Bands around what a figure draws: the same figure again and again, of cases drawn with replacement."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from evaluation.figures.layout import CLEAR, percent
from evaluation.ranking.resampling import Design, multiplicities

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evaluation.assessment.model import Assessment
    from evaluation.metrics.values import FloatArray

MOST_DRAWS: Final = 500
"""Enough for a band on a screen; statements of the ranking take all draws of the assessment."""
_LEVELS: Final = ("patient", "case")
"""Resampling levels of an assessment that evidence contains."""
_STRATUM: Final = "stratum"


def draws_of(
    assessment: Assessment,
    cases: Sequence[str],
    patients: Mapping[str, str] | None = None,
    *,
    strata: Mapping[str, str] | None = None,
) -> FloatArray:
    """Return the frequency of each case in each resample, ``(B, n)``.

    The seed is that of the assessment, so the result is always the same. Patients are resampled if the assessment
    resamples them and the evidence contains them. Other resampling levels are left to the ranking.

    Parameters
    ----------
    strata
        Stratum of each case, if the evidence contains it: each stratum keeps its number of cases in every resample.
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
    """Return the trace of a band; columns without a range are excluded."""
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
    """Explain in a sentence the meaning of a band."""
    share = percent(assessment.uncertainty.interval)
    return f"A band holds {share} of the draws of cases with replacement, at each place by itself."
