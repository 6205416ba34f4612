"""Facts about a challenge that a starter kit states."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True)
class KitFacts:
    """Facts about a challenge that its assessment does not contain.

    Attributes
    ----------
    title
        Name of the challenge.
    slug
        Short name of the challenge, as in its address.
    address
        Public address of the challenge page.
    phase
        Name of the phase.
    phase_slug
        Short name of the phase.
    interface
        Document ``interface.json`` of the algorithms of the phase; empty if teams submit predictions.
    """

    title: str
    slug: str
    address: str
    phase: str
    phase_slug: str
    interface: dict[str, Any] = field(default_factory=dict)

    @property
    def document(self) -> dict[str, Any]:
        """The facts as JSON values."""
        return asdict(self)
