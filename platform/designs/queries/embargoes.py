"""What a design withholds, and when it opens."""

from dataclasses import dataclass
from datetime import date

from designs.models import Design, FieldValue
from evaluation.designs.catalogue import Parameter, shipped
from evaluation.designs.checks.custom.schedule import span
from evaluation.designs.document import Document, State


@dataclass(frozen=True)
class Withheld:
    """A value under embargo: what everybody may know of it.

    `opens` is the day on which it opens by itself; ``None`` where the schedule does not name the event, so that an owner
    has to say that it has come.
    """

    field: FieldValue
    parameter: Parameter
    opens: date | None

    @property
    def event(self) -> str:
        """The event in words."""
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
    """The day on which an event lets an embargo open; ``None`` for events in own words or without a date.

    Of several entries the last counts, and of a month its last day: a value is never shown too early.
    """
    kinds = {choice.label.casefold(): choice.value for choice in shipped()["challenge_schedule"].choices}
    kind = kinds.get(event.strip().casefold(), event.strip())
    days = [
        span(row["date"])[1]
        for row in document.values().rows("challenge_schedule")
        if row.get("event") == kind and row.get("date")
    ]
    return max(days, default=None)
