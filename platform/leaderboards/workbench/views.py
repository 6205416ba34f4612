"""Pages of brought tables."""

from typing import Any
from urllib.parse import urlencode

import rules
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django.views.decorators.vary import vary_on_headers

from accounts.models import User
from accounts.requests import SignedInRequest
from datastore.uploads.services import form_files
from datastore.uploads.storage import open_stored
from evaluation import boards
from evaluation.analyses import catalogue
from leaderboards.domain.board_files import csv_rows
from leaderboards.views.exports import stored_json
from leaderboards.workbench.domain import child
from leaderboards.workbench.forms import AnswersForm, BringForm, most_bytes
from leaderboards.workbench.models import BroughtTable
from leaderboards.workbench.queries import readable_or_404, refusal_to, tables_of
from leaderboards.workbench.services import tables as services
from web.bodies import takes_files
from web.spreadsheets import csv_file

_KINDS = {"html": "text/html; charset=utf-8", "zip": "application/zip", "csv": "text/csv; charset=utf-8"}


@takes_files(most_bytes)
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def tables(request: SignedInRequest) -> HttpResponse:
    """The tables that the person brought, and a form for a new one."""
    files = form_files.with_sent(request.FILES, request.POST, request.user) if request.method == "POST" else None
    form = BringForm(request.POST or None, files)
    if request.method == "POST" and form.is_valid():
        file = form.cleaned_data["file"]
        title = title_of(form.cleaned_data["title"], file.name)
        try:
            brought = services.bring_table(
                actor=request.user, title=title, file_name=file.name[:120], content=file.read()
            )
            form_files.handed_in(request.POST, request.user)
            return redirect(brought)
        except ValidationError as error:
            form.add_error(None, error.messages)
    context = {
        "form": form,
        "tables": tables_of(request.user),
        "refusal": refusal_to(request.user),
        "chunk_bytes": settings.PODIUM_UPLOAD_CHUNK_BYTES,
        "most_bytes": most_bytes(),
        "sent": form_files.waiting(request.POST, request.user),
    }
    return render(request, "workbench/list.html", context)


def title_of(title: str, file_name: str) -> str:
    """Return the title of a table; the name of its file by default."""
    name = file_name[:120]
    return title.strip() or name.rpartition(".")[0] or name


@require_safe
@cache_control(private=True, no_cache=True)
def table(request: HttpRequest, key: str) -> HttpResponse:
    """One table: how far it is, what it asks, or what came of it."""
    brought_table = readable_or_404(request.user, key)
    owns = rules.test_rule("workbench.change", request.user, brought_table)
    context: dict[str, Any] = {"table": brought_table, "owns": owns}
    if brought_table.is_done and request.headers.get("HX-Target") == "state":
        # The page that waited has no place for a board: it is loaded anew.
        return HttpResponse(headers={"HX-Refresh": "true"})
    if brought_table.is_done:
        return render(request, "workbench/board.html", {**context, **_board(request, brought_table)})
    if brought_table.state == BroughtTable.State.ASKING:
        context["form"] = AnswersForm(brought_table.reading)
    return render(request, "workbench/table.html", context)


def _board(request: HttpRequest, brought_table: BroughtTable) -> dict[str, Any]:
    asked, outcome = request.GET, brought_table.outcome
    number = asked.get("page", "1")
    board = boards.board(
        outcome["table"],
        by=asked.get("by", ""),
        region=asked.get("region", ""),
        sort=asked.get("sort", ""),
        search=asked.get("team", ""),
        page=int(number) if number.isdecimal() and len(number) < 6 else 1,
    )
    key = board.order["key"]
    plots = []
    for name in child.PICTURES:
        drawn = brought_table.figures.get(name, {})
        order = key if key in drawn else next(iter(drawn), None)
        if order is not None:
            picture = catalogue.BY_NAME[name]
            address = f"{reverse('workbench:figure', args=[brought_table.key, name])}?{urlencode({'by': order})}"
            plots.append({"src": address, "title": picture.title, "reading": picture.reading, "size": picture.size})
    return {
        "board": board,
        "headline": outcome["sentences"][key][0],
        "sentences": outcome["sentences"][key][1:],
        "samples": outcome["bootstrap"],
        "plots": plots,
        "outcome": outcome,
        "address": request.build_absolute_uri(brought_table.get_absolute_url()),
        "files": child.FILES,
    }


