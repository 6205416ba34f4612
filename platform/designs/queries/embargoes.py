"""Values that a design withholds, and the dates on which they are disclosed."""

from dataclasses import dataclass
from datetime import date

from designs.models import Design, FieldValue
from evaluation.designs.catalogue import Parameter, shipped
from evaluation.designs.checks.custom.schedule import span
from evaluation.designs.document import Document, State


@dataclass(frozen=True)
class Withheld:
    """Public information about a value under embargo.

    `opens` is the day on which the embargo ends automatically.
    It is ``None`` if the schedule does not name the event. An owner must then confirm that the event has occurred.
    """

    field: FieldValue
    parameter: Parameter
    opens: date | None

    @property
    def event(self) -> str:
        """Label of the event."""
        return next(
            (choice.label for choice in shipped()["challenge_schedule"].choices if choice.value == self.field.event),
            self.field.event,
        )


def withheld_values(design: Design, document: Document, *, public: bool) -> list[Withheld]:
    """Values that are under embargo now; with `public` without parameters that only organizers see."""
    rows = FieldValue.objects.filter(design=design, state=str(State.EMBARGOED)).select_related("task")
    return [
        Withheld(row, shipped()[row.parameter], opening_day(document, row.event))
        for row in rows.defer("value", "nonce").order_by("task__position", "parameter")
        if (row.task is None or row.task.removed_at is None)
        and (not public or shipped()[row.parameter].visibility == "public")
    ]


def opening_day(document: Document, event: str) -> date | None:
    """Return the day on which an event ends an embargo, or ``None``.

    It is ``None`` for custom events and events without a date.
    The last of several entries counts, and the last day of a month: a value is never shown too early.
    """
    kinds = {choice.label.casefold(): choice.value for choice in shipped()["challenge_schedule"].choices}
    kind = kinds.get(event.strip().casefold(), event.strip())
    days = [
        span(row["date"])[1]
        for row in document.values().rows("challenge_schedule")
        if row.get("event") == kind and row.get("date")
    ]
    return max(days, default=None)
