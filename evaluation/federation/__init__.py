"""Evaluation at sites: hospitals score where the data are, and a centre ranks from sums.

`summarise` runs at a site and makes the only document with numbers that leaves it; `pool` makes the ranking document; both are
imported when they are first asked for, since pages and workers that do neither know the errors. The messages around them are
signed (`envelope`) and checked (`inbox`). What leaves and why is in ``docs/sites.md``.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, Final

from evaluation.federation.errors import FederationError, Refusal

if TYPE_CHECKING:
    from evaluation.federation.pooling import pool
    from evaluation.federation.summary import summarise

__all__ = ["FederationError", "Refusal", "pool", "summarise"]

_PLACES: Final = {"pool": "evaluation.federation.pooling", "summarise": "evaluation.federation.summary"}


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    globals()[name] = getattr(importlib.import_module(_PLACES[name]), name)
    return globals()[name]
