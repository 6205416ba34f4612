"""Number and time of the timestamps that third parties signed."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Max

from core.audit.models import Entry
from registry.models import Timestamp


@dataclass(frozen=True)
class Timestamps:
    """The stored timestamps.

    Attributes
    ----------
    count
        Number of timestamps.
    last
        Time of the last one, as its authority states it; None without any.
    """

    count: int
    last: datetime | None

    def __str__(self) -> str:
        if self.last is None:
            return "No timestamps of a third party."
        noun = "timestamp" if self.count == 1 else "timestamps"
        return f"{self.count} {noun} of a third party, the last of {self.last:%Y-%m-%d %H:%M} UTC."


def stored_timestamps() -> Timestamps:
    """Return number and last time of the stored timestamps."""
    return Timestamps(**Timestamp.objects.aggregate(count=Count("pk"), last=Max("time")))


def missing_timestamps() -> list[str]:
    """Return the keys of timestamps that the audit log names and that are not stored any more."""
    present = {str(key) for key in Timestamp.objects.values_list("pk", flat=True)}
    named = Entry.objects.filter(act="timestamp_obtained").order_by("sequence").values_list("subject_id", flat=True)
    return [key for key in named if key not in present]
