"""Evaluation at sites: hospitals score where the data are, and a centre ranks from sums.

`summarise` runs at a site and creates the only document with numbers that leaves the site. `pool` creates the ranking
document. Both are imported at first use, since pages and workers that need neither only use the errors. The messages
around them are signed (`envelope`) and checked (`inbox`). ``docs/sites.md`` describes which data leave and why.
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
