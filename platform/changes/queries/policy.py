"""Who approves a change, and who is told: by its class and by how far the challenge is (REG-5)."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from changes.models import ChangeClass
from registry.hooks import Operation


class Stage(StrEnum):
    """How far the challenge of a registration is."""

    REGISTERED = "registered"
    """Nobody takes part yet."""
    JOINED = "joined"
    """People take part, no submission has arrived."""
    SUBMITTED = "submitted"
    """The first test submission has arrived."""

    @property
    def words(self) -> str:
        """The stage in words."""
        return _WORDS[self]


_WORDS: Final = {
    Stage.REGISTERED: "nobody takes part yet",
    Stage.JOINED: "teams take part, no submission has arrived",
    Stage.SUBMITTED: "the first submission has arrived",
}


@dataclass(frozen=True)
class Policy:
    """What a change of a class needs at a stage.

    Attributes
    ----------
    needs_chair
        Whether a chair decides; otherwise it holds at once and the chairs are informed.
    tells_participants
        Whether those who take part are told.
    waits_for_objections
        Whether it can be approved only after those who take part had time to object.
    only_as_deviation
        Whether it can be approved only as a deviation, which stays marked for good.
    """

    needs_chair: bool
    tells_participants: bool
    waits_for_objections: bool
    only_as_deviation: bool

    @property
    def words(self) -> str:
        """The policy in one sentence."""
        if not self.needs_chair:
            return "Holds at once; the chairs are informed."
        parts = ["A chair decides"]
        if self.tells_participants:
            parts.append("those who take part are told")
        if self.waits_for_objections:
            parts.append("they have time to object")
        sentence = ", ".join(parts) + "."
        if self.only_as_deviation:
            sentence += " It can be approved only as a deviation, which stays marked for good."
        return sentence


def policy(change_class: str, stage: Stage) -> Policy:
    """What a change needs.

    Examples
    --------
    >>> policy("minor", Stage.SUBMITTED).needs_chair
    False
    >>> policy("critical", Stage.REGISTERED).waits_for_objections
    False
    >>> policy("critical", Stage.SUBMITTED).only_as_deviation
    True
    """
    takes_part = stage is not Stage.REGISTERED
    critical = change_class == ChangeClass.CRITICAL
    return Policy(
        needs_chair=change_class != ChangeClass.MINOR,
        tells_participants=takes_part and change_class != ChangeClass.MINOR,
        waits_for_objections=takes_part and critical,
        only_as_deviation=stage is Stage.SUBMITTED and critical,
    )


def stage_of(operation: Operation | None) -> Stage:
    """How far a challenge is; one that has not been launched has nobody who takes part."""
    if operation is None:
        return Stage.REGISTERED
    if operation.first_submission_at is not None:
        return Stage.SUBMITTED
    return Stage.JOINED if operation.participants else Stage.REGISTERED


def gravest(classes: Iterable[str]) -> str:
    """The gravest of some classes.

    Examples
    --------
    >>> gravest(["minor", "critical", "major"])
    'critical'
    """
    order = [ChangeClass.MINOR, ChangeClass.MAJOR, ChangeClass.CRITICAL]
    return str(max((ChangeClass(name) for name in classes), key=order.index))
