"""Opening and closing of the phases of a task and release of results, by the registered schedule."""

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime, time, timedelta, timezone
from typing import Any, Final

from challenges.domain.problems import Problem
from evaluation.designs.document import Values

TEST_PHASE: Final = "Test phase"
_TIME = re.compile(r"\b([01]?\d|2[0-3]):([0-5]\d)\b")
_ZONE = re.compile(r"(?:UTC|GMT)\s*([+-]\d{1,2})(?::?([0-5]\d))?", re.IGNORECASE)
_ANYWHERE_ON_EARTH = timezone(timedelta(hours=-12))


def spans(values: Values, names: list[str], problems: list[Problem]) -> Iterator[tuple[str, datetime, datetime]]:
    """Name, opening and closing of each phase of a task, in order of the openings."""
    task_name = values.name.casefold()
    opens: dict[str, datetime] = {}
    closes: dict[str, datetime] = {}
    for row in values.rows("challenge_schedule"):
        if row.get("event") not in ("submission_open", "submission_deadline"):
            continue
        phase = str(row.get("phase", "")).strip()
        if phase.casefold() in names and phase.casefold() != task_name:
            continue  # a date of another task
        name = "" if phase.casefold() == task_name else phase
        is_opening = row["event"] == "submission_open"
        start, end = _moment(row, "date", at=time.min if is_opening else _LAST_MINUTE), None
        if row.get("end_date"):
            end = _moment(row, "end_date", at=_LAST_MINUTE)
        if start is None or (row.get("end_date") and end is None):
            text = f"“{row.get('date', '')} {row.get('time', '')}” is no full date and time".replace(" ”", "”")
            problems.append(Problem("challenge_schedule", text, values.name))
            continue
        if is_opening:
            opens[name] = min(start, opens.get(name, start))
            if end is not None:
                closes[name] = max(end, closes.get(name, end))
        else:
            closes[name] = max(end or start, closes.get(name, start))
    phase_spans = []
    for name in dict.fromkeys((*opens, *closes)):
        if name == "" and len(set(opens) | set(closes)) > 1:
            continue  # dates without a phase stand for those phases that lack one
        begin, finish = opens.get(name) or opens.get(""), closes.get(name) or closes.get("")
        title = name or TEST_PHASE
        if finish is None and values.get("life_cycle_type") in OPEN_CALLS:
            finish = STAYS_OPEN
        if begin is None or finish is None:
            what = "opening" if begin is None else "deadline"
            problems.append(Problem("challenge_schedule", f"“{title}” has no {what} for submissions", values.name))
        elif begin >= finish:
            problems.append(Problem("challenge_schedule", f"“{title}” closes before it opens", values.name))
        else:
            phase_spans.append((title, begin, finish))
    yield from sorted(phase_spans, key=lambda span: (span[1], span[2]))


def moment_of_row(row: Mapping[str, Any], key: str) -> datetime | None:
    """Return one date of a row of the schedule in UTC; None where it is unclear."""
    opens = key == "date" and row.get("event") in ("submission_open", "results_release")
    return _moment(row, key, at=time.min if opens else _LAST_MINUTE)


def deadline_rows(values: Values, names: list[str], phase: str) -> list[tuple[int, str]]:
    """Return which dates of a schedule decide when a phase closes: numbers of rows, and the key of the date.

    Parameters
    ----------
    names
        Names of all tasks, in lower case.
    phase
        Name of the phase.
    """
    task_name = values.name.casefold()
    moments: dict[str, list[tuple[datetime, int, str]]] = {}
    for index, row in enumerate(values.rows("challenge_schedule")):
        event, key = row.get("event"), "end_date" if row.get("end_date") else "date"
        if event not in ("submission_open", "submission_deadline") or (event == "submission_open" and key == "date"):
            continue
        named = str(row.get("phase", "")).strip()
        if named.casefold() in names and named.casefold() != task_name:
            continue  # a date of another task
        if (moment := moment_of_row(row, key)) is not None:
            moments.setdefault("" if named.casefold() == task_name else named, []).append((moment, index, key))
    rows = moments.get(phase) or moments.get("") or []
    last = max((moment for moment, _, _ in rows), default=None)
    return [(index, key) for moment, index, key in rows if moment == last]


_LAST_MINUTE: Final = time(23, 59)
STAYS_OPEN: Final = datetime(9000, 1, 1, tzinfo=UTC)
"""Closing time of a phase that does not close."""
OPEN_CALLS: Final = ("one_time_open_call", "repeated_open_call")


def _moment(row: Mapping[str, Any], key: str, *, at: time) -> datetime | None:
    """Read a date with its time of day, in UTC unless a zone is stated; ``None`` when a day or hour is unclear."""
    try:
        day = date.fromisoformat(str(row.get(key)))
    except ValueError:
        return None
    text = str(row.get("time") or "").strip()
    if not text:
        return datetime.combine(day, at, tzinfo=UTC)
    time_match = _TIME.search(text)
    zone = _ZONE.search(text)
    anywhere = "aoe" in text.lower() or "anywhere on earth" in text.lower()
    rest = re.sub(r"(?i)utc|gmt|aoe|anywhere on earth|[+-]\d{1,2}(:?\d\d)?|\d{1,2}:\d\d|[\s(),]", "", text)
    if rest or not (time_match or zone or anywhere):
        return None
    clock = time(int(time_match[1]), int(time_match[2])) if time_match else at
    offset = UTC
    if anywhere:
        offset = _ANYWHERE_ON_EARTH
    elif zone:
        hours = int(zone[1])
        minutes = int(zone[2] or 0) * (-1 if zone[1].startswith("-") else 1)
        offset = timezone(timedelta(hours=hours, minutes=minutes))
    return datetime.combine(day, clock, tzinfo=offset).astimezone(UTC)


def release(values: Values, phase: str) -> datetime | None:
    """Return the release time of the results of a phase, in UTC; None without a release date.

    The dates of the phase take precedence. Without any, the latest date of the task or challenge applies.
    """
    moments: dict[bool, list[datetime]] = {True: [], False: []}
    for row in values.rows("challenge_schedule"):
        if row.get("event") != "results_release":
            continue
        row_phase = str(row.get("phase", "")).strip().casefold()
        moment = _moment(row, "date", at=time.min)
        if moment is not None and row_phase in ("", phase.casefold(), values.name.casefold()):
            moments[row_phase == phase.casefold()].append(moment)
    return max(moments[True] or moments[False], default=None)