@login_required
@require_POST
def answer(request: SignedInRequest, key: str) -> HttpResponse:
    """Accept the owner's answers on columns and metrics."""
    brought_table = readable_or_404(request.user, key, changing=True)
    if brought_table.state != BroughtTable.State.ASKING:
        return redirect(brought_table)
    form = AnswersForm(brought_table.reading, request.POST)
    if form.is_valid():
        try:
            hand_in(form, actor=request.user, table=brought_table)
        except ValidationError as error:
            # Somebody answered in another window meanwhile; the page shows how far it is.
            messages.error(request, error.messages[0])
        return redirect(brought_table)
    return render(request, "workbench/table.html", {"table": brought_table, "owns": True, "form": form})


def hand_in(form: AnswersForm, *, actor: User, table: BroughtTable) -> None:
    """Have a table read again by other columns, or analysed as it was answered.

    Raises
    ------
    ValidationError
        When it waits for no answers any more.
    """
    # Other columns may bring other metrics, and without any there is nothing to analyse yet.
    if form.changes_columns or not form.metrics:
        services.confirm_columns(actor=actor, table=table, roles=form.roles)
    else:
        services.start_analysis(actor=actor, table=table, roles=form.roles, choices=form.choices)


@login_required
@require_POST
def sharing(request: SignedInRequest, key: str) -> HttpResponse:
    """Let anyone with the address read the table, or stop sharing it."""
    brought_table = readable_or_404(request.user, key, changing=True)
    services.share(actor=request.user, table=brought_table, is_shared=request.POST.get("on") == "1")
    return redirect(brought_table)


@login_required
@require_POST
def keeping(request: SignedInRequest, key: str) -> HttpResponse:
    """Keep it, or have it deleted when its time is over."""
    brought_table = readable_or_404(request.user, key, changing=True)
    services.keep(actor=request.user, table=brought_table, is_kept=request.POST.get("on") == "1")
    return redirect(brought_table)


@login_required
@require_POST
def delete(request: SignedInRequest, key: str) -> HttpResponse:
    """Delete it with everything that was made of it."""
    brought_table = readable_or_404(request.user, key, changing=True)
    services.delete_table(actor=request.user, table=brought_table)
    messages.success(request, f"“{brought_table.title}” and everything that was made of it is deleted.")
    return redirect("workbench:list")


@require_safe
@cache_control(private=True, no_cache=True)
@vary_on_headers("Cookie")
def board_csv(request: HttpRequest, key: str) -> HttpResponse:
    """The board, all metrics and regions side by side."""
    brought_table = _done_or_404(request, key)
    head, *rows = csv_rows(brought_table.outcome["table"])
    return csv_file("board.csv", head, rows)


@require_safe
@cache_control(private=True, no_cache=True)
@vary_on_headers("Cookie", "Accept-Encoding")
def figure(request: HttpRequest, key: str, name: str) -> HttpResponse:
    """A figure of one order (`?by=`) as Plotly JSON."""
    stored = _done_or_404(request, key).figures.get(name, {}).get(request.GET.get("by", ""))
    if stored is None:
        raise Http404("There is no such figure.")
    return stored_json(request, stored)


@require_safe
@cache_control(private=True, no_cache=True)
@vary_on_headers("Cookie")
def file(request: HttpRequest, key: str, name: str) -> HttpResponse:
    """A file to take away."""
    stored = _done_or_404(request, key).files.get(name)
    if stored is None:
        raise Http404("There is no such file.")
    with open_stored(stored) as stream:
        response = HttpResponse(stream.read(), content_type=_KINDS.get(name.rpartition(".")[2], "application/json"))
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def _done_or_404(request: HttpRequest, key: str) -> BroughtTable:
    brought_table = readable_or_404(request.user, key)
    if not brought_table.is_done:
        raise Http404("It is not finished.")
    return brought_table
