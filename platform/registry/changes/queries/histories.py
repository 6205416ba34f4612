"""The history of each parameter: which value it had since which version, and by which request (REG-6)."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from evaluation.designs.catalogue import Parameter, shipped
from evaluation.designs.differences import Difference
from evaluation.designs.document import State
from evaluation.designs.document.words import entry_words
from registry.changes.queries.documents import CHALLENGE, WHOLE_TASK, difference, entry_of, fragment, parameter_of
from registry.models import Registration, RegistrationVersion


@dataclass(frozen=True)
class Step:
    """One change of a parameter: with which version it came, and by which request.

    `request` is ``None`` for a version that was made without one, by an administrator.
    """

    number: str
    address: str
    at: datetime
    change_class: str
    is_deviation: bool
    request: int | None
    request_address: str
    reason: str
    before: str
    after: str
    difference: Difference | None


@dataclass(frozen=True)
class History:
    """A parameter that has changed since version 1.0, with its changes, the newest first."""

    parameter: Parameter
    task: str
    task_name: str
    steps: tuple[Step, ...]


def histories(registration: Registration) -> list[History]:
    """Every parameter that ever changed, in the order of the catalogue; two queries, however many versions there are."""
    versions = list(
        RegistrationVersion.objects.filter(registration=registration)
        .select_related("registration", "change_request")
        .defer("sealed")
        .order_by("major", "minor")
    )
    if len(versions) < 2:
        return []
    steps_by_parameter: dict[tuple[str, str], list[Step]] = {}
    names: dict[str, str] = {}
    before: Mapping[str, Any] = {}
    for version in versions:
        after = version.document
        names |= {str(task["key"]): str(task.get("task_name") or task["key"]) for task in after["tasks"]}
        if before:
            for task, parameter, change in _changed(before, after):
                steps_by_parameter.setdefault((task, parameter), []).insert(0, _step(version, task, parameter, change))
        before = after
    order = {identity: index for index, identity in enumerate((WHOLE_TASK, *shipped().parameters))}
    return [
        History(parameter_of(parameter), task, names.get(task, task), tuple(steps))
        for (task, parameter), steps in sorted(
            steps_by_parameter.items(), key=lambda item: (item[0][0], order[item[0][1]])
        )
    ]


def rows(registration: Registration) -> Iterator[list[Any]]:
    """The same as rows of a file."""
    yield ["parameter", "label", "task", "version", "since", "request", "deviation", "reason", "before", "after"]
    for history in histories(registration):
        for step in history.steps:
            yield [
                history.parameter.id,
                history.parameter.label,
                history.task,
                step.number,
                step.at.isoformat(),
                step.request or "",
                "yes" if step.is_deviation else "no",
                step.reason,
                step.before,
                step.after,
            ]


def _changed(
    before: Mapping[str, Any], after: Mapping[str, Any]
) -> Iterator[tuple[str, str, tuple[dict[str, Any], dict[str, Any]]]]:
    old = {CHALLENGE: before[CHALLENGE], **{str(task["key"]): task for task in before["tasks"]}}
    new = {CHALLENGE: after[CHALLENGE], **{str(task["key"]): task for task in after["tasks"]}}
    for key in dict.fromkeys((*old, *new)):
        task = "" if key == CHALLENGE else key
        if key not in old or key not in new:
            pair = ({"": dict(old[key])} if key in old else {}, {"": dict(new[key])} if key in new else {})
            yield task, WHOLE_TASK, pair
            continue
        for parameter in shipped().parameters:
            pair = fragment(old[key], parameter), fragment(new[key], parameter)
            if pair[0] != pair[1]:
                yield task, parameter, pair


def _step(
    version: RegistrationVersion, task: str, parameter: str, change: tuple[dict[str, Any], dict[str, Any]]
) -> Step:
    request = getattr(version, "change_request", None)
    facts: Mapping[str, Any] = next(
        (
            entry
            for entry in version.changes
            if entry.get("parameter") == parameter and (entry.get("task") or "") == task
        ),
        {},
    )
    change_class = str(facts.get("class") or parameter_of(parameter).change_class)
    return Step(
        number=version.number,
        address=version.get_absolute_url(),
        at=version.registered_at,
        change_class=change_class,
        # Versions of earlier releases do not state it for each change.
        is_deviation=version.is_deviation and bool(facts.get("deviation", change_class == "critical")),
        request=request.number if request else None,
        # The address of a request needs its registration, which is the version's.
        request_address=f"{version.registration.get_absolute_url()}changes/{request.number}/" if request else "",
        reason=facts.get("reason", "") or version.note,
        before=_words(parameter, change[0]),
        after=_words(parameter, change[1]),
        difference=difference(parameter_of(parameter), *change, task=task or None),
    )


def _words(identity: str, held: Mapping[str, Any]) -> str:
    """Return a parameter as public text; for a whole task its name."""
    if identity == WHOLE_TASK:
        return str(held[""].get("task_name") or held[""]["key"]) if held else ""
    entry = entry_of(identity, held)
    return "" if entry.state is State.BLANK else entry_words(parameter_of(identity), entry)
