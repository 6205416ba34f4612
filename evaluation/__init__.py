"""Scoring and ranking of biomedical image analysis challenges: pure Python, usable without the platform.

The most common functions are available here by name. They are imported at first use, which keeps
``import evaluation`` quick: `score` predictions in folders, `rank` algorithms, write a `report`, `recommend` metrics
for a problem, `verify` a published ranking. Metrics are in `evaluation.metrics`, each under its id.

>>> from evaluation import rank, recommend, report, score, verify
>>> from evaluation.metrics import dsc
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, Final

from evaluation.version import __version__ as __version__

if TYPE_CHECKING:
    from evaluation.advice.recommend import recommend
    from evaluation.bundle import verify
    from evaluation.ranking.facade import rank
    from evaluation.reporting import build_report as report
    from evaluation.scoring import score_folders as score

__all__ = ["rank", "recommend", "report", "score", "verify"]

_PLACES: Final = {
    "rank": "evaluation.ranking.facade:rank",
    "recommend": "evaluation.advice:recommend",
    "report": "evaluation.reporting:build_report",
    "score": "evaluation.scoring:score_folders",
    "verify": "evaluation.bundle:verify",
}


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    module, _, function = _PLACES[name].partition(":")
    globals()[name] = getattr(importlib.import_module(module), function)
    return globals()[name]


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
