"""Scoring and ranking of biomedical image analysis challenges: pure Python, usable without the platform.

What most people need is here by name, imported when it is first asked for, so that ``import evaluation`` stays quick.

>>> from evaluation import rank
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from evaluation.ranking.facade import rank

__version__ = "0.1.0"

__all__ = ["rank"]

_PLACES: Final = {
    "rank": "evaluation.ranking.facade:rank",
}


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    module, _, function = _PLACES[name].partition(":")
    globals()[name] = getattr(importlib.import_module(module), function)
    return globals()[name]
