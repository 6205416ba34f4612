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
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from designs.models import Design, DesignTask
from web.hooks import Hook


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


readers: Hook[Callable[[Any, Design], bool]] = Hook()
registered_names: Hook[Callable[[], Iterable[RegisteredName]]] = Hook()
registered_at: Hook[Callable[[Design], datetime | None]] = Hook()
reference_sources: Hook[Callable[[Any, DesignTask], Iterable[ReferenceSource]]] = Hook()
registered_documents: Hook[Callable[[str], RegisteredDocument | None]] = Hook()
