"""Download of the starter kit of a phase."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from challenges import queries as challenge_queries
from challenges.views.access import page_context, phase_by_id
from submissions.models import StarterKit
from submissions.services.starter_kits import kit_of
from web.visitors import costly

SECONDS = 2
"""Time after which a waiting page asks again."""


@costly
@require_safe
def download(request: HttpRequest, slug: str, phase: int) -> HttpResponse:
    """The kit as a file, or a page that waits until a worker has generated it."""
    challenge = challenge_queries.visible_challenge(request.user, slug)
    phase_row = phase_by_id(challenge, phase)
    is_part = "HX-Request" in request.headers
    kit = kit_of(phase_row)
    if kit is not None and not kit.problem and not is_part:
        return zip_response(kit)
    context = page_context(request, challenge, phase=phase_row, kit=kit, seconds=SECONDS)
    template = "submissions/starter_kit_state.html" if is_part else "submissions/starter_kit.html"
    status = 200 if is_part else 202 if kit is None else 404
    response = render(request, template, context, status=status)
    response["Cache-Control"] = "no-store"
    if kit is None:
        response["Retry-After"] = str(SECONDS)
    return response


def zip_response(kit: StarterKit) -> HttpResponse:
    """Return the archive of a kit."""
    phase = kit.phase
    response = HttpResponse(bytes(kit.content), content_type="application/zip")
    name = f"{phase.challenge.slug}-{phase.slug}-starter-kit.zip"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
