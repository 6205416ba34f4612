"""Pages of webhooks for organizers and chairs."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_variables
from django.views.decorators.http import require_http_methods, require_POST
from rules import test_rule

from accounts.requests import SignedInRequest
from challenges.models import Challenge
from challenges.views.access import organizing, page_context
from challenges.webhooks.domain.events import BY_ID
from challenges.webhooks.forms import EventsForm, WebhookForm
from challenges.webhooks.models import Delivery, Webhook
from challenges.webhooks.queries import MOST_SHOWN, last_deliveries, webhooks_of
from challenges.webhooks.services import configuring
from reviews.models import Call
from reviews.views.access import call_context, call_for


def challenge_for(request: HttpRequest, slug: str) -> Challenge:
    """Return the challenge if the person adds webhooks to it.

    Raises
    ------
    Http404
        Otherwise.
    """
    challenge = organizing(request, slug)
    if not test_rule("webhooks.add_to_challenge", request.user, challenge):
        raise Http404("Page not found.")
    return challenge


def chaired_call(request: HttpRequest, slug: str) -> Call:
    """Return the call if the person adds webhooks to it.

    Raises
    ------
    Http404
        Otherwise.
    """
    call = call_for(request, slug)
    if not test_rule("webhooks.add_to_call", request.user, call):
        raise Http404("Page not found.")
    return call


def managed(request: HttpRequest, pk: Any) -> Webhook:
    """Return a webhook if the person manages it.

    Raises
    ------
    Http404
        Otherwise.
    """
    webhook = Webhook.objects.select_related("challenge", "call").filter(pk=pk).first()
    if webhook is None or not test_rule("webhooks.manage", request.user, webhook):
        raise Http404("Webhook not found.")
    return webhook


def list_address(webhook: Webhook) -> str:
    """Return the address of the page that lists a webhook."""
    return reverse(f"webhooks:{'call' if webhook.challenge is None else 'challenge'}", args=[webhook.owner.slug])


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@sensitive_variables("secret")
def challenge_webhooks(request: SignedInRequest, slug: str) -> HttpResponse:
    """Show the webhooks of a challenge and create one; the secret of a new one is in this answer and nowhere else."""
    challenge = challenge_for(request, slug)
    form, secret = _created(request, challenge)
    context = page_context(
        request,
        challenge,
        active_tab="challenges:organize",
        active_page="webhooks:challenge",
        form=form,
        secret=secret,
        webhooks=_rows(challenge),
    )
    return render(request, "webhooks/challenge.html", context)


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@sensitive_variables("secret")
def call_webhooks(request: SignedInRequest, slug: str) -> HttpResponse:
    """Show the webhooks of a call and create one; the secret of a new one is in this answer and nowhere else."""
    call = chaired_call(request, slug)
    form, secret = _created(request, call)
    context = {"form": form, "secret": secret, "webhooks": _rows(call), "title": "Webhooks"}
    return render(request, "webhooks/call.html", {**call_context(request, call, "webhooks:call"), **context})


def _created(request: SignedInRequest, owner: Challenge | Call) -> tuple[WebhookForm, str]:
    """Create the webhook of a posted form; return the form for the page and the secret, empty without one."""
    is_challenge = isinstance(owner, Challenge)
    form = WebhookForm(request.POST or None, is_challenge=is_challenge)
    if request.method != "POST" or not form.is_valid():
        return form, ""
    try:
        _, secret = configuring.create(actor=request.user, owner=owner, **form.cleaned_data)
    except ValidationError as error:
        form.add_error(None, error)
        return form, ""
    return WebhookForm(is_challenge=is_challenge), secret


def _rows(owner: Challenge | Call) -> list[dict[str, Any]]:
    return [
        {"webhook": webhook, "events": ", ".join(BY_ID[name].label for name in webhook.events if name in BY_ID)}
        for webhook in webhooks_of(owner)
    ]


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def detail(request: SignedInRequest, pk: Any) -> HttpResponse:
    """Show a webhook with its last messages, and change its events."""
    webhook = managed(request, pk)
    initial = {"events": webhook.events, "is_active": webhook.is_active}
    form = EventsForm(request.POST or None, initial=initial, is_challenge=webhook.challenge is not None)
    if request.method == "POST" and form.is_valid():
        try:
            configuring.change(actor=request.user, webhook=webhook, **form.cleaned_data)
        except ValidationError as error:
            form.add_error(None, error)
        else:
            messages.success(request, f"{webhook.name} is changed.")
            return redirect("webhooks:detail", pk=webhook.pk)
    return _detail(request, webhook, form)


def _detail(request: HttpRequest, webhook: Webhook, form: EventsForm, secret: str = "") -> HttpResponse:
    context = {
        "webhook": webhook,
        "form": form,
        "secret": secret,
        "deliveries": [
            {"delivery": row, "label": BY_ID[row.event].label if row.event in BY_ID else row.event}
            for row in last_deliveries(webhook)
        ],
        "most": MOST_SHOWN,
        "title": webhook.name,
        "trail": [(webhook.owner.title, webhook.owner.get_absolute_url()), ("Webhooks", list_address(webhook))],
    }
    return render(request, "webhooks/detail.html", context)


@login_required
@require_POST
def test(request: SignedInRequest, pk: Any) -> HttpResponse:
    """Send a test message."""
    webhook = managed(request, pk)
    try:
        configuring.send_test(actor=request.user, webhook=webhook)
        messages.success(request, "A test message is queued. Reload this page to see its result.")
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
    return redirect("webhooks:detail", pk=webhook.pk)


@login_required
@never_cache
@require_POST
@sensitive_variables("new_secret")
def secret(request: SignedInRequest, pk: Any) -> HttpResponse:
    """Replace the secret; the new one is in this answer and nowhere else."""
    webhook = managed(request, pk)
    new_secret = configuring.renew_secret(actor=request.user, webhook=webhook)
    initial = {"events": webhook.events, "is_active": webhook.is_active}
    form = EventsForm(initial=initial, is_challenge=webhook.challenge is not None)
    return _detail(request, webhook, form, new_secret)


@login_required
@require_POST
def delete(request: SignedInRequest, pk: Any) -> HttpResponse:
    """Delete a webhook."""
    webhook = managed(request, pk)
    configuring.delete(actor=request.user, webhook=webhook)
    messages.success(request, f"{webhook.name} is deleted.")
    return redirect(list_address(webhook))


@login_required
@require_POST
def send_again(request: SignedInRequest, pk: Any, delivery: Any) -> HttpResponse:
    """Send a failed message again."""
    webhook = managed(request, pk)
    row = Delivery.objects.filter(webhook=webhook, pk=delivery).first()
    if row is None:
        raise Http404("Message not found.")
    row.webhook = webhook
    try:
        configuring.send_again(actor=request.user, delivery=row)
        messages.success(request, "The message is queued again.")
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
    return redirect("webhooks:detail", pk=webhook.pk)
