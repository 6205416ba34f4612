"""Acts on webhooks of challenges and calls."""

from typing import Any

from django.http import Http404
from django.urls import reverse
from rest_framework import serializers
from rest_framework.response import Response

from accounts.requests import SignedInApiRequest
from api.acts.base import Act, checked, described, done, form_data, plain_request, refusals, shape_of
from challenges.models import Challenge
from challenges.webhooks.domain.events import BY_ID
from challenges.webhooks.forms import EventsForm, WebhookForm
from challenges.webhooks.models import Delivery, Webhook
from challenges.webhooks.queries import last_deliveries, webhooks_of
from challenges.webhooks.services import configuring
from challenges.webhooks.views.pages import chaired_call, challenge_for, list_address, managed
from reviews.models import Call

TAG = "webhooks"
_EVENTS = {"events": serializers.ListField(child=serializers.ChoiceField(choices=[*BY_ID]), help_text="Events")}
_WEBHOOK = shape_of("Webhook", WebhookForm, **_EVENTS)
_CHANGE = shape_of("WebhookChange", EventsForm, **_EVENTS)
_EXAMPLE = {
    "name": "Channel of the organizers",
    "address": "https://hooks.example.org/services/podium",
    "body_format": "chat",
    "events": ["submission.failed", "case.reported"],
}


class WebhookListSerializer(serializers.ModelSerializer):
    """A webhook."""

    host = serializers.CharField(help_text="host of the address; the complete address is not shown")
    delivered = serializers.IntegerField(help_text="number of delivered messages of the last 30 days")
    failed = serializers.IntegerField(help_text="number of failed messages of the last 30 days")

    class Meta:
        model = Webhook
        fields = ("id", "name", "host", "body_format", "events", "is_active", "problem", "delivered", "failed")


class DeliverySerializer(serializers.ModelSerializer):
    """A message to a webhook."""

    message_id = serializers.CharField(help_text="value of the header webhook-id")

    class Meta:
        model = Delivery
        fields = ("id", "message_id", "event", "state", "status", "failure", "attempts", "created_at", "ended_at")


class WebhookDetailSerializer(serializers.ModelSerializer):
    """A webhook with its last messages."""

    host = serializers.CharField(help_text="host of the address; the complete address is not shown")
    deliveries = serializers.SerializerMethodField(help_text="the last 100 messages, the newest first")

    class Meta:
        model = Webhook
        fields = ("id", "name", "host", "body_format", "events", "is_active", "problem", "deliveries")

    def get_deliveries(self, webhook: Webhook) -> list[dict[str, Any]]:
        """Return the last messages."""
        return list(DeliverySerializer(last_deliveries(webhook), many=True).data)


class CreatedWebhookSerializer(serializers.Serializer):
    """A new secret."""

    message = serializers.CharField(help_text="the message that the page shows")
    page = serializers.CharField(help_text="address of the page of the webhook")
    id = serializers.CharField(help_text="id of the webhook")
    secret = serializers.CharField(help_text="secret for the receiving program; it is not shown again")


def _created(request: SignedInApiRequest, owner: Challenge | Call) -> Response:
    content = checked(WebhookForm(form_data(request.data), is_challenge=isinstance(owner, Challenge)))
    with refusals():
        webhook, secret = configuring.create(actor=request.user, owner=owner, **content)
    return _with_secret(f"{webhook.name} is created.", webhook, secret, status=201)


def _with_secret(message: str, webhook: Webhook, secret: str, *, status: int) -> Response:
    content = {"message": message, "page": _page(webhook), "id": str(webhook.pk), "secret": secret}
    return Response(content, status=status, headers={"Cache-Control": "no-store"})


def _page(webhook: Webhook) -> str:
    return reverse("webhooks:detail", args=[webhook.pk])


class ChallengeWebhooksView(Act):
    """Webhooks of a challenge."""

    @described("challenge_webhooks", "List webhooks of a challenge", tag=TAG, answer=WebhookListSerializer(many=True))
    def get(self, request: SignedInApiRequest, slug: str) -> Response:
        """List the webhooks of a challenge that you organize."""
        challenge = challenge_for(plain_request(request), slug)
        return Response(WebhookListSerializer(webhooks_of(challenge), many=True).data)

    @described(
        "create_challenge_webhook",
        "Create a webhook of a challenge",
        tag=TAG,
        request=_WEBHOOK,
        example=_EXAMPLE,
        answer=CreatedWebhookSerializer,
        created=True,
    )
    def post(self, request: SignedInApiRequest, slug: str) -> Response:
        """Create a webhook. The secret in the response signs its messages and is not shown again."""
        return _created(request, challenge_for(plain_request(request), slug))


