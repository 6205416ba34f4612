"""Pages of organizers about people: requests, teams, concerns, roles, terms."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied, ValidationError
from django.core.paginator import Page, Paginator
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe

from accounts.requests import SignedInRequest
from challenges import queries
from challenges.forms.participation import BaselineForm, OrganizerForm, StandingForm, TermsForm, cleaned
from challenges.models import Challenge, Concern, Organizer, Participation, Team
from challenges.queries import people
from challenges.queries.conflicts import registered_people
from challenges.services import concerns, participation, roles
from challenges.views.pages import challenge_context
from web.spreadsheets import csv_file

PER_PAGE = 50
CONCERNS_PER_PAGE = 20


def _organized(request: HttpRequest, slug: str, perm: str = "challenges.decide_people") -> Challenge:
    challenge = queries.visible_challenge(request.user, slug)
    if not request.user.has_perm(perm, challenge):
        raise PermissionDenied("This page is for the organizers of the challenge.")
    return challenge


@login_required
@require_safe
def overview(request: HttpRequest, slug: str) -> HttpResponse:
    """Everything about people that there is to decide."""
    challenge = _organized(request, slug)
    terms = people.terms_of(challenge)
    words = request.GET.get("q", "").strip()[:100]
    registered = registered_people(challenge)
    # What is registered is proposed; it holds once an organizer has made it the first version.
    proposed = {"agreement": registered.agreement, "requires_method": registered.asks_for_methods}
    return render(
        request,
        "challenges/participation/people.html",
        {
            **challenge_context(request, challenge),
            "active_tab": "challenges:organize",
            "pending": _page(request, people.requests_of(challenge), "requests"),
            "concerns": _page(request, people.concerns_of(challenge), "concerns", CONCERNS_PER_PAGE),
            "entries": _page(request, people.teams_for_organizers(challenge, words=words), "teams"),
            "words": words,
            "organizers": Organizer.objects.filter(challenge=challenge).select_related("user").order_by("pk"),
            "terms": terms,
            "policy": registered.policy.replace("_", " "),
            "consequence": Team.Standing(registered.consequence).label if registered.consequence else "",
            "terms_form": TermsForm(initial=terms.__dict__ if terms else proposed, registered=challenge.agreement),
            "standing_form": StandingForm(),
            "baseline_form": BaselineForm(prefix="baseline"),
            "organizer_form": OrganizerForm(),
            "writers": people.writers_without_part(challenge),
            "may_disqualify": request.user.has_perm("challenges.disqualify_team", challenge),
            "may_choose": request.user.has_perm("challenges.choose_organizers", challenge),
        },
    )


@login_required
@require_POST
def decide(request: SignedInRequest, slug: str) -> HttpResponse:
    """Let the chosen people in, or decline them."""
    challenge = _organized(request, slug)
    rows = Participation.objects.filter(challenge=challenge, pk__in=_numbers(request, "participation"))
    if not rows:
        messages.error(request, "No one is selected. Select people in the list, then decide.")
        return redirect("challenges:people", slug=slug)
    try:
        count = participation.decide_participation(
            actor=request.user,
            participations=list(rows),
            approve=request.POST.get("decision") == "approve",
            reason=request.POST.get("reason", ""),
        )
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
    else:
        messages.success(request, f"Decided for {count} {'person' if count == 1 else 'people'}.")
    return redirect("challenges:people", slug=slug)


@login_required
@require_POST
def standing(request: SignedInRequest, slug: str) -> HttpResponse:
    """Set how the chosen teams take part."""
    challenge = _organized(request, slug, "challenges.disqualify_team")
    rows = Team.objects.filter(challenge=challenge, pk__in=_numbers(request, "team"))
    if not rows:
        messages.error(request, "No team is selected. Select teams in the list, then set their status.")
        return redirect("challenges:people", slug=slug)
    try:
        count = roles.set_standing(actor=request.user, teams=list(rows), **cleaned(StandingForm(request.POST)))
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
    else:
        messages.success(request, f"Changed for {count} team{'' if count == 1 else 's'}; rankings follow.")
    return redirect("challenges:people", slug=slug)


@login_required
@require_POST
def baseline(request: SignedInRequest, slug: str) -> HttpResponse:
    """Add a baseline, for which the organizer can then submit."""
    challenge = _organized(request, slug, "challenges.disqualify_team")
    form = BaselineForm(request.POST, prefix="baseline")
    if not form.is_valid():
        messages.error(
            request, " ".join(f"{form.fields[name].label}: {errors[0]}" for name, errors in form.errors.items())
        )
        return redirect("challenges:people", slug=slug)
    try:
        team = roles.add_baseline(
            actor=request.user,
            challenge=challenge,
            team_name=form.cleaned_data["name"],
            method=form.cleaned_data["method"],
        )
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
        return redirect("challenges:people", slug=slug)
    messages.success(request, f"{team.name} is a baseline. Submit its predictions on the page Submit.")
    return redirect("challenges:people", slug=slug)


@login_required
@require_POST
def concern(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Uphold or dismiss a concern."""
    challenge = _organized(request, slug)
    entry = get_object_or_404(Concern, pk=pk, challenge=challenge)
    try:
        concerns.decide_concern(
            actor=request.user,
            concern=entry,
            uphold=request.POST.get("decision") == "uphold",
            note=request.POST.get("note", ""),
        )
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
    else:
        messages.success(request, "The decision is on record. How the team takes part is set in the list of teams.")
    return redirect("challenges:people", slug=slug)


