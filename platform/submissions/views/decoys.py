"""What was handed in for decoys (organizers)."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_safe

from challenges.queries import key_of
from challenges.views.access import organizing, phase_by_id
from submissions.queries.decoys import decoy_columns, decoy_rows
from test_sets.models import TestSet
from web.spreadsheets import csv_file


@login_required
@require_safe
def decoys_csv(request: HttpRequest, slug: str, phase: int, version: int) -> HttpResponse:
    """What was handed in for each decoy of a version."""
    challenge = organizing(request, slug)
    entry = phase_by_id(challenge, phase)
    sealed = TestSet.objects.filter(phase=entry, sealed_at__isnull=False)
    rows = decoy_rows(get_object_or_404(sealed, version=version))
    return csv_file(f"{slug}-{key_of(entry)}-decoys-{version}.csv", decoy_columns(entry), rows)