class CallWebhooksView(Act):
    """Webhooks of a call."""

    @described("call_webhooks", "List webhooks of a call", tag=TAG, answer=WebhookListSerializer(many=True))
    def get(self, request: SignedInApiRequest, slug: str) -> Response:
        """List the webhooks of a call that you chair."""
        call = chaired_call(plain_request(request), slug)
        return Response(WebhookListSerializer(webhooks_of(call), many=True).data)

    @described(
        "create_call_webhook",
        "Create a webhook of a call",
        tag=TAG,
        request=_WEBHOOK,
        example={**_EXAMPLE, "events": ["design.submitted", "review.submitted"]},
        answer=CreatedWebhookSerializer,
        created=True,
    )
    def post(self, request: SignedInApiRequest, slug: str) -> Response:
        """Create a webhook. The secret in the response signs its messages and is not shown again."""
        return _created(request, chaired_call(plain_request(request), slug))


class WebhookView(Act):
    """One webhook."""

    @described("webhook", "Show a webhook", tag=TAG, answer=WebhookDetailSerializer)
    def get(self, request: SignedInApiRequest, pk: Any) -> Response:
        """Return a webhook with its last messages."""
        return Response(WebhookDetailSerializer(managed(plain_request(request), pk)).data)

    @described(
        "change_webhook",
        "Change a webhook",
        tag=TAG,
        request=_CHANGE,
        example={"events": ["ranking.computed"], "is_active": True},
    )
    def put(self, request: SignedInApiRequest, pk: Any) -> Response:
        """Change the reported events, or switch the webhook on or off."""
        webhook = managed(plain_request(request), pk)
        content = checked(EventsForm(form_data(request.data), is_challenge=webhook.challenge is not None))
        with refusals():
            configuring.change(actor=request.user, webhook=webhook, **content)
        return done(f"{webhook.name} is changed.", _page(webhook))

    @described("delete_webhook", "Delete a webhook", tag=TAG)
    def delete(self, request: SignedInApiRequest, pk: Any) -> Response:
        """Delete a webhook with its list of messages."""
        webhook = managed(plain_request(request), pk)
        configuring.delete(actor=request.user, webhook=webhook)
        return done(f"{webhook.name} is deleted.", list_address(webhook))


class WebhookTestView(Act):
    """Test messages of webhooks."""

    @described("test_webhook", "Send a test message to a webhook", tag=TAG)
    def post(self, request: SignedInApiRequest, pk: Any) -> Response:
        """Queue a test message. Its outcome is in the list of messages."""
        webhook = managed(plain_request(request), pk)
        with refusals():
            delivery = configuring.send_test(actor=request.user, webhook=webhook)
        return done("A test message is queued.", _page(webhook), key=delivery.pk)


class WebhookSecretView(Act):
    """Secrets of webhooks."""

    @described("renew_webhook_secret", "Replace the secret of a webhook", tag=TAG, answer=CreatedWebhookSerializer)
    def post(self, request: SignedInApiRequest, pk: Any) -> Response:
        """Replace the secret. Messages are signed with the new one immediately."""
        webhook = managed(plain_request(request), pk)
        secret = configuring.renew_secret(actor=request.user, webhook=webhook)
        return _with_secret(f"The secret of {webhook.name} is replaced.", webhook, secret, status=200)


class WebhookDeliveryView(Act):
    """Messages of webhooks."""

    @described("send_webhook_message_again", "Send a failed message again", tag=TAG)
    def post(self, request: SignedInApiRequest, pk: Any, delivery: Any) -> Response:
        """Queue a failed message again, with the same id."""
        webhook = managed(plain_request(request), pk)
        row = Delivery.objects.filter(webhook=webhook, pk=delivery).first()
        if row is None:
            raise Http404("Message not found.")
        row.webhook = webhook
        with refusals():
            configuring.send_again(actor=request.user, delivery=row)
        return done("The message is queued again.", _page(webhook))
