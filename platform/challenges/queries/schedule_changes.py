"""The effect of a changed schedule on the phases of a challenge, and schedules with a later deadline."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date, datetime, timedelta
from typing import Any, Final

from django.utils import timezone

from challenges.domain.problems import NotLaunchableError, Problem
from challenges.domain.scheduling import deadline_rows, moment_of_row
from challenges.models import Phase
from challenges.queries.planning import PhasePlan, phases_of_document
from designs.queries import document_of_version
from evaluation.designs.catalogue import shipped
from evaluation.designs.document import Document
from registry.changes.hooks import DeadlineMove, TimetableEffect
from registry.models import RegistrationVersion

SCHEDULE: Final = "challenge_schedule"
DEADLINES: Final = ("registration_close", "submission_deadline", "method_description_deadline")
"""Events after which participants cannot do something any more."""
FOLLOWING: Final = ("results_release", "event_day", "embargo_end", "other")
"""Events that may move to a later date together with a deadline."""
_DATES: Final = ("date", "end_date")


@dataclass(frozen=True)
class _Changed:
    """A document that is not stored, with the embargoed values of the version that it changes."""

    document: Mapping[str, Any]
    sealed: Mapping[str, Any]


def timetable_effect(version: RegistrationVersion, changed: Mapping[str, Any]) -> TimetableEffect:
    """Compare the phases of a registered version with those of a changed document.

    Returns
    -------
    TimetableEffect
        With `moves` only if the change consists of later deadlines, each of a phase that has not closed.
    """
    before, after = document_of_version(version), document_of_version(_Changed(changed, version.sealed))
    problems: list[Problem] = []
    old, new = phases_of_document(before, problems), phases_of_document(after, problems)
    tasks = frozenset(key for key in {*old, *new} if old.get(key) != new.get(key))
    if problems or old.keys() != new.keys():
        return TimetableEffect(tasks)
    closed = {
        (phase.task.design_key, phase.slug)
        for phase in Phase.objects.select_related("task").filter(
            task__challenge__projection__registration=version.registration_id
        )
        if phase.is_closed
    }
    now = timezone.now()
    names = {key: before.values(key).name for key in old} if len(old) > 1 else {}
    moves: list[DeadlineMove] = []
    for key in old:
        if len(old[key]) != len(new[key]):
            return TimetableEffect(tasks)
        for first, second in zip(old[key], new[key], strict=True):
            if first == second:
                continue
            is_over = (key, first.slug) in closed or first.closes_at <= now
            if is_over or not _is_only_later(first, second):
                return TimetableEffect(tasks)
            label = f"{names[key]}: {first.name}" if names else first.name
            moves.append(DeadlineMove(label, first.closes_at, second.closes_at))
    other = _other_moves(before, after, now, follows=bool(moves))
    if other is None:
        return TimetableEffect(tasks)
    return TimetableEffect(tasks, (*moves, *other))


@dataclass(frozen=True)
class LaterSchedule:
    """A registered schedule in which a phase closes later.

    Attributes
    ----------
    task
        Key of the task that has a separate schedule; empty for the schedule of the challenge.
    replaced
        The rows that change, before and after.
    rows
        The whole schedule with the later dates.
    """

    task: str
    replaced: tuple[tuple[Mapping[str, Any], Mapping[str, Any]], ...]
    rows: tuple[Mapping[str, Any], ...]


def later_schedule(version: RegistrationVersion, phase: Phase, days: int) -> LaterSchedule:
    """Return the registered schedule with a phase that closes some days later.

    The release of results moves by the same number of days, if it would come before the new close.

    Raises
    ------
    NotLaunchableError
        When no single date of the schedule decides about the close of this phase.
    """
    document = document_of_version(version)
    key = phase.task.design_key
    values = document.values(key)
    names = [each.name.casefold() for each in document.each_task()]
    rows = [dict(row) for row in values.rows(SCHEDULE)]
    places = deadline_rows(values, names, phase.name)
    if not places:
        raise NotLaunchableError((Problem(SCHEDULE, f"“{phase.name}” has no deadline that can move", values.name),))
    later: dict[int, dict[str, Any]] = {
        index: rows[index] | {name: _shifted(rows[index][name], days)} for index, name in places
    }
    closes_at = phase.closes_at + timedelta(days=days)
    for index, row in enumerate(rows):
        released = moment_of_row(row, "date") if row.get("event") == "results_release" else None
        concerns = str(row.get("phase") or "").strip().casefold() in ("", phase.name.casefold(), values.name.casefold())
        if released is not None and concerns and phase.closes_at <= released < closes_at:
            later[index] = row | {name: _shifted(row[name], days) for name in _DATES if row.get(name)}
    changed_task: dict[str, Any] = next((task for task in version.document["tasks"] if task["key"] == key), {})
    return LaterSchedule(
        task=key if SCHEDULE in changed_task else "",
        replaced=tuple((rows[index], row) for index, row in sorted(later.items())),
        rows=tuple(later.get(index, row) for index, row in enumerate(rows)),
    )


def _shifted(day: str, days: int) -> str:
    return (date.fromisoformat(day) + timedelta(days=days)).isoformat()


def _is_only_later(first: PhasePlan, second: PhasePlan) -> bool:
    """Return whether two plans of a phase differ only in a later close.

    Results follow the close and are never released earlier.
    """
    fields = ("closes_at", "reveals_at")
    old, new = ({k: v for k, v in asdict(plan).items() if k not in fields} for plan in (first, second))
    revealed = [plan.reveals_at or plan.closes_at for plan in (first, second)]
    return old == new and first.closes_at < second.closes_at and revealed[0] <= revealed[1]


def _other_moves(before: Document, after: Document, now: datetime, *, follows: bool) -> list[DeadlineMove] | None:
    """Dates of other rows that become later; None where a schedule changes in another way.

    Parameters
    ----------
    follows
        Whether a phase gets a later deadline, which other dates may follow.
    """
    moves: list[DeadlineMove] = []
    for rows, changed_rows in _schedules(before, after):
        if len(rows) != len(changed_rows):
            return None
        for row, changed_row in zip(rows, changed_rows, strict=True):
            if row == changed_row:
                continue
            key = _changed_date(row, changed_row)
            same = {k: v for k, v in row.items() if k not in (key, "time")}
            if same != {k: v for k, v in changed_row.items() if k not in (key, "time")}:
                return None
            old, new = moment_of_row(row, key), moment_of_row(changed_row, key)
            if old is None or new is None or new <= old:
                return None
            event = str(row.get("event"))
            if event in ("submission_open", "submission_deadline"):
                if not follows:
                    return None  # a date that decides nothing, or the opening of a period
                continue  # compared as the close of a phase
            if old <= now or not (event in DEADLINES or (follows and event in FOLLOWING)):
                return None
            moves.append(DeadlineMove(_event_label(row), old, new))
    return list(dict.fromkeys(moves))


def _changed_date(row: Mapping[str, Any], changed_row: Mapping[str, Any]) -> str:
    """Name of the date that differs; of the last one where only the time of day does."""
    differing = [key for key in _DATES if row.get(key) != changed_row.get(key)]
    return differing[0] if differing else "end_date" if row.get("end_date") else "date"


def _schedules(before: Document, after: Document) -> Iterator[tuple[Sequence[Any], Sequence[Any]]]:
    for key in before.tasks:
        yield before.values(key).rows(SCHEDULE), after.values(key).rows(SCHEDULE)


def _event_label(row: Mapping[str, Any]) -> str:
    label = shipped()[SCHEDULE].label_of(row.get("event"))
    phase = str(row.get("phase") or "").strip()
    return f"{label} ({phase})" if phase else label
