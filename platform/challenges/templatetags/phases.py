"""Dates, limits and states of phases in pages. Each carries its exact value in `data-value`, by which pages can be compared."""

from datetime import datetime
from typing import Any, Final

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from challenges.models import Phase
from challenges.queries.challenges import label_of
from challenges.queries.timetable import Limited, limits_of, timetable_of
from web.templatetags.podium import deadline, moment

register = template.Library()

TONES: Final = {
    Phase.State.UPCOMING: "info",
    Phase.State.HELD: "warn",
    Phase.State.OPEN: "ok",
    Phase.State.CLOSED: "muted",
}


@register.filter
def phase_label(phase: Phase) -> str:
    """Return the name of a phase, with its task where the challenge has several: phases of two tasks can share a name."""
    return label_of(phase)


@register.simple_tag
def phase_state(phase: Phase) -> SafeString:
    """Return the state of a phase as a badge."""
    state = phase.state
    return format_html(
        '<span class="badge badge--{}" data-fact="state" data-phase="{}" data-value="{}">{}</span>',
        TONES[state],
        phase.pk,
        state.value,
        state.label,
    )


@register.simple_tag
def phase_opens(phase: Phase, *, time: bool = True, distance: bool = False) -> SafeString:
    """Return when submissions open or opened."""
    timetable = timetable_of(phase)
    return _date("opens", phase, timetable.opens, timetable.opening_words, time=time, distance=distance)


@register.simple_tag
def phase_closes(phase: Phase, *, time: bool = True, distance: bool = False) -> SafeString:
    """Return when submissions close or closed."""
    return _date("closes", phase, timetable_of(phase).closes, "stays open", time=time, distance=distance)


@register.simple_tag
def phase_published(phase: Phase, *, time: bool = True) -> SafeString:
    """Return when the final results are or were published."""
    timetable = timetable_of(phase)
    return _date("published", phase, timetable.published, timetable.publishing_words, time=time)


@register.simple_tag
def phase_when(phase: Phase, *, time: bool = True) -> SafeString:
    """Return the next date of a phase with its verb: “opens …”, “closes …”, or “closed …” for the last one."""
    timetable = timetable_of(phase)
    if timetable.state == Phase.State.CLOSED:
        return format_html("closed {}", phase_closes(phase, time=False))
    if timetable.state != Phase.State.OPEN:
        return format_html("opens {}", phase_opens(phase, time=time, distance=time))
    return format_html("{}{}", "" if timetable.closes is None else "closes ", phase_closes(phase, distance=time))


@register.simple_tag
def phase_limits(phase: Phase) -> SafeString:
    """Return how often a team may submit to a phase."""
    return format_html(
        '<span data-fact="limits" data-phase="{}" data-value="{}">{}</span>',
        phase.pk,
        limit_value(phase),
        limits_of(phase),
    )


@register.filter
def planned_limits(phase: Limited) -> str:
    """Return how often a team will be allowed to submit to a planned phase."""
    return limits_of(phase)


def limit_value(phase: Any) -> str:
    """Return both limits for programs: per day, a slash, in total; empty where there is none."""
    return f"{phase.submissions_per_day or ''}/{phase.submissions_in_total or ''}"


def _date(
    fact: str, phase: Phase, value: datetime | None, words: str, *, time: bool, distance: bool = False
) -> SafeString:
    text: Any = words if value is None else deadline(value) if distance else moment(value, time=time)
    return format_html(
        '<span data-fact="{}" data-phase="{}" data-value="{}">{}</span>',
        fact,
        phase.pk,
        value.isoformat(timespec="seconds") if value else "",
        text,
    )
