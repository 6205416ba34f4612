"""Page of a site, visible without an account to anyone with the code of its invitation."""

import json
import zipfile
from tempfile import TemporaryFile
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import FileResponse, Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_http_methods, require_safe

from challenges.views.access import page_context
from datastore.uploads.storage import open_stored
from evaluation.canonical import canonical_json
from federation import forms
from federation.models import Enrolment
from federation.queries.federations import current_package
from federation.queries.images import image_archive
from federation.queries.standing import standing_of
from federation.services import messages as inbox
from federation.services import sites
from federation.views.steps import steps_of
from web.addresses import absolute
from web.bodies import takes_messages


# The code of the address is asked for before a body is read, and checking the CSRF token of a form reads its body: so that
# check comes second, inside.
@takes_messages(inbox.MOST_CARRIED)
@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def invitation(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """Show the next step and the received messages, and accept files transferred by a person."""
    enrolment = _enrolment(slug, code)
    if request.method == "POST":
        return _take(request, enrolment, slug, code)
    return _page(request, enrolment, code, forms.CarriedForm())


@csrf_protect
def _take(request: HttpRequest, enrolment: Enrolment, slug: str, code: str) -> HttpResponse:
    form = forms.CarriedForm(request.POST, request.FILES)
    if form.is_valid():
        answers, refusal = inbox.receive_carried(form.cleaned_data["file"].read(), federation=enrolment.site.federation)
        if refusal is None:
            return redirect("federation:invitation", slug=slug, code=code)
        taken = f"{len(answers)} messages were taken, then one was refused" if answers else "Refused"
        form.add_error("file", f"{taken} ({refusal.code}): {refusal}.")
    return _page(request, enrolment, code, form)


def _page(request: HttpRequest, enrolment: Enrolment, code: str, form: forms.CarriedForm) -> HttpResponse:
    site = enrolment.site
    federation = site.federation
    standing = standing_of(site)
    challenge = federation.phase.challenge
    package = current_package(federation)
    context: dict[str, Any] = {
        "site": site,
        "enrolment": enrolment,
        "standing": standing,
        "phase": federation.phase,
        "federation": federation,
        "package": package,
        "steps": steps_of(standing, package, absolute(sites.page_of(site, code))),
        "code": code,
        "form": form,
        "images": [entry["name"] for entry in package.document["algorithms"] if entry["image"]] if package else [],
        "may_have_package": package is not None and enrolment.confirmed_at is not None,
    }
    content = page_context(request, challenge, active_tab="federation:sites", **context)
    status = 422 if form.is_bound and form.errors else 200
    response = render(request, "federation/invitation.html", content, status=status)
    # The address is the credential: nobody else learns it. With "no-referrer" browsers call the origin of the page's own
    # form "null", and what a site carries would never be taken.
    response["Referrer-Policy"] = "same-origin"
    response["X-Robots-Tag"] = "noindex"
    return response


@require_safe
@never_cache
def invitation_file(request: HttpRequest, slug: str, code: str) -> HttpResponse:  # noqa: ARG001 (the signature of a view)
    """The signed invitation, as the command reads it."""
    enrolment = _enrolment(slug, code)
    return _json(sites.invitation_of(enrolment, code), f"invitation-{enrolment.site.name}.json")


@require_safe
@never_cache
def receipts_file(request: HttpRequest, slug: str, code: str) -> HttpResponse:  # noqa: ARG001 (the signature of a view)
    """All receipts of the site, to be carried back."""
    enrolment = _enrolment(slug, code)
    receipts = [json.loads(text) for text in enrolment.messages.order_by("sequence").values_list("receipt", flat=True)]
    return _json(canonical_json({"envelopes": receipts}), f"receipts-{enrolment.site.name}.json")


@require_safe
@never_cache
def package_file(request: HttpRequest, slug: str, code: str) -> HttpResponseBase:  # noqa: ARG001 (the signature of a view)
    """The package with its public cases in one file, to be carried to the site."""
    enrolment = _enrolment(slug, code)
    federation = enrolment.site.federation
    package = current_package(federation)
    if package is None:
        raise Http404("There is no package yet.")
    if enrolment.confirmed_at is None:
        raise PermissionDenied("The organizers have not confirmed the key of this site yet.")
    target = TemporaryFile()  # noqa: SIM115 (the response closes it)
    with zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("package.json", package.envelope)
        if package.document["dry_run"] is not None and federation.dry_run_name:
            with (
                open_stored(federation.dry_run_name) as source,
                archive.open("dry-run.zip", "w", force_zip64=True) as member,
            ):
                while block := source.read(1 << 20):
                    member.write(block)
    target.seek(0)
    return FileResponse(target, as_attachment=True, filename=f"package-{package.version}.zip")


@require_safe
@never_cache
def image_file(request: HttpRequest, slug: str, code: str, name: str) -> HttpResponseBase:  # noqa: ARG001 (the signature of a view)
    """The image of an algorithm as one archive, to be carried to the site."""
    enrolment = _enrolment(slug, code)
    rows = enrolment.site.federation.algorithms.exclude(archive=None).select_related("archive")
    algorithm = get_object_or_404(rows, name=name)
    package = current_package(enrolment.site.federation)
    if package is None or name not in {entry["name"] for entry in package.document["algorithms"]}:
        raise Http404("There is no package with this image yet.")
    if enrolment.confirmed_at is None:
        raise PermissionDenied("The organizers have not confirmed the key of this site yet.")
    response = StreamingHttpResponse(image_archive(algorithm), content_type="application/x-tar")
    response["Content-Disposition"] = f'attachment; filename="{name}.tar"'
    return response


def _enrolment(slug: str, code: str) -> Enrolment:
    rows = Enrolment.objects.filter(revoked_at=None, site__federation__phase__task__challenge__slug=slug)
    rows = rows.select_related("site__federation__phase__task__challenge")
    enrolment = rows.filter(code_sha256=sites.code_digest(code)).first()
    if enrolment is None:
        raise Http404("There is no such invitation, or it has ended.")
    return enrolment


def _json(text: str, name: str) -> HttpResponse:
    response = HttpResponse(text, content_type="application/json")
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
