"""Dates: their order and the edition year."""

import calendar
from collections.abc import Iterator
from datetime import date

from evaluation.designs.checks.registry import Subject, register


def span(text: str) -> tuple[date, date]:
    """First and last day that a date, a month or a year may mean.

    Examples
    --------
    >>> span("2026-02")
    (datetime.date(2026, 2, 1), datetime.date(2026, 2, 28))
    """
    parts = [int(part) for part in text.split("-")]
    if len(parts) == 3:
        day = date(*parts)
        return day, day
    if len(parts) == 2:
        return date(parts[0], parts[1], 1), date(parts[0], parts[1], calendar.monthrange(parts[0], parts[1])[1])
    return date(parts[0], 1, 1), date(parts[0], 12, 31)


def dates_of(subject: Subject, event: str) -> Iterator[tuple[date, date]]:
    """Spans of all entries of the schedule for one event."""
    for row in subject.values.rows("challenge_schedule"):
        if row.get("event") == event and row.get("date"):
            yield span(row["date"])


@register("year_in_schedule", reads=("challenge_year", "challenge_schedule"))
def year_in_schedule(subject: Subject) -> str | None:
    year = subject.values.get("challenge_year")
    years = {row["date"][:4] for row in subject.values.rows("challenge_schedule") if row.get("date")}
    if year is None or not years or str(year) in years:
        return None
    return f"The schedule lies in {', '.join(sorted(years))}, the edition year is {year}."


@register("schedule_chronological", reads=("challenge_schedule", "test_data_access"))
def schedule_chronological(subject: Subject) -> str | None:
    order = [("training_data_release", "submission_open"), ("submission_open", "submission_deadline"),
             ("training_data_release", "submission_deadline"), ("submission_deadline", "results_release")]  # fmt: skip
    if subject.values.get("test_data_access") in ("images_released", "images_released_with_decoys"):
        order.append(("test_data_release", "submission_deadline"))
    label = {choice.value: choice.label for choice in subject.catalogue["challenge_schedule"].choices}
    for before, after in order:
        first, last = list(dates_of(subject, before)), list(dates_of(subject, after))
        # With several entries (stages) it is enough that the first comes before the last; a month is any of its days.
        if first and last and min(span[0] for span in first) > max(span[1] for span in last):
            return f"“{label[before]}” comes after “{label[after]}”."
    return None
