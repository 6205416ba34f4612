"""The form of a later deadline."""

from datetime import timedelta
from typing import Any

from django import forms

from challenges.models import Phase

MOST_DAYS = 366


class DaysForm(forms.Form):
    """A later deadline: a number of days, or the new date."""

    days = forms.IntegerField(required=False, min_value=1, max_value=MOST_DAYS)
    until = forms.DateField(
        label="Another date",
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}),
        help_text="The time of day stays the same.",
    )

    def __init__(self, *arguments: Any, phase: Phase, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.phase = phase
        first = phase.ends_at.date() + timedelta(days=1)
        self.fields["until"].widget.attrs["min"] = first.isoformat()

    def clean(self) -> dict[str, Any]:
        """Turn a date into a number of days."""
        cleaned = super().clean() or {}
        until, days = cleaned.get("until"), cleaned.get("days")
        if days is None and until is not None:
            days = (until - self.phase.ends_at.date()).days
            if not 1 <= days <= MOST_DAYS:
                self.add_error("until", "Choose a date after the current deadline, within a year of it.")
        elif days is None and not self.errors:
            self.add_error("until", "Choose how much later the phase closes.")
        return {**cleaned, "days": days}


class MoveForm(forms.Form):
    """The reason of a later deadline."""

    reason = forms.CharField(
        label="Reason",
        max_length=500,
        initial="More time to submit.",
        help_text="Public, and part of the message to participants.",
    )
