"""Approval and notification of a change, by its class and the stage of its tasks (REG-5)."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from registry.changes.models import ChangeClass
from registry.hooks import Operation


class Stage(StrEnum):
    """The stage of a challenge, or of some of its tasks."""

    REGISTERED = "registered"
    """No team takes part yet."""
    JOINED = "joined"
    """Teams take part, no submission has been accepted."""
    SUBMITTED = "submitted"
    """The first submission has been accepted."""

    @property
    def words(self) -> str:
        """Text of the stage."""
        return _WORDS[self]


_WORDS: Final = {
    Stage.REGISTERED: "no team takes part yet",
    Stage.JOINED: "teams take part, no submission has been accepted",
    Stage.SUBMITTED: "the first submission has been accepted",
}


@dataclass(frozen=True)
class Policy:
    """Requirements for a change of a class at a stage.

    Attributes
    ----------
    needs_chair
        True if a chair decides; otherwise the change takes effect at once and the chairs are notified.
    tells_participants
        True if participants are notified.
    waits_for_objections
        True if the change can be approved only after participants had time to object.
    only_as_deviation
        True if the change can be approved only as a deviation, which is marked permanently.
    """

    needs_chair: bool
    tells_participants: bool
    waits_for_objections: bool
    only_as_deviation: bool

    @property
    def words(self) -> str:
        """The policy in one sentence."""
        if not self.needs_chair:
            notified = "Participants and chairs" if self.tells_participants else "The chairs"
            return f"Takes effect at once. {notified} are notified."
        sentence = "A chair decides."
        if self.waits_for_objections:
            sentence += " Participants are notified and can object first."
        elif self.tells_participants:
            sentence += " Participants are notified."
        if self.only_as_deviation:
            sentence += " It can be approved only as a deviation, which is marked permanently."
        return sentence


def policy(change_class: str, stage: Stage, *, has_participants: bool | None = None) -> Policy:
    """Return the requirements for a change.

    Parameters
    ----------
    stage
        Stage of the tasks that the change concerns.
    has_participants
        True if any team takes part in the challenge; by default derived from the stage.

    Examples
    --------
    >>> policy("minor", Stage.SUBMITTED).needs_chair
    False
    >>> policy("critical", Stage.REGISTERED).waits_for_objections
    False
    >>> policy("critical", Stage.SUBMITTED).only_as_deviation
    True
    >>> policy("extension", Stage.SUBMITTED).words
    'Takes effect at once. Participants and chairs are notified.'
    """
    is_joined = stage is not Stage.REGISTERED
    notifies = is_joined if has_participants is None else has_participants
    critical = change_class == ChangeClass.CRITICAL
    return Policy(
        needs_chair=change_class not in (ChangeClass.MINOR, ChangeClass.EXTENSION),
        tells_participants=notifies and change_class != ChangeClass.MINOR,
        waits_for_objections=is_joined and critical,
        only_as_deviation=stage is Stage.SUBMITTED and critical,
    )


def stage_of(operation: Operation | None, tasks: Collection[str] | None = None) -> Stage:
    """Return how far a challenge is; one that has not been launched has no participants.

    Parameters
    ----------
    tasks
        Keys of the tasks that count; None for all of them.
    """
    if operation is None:
        return Stage.REGISTERED
    rows = [row for key, row in operation.tasks.items() if tasks is None or key in tasks]
    if any(row.first_submission_at is not None for row in rows):
        return Stage.SUBMITTED
    is_joined = any(row.participants for row in rows) or (tasks is None and bool(operation.participants))
    return Stage.JOINED if is_joined else Stage.REGISTERED


def gravest(classes: Iterable[str]) -> str:
    """The gravest of some classes.

    Examples
    --------
    >>> gravest(["minor", "critical", "major"])
    'critical'
    """
    order = list(ChangeClass)
    return str(max((ChangeClass(name) for name in classes), key=order.index))


def level_of(classes: Iterable[str]) -> str:
    """The level of a version that contains changes of some classes, which decides about its number.

    Examples
    --------
    >>> level_of(["minor", "extension"]), level_of(["extension", "repair"])
    ('minor', 'major')
    """
    levels = {ChangeClass.EXTENSION: ChangeClass.MINOR, ChangeClass.REPAIR: ChangeClass.MAJOR}
    return gravest(levels.get(ChangeClass(name), name) for name in classes)
