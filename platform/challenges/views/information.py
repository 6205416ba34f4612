"""Pages and pictures of organizers: shown to all who see the challenge, edited by its organizers."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.cache import patch_cache_control
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.requests import SignedInRequest
from challenges import queries
from challenges.forms.information import InformationPageForm, PicturesForm
from challenges.models import Challenge, InformationPage
from challenges.services import information
from challenges.views.access import organizing, page_context


def page_of(challenge: Challenge, page: str) -> InformationPage:
    """Return a page of a challenge by the last part of its address.

    Raises
    ------
    Http404
        If it does not exist.
    """
    row = challenge.information_pages.filter(slug=page).first()
    if row is None:
        raise Http404("Page not found.")
    row.challenge = challenge
    return row


@require_safe
def information_index(request: HttpRequest, slug: str) -> HttpResponse:
    """Lead to the first page."""
    challenge = queries.visible_challenge(request.user, slug)
    first = challenge.information_pages.first()
    if first is None:
        raise Http404("Page not found.")
    return redirect("challenges:information_page", slug=slug, page=first.slug)


@require_safe
def information_page(request: HttpRequest, slug: str, page: str) -> HttpResponse:
    """Show a page of the organizers."""
    challenge = queries.visible_challenge(request.user, slug)
    row = page_of(challenge, page)
    context = page_context(
        request,
        challenge,
        shown=row,
        pages=list(challenge.information_pages.only("slug", "title")),
        active_tab="challenges:information",
        may_edit=request.user.has_perm("challenges.organize_challenge", challenge),
    )
    return render(request, "challenges/information/page.html", context)


@require_safe
def picture(request: HttpRequest, slug: str, kind: str) -> HttpResponse:
    """Serve the logo or banner of a challenge.

    Addresses contain the digest, so browsers keep a copy for a day. They keep none if the challenge is not public.
    """
    challenge = queries.visible_challenge(request.user, slug)
    row = get_object_or_404(challenge.pictures, kind=kind)
    response = HttpResponse(bytes(row.content), content_type=row.media_type)
    response["X-Content-Type-Options"] = "nosniff"
    if challenge.is_public:
        patch_cache_control(response, private=True, max_age=86_400)
    else:
        patch_cache_control(response, private=True, no_store=True)
    return response


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def pictures(request: SignedInRequest, slug: str) -> HttpResponse:
    """Replace or remove logo and banner."""
    challenge = organizing(request, slug)
    form = PicturesForm(request.POST or None, request.FILES or None)
    if request.method == "POST" and form.is_valid():
        try:
            information.set_pictures(actor=request.user, challenge=challenge, contents=form.contents())
        except ValidationError as error:
            form.add_error(None, error)
        else:
            messages.success(request, "Logo and banner are saved.")
            return redirect("challenges:pictures", slug=slug)
    context = page_context(
        request, challenge, active_tab="challenges:organize", active_page="challenges:pages", form=form
    )
    return render(request, "challenges/information/pictures.html", context)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def pages(request: SignedInRequest, slug: str) -> HttpResponse:
    """List the pages of a challenge, and create one."""
    challenge = organizing(request, slug)
    rows = list(challenge.information_pages.all())
    form = InformationPageForm(request.POST or None, initial={"position": min(len(rows) + 1, information.MOST)})
    if request.method == "POST" and form.is_valid():
        try:
            page = information.create_page(actor=request.user, challenge=challenge, **form.cleaned_data)
        except ValidationError as error:
            form.add_error(None, error)
        else:
            messages.success(request, f"{page.title} is published.")
            return redirect("challenges:pages", slug=slug)
    return _edited(request, challenge, rows=rows, form=form, most=information.MOST)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def edit_page(request: SignedInRequest, slug: str, page: str) -> HttpResponse:
    """Change a page."""
    challenge = organizing(request, slug)
    row = page_of(challenge, page)
    initial = {"title": row.title, "text": row.text, "position": row.position}
    form = InformationPageForm(request.POST or None, initial=initial)
    if request.method == "POST" and form.is_valid():
        try:
            information.change_page(actor=request.user, page=row, **form.cleaned_data)
        except ValidationError as error:
            form.add_error(None, error)
        else:
            messages.success(request, f"{row.title} is saved.")
            return redirect(row)
    return _edited(request, challenge, edited=row, form=form)


@login_required
@require_POST
def delete_page(request: SignedInRequest, slug: str, page: str) -> HttpResponse:
    """Delete a page."""
    challenge = organizing(request, slug)
    row = page_of(challenge, page)
    information.delete_page(actor=request.user, page=row)
    messages.success(request, f"{row.title} is deleted.")
    return redirect("challenges:pages", slug=slug)


def _edited(request: HttpRequest, challenge: Challenge, **more: Any) -> HttpResponse:
    context = page_context(request, challenge, active_tab="challenges:organize", active_page="challenges:pages", **more)
    return render(request, "challenges/information/edit.html", context)
