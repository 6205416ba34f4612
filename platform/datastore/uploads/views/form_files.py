"""Resumable upload of a file that a form will reference; only its signed-in sender can access it."""

from typing import Any

from django.http import Http404, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from accounts.requests import SignedInRequest
from datastore.uploads.models import FormFile
from datastore.uploads.services import form_files, uploads
from datastore.uploads.views.tus import begun, continued, number, options, read_metadata, tus
from web.bodies import takes_pieces

WHOLE = "Podium-File"
"""Header of an answer about a whole file: its id, which the form names."""


@require_http_methods(["POST", "OPTIONS"])
@tus
def create(request: SignedInRequest) -> HttpResponse:
    """Begin to send a file."""
    if request.method == "OPTIONS":
        return options(form_files.most_bytes())
    metadata = read_metadata(request.headers.get("Upload-Metadata", ""))
    upload = form_files.begin(
        user=request.user,
        file_name=metadata.get("filename", ""),
        size=number(request.headers.get("Upload-Length"), "Upload-Length"),
    )
    return begun(upload, reverse("uploads:form_file", args=[upload.pk]))


@takes_pieces
@require_http_methods(["HEAD", "PATCH", "DELETE", "OPTIONS"])
@tus
def form_file(request: SignedInRequest, pk: Any) -> HttpResponse:
    """Ask how far a file is, go on with it, or cancel it: its sender alone."""
    if request.method == "OPTIONS":
        return options(form_files.most_bytes())
    entry = FormFile.objects.filter(pk=pk, user=request.user).first()
    if entry is None:
        raise Http404("There is no such file.")
    return continued(
        request,
        entry,
        go_on=uploads.append,
        finish=form_files.finish,
        cancel=form_files.cancel,
        arrived=lambda held: {WHOLE: str(held.pk)} if held.is_whole else {},
    )
