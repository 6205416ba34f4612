"""Typed hooks through which the apps below contribute to designs, filled in `AppConfig.ready`.

`readers`
    Whether a person who is not a collaborator can read a design (a reviewer of it, for example).
`registered_names`
    Names, acronyms and years of registered designs, for the checks of uniqueness.
`registered_at`
    Date and time at which a design was registered, or ``None``.
`reference_sources`
    Test sets of a task's challenge whose references the person is allowed to scan for pitfalls.
`registered_documents`
    The newest public document of an earlier registration, found by its identifier or readable name.
`standings`
    Status of designs beyond writing: filed, decided, registered. Requested for many designs at once.
`phases`
    Phases of each task that a design would have after its launch, and what is missing for them.
`filings`
    The call in which a design without obstacles can be filed.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from django.utils import timezone

from designs.models import Design, DesignTask
from evaluation.designs.document import Document
from web.hooks import Hook
from web.wording import distance_words


@dataclass(frozen=True)
class RegisteredName:
    """Name, acronym and edition year of a registered design."""

    design_id: int
    name: str
    acronym: str
    year: int | None


@dataclass(frozen=True)
class ReferenceSource:
    """Source of references that the platform already stores.

    Attributes
    ----------
    key, label
        Key by which the source is requested, and label for readers.
    put
        Function that puts the files, named according to contract section 3, into a folder.
    """

    key: str
    label: str
    put: Callable[[Path], None]


@dataclass(frozen=True)
class RegisteredDocument:
    """An earlier registration: its identifier, title, and the public document."""

    identifier: str
    title: str
    document: Mapping[str, Any]


@dataclass(frozen=True)
class Standing:
    """Status of a design, and the next step.

    Attributes
    ----------
    words
        The status in two or three words, such as “In review”.
    where, address
        The call or the identifier, and the address of its page.
    kind
        Kind of the badge: ``ok``, ``info``, ``warn``, ``bad`` or ``muted``.
    text
        The required actions and the people responsible, in sentences.
    due
        Date and time of the deadline that `words` names, if it names one.
    act, act_address
        Next action of the person, for a button.
    is_over
        Whether the process ended without a result, in which case the design must be revised and filed again.
    """

    words: str
    where: str = ""
    address: str = ""
    kind: str = "info"
    text: str = ""
    due: datetime | None = None
    act: str = ""
    act_address: str = ""
    is_over: bool = False

    @property
    def label(self) -> str:
        """Text of the status, with the time that remains until it is due."""
        return f"{self.words} {distance_words(self.due, timezone.now())}" if self.due else self.words


@dataclass(frozen=True)
class PlannedPhase:
    """A phase that a task would have after the launch: its name, its dates in words, and its rules."""

    name: str
    dates: str
    rules: tuple[str, ...]


@dataclass(frozen=True)
class PlannedPhases:
    """Phases of each task by its key, and the reasons why phases cannot be derived yet."""

    by_task: Mapping[str, Sequence[PlannedPhase]]
    open_points: tuple[str, ...] = ()


readers: Hook[Callable[[Any, Design], bool]] = Hook()
registered_names: Hook[Callable[[], Iterable[RegisteredName]]] = Hook()
registered_at: Hook[Callable[[Design], datetime | None]] = Hook()
reference_sources: Hook[Callable[[Any, DesignTask], Iterable[ReferenceSource]]] = Hook()
registered_documents: Hook[Callable[[str], RegisteredDocument | None]] = Hook()
phases: Hook[Callable[[Document], PlannedPhases]] = Hook()
standings: Hook[Callable[[Any, Sequence[Design]], Mapping[int, Standing]]] = Hook()
filings: Hook[Callable[[Any, Design, int, bool], Standing]] = Hook()
"""Called with the person, the design, its share of essential parameters in percent, and whether the platform executes it."""


def standings_of(user: Any, designs: Sequence[Design]) -> dict[int, Standing]:
    """Return the status of designs, by key.

    A running process takes precedence over one that is over. Otherwise the first answer takes precedence over later
    ones. Each app is called once for all designs, and returns only information that this person is allowed to see.
    """
    answers = [answer(user, designs) for answer in standings] if designs else []
    by_design: dict[int, Standing] = {}
    for is_over in (False, True):
        for answer in answers:
            for key, standing in answer.items():
                if standing.is_over == is_over:
                    by_design.setdefault(key, standing)
    return by_design


def filing_of(user: Any, design: Design, essential: int, is_executed: bool) -> Standing | None:
    """Return the status of filing a design for the person, or None if no app accepts designs."""
    return next((answer(user, design, essential, is_executed) for answer in filings), None)
