"""Invitations of reviewers by e-mail."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST

from accounts.people.models import Invitation
from accounts.people.queries import open_invitation
from accounts.people.services import invitations
from accounts.people.tables import letter_message
from accounts.requests import SignedInRequest
from reviews.contributions.invitations import REVIEWER_INVITATIONS
from reviews.forms import InvitationForm
from reviews.models import Call
from reviews.views.access import call_context, call_for
from reviews.views.letters import ShownLetter, lettered
from reviews.views.people import people_page


@login_required
@require_POST
def invite(request: SignedInRequest, slug: str) -> HttpResponse:
    """Show the letter to all invited reviewers; a second POST request sends it to each separately."""
    call = call_for(request, slug, "chair_call")
    form = InvitationForm(request.POST)
    if not form.is_valid():
        for errors in form.errors.values():
            messages.error(request, " ".join(map(str, errors)))
        return redirect("reviews:people", call.slug)
    if "change" in request.POST:
        emails = "\n".join(form.cleaned_data["emails"])
        return people_page(request, call, InvitationForm(initial={**form.cleaned_data, "emails": emails}))
    if "confirmed" not in request.POST:
        return _previewed(request, call, form.cleaned_data["emails"], form.cleaned_data["part"])
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


def _previewed(request: SignedInRequest, call: Call, emails: list[str], part: str) -> HttpResponse:
    """The letter, for those who can be invited, with why the others cannot."""
    invited, problems = [], []
    for email in emails:
        try:
            REVIEWER_INVITATIONS.check(call, email=email, role=part)
        except ValidationError as error:
            problems.append(f"{email}: {' '.join(error.messages)}")
        else:
            invited.append(email)
    draft = Invitation(email="", role=part, invited_by=request.user)
    letter = REVIEWER_INVITATIONS.letter(draft, target=call, link="[the link of this invitation]")
    preview = ShownLetter(to=", ".join(invited), subject=letter.subject, text=letter.context["text"])
    number = len(invited)
    return lettered(
        request,
        call_context(request, call, "people"),
        heading=f"{number} invitation{'' if number == 1 else 's'}",
        letters=[preview] if invited else [],
        none="None of these people can be invited.",
        submit="Send the invitations" if number > 1 else "Send the invitation",
        back=reverse("reviews:people", args=[call.slug]),
        hidden_fields={"emails": [" ".join(invited)], "part": [part]},
        can_change=True,
        kind="invitation",
        problems=problems,
        note="Each gets it by themselves, with a link of their own." if number > 1 else "",
    )


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
