"""The organizers' desk: make reports, write into them, publish one."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied, ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.requests import SignedInRequest
from challenges.models import Challenge
from challenges.queries import phases_of, visible_challenge
from reports.domain.content import Status, items_of
from reports.domain.guideline import CHAPTERS, chapter_of, title_of
from reports.domain.presenting import changes_since
from reports.exposure.queries.audience import Audience, level_for
from reports.forms import DesignForm, MakeForm, TextForm
from reports.models import Report
from reports.queries import checking, reports
from reports.queries.outdated import outdated_by_report
from reports.services import reports as services
from reports.services import storing
from reports.views.reading import context_of


def _organized(request: HttpRequest, slug: str) -> Challenge:
    challenge = visible_challenge(request.user, slug)
    if not request.user.has_perm("reports.write_report", challenge):
        raise PermissionDenied("Reports are made by the organizers of the challenge.")
    return challenge


@login_required
@require_safe
def desk(request: HttpRequest, slug: str) -> HttpResponse:
    """Everything around the report: its state, its items, what was made, what is public."""
    challenge = _organized(request, slug)
    settings = reports.settings_of(challenge)
    last = reports.last_made(challenge)
    written = reports.texts(challenge)
    rows = []
    content = storing.read_content(last.content_name) if last is not None else None
    if content is not None:
        for entry in items_of(content):
            own_text = written.get(entry["number"])
            rows.append(
                {
                    "number": entry["number"],
                    "title": entry["title"],
                    "status": Status(entry["status"]),
                    "text": own_text,
                    "changed": own_text is not None and own_text.based_on != entry["generated"],
                    "chapter": entry["anchor"] and chapter_of(entry["number"]),
                }
            )
    stored_reports = reports.made_for(challenge)
    outdated = outdated_by_report(stored_reports)
    held_back = [phase for phase in phases_of(challenge) if level_for(phase, Audience.PUBLIC) != "all"]
    context = {
        **context_of(request, challenge),
        "settings": settings,
        "last": last,
        "rows": rows,
        "made": [(report, outdated[report.pk]) for report in stored_reports],
        "held_back": held_back,
        "findings": checking.findings(challenge, content),
        "projection": getattr(challenge, "projection", None),
        "design_form": DesignForm(
            versions=reports.design_versions(request.user),
            initial={"version": settings.design_version_id if settings else None},
        ),
    }
    return render(request, "reports/desk.html", context)


@login_required
@require_POST
def make(request: SignedInRequest, slug: str) -> HttpResponse:
    """Request a report of the current state of the challenge."""
    challenge = _organized(request, slug)
    form = MakeForm(request.POST)
    if not form.is_valid():
        raise Http404("There is no such kind of report.")
    report = services.request_report(
        actor=request.user, challenge=challenge, audience=Audience(form.cleaned_data["audience"])
    )
    if report.is_done:
        messages.info(request, f"Nothing has changed since report {report.number}: it is shown here.")
    return redirect("reports:report", slug=slug, number=report.number)


@login_required
@require_POST
def design(request: SignedInRequest, slug: str) -> HttpResponse:
    """Name the design version to report from."""
    challenge = _organized(request, slug)
    form = DesignForm(request.POST, versions=reports.design_versions(request.user))
    if not form.is_valid():
        messages.error(request, "Choose one of the versions that are offered.")
    else:
        try:
            services.choose_design(actor=request.user, challenge=challenge, version=form.cleaned_data["version"])
        except ValidationError as error:
            messages.error(request, error.messages[0])
        else:
            messages.success(request, "Reports are made from this design from now on.")
    return redirect("reports:desk", slug=slug)


@login_required
@require_POST
def publish(request: SignedInRequest, slug: str) -> HttpResponse:
    """Make a report public."""
    challenge = _organized(request, slug)
    number = request.POST.get("number", "")
    rows = Report.objects.select_related("challenge")
    chosen = get_object_or_404(
        rows, challenge=challenge, number=int(number) if number.isdecimal() and len(number) < 7 else 0
    )
    try:
        services.publish(actor=request.user, report=chosen)
    except ValidationError as error:
        messages.error(request, error.messages[0])
    else:
        messages.success(request, f"Report {chosen.number} is public.")
    return redirect("reports:desk", slug=slug)


@login_required
@require_POST
def withdraw(request: SignedInRequest, slug: str) -> HttpResponse:
    """Take the public report back."""
    challenge = _organized(request, slug)
    services.withdraw(actor=request.user, challenge=challenge)
    messages.success(request, "No report is public now.")
    return redirect("reports:desk", slug=slug)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def item(request: SignedInRequest, slug: str, item: str) -> HttpResponse:
    """Edit the text of an item, next to the generated text and its changes."""
    challenge = _organized(request, slug)
    if item not in services.ITEMS:
        raise Http404("The guideline has no such item.")
    own_text = reports.texts(challenge).get(item)
    last = reports.last_made(challenge)
    entry = _entry(last, item)
    generated = entry["generated"] if entry else ""
    if request.method == "POST" and request.POST.get("action") == "drop":
        services.drop_text(actor=request.user, challenge=challenge, item=item)
        messages.success(request, f"Item {item} has its generated text again.")
        return redirect(_desk(slug, item))
    initial = {
        "text": own_text.text if own_text else generated,
        "based_on": generated,
        "revision": own_text.revision if own_text else 0,
    }
    form = TextForm(request.POST or None, initial=initial)
    conflict = False
    if request.method == "POST" and form.is_valid():
        try:
            services.write_text(
                actor=request.user,
                challenge=challenge,
                item=item,
                text=form.cleaned_data["text"],
                based_on=form.cleaned_data["based_on"].replace("\r\n", "\n"),
                revision=form.cleaned_data["revision"],
            )
        except services.ChangedMeanwhileError:
            conflict = True
        else:
            messages.success(request, f"Item {item} is kept. It appears in the next report.")
            return redirect(_desk(slug, item))
    changed = own_text is not None and own_text.based_on != generated
    context: dict[str, Any] = {
        **context_of(request, challenge),
        "item": item,
        "title": title_of(item),
        "chapter_title": next(title for key, title, _ in CHAPTERS if key == chapter_of(item)),
        "own": own_text,
        "last": last,
        "entry": entry,
        "generated": generated,
        "changed": changed,
        "runs": changes_since({"based_on": own_text.based_on}, generated) if own_text is not None and changed else [],
        "form": form,
        "conflict": conflict,
    }
    return render(request, "reports/item.html", context, status=409 if conflict else 200)


def _entry(last: Report | None, number: str) -> Any:
    if last is None:
        return None
    return next(entry for entry in items_of(storing.read_content(last.content_name)) if entry["number"] == number)


def _desk(slug: str, number: str) -> str:
    return f"{reverse('reports:desk', args=[slug])}#item-{number}"
