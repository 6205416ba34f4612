"""Hooks for publishing: files from the apps below, each written by the app that owns their content.

`artifacts`
    Files of a challenge that its registered choice publishes.
`withheld`
    Sentences about files that the choice names and that are not published.
`named`
    Names of teams that published files may contain now.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from challenges.models import Challenge
from web.hooks import Hook


@dataclass(frozen=True)
class Choice:
    """Registered choice of the content that is published after the end.

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
class Named:
    """A team that is named as a participant of a phase, by the primary key of the phase."""

    phase: int
    team: str

    @property
    def entry(self) -> str:
        """The same as text, as a version of a data set keeps it."""
        return f"{self.phase}: {self.team}"


@dataclass(frozen=True)
class Artifact:
    """A file that can be published; `write` makes it at a path of this machine.

    Attributes
    ----------
    named
        The team that its name or content names; none where the file is of no team, or of one that is not named.
    """

    name: str
    words: str
    write: Callable[[Path], None]
    named: Named | None = None


artifacts: Hook[Callable[[Challenge, Choice], Iterator[Artifact]]] = Hook()
withheld: Hook[Callable[[Challenge, Choice], Iterator[str]]] = Hook()
named: Hook[Callable[[Challenge], Iterator[Named]]] = Hook()
