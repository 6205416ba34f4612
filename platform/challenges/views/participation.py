"""Joining, the own team, invitations."""

from collections.abc import Sequence
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied, ValidationError
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe
from rules import test_rule

from accounts.people.models import Invitation
from accounts.people.services import invitations
from accounts.people.tables import invitation_rows, letter_message
from accounts.requests import SignedInRequest
from challenges import hooks, queries
from challenges.contributions.invitations import TEAM_INVITATIONS
from challenges.forms.participation import ConsentForm, InviteForm, TeamForm, cleaned
from challenges.models import Challenge, Member, Participation, Task, Team
from challenges.queries import people
from challenges.queries.leaving import seats_kept
from challenges.services import participation, teams
from challenges.views.pages import challenge_context


@login_required
def join(request: SignedInRequest, slug: str) -> HttpResponse:
    """Show the next step of this person on the way from the terms to a team."""
    challenge = queries.visible_challenge(request.user, slug)
    part = people.participation_of(request.user, challenge)
    terms = people.terms_of(challenge)
    memberships = people.memberships_of(request.user, challenge)
    may_join = request.user.has_perm("challenges.join_challenge", challenge)
    if memberships and not (terms is None or (part is not None and part.terms == terms)):
        return _consent(request, challenge, terms, ())
    if memberships and not may_join:
        messages.info(request, "You already take part in this challenge.")
        return redirect(challenge)
    if not may_join:
        raise PermissionDenied("Organizers of a challenge do not take part in it.")
    tasks = people.free_tasks(request.user, challenge)
    if not memberships and (left := seats_kept(request.user, challenge)) and not tasks:
        return render(
            request, "challenges/participation/left.html", {**challenge_context(request, challenge), "seats": left}
        )
    if part is None or (part.state == Participation.State.APPROVED and part.terms != terms):
        return _consent(request, challenge, terms, tasks)
    if part.state != Participation.State.APPROVED:
        return render(
            request, "challenges/participation/waiting.html", {**challenge_context(request, challenge), "part": part}
        )
    form = TeamForm(request.POST or None, tasks=tasks, several=len(tasks) > 1 or bool(memberships))
    if request.method == "POST" and form.is_valid():
        try:
            team = _formed(request, challenge, form.cleaned_data, tasks)
        except ValidationError as error:
            form.add_error(None, error)
        else:
            messages.success(request, f"You take part with the team {team.name}.")
            return redirect("submissions:submit", slug=slug)
    return render(
        request, "challenges/join.html", {**challenge_context(request, challenge), "form": form, "terms": terms}
    )


def _consent(request: SignedInRequest, challenge: Challenge, terms: Any, tasks: Sequence[Task]) -> HttpResponse:
    """Ask for the consent; with a team of one's own where there are tasks to form it for."""
    initial = {"affiliation": request.user.affiliation, "orcid": request.user.orcid}
    form = ConsentForm(request.POST or None, terms=terms, with_team=bool(tasks), tasks=tasks, initial=initial)
    if request.method == "POST" and form.is_valid():
        try:
            with transaction.atomic():
                part = _accept(request, challenge, terms, form)
                team = None
                if "team_name" in form.fields and part.state == Participation.State.APPROVED:
                    team = _formed(request, challenge, form.cleaned_data, tasks)
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
            return redirect("challenges:join" if tasks else "challenges:team", slug=challenge.slug)
    return render(
        request, "challenges/join.html", {**challenge_context(request, challenge), "form": form, "terms": terms}
    )


def _formed(request: SignedInRequest, challenge: Challenge, answers: dict[str, Any], free: Sequence[Task]) -> Team:
    return teams.form_team(
        user=request.user, challenge=challenge, team_name=answers["team_name"], tasks=answers.get("tasks") or free
    )


def _accept(request: SignedInRequest, challenge: Challenge, terms: Any, form: ConsentForm) -> Participation:
    """Store the consent, to the version that the person has read."""
    read = form.cleaned_data.get("version")
    if read is not None and (terms is None or read != terms.version):
        raise ValidationError("The terms have changed while you were reading. Please read them again.")
    return participation.take_part(
        user=request.user,
        challenge=challenge,
        terms=terms,
        affiliation=form.cleaned_data["affiliation"],
        orcid=form.cleaned_data["orcid"],
        message=form.cleaned_data.get("message", ""),
    )


@login_required
@never_cache
def invitation(request: SignedInRequest, slug: str, secret: str) -> HttpResponse:
    """Join a team by the link of an invitation."""
    challenge = queries.visible_challenge(request.user, slug)
    entry = people.invitation_of(challenge, secret)
    if entry is None:
        return _no_longer_open(request, challenge)
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
                invitations.decline(user=request.user, token=secret, into=Team)
                messages.info(request, "You have declined the invitation.")
                return redirect(challenge)
            if form is None or form.is_valid():
                # The consent stays when organizers have to let the person in first.
                if form is not None:
                    part = _accept(request, challenge, terms, form)
                if part is not None and part.state == Participation.State.PENDING:
                    messages.info(
                        request, "The organizers let people in one by one. Open the link again when they have."
                    )
                    return redirect("challenges:join", slug=slug)
                team = invitations.accept(user=request.user, token=secret, into=Team).team
                messages.success(request, f"You are in the team {team.name}.")
                return redirect("challenges:team", slug=slug)
        except ValidationError as error:
            messages.error(request, " ".join(error.messages))
    return render(
        request,
        "challenges/participation/invitation.html",
        {
            **challenge_context(request, challenge),
            "invitation": entry,
            "form": form,
            "terms": terms,
            "team": entry.target,
            "team_tasks": entry.target.tasks.all() if entry.target else (),
            "several_tasks": challenge.tasks.count() > 1,
        },
    )


