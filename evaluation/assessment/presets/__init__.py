"""The ranking schemes of well-known challenges, and values of well-known programs, as assessment documents to start from."""

from __future__ import annotations

import json
from importlib import resources
from typing import Any, Final

NAMES: Final = ("ctc", "fets", "mot", "msd", "robustmis")


def preset(name: str) -> dict[str, Any]:
    """Return the assessment document of a preset, a fresh copy to change.

    Raises
    ------
    LookupError
        If there is no such preset.

    Examples
    --------
    >>> preset("robustmis")["problem"]
    'semantic_segmentation'
    """
    document: dict[str, Any] = _read(name)["assessment"]
    return document


def about(name: str) -> str:
    """Return a description of the scheme of a preset."""
    return str(_read(name)["about"])


def _read(name: str) -> dict[str, Any]:
    if name not in NAMES:
        message = f"no preset is called {name!r}; there are {', '.join(NAMES)}"
        raise LookupError(message)
    text = resources.files(__package__).joinpath(f"{name}.json").read_text(encoding="utf-8")
    document: dict[str, Any] = json.loads(text)
    return document
