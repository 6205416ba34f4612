"""The boundary: what people type."""

from django import forms


class LaunchForm(forms.Form):
    """Launch a challenge from its registration: everything else is registered."""

    slug = forms.SlugField(
        label="Address",
        max_length=80,
        help_text="The last part of the challenge's address. It cannot be changed later.",
    )
    is_closed = forms.BooleanField(
        label="Closed challenge",
        required=False,
        help_text="Only members and invited people see it. Its address gets a random ending. You can open it later.",
    )
