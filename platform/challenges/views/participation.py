"""Joining, the own team, invitations."""

import uuid
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied, ValidationError
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe
from rules import test_rule

from challenges import hooks, queries
from challenges.models import Challenge, Invitation, Member, Participation, Team
from challenges.participation_forms import ConsentForm, InviteForm, TeamForm, cleaned
from challenges.queries import people
from challenges.services import participation as services
from challenges.views.pages import challenge_context


@login_required
def join(request: HttpRequest, slug: str) -> HttpResponse:
    """From the terms to a team: whatever is the next step for this person."""
    challenge = queries.visible_challenge(request.user, slug)
    part = people.participation_of(request.user, challenge)
    terms = people.terms_of(challenge)
    if queries.team_of(request.user, challenge):
        if terms is None or (part is not None and part.terms == terms):
            messages.info(request, "You already take part in this challenge.")
            return redirect(challenge)
        return _consent(request, challenge, terms, with_team=False)
    if not request.user.has_perm("challenges.join_challenge", challenge):
        raise PermissionDenied("Organizers of a challenge do not take part in it.")
    if part is None or (part.state == Participation.State.APPROVED and part.terms != terms):
        return _consent(request, challenge, terms, with_team=True)
    if part.state != Participation.State.APPROVED:
        return render(
            request, "challenges/participation/waiting.html", {**challenge_context(request, challenge), "part": part}
        )
    form = TeamForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            team = services.form_team(user=request.user, challenge=challenge, team_name=form.cleaned_data["team_name"])
        except ValidationError as error:
            form.add_error(None, error)
        else:
            messages.success(request, f"You take part with the team {team.name}.")
            return redirect("submissions:submit", slug=slug)
    return render(
        request, "challenges/join.html", {**challenge_context(request, challenge), "form": form, "terms": terms}
    )


def _consent(request: HttpRequest, challenge: Challenge, terms: Any, *, with_team: bool) -> HttpResponse:
    initial = {"affiliation": request.user.affiliation, "orcid": request.user.orcid}
    form = ConsentForm(request.POST or None, terms=terms, with_team=with_team, initial=initial)
    if request.method == "POST" and form.is_valid():
        try:
            with transaction.atomic():
                part = _accept(request, challenge, terms, form)
                team = None
                if "team_name" in form.fields and part.state == Participation.State.APPROVED:
                    team = services.form_team(
                        user=request.user, challenge=challenge, team_name=form.cleaned_data["team_name"]
                    )
        except ValidationError as error:
            form.add_error(None, error)
        else:
            if team is not None:
                messages.success(request, f"You take part with the team {team.name}.")
                return redirect("submissions:submit", slug=challenge.slug)
            if part.state == Participation.State.PENDING:
                messages.success(request, "Your request has been sent to the organizers.")
            else:
                messages.success(request, "You have accepted the terms.")
            return redirect("challenges:team" if not with_team else "challenges:join", slug=challenge.slug)
    return render(
        request, "challenges/join.html", {**challenge_context(request, challenge), "form": form, "terms": terms}
    )


def _accept(request: HttpRequest, challenge: Challenge, terms: Any, form: ConsentForm) -> Participation:
    """Store the consent, to the version that the person has read."""
    read = form.cleaned_data.get("version")
    if read is not None and (terms is None or read != terms.version):
        raise ValidationError("The terms have changed while you were reading. Please read them again.")
    return services.take_part(
        user=request.user,
        challenge=challenge,
        terms=terms,
        affiliation=form.cleaned_data["affiliation"],
        orcid=form.cleaned_data["orcid"],
        message=form.cleaned_data.get("message", ""),
    )