def _no_longer_open(request: HttpRequest, challenge: Challenge) -> HttpResponse:
    """Respond to a closed invitation without revealing its outcome; members of a team are sent to the team."""
    if people.memberships_of(request.user, challenge):
        messages.info(request, "This invitation is no longer open. You are in a team of this challenge.")
        return redirect("challenges:team", slug=challenge.slug)
    context = challenge_context(request, challenge)
    return render(request, "challenges/participation/closed_invitation.html", context, status=404)


@login_required
@require_safe
def team(request: HttpRequest, slug: str) -> HttpResponse:
    """The own team: who is in it, who is invited, its tasks, and the way out."""
    challenge, member, memberships = _own_team(request, slug, request.GET.get("team"))
    part = people.participation_of(request.user, challenge)
    terms = people.terms_of(challenge)
    handed = hooks.handed_in(member.team)
    leads = test_rule("challenges.lead_team", request.user, member.team)
    tasks = list(challenge.tasks.all())
    entered = {task.pk for task in member.team.tasks.all()}
    return render(
        request,
        "challenges/participation/team.html",
        {
            **challenge_context(request, challenge),
            "team": member.team,
            "teams": [row.team for row in memberships],
            "member": member,
            "members": member.team.members.select_related("user"),
            "invitations": invitation_rows(
                TEAM_INVITATIONS,
                member.team.invitations.filter(state=Invitation.State.OPEN),
                withdraw_path=lambda _: reverse("challenges:change_team", args=[slug, "withdraw"]),
                fields={"team": member.team.slug},
            )
            if leads
            else [],
            "leads": leads,
            "submitted": bool(handed.tasks),
            "tasks": [(task, task.pk in entered, task.pk in handed.tasks) for task in tasks] if len(tasks) > 1 else [],
            "may_join": len(tasks) > 1 and request.user.has_perm("challenges.join_challenge", challenge),
            "part": part,
            "terms": terms,
            "outdated": terms is not None and (part is None or part.terms != terms),
            "form": InviteForm(),
        },
    )


ACTS = ("invite", "withdraw", "remove", "captain", "leave", "enter", "drop")


@login_required
@require_POST
def change_team(request: SignedInRequest, slug: str, act: str) -> HttpResponse:
    """Invite, withdraw an invitation, remove, hand over, enter or drop a task (captain), leave (each member)."""
    challenge, member, _ = _own_team(request, slug, request.POST.get("team"))
    if act not in ACTS:
        raise Http404("There is no such act.")
    if act != "leave" and not test_rule("challenges.lead_team", request.user, member.team):
        raise PermissionDenied("Only the captain of the team does that.")
    try:
        message_text = _done(request, act, member)
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
    else:
        messages.success(request, message_text)
        if act == "leave":
            return redirect(challenge)
    return redirect(f"{reverse('challenges:team', args=[slug])}?team={member.team.slug}")


def _done(request: SignedInRequest, act: str, member: Member) -> str:
    """Perform one act on a team and return a message about it."""
    own_team = member.team
    if act == "invite":
        email = cleaned(InviteForm(request.POST))["email"]
        entry = invitations.invite(actor=request.user, target=own_team, email=email, role=Member.Role.MEMBER)
        return letter_message(entry)[1]
    if act == "withdraw":
        entry = get_object_or_404(own_team.invitations, pk=_number(request.POST.get("invitation")))
        invitations.withdraw(actor=request.user, invitation=entry)
        return "The invitation is withdrawn."
    if act == "leave":
        teams.leave(user=request.user, member=member)
        return f"You have left the team {own_team.name}."
    if act in ("enter", "drop"):
        task = get_object_or_404(Task, pk=_number(request.POST.get("task")), challenge=own_team.challenge_id)
        change = teams.enter_task if act == "enter" else teams.drop_task
        change(actor=request.user, team=own_team, task=task)
        return f"The team takes part in {task.name}{'' if act == 'enter' else ' no longer'}."
    other = get_object_or_404(Member, pk=_number(request.POST.get("member")), team=own_team)
    if act == "remove":
        teams.leave(user=other.user, member=other, actor=request.user)
        return f"{other.user.display_name} is no longer in the team."
    teams.hand_over(actor=request.user, team=own_team, member=other)
    return f"{other.user.display_name} is the captain now."


def _own_team(request: HttpRequest, slug: str, wanted: str | None) -> tuple[Challenge, Member, list[Member]]:
    """Return the challenge, the requested membership and all memberships of the person.

    The team's short name selects the membership; without a name, it is the first one.
    """
    challenge = queries.visible_challenge(request.user, slug)
    memberships = people.memberships_of(request.user, challenge)
    if not memberships:
        raise PermissionDenied("You belong to no team of this challenge.")
    member = memberships[0] if not wanted else next((row for row in memberships if row.team.slug == wanted), None)
    if member is None:
        raise Http404("You belong to no such team.")
    return challenge, member, memberships


def _number(text: str | None) -> int:
    if not text or not text.isascii() or not text.isdigit() or len(text) > 18:
        raise Http404("There is no such entry.")
    return int(text)
