"""Sites, as those who run a challenge see them."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from accounts.requests import SignedInRequest
from challenges.models import Challenge
from challenges.queries import label_of, phases_of
from challenges.views.access import organizing, page_context, phase_by_id
from federation import forms
from federation.domain.registered import words_of
from federation.models import Algorithm, Federation, Site
from federation.queries.federations import current_package, obstacles, of_challenge
from federation.queries.refusals import unsigned_messages
from federation.queries.standing import STATES, standings
from federation.services import federations as services
from federation.services import messages as inbox
from federation.services import sites
from web.addresses import absolute
from web.bodies import takes_files

_SHOWN = 20
_CODE = "federation-code"


@login_required
@require_safe
@never_cache
def organize(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the status of the sites, received messages and refused messages."""
    return _page(request, organizing(request, slug))


def _page(
    request: HttpRequest, challenge: Challenge, *, federation: Federation | None = None, **bound: Any
) -> HttpResponse:
    opened = of_challenge(challenge)
    taken = {entry.phase_id for entry in opened}
    others = [phase for phase in phases_of(challenge) if phase.pk not in taken]
    against = obstacles(others)
    free = [(phase.pk, label_of(phase)) for phase in others if phase.pk not in against]
    entries = [_shown(entry, challenge, bound if federation and entry.pk == federation.pk else {}) for entry in opened]
    context = {
        "federations": entries,
        "open_form": bound.get("open_form") or (forms.OpenForm(phases=free) if free else None),
        "not_offered": [(phase, against[phase.pk]) for phase in others if phase.pk in against and not phase.is_closed],
        "invited": request.session.pop(_CODE, None),
        "states": STATES,
    }
    status = 422 if bound else 200
    body = page_context(request, challenge, active_tab="challenges:organize", **context)
    return render(request, "federation/organize.html", body, status=status)


def _shown(federation: Federation, challenge: Challenge, bound: dict[str, Any]) -> dict[str, Any]:
    package = current_package(federation)
    return {
        "federation": federation,
        "phase": federation.phase,
        "rules": words_of(federation.rules),
        "package": package,
        "algorithms": list(federation.algorithms.select_related("team")),
        "standings": standings(federation),
        "refusals": federation.refusals.all()[:_SHOWN],
        "unsigned": unsigned_messages(federation),
        "invite_form": bound.get("invite_form") or forms.InviteForm(prefix="invite"),
        "algorithm_form": bound.get("algorithm_form") or forms.AlgorithmForm(challenge=challenge, prefix="algorithm"),
        "public_cases_form": bound.get("public_cases_form") or forms.PublicCasesForm(prefix="public"),
        "carried_form": bound.get("carried_form") or forms.CarriedForm(prefix="carried"),
    }


@login_required
@require_POST
def open_sites(request: SignedInRequest, slug: str) -> HttpResponse:
    """Evaluate a phase at sites."""
    challenge = organizing(request, slug)
    free = [(phase.pk, label_of(phase)) for phase in phases_of(challenge)]
    form = forms.OpenForm(request.POST, phases=free)
    if form.is_valid():
        phase = phase_by_id(challenge, form.cleaned_data["phase"])
        try:
            services.open_federation(actor=request.user, phase=phase, terms=form.cleaned_data["terms"])
        except ValidationError as error:
            form.add_error(None, error)
        else:
            messages.success(
                request, f"{label_of(phase)} is evaluated at sites. Name the algorithms and invite the sites."
            )
            return redirect("federation:organize", slug=slug)
    return _page(request, challenge, open_form=form)


@login_required
@require_POST
def invite(request: SignedInRequest, slug: str, federation: int) -> HttpResponse:
    """Invite a site."""
    challenge, federation_row = _federation(request, slug, federation)
    form = forms.InviteForm(request.POST, prefix="invite")
    if form.is_valid():
        try:
            site, code = sites.invite_site(actor=request.user, federation=federation_row, **form.cleaned_data)
        except ValidationError as error:
            form.add_error(None, error.messages)
        else:
            _tell_code(request, site, code)
            return redirect("federation:organize", slug=slug)
    return _page(request, challenge, federation=federation_row, invite_form=form)


@login_required
@require_POST
def name_algorithm(request: SignedInRequest, slug: str, federation: int) -> HttpResponse:
    """Name something that sites score, or take it off the list."""
    challenge, federation_row = _federation(request, slug, federation)
    if "remove" in request.POST:
        algorithm = get_object_or_404(Algorithm, federation=federation_row, name=request.POST["remove"])
        return _done(
            request,
            slug,
            lambda: services.remove_algorithm(actor=request.user, algorithm=algorithm),
            f"{algorithm.name} is off the list.",
        )
    form = forms.AlgorithmForm(request.POST, challenge=challenge, prefix="algorithm")
    if form.is_valid():
        team = challenge.teams.filter(pk=form.cleaned_data["team"] or 0).first()
        try:
            named = services.name_algorithm(
                actor=request.user,
                federation=federation_row,
                name=form.cleaned_data["name"],
                team=team,
                archive=form.archives.get(form.cleaned_data.get("archive", "")),
                may_be_carried=bool(form.cleaned_data.get("may_be_carried")),
            )
        except ValidationError as error:
            form.add_error(None, error.messages)
        else:
            messages.success(request, f"{named.name} is on the list. Sites get it with the next package.")
            return redirect("federation:organize", slug=slug)
    return _page(request, challenge, federation=federation_row, algorithm_form=form)


