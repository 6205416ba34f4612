"""References of a dry run, for all participants."""

from pathlib import PurePosixPath

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_safe

from challenges import queries as challenge_queries
from challenges.views.access import phase_by_id
from datastore.datasets.queries.publishing import withdrawn_cases
from datastore.test_sets import vault
from datastore.test_sets.models import TestCase
from datastore.test_sets.queries.dry_runs import are_public
from datastore.test_sets.rules import access_to_phase


@login_required
@require_safe
def reference(request: HttpRequest, slug: str, phase: int, case: str) -> HttpResponse:
    """The reference of one case of a dry run."""
    challenge = challenge_queries.visible_challenge(request.user, slug)
    user = request.user
    if not (
        user.has_perm("challenges.submit_to_challenge", challenge)
        or user.has_perm("challenges.organize_challenge", challenge)
    ):
        raise Http404("Page not found.")
    entry = phase_by_id(challenge, phase)
    if not access_to_phase(user, entry).reference_files or not are_public(entry):
        raise Http404("The references of this phase are hidden.")
    if case in withdrawn_cases(challenge):
        raise Http404("Consent to the use of this case was withdrawn.")
    test_case = get_object_or_404(TestCase, test_set__phase=entry, test_set__is_active=True, name=case)
    if not test_case.reference_file:
        raise Http404("This case has no reference.")
    stored = PurePosixPath(test_case.reference_file.removesuffix(vault.SUFFIX)).name
    response = HttpResponse(vault.read_bytes(test_case.reference_file), content_type="application/octet-stream")
    response["Content-Disposition"] = f'attachment; filename="{slug}-{test_case.name}{stored[stored.index(".") :]}"'
    response["Cache-Control"] = "private, max-age=300"
    return response
