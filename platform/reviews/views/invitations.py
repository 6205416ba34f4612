"""Invitations of reviewers by e-mail."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST

from accounts.requests import SignedInRequest
from people.queries import open_invitation
from people.services import invitations
from people.tables import letter_message
from reviews.contributions.invitations import REVIEWER_INVITATIONS
from reviews.forms import InvitationForm
from reviews.models import Call
from reviews.views.access import call_for


@login_required
@require_POST
def invite(request: SignedInRequest, slug: str) -> HttpResponse:
    """Invite people to review; each gets a letter of their own."""
    call = call_for(request, slug, "chair_call")
    form = InvitationForm(request.POST)
    if not form.is_valid():
        for errors in form.errors.values():
            messages.error(request, " ".join(map(str, errors)))
        return redirect("reviews:people", call.slug)
    sent = 0
    for email in form.cleaned_data["emails"]:
        try:
            invitation = invitations.invite(
                actor=request.user, target=call, email=email, role=form.cleaned_data["part"]
            )
        except ValidationError as error:
            messages.warning(request, f"{email}: {' '.join(error.messages)}")
            continue
        if invitation.is_mailed:
            sent += 1
        else:
            messages.add_message(request, *letter_message(invitation))
    if sent:
        messages.success(request, f"{sent} invitation{'s' if sent > 1 else ''} sent.")
    return redirect("reviews:people", call.slug)


@login_required
@require_POST
def close(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Withdraw an invitation."""
    call = call_for(request, slug, "chair_call")
    invitations.withdraw(actor=request.user, invitation=get_object_or_404(call.invitations, pk=pk))
    messages.success(request, "The invitation is withdrawn; its link stopped working.")
    return redirect("reviews:people", call.slug)


def accept(request: HttpRequest, token: str) -> HttpResponse:
    """Accept or refuse an invitation; refusing needs no account."""
    invitation = open_invitation(token, into=Call)
    if request.method == "POST" and invitation is not None:
        user = request.user if request.user.is_authenticated else None
        try:
            if request.POST.get("act") == "refuse":
                invitations.decline(user=user, token=token, into=Call)
                messages.success(request, "The chairs see that you cannot review this time.")
                return redirect("reviews:calls")
            if user is not None:
                person = invitations.accept(user=user, token=token, into=Call)
                messages.success(request, "Thank you. Say what you know, so that fitting designs come to you.")
                return redirect("reviews:reviewer", person.call.slug, person.pk)
        except ValidationError as error:
            messages.error(request, " ".join(error.messages))
    return render(
        request,
        "reviews/invitation.html",
        {
            "invitation": invitation,
            "role": REVIEWER_INVITATIONS.roles[invitation.role] if invitation else "",
            "trail": [("Calls", reverse("reviews:calls"))],
        },
        status=200 if invitation else 404,
    )
