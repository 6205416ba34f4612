"""Body of a message to a webhook."""

from datetime import datetime

from django.urls import reverse

from challenges.webhooks.domain.events import Event
from challenges.webhooks.domain.messages import chat_body, standard_body
from challenges.webhooks.models import Webhook
from web.addresses import absolute


def body_of(webhook: Webhook, event: Event, time: datetime) -> str:
    """Return the body of a message about an event, in the format of the webhook."""
    owner = webhook.owner
    if webhook.challenge is not None:
        scope, address = "challenge", reverse("challenges:organize", args=[owner.slug])
    else:
        scope, address = "call", reverse("reviews:call", args=[owner.slug])
    if webhook.body_format == Webhook.Format.CHAT:
        return chat_body(event, title=owner.title, address=absolute(address))
    return standard_body(event, time=time, scope=scope, slug=owner.slug, title=owner.title, address=absolute(address))
