"""Organizers' pages of values measured outside."""

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.http import content_disposition_header
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.requests import SignedInRequest
from challenges.models import Challenge, Phase
from challenges.queries import phases_of
from challenges.views.access import organizing, page_context, phase_by_id
from datastore.uploads.services import form_files
from datastore.uploads.storage import open_stored
from evaluation.assessment.columns import grouping_columns
from evaluation.importing.fitting import range_words, takes_uncertainty
from submissions.measurements.forms import MOST_COLUMNS_ASKED, CaseListForm, ColumnsForm, ValuesForm, most_bytes
from submissions.measurements.models import Measurement
from submissions.measurements.queries import (
    WHERE_TAKEN,
    active_list,
    refusal_of,
    sealed_versions,
    table_or_404,
    tables_of,
    takes_tables,
)
from submissions.measurements.services import tables as services
from web.bodies import takes_files


def bringing(request: HttpRequest, slug: str) -> Challenge:
    """Return the challenge if the visitor brings values into it.

    Raises
    ------
    Http404
        Otherwise.
    """
    challenge = organizing(request, slug)
    if not request.user.has_perm("measurements.bring_values", challenge):
        raise Http404("Page not found.")
    return challenge


# Who sends is asked before the body is read, and checking the CSRF token of a form reads its body: so that check comes
# second, inside.
@takes_files(lambda: 2 * most_bytes())
@csrf_exempt
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def tables(request: SignedInRequest, slug: str) -> HttpResponse:
    """The tables of a phase, and a form for the next one."""
    return _tables(request, bringing(request, slug))


@csrf_protect
def _tables(request: SignedInRequest, challenge: Challenge) -> HttpResponse:
    phases = [phase for phase in phases_of(challenge) if takes_tables(phase)]
    wanted = request.POST.get("phase") or request.GET.get("phase")
    phase = phase_by_id(challenge, wanted) if wanted else next(iter(phases), None)
    if phase is None or not takes_tables(phase):
        nowhere = f"No phase takes values measured outside. {WHERE_TAKEN}"
        text = refusal_of(phase, Measurement.Kind.VALUES) if phase else nowhere
        return render(request, "measurements/none.html", page_context(request, challenge, text=text))
    sealed = active_list(phase)
    is_list = sealed is None
    files = form_files.with_sent(request.FILES, request.POST, request.user) if request.method == "POST" else None
    form = (CaseListForm if is_list else ValuesForm)(phase, request.POST or None, files)
    if request.method == "POST" and form.is_valid():
        file = form.cleaned_data["file"]
        try:
            brought = services.bring_table(
                actor=request.user, phase=phase, file_name=file.name, content=file.read(), **form.wanted
            )
            form_files.handed_in(request.POST, request.user)
            return redirect(brought)
        except ValidationError as error:
            form.add_error(None, error.messages)
    rows = list(tables_of(phase))
    context = page_context(
        request,
        challenge,
        phases=phases,
        phase=phase,
        form=form,
        is_list=is_list,
        sealed=sealed,
        cases=sealed.cases.count() if sealed else 0,
        refusal=refusal_of(phase, form.kind),
        metrics=[(metric, range_words(metric)) for metric in phase.assessment.metrics],
        regions=[region.name for region in phase.assessment.regions],
        needed=grouping_columns(phase.assessment),
        tables=rows,
        latest=next((row.version for row in sealed_versions(phase)), None),
        whole=[metric.name for metric in phase.assessment.metrics if metric.level == "dataset"],
        uncertain=[metric.name for metric in phase.assessment.metrics if takes_uncertainty(metric)],
        chunk_bytes=settings.PODIUM_UPLOAD_CHUNK_BYTES,
        most_bytes=most_bytes(),
        sent=form_files.waiting(request.POST, request.user),
    )
    return render(request, "measurements/tables.html", context, status=422 if form.errors else 200)


@login_required
@require_safe
def table(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Show one table: its state, its problems, or the values that sealing it stores."""
    challenge = bringing(request, slug)
    return _table(request, challenge, table_or_404(challenge, pk))


def _table(request: HttpRequest, challenge: Challenge, measurement: Measurement) -> HttpResponse:
    is_asked = measurement.state == Measurement.State.ASKING
    context: dict[str, Any] = {
        "table": measurement,
        "phase": measurement.phase,
        "preview": measurement.preview,
        "form": ColumnsForm(measurement.reading) if is_asked and measurement.reading else None,
        "most_columns": MOST_COLUMNS_ASKED,
        "closed": _closed_words(measurement.phase),
    }
    return render(request, "measurements/table.html", page_context(request, challenge, **context))


def _closed_words(phase: Phase) -> str:
    """Return the notice for organizers who seal values after the end of the phase."""
    if not phase.is_closed:
        return ""
    return f"{phase.name} has closed. Sealing makes a new version of its final ranking, and log and board say so."


@login_required
@require_POST
def columns(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Queue the table for reading again with the confirmed roles of its columns."""
    challenge = bringing(request, slug)
    measurement = table_or_404(challenge, pk)
    form = ColumnsForm(measurement.reading, request.POST)
    if form.is_valid():
        _try(request, lambda: services.confirm_columns(actor=request.user, table=measurement, roles=form.roles))
    return redirect(measurement)


@login_required
@require_POST
def seal(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Have what the preview shows stored and ranked."""
    measurement = table_or_404(bringing(request, slug), pk)
    _try(request, lambda: services.seal(actor=request.user, table=measurement))
    return redirect(measurement)


@login_required
@require_POST
def discard(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Let it go."""
    measurement = table_or_404(bringing(request, slug), pk)
    _try(request, lambda: services.discard(actor=request.user, table=measurement))
    return redirect(measurement)


@login_required
@require_safe
def file(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """The table as it came."""
    measurement = table_or_404(bringing(request, slug), pk)
    return _as_it_came(measurement.stored, measurement.file_name)


@login_required
@require_safe
def replicates(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Send the replicates of the table, as uploaded."""
    measurement = table_or_404(bringing(request, slug), pk)
    if not measurement.replicates_stored:
        raise Http404("No replicates came with this table.")
    return _as_it_came(measurement.replicates_stored, measurement.replicates_name)


def _as_it_came(stored: str, name: str) -> HttpResponse:
    with open_stored(stored) as stream:
        response = HttpResponse(stream.read(), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = content_disposition_header(as_attachment=True, filename=name)
    return response


def _try(request: HttpRequest, act: Any) -> None:
    try:
        act()
    except ValidationError as error:
        # Somebody decided in another window meanwhile; the page shows how far it is.
        messages.error(request, error.messages[0])