@login_required
@never_cache
def invitation(request: HttpRequest, slug: str, secret: str) -> HttpResponse:
    """Join a team by the link of an invitation."""
    challenge = queries.visible_challenge(request.user, slug)
    entry = services.invitation_of(challenge, secret)
    if entry is None:
        raise Http404("This invitation is no longer open. Ask the captain for a new one.")
    if not request.user.has_perm("challenges.join_challenge", challenge):
        raise PermissionDenied("You take part already, or organize this challenge.")
    terms = people.terms_of(challenge)
    part = people.participation_of(request.user, challenge)
    needs_consent = part is None or (part.state == Participation.State.APPROVED and part.terms != terms)
    initial = {"affiliation": request.user.affiliation, "orcid": request.user.orcid}
    form = ConsentForm(request.POST or None, terms=terms, with_team=False, initial=initial) if needs_consent else None
    if request.method == "POST":
        accept = request.POST.get("answer") == "accept"
        try:
            if not accept:
                services.answer_invitation(user=request.user, invitation=entry, accept=False)
                messages.info(request, "You have declined the invitation.")
                return redirect(challenge)
            if form is None or form.is_valid():
                # The consent stays when organizers have to let the person in first.
                if form is not None:
                    part = _accept(request, challenge, terms, form)
                if part.state == Participation.State.PENDING:
                    messages.info(
                        request, "The organizers let people in one by one. Open the link again when they have."
                    )
                    return redirect("challenges:join", slug=slug)
                team = services.answer_invitation(user=request.user, invitation=entry, accept=True)
                messages.success(request, f"You are in the team {team.name}.")
                return redirect("challenges:team", slug=slug)
        except ValidationError as error:
            messages.error(request, " ".join(error.messages))
    return render(
        request,
        "challenges/participation/invitation.html",
        {**challenge_context(request, challenge), "invitation": entry, "form": form, "terms": terms},
    )


@login_required
@require_safe
def team(request: HttpRequest, slug: str) -> HttpResponse:
    """The own team: who is in it, who is invited, and the way out."""
    challenge, own, member = _own_team(request, slug)
    part = people.participation_of(request.user, challenge)
    terms = people.terms_of(challenge)
    return render(
        request,
        "challenges/participation/team.html",
        {
            **challenge_context(request, challenge),
            "member": member,
            "members": own.members.select_related("user"),
            "invitations": own.invitations.filter(state=Invitation.State.OPEN),
            "leads": test_rule("challenges.lead_team", request.user, own),
            "submitted": hooks.has_submitted(own),
            "part": part,
            "terms": terms,
            "outdated": terms is not None and (part is None or part.terms != terms),
            "form": InviteForm(),
        },
    )


@login_required
@require_POST
def change_team(request: HttpRequest, slug: str, act: str) -> HttpResponse:
    """Invite, withdraw an invitation, remove, hand over (captain), leave (each member)."""
    challenge, own, member = _own_team(request, slug)
    if act not in ("invite", "withdraw", "remove", "captain", "leave"):
        raise Http404("There is no such act.")
    if act != "leave" and not test_rule("challenges.lead_team", request.user, own):
        raise PermissionDenied("Only the captain of the team does that.")
    try:
        if act == "invite":
            email = cleaned(InviteForm(request.POST))["email"]
            services.invite(actor=request.user, team=own, email=email)
            messages.success(request, f"An invitation is on its way to {email}.")
        elif act == "withdraw":
            entry = get_object_or_404(Invitation, pk=_uuid(request.POST.get("invitation")), team=own)
            services.withdraw_invitation(actor=request.user, invitation=entry)
            messages.success(request, "The invitation is withdrawn.")
        elif act == "leave":
            services.leave(user=request.user, member=member)
            messages.success(request, f"You have left the team {own.name}.")
            return redirect(challenge)
        else:
            other = get_object_or_404(Member, pk=_number(request.POST.get("member")), team=own)
            if act == "remove":
                services.leave(user=other.user, member=other, actor=request.user)
                messages.success(request, f"{other.user.display_name} is no longer in the team.")
            else:
                services.hand_over(actor=request.user, team=own, member=other)
                messages.success(request, f"{other.user.display_name} is the captain now.")
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
    return redirect("challenges:team", slug=slug)


def _own_team(request: HttpRequest, slug: str) -> tuple[Challenge, Team, Member]:
    challenge = queries.visible_challenge(request.user, slug)
    member = people.member_of(request.user, challenge)
    if member is None:
        raise PermissionDenied("You belong to no team of this challenge.")
    return challenge, member.team, member


def _number(text: str | None) -> int:
    if not text or not text.isascii() or not text.isdigit() or len(text) > 18:
        raise Http404("There is no such entry.")
    return int(text)


def _uuid(text: str | None) -> str:
    try:
        return str(uuid.UUID(text or ""))
    except ValueError:
        raise Http404("There is no such invitation.") from None