@takes_files(lambda: services.MOST_DRY_RUN)
@login_required
@require_POST
def keep_public_cases(request: SignedInRequest, slug: str, federation: int) -> HttpResponse:
    """Keep the public cases of the next package."""
    challenge, federation_row = _federation(request, slug, federation)
    form = forms.PublicCasesForm(request.POST, request.FILES, prefix="public")
    if form.is_valid():
        try:
            services.keep_dry_run(actor=request.user, federation=federation_row, file=form.cleaned_data["archive"])
        except ValidationError as error:
            form.add_error("archive", error.messages)
        else:
            messages.success(request, "The public cases are kept. Sites get them with the next package.")
            return redirect("federation:organize", slug=slug)
    return _page(request, challenge, federation=federation_row, public_cases_form=form)


@login_required
@require_POST
def release(request: SignedInRequest, slug: str, federation: int) -> HttpResponse:
    """Sign the package and give it to the sites."""
    _, federation_row = _federation(request, slug, federation)
    return _done(
        request,
        slug,
        lambda: services.release_package(actor=request.user, federation=federation_row),
        "The package is signed; sites get it with podium site fetch.",
    )


@takes_files(lambda: inbox.MOST_CARRIED)
@login_required
@require_POST
def carried(request: HttpRequest, slug: str, federation: int) -> HttpResponse:
    """Take a file that a site had carried here."""
    challenge, federation_row = _federation(request, slug, federation)
    form = forms.CarriedForm(request.POST, request.FILES, prefix="carried")
    if form.is_valid():
        answers, refusal = inbox.receive_carried(form.cleaned_data["file"].read(), federation=federation_row)
        if answers:
            messages.success(request, f"{len(answers)} messages were taken.")
        if refusal is None:
            return redirect("federation:organize", slug=slug)
        form.add_error("file", f"Refused ({refusal.code}): {refusal}.")
    return _page(request, challenge, federation=federation_row, carried_form=form)


@login_required
@require_POST
def act(request: SignedInRequest, slug: str, federation: int, site: str) -> HttpResponse:
    """Perform the action on one site that the pressed button names."""
    _, federation_row = _federation(request, slug, federation)
    entry = get_object_or_404(
        Site.objects.select_related("federation__phase__task__challenge"), federation=federation_row, name=site
    )
    asked = request.POST.get("act", "")
    user, post = request.user, request.POST
    if asked == "invite":
        return _invited_again(request, slug, entry)
    enrolment = entry.enrolments.filter(revoked_at=None).first()
    acts: dict[str, tuple[Callable[[], object], str]] = {
        "leave_out": (
            lambda: sites.leave_out(actor=user, site=entry, reason=post.get("reason", "")),
            f"{entry.name} is left out.",
        ),
        "take_back": (lambda: sites.take_back(actor=user, site=entry), f"{entry.name} counts again."),
        "take_late": (lambda: sites.take_late(actor=user, site=entry), f"The late result of {entry.name} counts."),
    }
    if enrolment is not None:
        acts["confirm"] = (
            lambda: sites.confirm_key(actor=user, enrolment=enrolment, fingerprint=post.get("fingerprint", "")),
            f"The key of {entry.name} is confirmed.",
        )
    if asked not in acts:
        raise Http404("There is no such act.")
    return _done(request, slug, *acts[asked])


def _invited_again(request: SignedInRequest, slug: str, site: Site) -> HttpResponse:
    try:
        code = sites.invite_again(actor=request.user, site=site)
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
    else:
        _tell_code(request, site, code)
    return redirect("federation:organize", slug=slug)


def _tell_code(request: HttpRequest, site: Site, code: str) -> None:
    address = absolute(sites.page_of(site, code))
    request.session[_CODE] = {"site": site.name, "address": address, "contact": site.contact}


def _done(request: HttpRequest, slug: str, act: Callable[[], object], message_text: str) -> HttpResponse:
    try:
        act()
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
    else:
        messages.success(request, message_text)
    return redirect("federation:organize", slug=slug)


def _federation(request: HttpRequest, slug: str, pk: int) -> tuple[Challenge, Federation]:
    challenge = organizing(request, slug)
    rows = Federation.objects.filter(phase__task__challenge=challenge).select_related("phase__task__challenge")
    return challenge, get_object_or_404(rows, pk=pk)
