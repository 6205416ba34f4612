"""Invitations of reviewers by e-mail."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST

from reviews.forms import InvitationForm
from reviews.models import ReviewerInvitation
from reviews.services import reviewers
from reviews.views.access import call_for

TOKEN = "token"  # noqa: S105 (a place, not a secret)


@login_required
@require_POST
def invite(request: HttpRequest, slug: str) -> HttpResponse:
    """Invite people to review; each gets a letter of their own."""
    call = call_for(request, slug, "chair_call")
    form = InvitationForm(request.POST)
    if not form.is_valid():
        for errors in form.errors.values():
            messages.error(request, " ".join(errors))
        return redirect("reviews:people", call.slug)
    path = reverse("reviews:invitation", args=[TOKEN]).replace(f"/{TOKEN}/", "/{token}/")
    sent = 0
    for email in form.cleaned_data["emails"]:
        try:
            _, goes_out = reviewers.invite_reviewer(
                actor=request.user, call=call, email=email, part=form.cleaned_data["part"], path=path
            )
        except ValidationError as error:
            messages.warning(request, f"{email}: {' '.join(error.messages)}")
            continue
        if goes_out:
            sent += 1
        else:
            messages.warning(request, f"{email} does not want invitations from here; nothing was sent.")
    if sent:
        messages.success(request, f"{sent} invitation{'s' if sent > 1 else ''} sent.")
    return redirect("reviews:people", call.slug)


@login_required
@require_POST
def close(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Withdraw an invitation."""
    call = call_for(request, slug, "chair_call")
    reviewers.close_invitation(actor=request.user, invitation=get_object_or_404(ReviewerInvitation, call=call, pk=pk))
    messages.success(request, "The invitation is withdrawn; its link stopped working.")
    return redirect("reviews:people", call.slug)


def accept(request: HttpRequest, token: str) -> HttpResponse:
    """Accept or refuse an invitation; refusing needs no account."""
    invitation = reviewers.open_invitation(token)
    if request.method == "POST" and invitation is not None:
        if request.POST.get("act") == "refuse":
            actor = request.user if request.user.is_authenticated else None
            reviewers.close_invitation(actor=actor, invitation=invitation)
            messages.success(request, "The chairs see that you cannot review this time.")
            return redirect("reviews:calls")
        if request.user.is_authenticated:
            try:
                person = reviewers.accept_invitation(user=request.user, token=token)
            except ValidationError as error:
                messages.error(request, " ".join(error.messages))
            else:
                messages.success(request, "Thank you. Say what you know, so that fitting designs come to you.")
                return redirect("reviews:reviewer", person.call.slug, person.pk)
    return render(
        request,
        "reviews/invitation.html",
        {"invitation": invitation, "trail": [("Calls", reverse("reviews:calls"))]},
        status=200 if invitation else 404,
    )
