"""Ranking schemes of published challenges as values of design parameters, for organizers to start from."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any


@dataclass(frozen=True)
class StartingPoint:
    """A published ranking scheme.

    Attributes
    ----------
    id, title, about
        What it is called, and what it does.
    citation
        The publication that it is from.
    task, challenge
        Values of parameters of a task and of the challenge, by parameter.
    """

    id: str
    title: str
    about: str
    citation: str
    task: Mapping[str, Any]
    challenge: Mapping[str, Any]


@cache
def starting_points() -> tuple[StartingPoint, ...]:
    """All of them, in the order in which the form offers them."""
    text = resources.files("evaluation.designs.catalogue").joinpath("schemes.v1.json").read_text(encoding="utf-8")
    return tuple(StartingPoint(**item) for item in json.loads(text)["schemes"])


def starting_point(identity: str) -> StartingPoint:
    """Return one of them.

    Raises
    ------
    LookupError
        If there is none of that id; the message names those that there are.
    """
    chosen_point = next((point for point in starting_points() if point.id == identity), None)
    if chosen_point is None:
        message = f"no published scheme is called {identity!r}; there are {', '.join(p.id for p in starting_points())}"
        raise LookupError(message)
    return chosen_point
