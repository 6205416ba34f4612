"""Typed hooks through which other apps contribute to the registry, filled in `AppConfig.ready`.

`links`
    Results of a registration: its challenge, its rankings, its reports.
`ledgers`
    Kinds of rows whose digest is in the audit log, which the verification covers.
`tabs`
    Pages of a registration.
`operations`
    Status of the challenge of a registration: launch, first submission, participants.
`sections`
    Parts of the page of a record, as HTML; empty if there is no content.
`seals`
    Objects that a registered challenge has sealed by digest, such as its test sets. They are shown to reveal later
    changes.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.http import HttpRequest

from registry.models import Registration
from web.hooks import Hook


@dataclass(frozen=True)
class Link:
    """Something that belongs to a registration.

    `kind` is ``challenge``, ``leaderboard``, ``report``, ``code``, ``data`` or ``website``.
    """

    kind: str
    label: str
    url: str
    note: str = ""


@dataclass(frozen=True)
class Row:
    """A stored row with a digest.

    Attributes
    ----------
    subject
        Primary key, as the audit log names it. If a ledger has a `part`, a slash and that fact follow.
    label
        Name in a verification report. It must not contain a name that is not public.
    stored
        The digest that is stored in the row.
    recomputed
        The digest of the current content of the row.
    """

    subject: str
    label: str
    stored: str
    recomputed: str


@dataclass(frozen=True)
class Ledger:
    """A kind of rows: all rows, and their names in the audit log.

    Attributes
    ----------
    kind
        Name for the reader, in the plural.
    model
        Label of the model, as the audit log names subjects.
    act, fact
        The act that stored a row, and its fact that contains the digest.
    rows
        All rows, with their digests recomputed.
    part
        The fact that distinguishes several rows of the same subject. Usually each row is a separate subject.
    is_kept
        Whether rows are never deleted. An entry without its row is then an error.
    """

    kind: str
    model: str
    act: str
    fact: str
    rows: Callable[[], Iterable[Row]]
    part: str = ""
    is_kept: bool = True


@dataclass(frozen=True)
class Tab:
    """A page of a registration; `url_name` takes its identifier."""

    label: str
    url_name: str
    visible: Callable[[Any, Registration], bool]


@dataclass(frozen=True)
class Seal:
    """A sealed object of a registered challenge, which changes only by a change request.

    Attributes
    ----------
    label
        Description that can be public.
    number
        Its version number.
    digest
        A digest that reveals nothing about the content.
    sealed_at
        Time of the seal.
    change
        Number of the change request that allowed it to replace an earlier one; None for the first.
    is_in_use
        Whether it is the current one.
    """

    label: str
    number: int
    digest: str
    sealed_at: datetime
    change: int | None = None
    is_in_use: bool = True


@dataclass(frozen=True)
class OperatedTask:
    """A task of a challenge that is run from a registration.

    Attributes
    ----------
    first_submission_at
        When the first accepted submission to the task arrived.
    refused
        How many submissions to the task were refused.
    participants
        Ids of the people who take part in it.
    """

    first_submission_at: datetime | None = None
    refused: int = 0
    participants: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Operation:
    """The challenge that is run from a registration.

    Attributes
    ----------
    opens_at, closes_at
        Opening time of its first phase and closing time of its last phase; ``None`` if that phase has no date.
    first_submission_at
        Time of the first accepted submission. After it, a critical change is a deviation.
    participants
        Ids of the participants. They are notified of changes and can object.
    tasks
        The tasks by their key in the design. A submission to one task does not lock the others.
    """

    title: str
    address: str
    slug: str
    is_public: bool
    launched_at: datetime
    opens_at: datetime | None
    closes_at: datetime | None
    first_submission_at: datetime | None
    participants: frozenset[int]
    tasks: Mapping[str, OperatedTask] = field(default_factory=dict)


def everybody(user: Any, registration: Registration) -> bool:  # noqa: ARG001 (the signature of a predicate)
    """Predicate of pages that all see."""
    return True


links: Hook[Callable[[Registration], Iterable[Link]]] = Hook()
ledgers: Hook[Ledger] = Hook()
operations: Hook[Callable[[Registration], Operation | None]] = Hook()
sections: Hook[Callable[[HttpRequest, Registration], str]] = Hook()
readers: Hook[Callable[[Any, Registration], bool]] = Hook()
seals: Hook[Callable[[Registration], Iterable[Seal]]] = Hook()
_tabs: Hook[Tab] = Hook()


def register_tab(
    label: str, url_name: str, *, order: int = 50, visible: Callable[[Any, Registration], bool] = everybody
) -> None:
    """Add a page to every registration."""
    if url_name not in {tab.url_name for tab in _tabs}:
        _tabs.register(Tab(label, url_name, visible), order=order)


def tabs_for(user: Any, registration: Registration) -> list[Tab]:
    """The pages that this person may see, in order."""
    return [tab for tab in _tabs if tab.visible(user, registration)]


def links_of(registration: Registration) -> list[Link]:
    """Return the links that all apps provide for a registration."""
    return [link for provider in links for link in provider(registration)]


def operation_of(registration: Registration) -> Operation | None:
    """The challenge of a registration; `None` before it is launched."""
    candidates = (provider(registration) for provider in operations)
    return next((operation for operation in candidates if operation is not None), None)


def sections_of(request: HttpRequest, registration: Registration) -> list[str]:
    """Return the sections that all apps contribute to the page of a record."""
    return [section for provider in sections if (section := provider(request, registration))]


def seals_of(registration: Registration) -> list[Seal]:
    """Return the seals that all apps report for a registration."""
    return [seal for provider in seals for seal in provider(registration)]
