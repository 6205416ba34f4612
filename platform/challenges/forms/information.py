"""Form for a page of organizers."""

from django import forms

from challenges.services.information import MOST
from web.names import NameField


class InformationPageForm(forms.Form):
    """Title, text and position of a page."""

    title = NameField(label="Title", max_length=60, help_text="Such as FAQ, Prizes or Sponsors.")
    text = forms.CharField(
        label="Text",
        max_length=20_000,
        widget=forms.Textarea(attrs={"rows": 14}),
        help_text="Markdown. Rules and scoring come from the registered design, not from this page.",
    )
    position = forms.TypedChoiceField(
        label="Position", choices=[(number, str(number)) for number in range(1, MOST + 1)], coerce=int, initial=1
    )
