"""Pages of the data of a challenge, for its readers and for its organizers."""

from dataclasses import replace
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe
from rules import test_rule

from accounts.requests import SignedInRequest
from challenges.models import Challenge, Team
from challenges.queries import visible_challenge
from challenges.views.access import page_context
from datastore.datasets import forms
from datastore.datasets.models import Dataset, DatasetFile, DatasetUpload, DatasetVersion, Publication
from datastore.datasets.queries import datasets as queries
from datastore.datasets.queries import descriptions
from datastore.datasets.queries import publishing as published
from datastore.datasets.services import offering, publishing
from datastore.uploads import object_store
from datastore.uploads.storage import data_limits
from web.policy import allow_forms_to
from web.spreadsheets import csv_file

LOG_SHOWN = 20


@require_safe
@never_cache
def data(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the data of a challenge and how to download it."""
    challenge = visible_challenge(request.user, slug)
    return _page(request, challenge)


def _page(request: HttpRequest, challenge: Challenge, form: forms.DatasetForm | None = None) -> HttpResponse:
    offers = _with_upload_form(queries.offers(challenge, request.user), request.GET.get("draft"))
    withheld = any(not offer.may_have and not offer.dataset.is_link for offer in offers)
    choice = published.registered_choice(challenge)
    missing, remedy = queries.why_not(challenge, request.user) if withheld else ("", "")
    data_locations = queries.locations(challenge)
    context: dict[str, Any] = {
        "offers": offers,
        "described": descriptions.described(challenge, offers),
        "locations": [entry for entry in data_locations if not entry.is_hosted or not offers],
        "splits": queries.splits(offers, data_locations),
        "missing": missing,
        "remedy": remedy,
        "choice": choice,
        "not_published": published.withheld_words(challenge, choice) if choice else [],
        "led_teams": published.led_teams(request.user, challenge),
        "offers_data": request.user.has_perm("datasets.offer_data", challenge),
    }
    if context["offers_data"]:
        log = queries.downloads_of(challenge)
        context |= {
            "form": form or forms.DatasetForm(challenge=challenge),
            "release_form": forms.ReleaseForm(),
            "withdraw_form": forms.WithdrawForm(),
            "downloads": log[:LOG_SHOWN],
            "downloads_total": log.count(),
            "hosted_bytes": queries.hosted_bytes(challenge),
            "limits": data_limits(),
            "unrevealed": published.unrevealed_phases(challenge),
            "publication": Publication.objects.filter(challenge=challenge).first(),
            "chunk_bytes": settings.PODIUM_UPLOAD_CHUNK_BYTES,
            "unfinished": DatasetUpload.objects.filter(
                version__dataset__challenge=challenge, user=request.user.pk, state=DatasetUpload.State.RECEIVING
            ).select_related("version__dataset"),
        }
    response = render(
        request,
        "datasets/page.html",
        page_context(request, challenge, active_tab="datasets:data", **context),
        status=422 if form is not None else 200,
    )
    # Where the object store sends files itself, asking for one ends there.
    return allow_forms_to(response, object_store.origin()) if object_store.is_offered() else response


def _with_upload_form(offers: list[queries.Offer], wanted: str | None) -> list[queries.Offer]:
    """Mark the draft that receives uploaded files: the requested draft, otherwise the first."""
    drafts = [offer.dataset.slug for offer in offers if offer.draft is not None]
    chosen = wanted if wanted in drafts else next(iter(drafts), None)
    return [replace(offer, takes_files=offer.dataset.slug == chosen) for offer in offers]


@require_safe
def checksums(request: HttpRequest, slug: str) -> HttpResponse:
    """SHA-256 of every file that is current, as `sha256sum --check` reads it."""
    challenge = visible_challenge(request.user, slug)
    lines = [
        f"{file.sha256}  {file.name}\n"
        for offer in queries.offers(challenge, request.user)
        for file in offer.files
        if file.sha256
    ]
    response = HttpResponse("".join(lines), content_type="text/plain; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{slug}-sha256.txt"'
    return response


@login_required
@require_POST
def offer(request: SignedInRequest, slug: str) -> HttpResponse:
    """Make a data set."""
    challenge = _offering(request, slug)
    form = forms.DatasetForm(request.POST, challenge=challenge)
    if not form.is_valid():
        return _page(request, challenge, form)
    try:
        dataset = offering.offer_dataset(actor=request.user, challenge=challenge, **form.cleaned_data)
    except ValidationError as error:
        form.add_error(None, error)
        return _page(request, challenge, form)
    done = "Participants see the link now." if dataset.is_link else "Upload its files, then release version 1."
    messages.success(request, f"{dataset.name} is there. {done}")
    return redirect("datasets:data", slug=slug)


@login_required
@require_POST
def begin_version(request: SignedInRequest, slug: str, dataset: str) -> HttpResponse:
    """Begin the next version of a hosted data set."""
    challenge = _offering(request, slug)
    dataset_row = get_object_or_404(Dataset, challenge=challenge, slug=dataset, url="")
    version = offering.begin_version(actor=request.user, dataset=dataset_row)
    messages.success(request, f"Version {version.number} of {dataset_row.name} waits for its files.")
    return redirect("datasets:data", slug=slug)


@login_required
@require_POST
def release(request: SignedInRequest, slug: str, dataset: str, number: int) -> HttpResponse:
    """Release a draft."""
    version = _version(request, slug, dataset, number)
    form = forms.ReleaseForm(request.POST)
    if not form.is_valid():
        messages.error(request, " ".join(str(text) for texts in form.errors.values() for text in texts))
        return redirect("datasets:data", slug=slug)
    return _done(
        request,
        slug,
        lambda: offering.release_version(actor=request.user, version=version, **form.cleaned_data),
        f"Version {number} is released; its files never change any more.",
    )


@login_required
@require_POST
def withdraw(request: SignedInRequest, slug: str, dataset: str, number: int) -> HttpResponse:
    """Withdraw a released version, with a reason."""
    version = _version(request, slug, dataset, number)
    reason = request.POST.get("reason", "")
    return _done(
        request,
        slug,
        lambda: offering.withdraw_version(actor=request.user, version=version, reason=reason),
        f"Version {number} is withdrawn.",
    )


@login_required
@require_POST
def remove(request: SignedInRequest, slug: str, file: int) -> HttpResponse:
    """Remove a file from a draft."""
    challenge = _offering(request, slug)
    rows = DatasetFile.objects.filter(version__dataset__challenge=challenge).select_related("version__dataset")
    entry = get_object_or_404(rows, pk=file)
    return _done(
        request, slug, lambda: offering.remove_file(actor=request.user, file=entry), f"{entry.name} is removed."
    )


@login_required
@require_safe
def downloads_csv(request: HttpRequest, slug: str) -> HttpResponse:
    """The whole access log."""
    challenge = _offering(request, slug)
    rows = queries.download_rows(queries.downloads_of(challenge))
    return csv_file(f"{slug}-downloads.csv", queries.DOWNLOAD_COLUMNS, rows)


@login_required
@require_POST
def publish(request: SignedInRequest, slug: str) -> HttpResponse:
    """Have the registered data published."""
    challenge = _offering(request, slug)
    return _done(
        request,
        slug,
        lambda: publishing.ask_for_publication(actor=request.user, challenge=challenge),
        "The data are being collected. They will appear here when ready.",
    )


@login_required
@require_POST
def consent(request: SignedInRequest, slug: str, team: str) -> HttpResponse:
    """Give or withdraw the consent of a team; its captain does."""
    challenge = visible_challenge(request.user, slug)
    team_row = get_object_or_404(Team, challenge=challenge, slug=team)
    if not test_rule("challenges.lead_team", request.user, team_row):
        raise Http404("Page not found.")
    given = request.POST.get("answer") == "yes"
    publishing.set_consent(actor=request.user, team=team_row, is_given=given)
    messages.success(request, f"{team_row.name} {'consents' if given else 'no longer consents'}.")
    return redirect("datasets:data", slug=slug)


def _done(request: HttpRequest, slug: str, act: Any, message_text: str) -> HttpResponse:
    try:
        act()
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
    else:
        messages.success(request, message_text)
    return redirect("datasets:data", slug=slug)


def _offering(request: HttpRequest, slug: str) -> Challenge:
    challenge = visible_challenge(request.user, slug)
    if not request.user.has_perm("datasets.offer_data", challenge):
        raise Http404("Page not found.")
    return challenge


def _version(request: HttpRequest, slug: str, dataset: str, number: int) -> DatasetVersion:
    challenge = _offering(request, slug)
    rows = DatasetVersion.objects.select_related("dataset__challenge")
    return get_object_or_404(rows, dataset__challenge=challenge, dataset__slug=dataset, number=number)
