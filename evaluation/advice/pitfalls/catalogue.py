"""The pitfalls as data: what happens, what to do, and which problems and metrics they concern."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Final

DATA_FILE: Final = "pitfalls.v1.json"


@dataclass(frozen=True, slots=True)
class Pitfall:
    """One pitfall.

    Attributes
    ----------
    id, title
        Stable name, and a short title.
    group
        Group of pitfalls, as text.
    effect
        Effect of the pitfall.
    remedy
        Way to avoid it.
    categories
        Problem categories that it can occur in.
    metrics
        Ids of affected metrics; ``*`` for all.
    when
        Source that reveals it: ``design``, ``data``, ``results`` or ``ask``.
    topics
        Names under which the nodes of the recommendation trees refer to it.
    """

    id: str
    title: str
    group: str
    effect: str
    remedy: str
    categories: tuple[str, ...]
    metrics: tuple[str, ...]
    when: str
    topics: tuple[str, ...]


@cache
def pitfalls() -> dict[str, Pitfall]:
    """All pitfalls by id, in the order of the data file.

    Examples
    --------
    >>> pitfalls()["P-STR-SHAPE-UNAWARE"].remedy
    'Add a boundary metric.'
    """
    text = resources.files("evaluation.advice").joinpath("data", DATA_FILE).read_text("utf-8")
    data = json.loads(text)
    return {
        entry["id"]: Pitfall(
            id=entry["id"],
            title=entry["title"],
            group=data["groups"][entry["group"]],
            effect=entry["effect"],
            remedy=entry["remedy"],
            categories=tuple(entry["categories"]),
            metrics=tuple(entry["metrics"]),
            when=entry["when"],
            topics=tuple(entry["topics"]),
        )
        for entry in data["pitfalls"]
    }


def about(topic: str) -> list[Pitfall]:
    """The pitfalls that a node of a recommendation tree refers to.

    Examples
    --------
    >>> [pitfall.id for pitfall in about("P-shape")]
    ['P-STR-SHAPE-UNAWARE']
    """
    return [pitfall for pitfall in pitfalls().values() if topic in pitfall.topics]
