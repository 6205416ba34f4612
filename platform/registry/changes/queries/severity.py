"""The severity of a change: by its parameter, the tasks that it concerns, and what submitting needs.

The catalogue states a class for each parameter. Two kinds of change of a critical parameter are less grave:

- a later deadline, set before the close, with nothing else changed (``extension``);
- a correction without which no team can submit to the task, where no submission has been accepted (``repair``).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from registry.changes.hooks import DeadlineMove, timetable_effect
from registry.changes.models import ChangeClass, ProposedChange
from registry.changes.queries.documents import WHOLE_TASK, Proposal, applied, parameter_of
from registry.changes.queries.policy import Policy, Stage, policy, stage_of
from registry.hooks import Operation
from registry.models import RegistrationVersion

TIMED: Final = ("challenge_schedule", "phase_settings")
"""Parameters that name phases: the tasks of these phases are concerned."""
FORMAT: Final = ("regions", "problem_settings", "submission_method", "submission_format")
"""Parameters that describe a file that a phase accepts."""
FOR_SUBMITTING: Final = (*FORMAT, "algorithm_execution")
"""Parameters that decide what a phase accepts. Settings of a phase also decide about visibility, so they are not listed."""
MEASURES: Final = frozenset({"unit", "spacing", "spacing_unit", "spacing_x", "spacing_y", "spacing_z"})
"""Settings of a kind of problem by which coordinates are read."""


@dataclass(frozen=True)
class Severity:
    """The severity of one change.

    Attributes
    ----------
    tasks
        Keys of the tasks that it concerns; None for all of them.
    stage
        How far these tasks are.
    grounds
        Why its class is not that of its parameter; empty where it is.
    moves
        The deadlines that move, of a later deadline.
    """

    change_class: str
    tasks: frozenset[str] | None
    stage: Stage
    policy: Policy
    grounds: str = ""
    moves: tuple[DeadlineMove, ...] = ()


def severity_of(version: RegistrationVersion, operation: Operation | None, change: ProposedChange) -> Severity:
    """Return how grave a change of a registered version is now."""
    tasks = frozenset({change.task}) if change.task else None
    moves: tuple[DeadlineMove, ...] = ()
    if change.parameter in TIMED:
        effect = timetable_effect(version, applied(version, [change])[0])
        tasks = effect.tasks or tasks
        moves = effect.moves
    stage = stage_of(operation, tasks)
    change_class, grounds = str(parameter_of(change.parameter).change_class), ""
    if moves:
        change_class, grounds = ChangeClass.EXTENSION, "Every deadline moves to a later date, before the phase closes."
    elif change_class == ChangeClass.CRITICAL and stage is not Stage.SUBMITTED:
        grounds = _impediment(operation, tasks, change)
        change_class = ChangeClass.REPAIR if grounds else change_class
    has_participants = operation is not None and bool(operation.participants)
    needed = policy(change_class, stage, has_participants=has_participants)
    return Severity(str(change_class), tasks, stage, needed, grounds, moves)


def needed_for(change: ProposedChange, severity: Severity, operation: Operation | None) -> Policy:
    """Return what a requested change needs: by the class that it was requested with, and how far its tasks are now."""
    has_participants = operation is not None and bool(operation.participants)
    return policy(change.change_class, severity.stage, has_participants=has_participants)


def unsaved(proposal: Proposal) -> ProposedChange:
    """Return a proposal as a change that is not stored."""
    return ProposedChange(
        task=proposal.task,
        parameter=proposal.parameter.id,
        change_class=proposal.parameter.change_class,
        before=dict(proposal.before),
        after=dict(proposal.after),
        sealed=dict(proposal.sealed),
    )


def _impediment(operation: Operation | None, tasks: frozenset[str] | None, change: ProposedChange) -> str:
    """Return why no team could submit without the change; empty where teams could, or where that is not known."""
    if operation is None or change.parameter == WHOLE_TASK or change.parameter not in FOR_SUBMITTING:
        return ""
    before, after = change.before.get(""), change.after.get("")
    if change.parameter in FORMAT and before in (None, "", [], {}) and after not in (None, "", [], {}):
        return "No value was registered. No submission has been accepted."
    if change.parameter == "problem_settings" and _measures_only(before, after):
        return "The unit or spacing of coordinates was wrong. No submission has been accepted."
    rows = [row for key, row in operation.tasks.items() if tasks is None or key in tasks]
    if refused := sum(row.refused for row in rows):
        number = "The only submission was" if refused == 1 else f"All {refused} submissions were"
        return f"{number} refused. No submission has been accepted."
    return ""


def _measures_only(before: Any, after: Any) -> bool:
    """Return whether two settings of a kind of problem differ only in the unit or spacing of coordinates.

    Examples
    --------
    >>> pixels = {"kind": "object_detection", "settings": {"unit": "px", "hit": 7.5}}
    >>> _measures_only(pixels, {"kind": "object_detection", "settings": {"unit": "mm", "spacing": 0.25, "hit": 7.5}})
    True
    >>> _measures_only(pixels, {"kind": "object_detection", "settings": {"unit": "mm", "hit": 30}})
    False
    """
    if not isinstance(before, Mapping) or not isinstance(after, Mapping):
        return False
    differing = {key for key in {*before, *after} if before.get(key) != after.get(key)}
    if "settings" in differing and len(differing) == 1:
        return _measures_only(before.get("settings") or {}, after.get("settings") or {})
    return bool(differing) and differing <= MEASURES
