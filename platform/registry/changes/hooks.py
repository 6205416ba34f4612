"""Typed hooks by which the apps below contribute to changes of a registration, filled in `AppConfig.ready`.

`version_added`
    Called inside the transaction that adds a version.
`timetables`
    The effect of a changed document on the phases of the challenge.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from accounts.models import User
from registry.models import RegistrationVersion
from web.hooks import Hook
from web.wording import moment_words


@dataclass(frozen=True)
class DeadlineMove:
    """A date of the schedule that changes.

    Attributes
    ----------
    label
        The phase, with its task where there are several; or the event.
    """

    label: str
    before: datetime
    after: datetime

    @property
    def words(self) -> str:
        """The move in one line."""
        return f"{self.label}: {moment_words(self.before)} → {moment_words(self.after)}"


@dataclass(frozen=True)
class TimetableEffect:
    """The effect of a changed document on phases.

    Attributes
    ----------
    tasks
        Keys of the tasks with a phase that changes.
    moves
        Deadlines that become later, where nothing else changes and each is moved before its close; else empty.
    """

    tasks: frozenset[str] = frozenset()
    moves: tuple[DeadlineMove, ...] = ()


Document = Mapping[str, Any]
version_added: Hook[Callable[[RegistrationVersion, User | None], None]] = Hook()
timetables: Hook[Callable[[RegistrationVersion, Document], TimetableEffect]] = Hook()


def tell_of(version: RegistrationVersion, actor: User | None) -> None:
    """Let all apps below follow a new version."""
    for callback in version_added:
        callback(version, actor)


def timetable_effect(version: RegistrationVersion, changed: Document) -> TimetableEffect:
    """Return what a changed document means for phases, compared with the registered version."""
    return next((provider(version, changed) for provider in timetables), TimetableEffect())
