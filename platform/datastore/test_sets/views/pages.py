"""The sealed test sets of a challenge, and who has looked at their references (organizers)."""

import json
from pathlib import PurePosixPath
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from rules import test_rule

from accounts.requests import SignedInRequest
from challenges.models import Challenge, Phase
from challenges.queries import key_of, phases_of
from challenges.queries.projections import projection_of
from challenges.views.access import organizing, page_context, phase_by_id
from datastore.test_sets import hooks, vault
from datastore.test_sets.domain import merging
from datastore.test_sets.forms import TestSetForm
from datastore.test_sets.models import OverlapCheck, TestCase, TestSet
from datastore.test_sets.queries.access_log import (
    ACCESS_COLUMNS,
    access_log,
    access_rows,
    as_access,
    last_archives,
    named_organizers,
    versions_of,
)
from datastore.test_sets.queries.characteristics import characteristics
from datastore.test_sets.queries.findings import mark_open
from datastore.test_sets.queries.test_sets import annotators_of, cases_of_annotators, has_one_table
from datastore.test_sets.services.arrivals import unfinished
from datastore.test_sets.services.received_archives import receive
from datastore.test_sets.services.reference_access import note_downloaded
from datastore.test_sets.services.replacing import TestSetError, approved_change
from datastore.test_sets.services.templates import template_of
from datastore.test_sets.services.undoing import undo_sealing
from datastore.uploads.services.refusals import BusyError
from datastore.uploads.storage import upload_limits
from evaluation.assessment.columns import grouping_columns
from evaluation.problems import kind_of
from evaluation.problems.files import FileProblem
from web.bodies import takes_files
from web.spreadsheets import csv_file

CASES_PER_PAGE = 50
LOOKS_SHOWN = 50


@login_required
@require_safe
def test_sets(request: HttpRequest, slug: str) -> HttpResponse:
    """Versions, cases and access log of one phase."""
    challenge = organizing(request, slug)
    wanted = request.GET.get("phase")
    phase = phase_by_id(challenge, wanted) if wanted else next(iter(phases_of(challenge)), None)
    return _page(request, challenge, phase, form=None)


def _page(request: HttpRequest, challenge: Challenge, phase: Phase | None, *, form: TestSetForm | None) -> HttpResponse:
    content = _content(request, phase)
    if (
        phase is not None
        and request.user.is_authenticated
        and request.user.has_perm("test_sets.seal_test_set", challenge)
    ):
        content |= {
            "needs_change": _needed_change(phase),
            "computes_no_merging": not merging.computed(phase.assessment.problem),
            "form": form or _form(phase),
            # Nobody needs it where there is nothing in use, and it asks with a lock.
            "may_undo": content["in_use"] and not _is_submitted_to(phase),
            "may_decide": True,
            "undecided": any(archive.is_read for archive in content["archives"]),
            "unfinished": unfinished(phase, request.user),
            "chunk_bytes": settings.PODIUM_UPLOAD_CHUNK_BYTES,
            "max_bytes": upload_limits().max_bytes,
        }
    return render(
        request,
        "test_sets/page.html",
        page_context(request, challenge, active_tab="challenges:organize", phases=phases_of(challenge), **content),
        status=422 if form and form.errors else 200,
    )


# Who sends is asked before the body is read, and checking the CSRF token of a form reads its body: so that check comes
# second, inside.
@takes_files(lambda: upload_limits().max_bytes)
@csrf_exempt
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def archives(request: SignedInRequest, slug: str, phase: int) -> HttpResponse:
    """Take an archive to be checked and sealed; show how far the last ones are."""
    challenge = organizing(request, slug)
    entry = phase_by_id(challenge, phase)
    if request.method == "POST":
        if not request.user.has_perm("test_sets.seal_test_set", challenge):
            raise PermissionDenied("Owners of the challenge seal and replace test sets.")
        return _take(request, challenge, entry)
    latest = mark_open(last_archives(entry))
    context = {
        "challenge": entry.challenge,
        "phase": entry,
        "archives": latest,
        "may_decide": request.user.has_perm("test_sets.seal_test_set", challenge),
    }
    response = render(request, "test_sets/archives.html", context)
    if request.headers.get("HX-Request") and latest and not latest[0].is_open:
        # The rest of the page says which version is in use, and whether another archive can be sent.
        response["HX-Refresh"] = "true"
    return response


