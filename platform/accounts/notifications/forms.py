"""The boundary: what people choose."""

from collections.abc import Iterable
from typing import Any

from django import forms
from django.forms import BoundField

from accounts.notifications.hooks import HeldRole
from accounts.notifications.kinds import Kind
from accounts.notifications.models import How
from accounts.notifications.queries import MutablePlace

PAUSE = "pause"


class PreferencesForm(forms.Form):
    """A choice per kind of message, a tick per muted challenge, and the pause of all e-mails."""

    pause = forms.BooleanField(
        label="Pause all e-mails", required=False, help_text="Notifications still appear on the site."
    )

    def __init__(
        self,
        *args: Any,
        kinds: Iterable[tuple[Kind, str]],
        places: Iterable[MutablePlace] = (),
        is_paused: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.kinds = [kind for kind, _ in kinds]
        self.places = {f"mute:{entry.path}{entry.scope}": entry for entry in places}
        self.fields[PAUSE].initial = is_paused
        for kind, how in kinds:
            self.fields[kind.name] = forms.ChoiceField(
                label=kind.title, choices=How.choices, initial=how, widget=forms.RadioSelect
            )
        for key, entry in self.places.items():
            self.fields[key] = forms.BooleanField(label=entry.name, required=False, initial=entry.is_muted)

    def groups(self, roles: Iterable[HeldRole]) -> list[tuple[str, list[BoundField]]]:
        """Return the choices of each role, with its heading."""
        groups = [(role.title, [self[kind.name] for kind in self.kinds if kind.role == role.role]) for role in roles]
        return [(title, fields) for title, fields in groups if fields]

    def mutes(self) -> list[BoundField]:
        """Return the ticks of challenges."""
        return [self[key] for key in self.places]
