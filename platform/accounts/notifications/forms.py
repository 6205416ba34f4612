"""The boundary: what people choose."""

from django import forms

from accounts.notifications.kinds import Kind
from accounts.notifications.models import How


class PreferencesForm(forms.Form):
    """One choice a kind."""

    def __init__(self, *args, kinds: list[tuple[Kind, str]], **kwargs):
        super().__init__(*args, **kwargs)
        for kind, how in kinds:
            self.fields[kind.name] = forms.ChoiceField(label=kind.title, choices=How.choices, initial=how)
