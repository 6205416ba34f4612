"""The boundary: what people type."""

from django import forms


class LaunchForm(forms.Form):
    """Launch a challenge from its registration: everything else is registered."""

    slug = forms.SlugField(
        label="Address",
        max_length=80,
        help_text="The last part of the challenge's address. It cannot be changed later.",
    )
