"""Characteristics of cases in a form that can explain values."""

from collections.abc import Mapping
from typing import Any


def title_of(entry: Mapping[str, Any]) -> str:
    """Metric and region of values, with the task where there are several."""
    return ", ".join(str(entry[key]) for key in ("task", "metric", "region") if entry[key])
