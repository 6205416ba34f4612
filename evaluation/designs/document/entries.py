"""Content of one field of a design: a value, additional text, and its state."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final


class State(StrEnum):
    """State of a field; the values are those of the catalogue and of exported documents."""

    PROVIDED = "provided"
    NONE_DECLARED = "none_declared"
    NOT_APPLICABLE = "not_applicable"
    FOLLOWS = "to_be_provided_by"
    EMBARGOED = "embargoed_until"
    BLANK = "missing"

    @property
    def label(self) -> str:
        """Label of the state for pages."""
        return _LABELS[self]


_LABELS: Final = {
    State.PROVIDED: "provided",
    State.NONE_DECLARED: "there is none",
    State.NOT_APPLICABLE: "not applicable",
    State.FOLLOWS: "follows by a date",
    State.EMBARGOED: "embargoed until an event",
    State.BLANK: "blank",
}

# What counts as filled in the completeness score; a date by which something follows counts at the submission gate only.
FILLED_STATES: Final = frozenset({State.PROVIDED, State.NONE_DECLARED, State.NOT_APPLICABLE, State.EMBARGOED})


@dataclass(frozen=True, slots=True)
class Entry:
    """One field of a design.

    Attributes
    ----------
    value
        JSON value in the form of the parameter's type; stored for `State.PROVIDED` and `State.EMBARGOED` only.
    details
        Free text in addition to a choice.
    state, reason, until, event
        The state and its details: a reason for not applicable, an ISO date for a value that follows, and for an
        embargo the event (a kind of entry of the schedule, or free text) that ends it.
    digest
        For an embargo, the public commitment to the value, see `evaluation.designs.document.sealing`.
    """

    value: Any = None
    details: str = ""
    state: State = State.BLANK
    reason: str = ""
    until: str = ""
    event: str = ""
    digest: str = ""

    @property
    def is_filled(self) -> bool:
        """True if it counts as filled for the completeness score."""
        return self.state in FILLED_STATES

    @property
    def is_declared(self) -> bool:
        """True if the organizers made a declaration instead of a value.

        Declarations are: none, not applicable, follows, or withheld.
        """
        if self.state is State.EMBARGOED:
            return self.value is None
        return self.state in (State.NONE_DECLARED, State.NOT_APPLICABLE, State.FOLLOWS)

    def as_state(self) -> dict[str, str]:
        """The object stored under ``<id>__state``."""
        extra = {"reason": self.reason, "until": self.until, "event": self.event, "digest": self.digest}
        return {"state": str(self.state), **{key: text for key, text in extra.items() if text}}


BLANK: Final = Entry()
