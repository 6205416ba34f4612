"""A badge of a registration for other pages: an SVG without script, style or anything that is loaded from elsewhere."""

from dataclasses import dataclass
from typing import Final

from registry.models import Deposit, Registration, RegistrationVersion

State = Registration.State
# Dark enough for white words on them (at least 4.5 : 1).
COLOURS: Final = {
    State.REGISTERED: "#1d6b3a",
    State.COMMENT_PERIOD: "#1f5fa8",
    State.WITHDRAWN: "#a02626",
    State.ABANDONED: "#a02626",
}
DEVIATES: Final = "#8a5200"
LABEL: Final = "registered design"
# Width of a letter of 11 px, and the space at both sides; `textLength` makes the words fit whatever font there is.
LETTER, PADDING = 6.4, 8


@dataclass(frozen=True)
class Half:
    """One half of the badge: where its words begin, and how wide it is."""

    text: str
    x: float
    left: float
    width: float
    length: float


@dataclass(frozen=True)
class Badge:
    """What the template draws."""

    label: Half
    words: Half
    colour: str
    title: str

    @property
    def width(self) -> float:
        """The whole width in pixels."""
        return self.label.width + self.words.width


def badge_of(registration: Registration, version: RegistrationVersion) -> Badge:
    """State, version and DOI of a registration; before there is a DOI, its identifier."""
    deposit = Deposit.objects.filter(version=version).first()
    said = [f"v{version.number}", (deposit.doi if deposit else "") or registration.identifier]
    if registration.state != State.REGISTERED:
        said.insert(0, registration.get_state_display())
    deviates = registration.versions.filter(is_deviation=True).exists()
    if deviates:
        said.append("deviation")
    colour = DEVIATES if deviates and not registration.is_ended else COLOURS[State(registration.state)]
    label = _half(LABEL, 0)
    words = _half(" · ".join(said), label.width)
    return Badge(label, words, colour, f"{LABEL}: {words.text}")


def _half(text: str, left: float) -> Half:
    length = round(len(text) * LETTER, 1)
    return Half(text, left + PADDING, left, length + 2 * PADDING, length)
