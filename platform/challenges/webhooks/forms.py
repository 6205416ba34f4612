"""Forms about webhooks."""

from typing import Any

from django import forms

from challenges.webhooks.domain.events import CALL_EVENTS, CHALLENGE_EVENTS
from challenges.webhooks.models import Webhook
from web.names import NameField


def _choices(*, is_challenge: bool) -> list[tuple[str, str]]:
    return [(event.id, event.label) for event in (CHALLENGE_EVENTS if is_challenge else CALL_EVENTS)]


class EventsForm(forms.Form):
    """Reported events of a webhook, and whether it is on."""

    events = forms.MultipleChoiceField(label="Events to report", widget=forms.CheckboxSelectMultiple)
    is_active = forms.BooleanField(label="Send messages", required=False)

    def __init__(self, *args: Any, is_challenge: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["events"].choices = _choices(is_challenge=is_challenge)  # type: ignore[attr-defined]


class WebhookForm(forms.Form):
    """Create a webhook."""

    name = NameField(label="Name", max_length=80, help_text="Name of the receiving program or channel.")
    address = forms.URLField(
        label="Address",
        max_length=500,
        assume_scheme="https",
        help_text="Address of the program, beginning with https://.",
    )
    body_format = forms.ChoiceField(label="Format", choices=Webhook.Format.choices, initial=Webhook.Format.STANDARD)
    events = forms.MultipleChoiceField(label="Events", widget=forms.CheckboxSelectMultiple)

    def __init__(self, *args: Any, is_challenge: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["events"].choices = _choices(is_challenge=is_challenge)  # type: ignore[attr-defined]