@csrf_protect
def _take(request: SignedInRequest, challenge: Challenge, entry: Phase) -> HttpResponse:
    form = _form(entry, request.POST, request.FILES)
    if form.is_valid():
        try:
            receive(
                user=request.user,
                phase=entry,
                archive=form.cleaned_data["archive"],
                reason=form.cleaned_data.get("reason", ""),
                merge_rule=form.cleaned_data.get("merge_rule", ""),
            )
        except (TestSetError, BusyError) as error:
            form.add_error(None, str(error))
        else:
            return redirect(f"{reverse('test_sets:test_sets', args=[challenge.slug])}?phase={entry.pk}#sending")
    return _page(request, challenge, entry, form=form)


@login_required
@require_safe
def template(request: HttpRequest, slug: str, phase: int) -> HttpResponse:
    """Download an archive with the files and columns that sealing expects of a phase."""
    entry = phase_by_id(organizing(request, slug), phase)
    response = HttpResponse(template_of(entry), content_type="application/zip")
    response["Content-Disposition"] = f'attachment; filename="{slug}-{key_of(entry)}-template.zip"'
    return response


@login_required
@require_POST
def undo(request: SignedInRequest, slug: str, phase: int, version: int) -> HttpResponse:
    """Undo the sealing of the version in use, if there are no submissions yet."""
    challenge = organizing(request, slug)
    if not request.user.has_perm("test_sets.seal_test_set", challenge):
        raise PermissionDenied("Owners of the challenge seal and replace test sets.")
    entry = phase_by_id(challenge, phase)
    try:
        undo_sealing(test_set=_version(entry, version), actor=request.user)
    except TestSetError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, f"The sealing of version {version} is undone. Upload the correct archive now.")
        return redirect(f"{reverse('test_sets:test_sets', args=[slug])}?phase={entry.pk}#sending")
    return redirect(f"{reverse('test_sets:test_sets', args=[slug])}?phase={entry.pk}#versions")


def _needed_change(phase: Phase) -> str:
    """Return the page to request a change of the registration, as long as a replacement requires one.

    Empty if no change is required.
    """
    before, projection = TestSet.objects.filter(phase=phase, is_active=True).first(), projection_of(phase.challenge)
    if before is None or projection is None:
        return ""
    try:
        approved_change(phase, before)
    except TestSetError:
        return reverse("changes:list", args=[projection.registration.identifier])
    return ""


def _is_submitted_to(phase: Phase) -> bool:
    with transaction.atomic():
        return hooks.was_submitted_to(phase)


def _form(phase: Phase, *data: Any) -> TestSetForm:
    replaces = TestSet.objects.filter(phase=phase, is_active=True).exists()
    # A registered design says how annotations are merged.
    return TestSetForm(
        *data,
        replaces=replaces,
        asks_for_merging=projection_of(phase.challenge) is None,
        problem=phase.assessment.problem,
    )


def _file_words(phase: Phase) -> tuple[str, str]:
    """Return the name and the file extension of a file of a case; empty if one table contains all cases."""
    problem = kind_of(phase.assessment)
    return (problem.texts.file_noun, problem.suffixes[0]) if isinstance(problem, FileProblem) else ("", "")


