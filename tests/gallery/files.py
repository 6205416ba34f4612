"""Designs of published challenges below `examples/designs`, read from their files."""

import json
from functools import cache
from pathlib import Path
from typing import Any, Final

FOLDER: Final = Path(__file__).parents[2] / "examples/designs"
NAMES: Final = sorted(path.stem for path in FOLDER.glob("*.json"))


@cache
def _text(name: str) -> str:
    return (FOLDER / f"{name}.json").read_text(encoding="utf-8")


def document(name: str) -> dict[str, Any]:
    """Return the design document of that name, as a copy that may be changed."""
    content: dict[str, Any] = json.loads(_text(name))
    return content
