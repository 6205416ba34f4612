"""Where the apps below contribute to designs: the few typed hooks, filled in `AppConfig.ready`.

`readers`
    Whether a person who is no collaborator may read a design (a reviewer of it, for example).
`registered_names`
    Names, acronyms and years of what has been registered, for the checks of uniqueness.
`registered_at`
    When a design was registered, or ``None``.
`reference_sources`
    Test sets of a task's challenge whose references the person may let be scanned for pitfalls.
`registered_documents`
    The newest public document of an earlier registration, found by its identifier or readable name.
`standings`
    Where designs stand beyond being written: filed, decided about, registered. Asked for many at once.
`filings`
    Where a design that nothing keeps from it can be filed.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from django.utils import timezone

from designs.models import Design, DesignTask
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
    """References that are here already.

    Attributes
    ----------
    key, label
        How the source is asked for, and what people read.
    put
        Puts the files, named as in contract section 3, into a folder.
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
    """Where a design stands, and what comes next.

    Attributes
    ----------
    words
        In two or three words, such as “In review”.
    where, address
        In which call or under which identifier, and where that is read.
    kind
        Of its badge: ``ok``, ``info``, ``warn``, ``bad`` or ``muted``.
    text
        Who has to do what, as sentences.
    due
        Until when, where `words` name something that is due.
    act, act_address
        What the person does next, for a button.
    is_over
        Whether nothing comes of it any more, so that the design is to be written and filed again.
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
        """The words, with how far away it is what they call due."""
        return f"{self.words} {distance_words(self.due, timezone.now())}" if self.due else self.words


readers: Hook[Callable[[Any, Design], bool]] = Hook()
registered_names: Hook[Callable[[], Iterable[RegisteredName]]] = Hook()
registered_at: Hook[Callable[[Design], datetime | None]] = Hook()
reference_sources: Hook[Callable[[Any, DesignTask], Iterable[ReferenceSource]]] = Hook()
registered_documents: Hook[Callable[[str], RegisteredDocument | None]] = Hook()
standings: Hook[Callable[[Any, Sequence[Design]], Mapping[int, Standing]]] = Hook()
filings: Hook[Callable[[Any, Design, int, bool], Standing]] = Hook()
"""Called with the person, the design, its share of essential parameters in percent, and whether the platform executes it."""


def standings_of(user: Any, designs: Sequence[Design]) -> dict[int, Standing]:
    """Where designs stand, by key; what runs goes before what is over, else the first answer before the later ones.

    Each app is asked once for all designs and answers what this person may know.
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
    """Where the person can file a design now; nothing where no app takes designs."""
    return next((answer(user, design, essential, is_executed) for answer in filings), None)