@login_required
@require_POST
def terms(request: SignedInRequest, slug: str) -> HttpResponse:
    """Make a new version of the terms."""
    challenge = _organized(request, slug)
    form = TermsForm(request.POST, registered=challenge.agreement)
    if form.is_valid():
        new_terms = participation.set_terms(actor=request.user, challenge=challenge, **form.cleaned_data)
        messages.success(request, f"Version {new_terms.version} of the terms holds.")
    else:
        messages.error(request, "The terms were not stored: look at the number of members.")
    return redirect("challenges:people", slug=slug)


@login_required
@require_POST
def organizer(request: SignedInRequest, slug: str) -> HttpResponse:
    """Give a person a role."""
    challenge = _organized(request, slug, "challenges.choose_organizers")
    try:
        given = cleaned(OrganizerForm(request.POST))
        person = given["username"]
        role = None if given["role"] == "none" else given["role"]
        roles.set_role(actor=request.user, challenge=challenge, user=person, role=role)
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
    else:
        messages.success(request, f"Stored for {person.display_name}.")
    return redirect("challenges:people", slug=slug)


@login_required
@require_safe
def participants_csv(request: HttpRequest, slug: str) -> HttpResponse:
    """List all people who take part or requested it, with the version of the terms that they accepted."""
    challenge = _organized(request, slug)
    return csv_file(f"{slug}-participants.csv", people.PARTICIPANT_COLUMNS, people.participant_rows(challenge))


@login_required
@require_safe
def concerns_csv(request: HttpRequest, slug: str) -> HttpResponse:
    """Every concern with its decision."""
    challenge = _organized(request, slug)
    return csv_file(f"{slug}-concerns.csv", people.CONCERN_COLUMNS, people.concern_rows(challenge))


def _page(request: HttpRequest, rows: QuerySet, name: str, size: int = PER_PAGE) -> Page:
    """Return one page of a list; each list of the page has a separate page number."""
    return Paginator(rows, size).get_page(request.GET.get(name))


def _numbers(request: HttpRequest, name: str) -> list[int]:
    texts = request.POST.getlist(name)
    if not all(text.isascii() and text.isdigit() and len(text) < 19 for text in texts):
        raise Http404("There is no such entry.")
    return [int(text) for text in texts]
