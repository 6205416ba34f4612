"""Rankings with their uncertainty.

Names are imported on first access. An assessment can therefore be parsed, and a case scored, without the libraries that
only ranking needs.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from evaluation.aggregation import ResultsError
    from evaluation.ranking.document import digest, rank
    from evaluation.ranking.explain import describe
    from evaluation.ranking.resampling import VERSION as RESAMPLING_VERSION

__all__ = ["RESAMPLING_VERSION", "ResultsError", "describe", "digest", "rank"]

_PLACES: Final = {
    "RESAMPLING_VERSION": "evaluation.ranking.resampling:VERSION",
    "ResultsError": "evaluation.aggregation:ResultsError",
    "describe": "evaluation.ranking.explain:describe",
    "digest": "evaluation.ranking.document:digest",
    "rank": "evaluation.ranking.document:rank",
}


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    module, _, function = _PLACES[name].partition(":")
    globals()[name] = getattr(importlib.import_module(module), function)
    return globals()[name]
