"""What publishing needs from the apps below: files, each written by the app that holds what is in it.

`artifacts`
    Files of a challenge that its registered choice publishes.
`withheld`
    Sentences about files that the choice names and that are not published.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from challenges.models import Challenge
from web.hooks import Hook


@dataclass(frozen=True)
class Choice:
    """What the registered design publishes after the end.

    Attributes
    ----------
    teams
        Ids of the teams that consent; nothing of another team is published.
    without_cases
        Cases whose consent was withdrawn: nothing about them is published.
    """

    references: bool
    predictions: bool
    case_results: bool
    licence: str
    teams: frozenset[int] = frozenset()
    without_cases: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Artifact:
    """A file that can be published; `write` makes it at a path of this machine."""

    name: str
    words: str
    write: Callable[[Path], None]


artifacts: Hook[Callable[[Challenge, Choice], Iterator[Artifact]]] = Hook()
withheld: Hook[Callable[[Challenge, Choice], Iterator[str]]] = Hook()
