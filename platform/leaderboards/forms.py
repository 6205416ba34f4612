"""Forms in which organizers manage a leaderboard."""

from django import forms

LONGEST_FREEZE = 24 * 60


class FreezeForm(forms.Form):
    """Time at which the public ranking is frozen."""

    hours = forms.IntegerField(
        label="Freeze the public ranking (hours before the phase closes)",
        required=False,
        min_value=1,
        max_value=LONGEST_FREEZE,
        help_text=(
            "Leave empty for no freeze. While frozen, the public sees the earlier ranking and you see the current one."
        ),
    )
