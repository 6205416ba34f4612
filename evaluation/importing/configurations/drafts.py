"""Parts of a draft that all configurations share: texts, dates, limits and metrics."""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from evaluation.designs.catalogue import shipped
from evaluation.designs.document import from_json, to_json

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_TAG = re.compile(r"<[^<>]{0,400}>")


@dataclass
class Draft:
    """Draft of a design, and what its organizers must still decide.

    Attributes
    ----------
    platform
        Platform that the configuration is written for.
    challenge, tasks
        Entries of the design, by parameter.
    questions
        What the configuration leaves open, one sentence each.
    notes
        What was not taken over, one sentence each.
    """

    platform: str
    challenge: dict[str, Any] = field(default_factory=dict)
    tasks: list[dict[str, Any]] = field(default_factory=list)
    questions: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def title(self) -> str:
        """Name of the challenge."""
        return str(self.challenge.get("challenge_name", ""))

    def document(self) -> dict[str, Any]:
        """Return the design as it is imported; values that do not fit are excluded and noted."""
        catalogue = shipped()
        data = {
            "challenge": _filled(self.challenge),
            "tasks": [
                {"key": f"task-{number}", **_filled(task)} for number, task in enumerate(self.tasks, start=1)
            ],
        }  # fmt: skip
        document, problems = from_json(data, catalogue=catalogue, lenient=True)
        for problem in problems:
            note = f"Not taken over: {problem}"
            if note not in self.notes:
                self.notes.append(note)
        return to_json(document, catalogue=catalogue)


@dataclass(frozen=True)
class PhaseTimes:
    """Dates and limits of one phase."""

    name: str
    start: object
    end: object
    per_day: object = None
    total: object = None


def add_phases(draft: Draft, phases: Sequence[PhaseTimes]) -> None:
    """Fill in the schedule and the limits of submissions."""
    schedule: list[dict[str, Any]] = []
    limits: list[str] = []
    for phase in phases:
        for event, moment in (("submission_open", phase.start), ("submission_deadline", phase.end)):
            if moment in (None, ""):
                continue
            day, time = day_and_time(moment)
            if not day:
                draft.questions.append(f"Which date is “{moment}” of the phase {phase.name}?")
                continue
            schedule.append({"event": event, "date": day, "time": time, "phase": phase.name})
        if phase.end in (None, ""):
            draft.questions.append(f"When does the phase {phase.name} end? The configuration states no end.")
        if limit := _limit_words(phase):
            limits.append(f"{phase.name}: {limit}.")
    draft.challenge["challenge_schedule"] = [_filled(entry) for entry in schedule]
    draft.challenge["submission_instructions"] = "\n".join(limits)
    totals = {phase.total for phase in phases if is_count(phase.total)}
    if len(totals) == 1 and all(is_count(phase.total) for phase in phases):
        draft.challenge["max_submissions"] = totals.pop()
    elif totals:
        draft.questions.append("How many submissions count per team? The phases have different limits.")


def add_metrics(draft: Draft, task: dict[str, Any], columns: Sequence[Mapping[str, str]]) -> None:
    """Fill in metrics from the columns of a leaderboard.

    Parameters
    ----------
    columns
        ``title``, ``definition`` and ``direction`` (``higher``, ``lower`` or empty) of each column.
    """
    task["metrics"] = [
        _filled({
            "name": {"other": column["title"]},
            "abbreviation": column["title"][:60],
            "definition": column.get("definition", ""),
            "orientation": column.get("direction", ""),
        })
        for column in columns
    ]  # fmt: skip
    task_name = task.get("task_name", "")
    for column in columns:
        if not column.get("direction"):
            question = f"Which values of {column['title']} are better, in the task {task_name}?"
            if question not in draft.questions:
                draft.questions.append(question)
    if columns:
        draft.questions.append(
            f"Which metric of the catalogue is each column of {task_name}, and what does a missing case count as?"
        )
    if len(columns) > 1:
        draft.questions.append(f"How do the {len(columns)} columns of {task_name} become one ranking?")


def plain_text(value: object) -> str:
    """Return a text without the tags of HTML.

    Examples
    --------
    >>> plain_text("<p>Segment <b>livers</b></p>")
    'Segment livers'
    """
    return " ".join(_TAG.sub(" ", value).split()) if isinstance(value, str) else ""


def day_and_time(moment: object) -> tuple[str, str]:
    """Return the day and the time in UTC of a date of YAML; empty if it is none.

    Examples
    --------
    >>> day_and_time("2024-12-31 14:30:00"), day_and_time("soon")
    (('2024-12-31', '14:30 UTC'), ('', ''))
    """
    value = moment
    if isinstance(value, str):
        try:
            value = dt.datetime.fromisoformat(value.strip())
        except ValueError:
            return "", ""
    if isinstance(value, dt.datetime):
        utc = value.astimezone(dt.UTC) if value.tzinfo else value
        return utc.date().isoformat(), f"{utc:%H:%M} UTC"
    return (value.isoformat(), "") if isinstance(value, dt.date) else ("", "")


def is_count(value: object) -> bool:
    """Return whether a value is a whole number of at least one."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1


def _limit_words(phase: PhaseTimes) -> str:
    parts = []
    if is_count(phase.per_day):
        parts.append(f"at most {phase.per_day} submissions per day")
    if is_count(phase.total):
        parts.append(f"at most {phase.total} submissions in total")
    return ", ".join(parts)


def _filled(entries: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in entries.items() if value not in (None, "", [], {})}