def _content(request: HttpRequest, phase: Phase | None) -> dict[str, Any]:
    if phase is None:
        return {"phase": None}
    versions = versions_of(phase)
    wanted = request.GET.get("version")
    version = next((entry for entry in versions if str(entry.test_set.version) == wanted), None)
    if wanted and version is None:
        raise Http404("There is no such version.")
    version = version or next((entry for entry in versions if entry.test_set.is_active), None)
    looks = access_log(phase)
    content: dict[str, Any] = {
        "phase": phase,
        "versions": versions,
        "in_use": any(entry.test_set.is_active for entry in versions),
        "shown": version,
        "looks": [as_access(entry) for entry in looks[:LOOKS_SHOWN]],
        "looks_total": looks.count(),
        "archives": mark_open(last_archives(phase)),
        "named": named_organizers(phase.challenge),
        "is_table": has_one_table(phase.assessment),
        "file_words": _file_words(phase),
        "columns_needed": grouping_columns(phase.assessment),
        "may_download": test_rule("test_sets.download_references", request.user, phase.challenge),
    }
    if version is not None:
        overlap = OverlapCheck.objects.filter(test_set=version.test_set).first()
        content |= {
            "overlap": overlap,
            "open_overlaps": overlap.pairs.filter(answered_at=None).count() if overlap is not None else 0,
            "annotators": [
                name if cases == version.cases else f"{name} ({cases} of {version.cases} cases)"
                for name, cases in cases_of_annotators(version.test_set).items()
            ],
            "merge_words": merging.words(phase.assessment.problem).get(version.test_set.merge_rule, ""),
            "characteristics": characteristics(version.test_set, phase),
            "sections": [section for provider in hooks.sections if (section := provider(version.test_set)) is not None],
        }
        page = Paginator(version.test_set.cases.order_by("position"), CASES_PER_PAGE).get_page(request.GET.get("page"))
        columns = _columns(page.object_list)
        content |= {
            "page": page,
            "columns": columns,
            "rows": [(case, [case.metadata.get(column) for column in columns]) for case in page.object_list],
        }
    return content


@login_required
@require_safe
def cases_csv(request: HttpRequest, slug: str, phase: int, version: int) -> HttpResponse:
    """The cases of a version with their characteristics and digests, those of each annotator included."""
    challenge = organizing(request, slug)
    entry = phase_by_id(challenge, phase)
    test_set = _version(entry, version)
    cases = list(test_set.cases.order_by("position").prefetch_related("annotations"))
    columns, people = _columns(cases), annotators_of(test_set)
    drawn = {
        case.pk: {annotation.annotator: annotation.reference_sha256 for annotation in case.annotations.all()}
        for case in cases
    }
    rows = (
        (
            *(case.position, case.name, case.reference_sha256, json.dumps(case.geometry, sort_keys=True)),
            "yes" if case.is_decoy else "no",
            *(case.metadata.get(column) for column in columns),
            *(drawn[case.pk].get(name, "") for name in people),
        )
        for case in cases
    )
    heads = [
        "position",
        "case",
        "reference_sha256",
        "geometry",
        "decoy",
        *columns,
        *(f"annotator_{name}_sha256" for name in people),
    ]
    return csv_file(f"{slug}-{key_of(entry)}-test-set-{version}.csv", heads, rows)


@login_required
@require_safe
def access_csv(request: HttpRequest, slug: str, phase: int) -> HttpResponse:
    """Every look at a hidden reference."""
    challenge = organizing(request, slug)
    entry = phase_by_id(challenge, phase)
    return csv_file(f"{slug}-{key_of(entry)}-reference-access.csv", ACCESS_COLUMNS, access_rows(access_log(entry)))


@login_required
@require_POST
def reference(request: SignedInRequest, slug: str, phase: int, version: int, case: str) -> HttpResponse:
    """Return a reference itself to named organizers, only on an explicit request.

    No link that a program follows automatically leads here.
    """
    challenge = organizing(request, slug)
    if not test_rule("test_sets.download_references", request.user, challenge):
        raise Http404("Page not found.")
    test_case = get_object_or_404(_version(phase_by_id(challenge, phase), version).cases, name=case)
    if not test_case.reference_file:
        raise Http404("The reference of this case is not here.")
    note_downloaded(actor=request.user, case=test_case)
    response = HttpResponse(vault.read_bytes(test_case.reference_file), content_type="application/octet-stream")
    response["Content-Disposition"] = f'attachment; filename="{_file_name(challenge, test_case)}"'
    response["Cache-Control"] = "no-store"
    return response


def _version(phase: Phase, version: int) -> TestSet:
    rows = TestSet.objects.filter(sealed_at__isnull=False).select_related("phase__task__challenge")
    return get_object_or_404(rows, phase=phase, version=version)


def _file_name(challenge: Challenge, case: TestCase) -> str:
    stored = PurePosixPath(case.reference_file.removesuffix(vault.SUFFIX)).name
    return f"{challenge.slug}-{case.name}{stored[stored.index('.') :]}"


def _columns(cases: Any) -> list[str]:
    """Characteristics that any of the cases has, in the order in which they are met."""
    return list(dict.fromkeys(column for case in cases for column in case.metadata))
