"""Nodes and weights of numerical integration."""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt


@cache
def gauss_hermite(count: int) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return nodes and weights of expected values under the standard normal distribution; weights add up to 1.

    The arrays are shared between calls and cannot be written.

    Examples
    --------
    >>> nodes, weights = gauss_hermite(8)
    >>> round(float(weights @ nodes**2), 12)
    1.0
    """
    nodes, weights = np.polynomial.hermite_e.hermegauss(count)
    weights = weights / weights.sum()
    nodes.flags.writeable = weights.flags.writeable = False
    return nodes, weights
