"""Forms in which organizers manage a leaderboard."""

from django import forms

LONGEST_FREEZE = 24 * 60


class FreezeForm(forms.Form):
    """Time at which the public ranking is frozen."""

    hours = forms.IntegerField(
        label="Freeze the public ranking so many hours before the end",
        required=False,
        min_value=1,
        max_value=LONGEST_FREEZE,
        help_text="Empty: it moves to the end. Everybody then sees the ranking as it was; you go on seeing it as it is.",
    )
