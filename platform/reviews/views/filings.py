"""Filing a design, its page for organizers and chairs, revisions, differences, files."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from accounts.requests import SignedInRequest
from core.typesetting.views import answered
from designs.models import Collaborator, Design
from designs.queries import document_of
from designs.queries.findings import gate_of
from designs.queries.rehearsals import rehearsal_of, shown_tasks
from reviews import queries, rules
from reviews.forms import ReasonForm, RevisionForm
from reviews.models import OVER, Filing, Outcome, Side, State
from reviews.queries import readers
from reviews.services import filing as services
from reviews.views.access import call_context, call_for, filing_context, filing_for

FORMATS = {
    "json": "application/json",
    "md": "text/markdown; charset=utf-8",
    "pdf": "application/pdf",
}


@login_required
def file(request: SignedInRequest, slug: str) -> HttpResponse:
    """Choose a design, see whether it passes the gate, and file it."""
    call = call_for(request, slug)
    owned = Design.objects.filter(collaborators__user=request.user, collaborators__role=Collaborator.Role.OWNER)
    filed = set(call.filings.exclude(state=State.WITHDRAWN).values_list("design", flat=True))
    designs = [design for design in owned if design.pk not in filed]
    chosen = next((one for one in designs if one.slug == (request.POST or request.GET).get("design")), None)
    if request.method == "POST" and chosen is not None:
        try:
            filing = services.file_design(actor=request.user, call=call, design=chosen)
        except ValidationError as error:
            messages.error(request, " ".join(error.messages))
        else:
            messages.success(
                request, "The current version of the design is submitted. You can continue to edit for later versions."
            )
            return redirect(filing)
    gate = gate_of(document_of(chosen), design=chosen, share=call.gate / 100) if chosen else None
    warnings = readers.names_elsewhere(chosen) if chosen and call.hides_organizers else []
    return render(
        request,
        "reviews/file.html",
        {
            **call_context(request, call, "call"),
            "designs": designs,
            "chosen": chosen,
            "gate": gate,
            "warnings": warnings,
        },
    )


@login_required
@require_safe
def filing(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """The state of a filing, its decisions, and what can be done now."""
    entry = filing_for(request, slug, number)
    chairs = rules.chairs(request.user, entry)
    if rules.reviews(request.user, entry) and not chairs:
        return redirect("reviews:review", slug, number)
    filed = queries.latest(entry)
    reader = Side.CHAIR if chairs else Side.ORGANIZER
    decisions = list(entry.decisions.select_related("decided_by", "filed"))
    rounds = [
        {"decision": decision, "reviews": readers.reviews_shown(entry, decision.filed, reader)}
        for decision in reversed(decisions)
    ]
    current = None
    if chairs and not any(decision.filed_id == filed.pk for decision in decisions):
        current = readers.reviews_shown(entry, filed, reader)
    compared = readers.answers_compared(current or [])
    threads = queries.threads_of(entry) if chairs else queries.threads_for_organizers(entry)
    assignments = list(queries.active_assignments(entry)) if chairs else []
    waiting = [row for row in queries.waiting_in(entry.call) if row.filing == entry] if chairs else []
    return render(
        request,
        "reviews/filing.html",
        {
            **filing_context(request, entry, "filing"),
            "filed": filed,
            "versions": entry.versions.select_related("version"),
            "steps": entry.transitions.select_related("actor"),
            "rounds": rounds,
            "current": current,
            "compared": compared,
            "differing": [row for row in compared if row.differs],
            "others": [row for row in compared if not row.differs],
            "assignments": assignments,
            "missing": queries.still_wanted(entry, assignments),
            "waiting": waiting,
            "waits_for_reviews": any(row.name for row in waiting),
            "due": queries.review_due(entry, filed),
            "discussion": readers.discussion_shown(entry, reader) if chairs else [],
            "threads": readers.thread_counts(threads),
            "outcomes": _outcomes(entry),
            "can_start": entry.state in (State.SUBMITTED, State.REVISION_SUBMITTED),
            "can_withdraw": entry.state not in (*OVER, State.REGISTERED),
            "reason_form": ReasonForm(),
            "State": State,
        },
    )


def _outcomes(entry: Filing) -> list[tuple[str, str]]:
    """Decisions that the present state allows."""
    if entry.state == State.UNDER_REVIEW:
        return list(Outcome.choices)
    if entry.state == State.REVISION_SUBMITTED:
        return [choice for choice in Outcome.choices if choice[0] in (Outcome.ACCEPT, Outcome.REJECT)]
    return []


@login_required
@require_POST
def withdraw(request: SignedInRequest, slug: str, number: int) -> HttpResponse:
    """Take a design out of the call."""
    entry = filing_for(request, slug, number, rules.owns, rules.chairs)
    form = ReasonForm(request.POST)
    try:
        services.withdraw(actor=request.user, filing=entry, reason=form.data.get("reason", ""))
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
    else:
        messages.success(request, f"The filing is {entry.get_state_display()}.")
    return redirect(entry)


@login_required
def revision(request: SignedInRequest, slug: str, number: int) -> HttpResponse:
    """Show the changes since the reviewed version and the answers to all points.

    The revision is submitted on this page.
    """
    entry = filing_for(request, slug, number, rules.organizes)
    if entry.state != State.REVISION_REQUIRED:
        messages.info(request, "No revision is awaited now.")
        return redirect(entry)
    form = RevisionForm(request.POST or None)
    if request.method == "POST":
        filing_for(request, slug, number, rules.owns)
        if form.is_valid():
            try:
                services.submit_revision(actor=request.user, filing=entry, note=form.cleaned_data["note"])
            except ValidationError as error:
                form.add_error(None, error)
            else:
                messages.success(request, "The revision is sent.")
                return redirect(entry)
    filed = queries.latest(entry)
    return render(
        request,
        "reviews/revision.html",
        {
            **filing_context(request, entry, "changes"),
            "form": form,
            "filed": filed,
            "differences": readers.differences_to(filed, document_of(entry.design)),
            "threads": readers.threads_shown(queries.threads_for_organizers(entry), entry, Side.ORGANIZER),
            "decision": entry.decisions.select_related("filed").last(),
        },
    )


@login_required
@require_safe
def changes(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Show the differences between the last two filed versions, with points and answers."""
    entry = filing_for(request, slug, number)
    reader, assignment = reader_of(request, entry)
    versions = list(entry.versions.select_related("version"))
    differences = readers.differences_between(versions[-2], versions[-1], reader) if len(versions) > 1 else None
    if reader == Side.REVIEWER:
        threads = queries.threads_for_reviewer(assignment)
    elif reader == Side.CHAIR:
        threads = queries.threads_of(entry)
    else:
        threads = queries.threads_for_organizers(entry)
    note = versions[-1].note
    return render(
        request,
        "reviews/changes.html",
        {
            **filing_context(request, entry, "changes"),
            "versions": versions,
            "differences": differences,
            "note": readers.masked(entry, note) if reader == Side.REVIEWER else note,
            "threads": readers.threads_shown(threads, entry, reader),
            "may_settle": reader != Side.ORGANIZER and entry.is_running,
        },
    )


@login_required
@require_safe
def rehearsal(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """The rehearsal of the version submitted last, for organizers, chairs and the assigned reviewers."""
    entry = filing_for(request, slug, number)
    filed = queries.latest(entry)
    newest = rehearsal_of(entry.design, filed.version.digest)
    context = {"filed": filed, "rehearsal": newest, "tasks": [] if newest is None else shown_tasks(newest)}
    return render(request, "reviews/rehearsal.html", {**filing_context(request, entry, "filing"), **context})


@login_required
@require_safe
def export(request: HttpRequest, slug: str, number: int, ending: str) -> HttpResponse:
    """Return the version filed last as a file; for reviewers as they can see it.

    The file name contains no names of people.
    """
    entry = filing_for(request, slug, number)
    if ending not in FORMATS:
        raise Http404("There is no such file.")
    reader, _ = reader_of(request, entry)
    name = f"{entry.call.slug}-{entry.number}.{ending}"
    if ending == "pdf":
        blocks, title = readers.printed(entry, queries.latest(entry), reader)
        return answered(request, blocks, title=title, ending=ending, name=name)
    content = readers.exported(entry, queries.latest(entry), ending, reader)
    response = HttpResponse(content, content_type=FORMATS[ending])
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def reader_of(request: HttpRequest, entry: Filing):
    """Return the role in which a person reads a filing, and their assignment.

    A chair who is also a reviewer reads it as a chair, because a chair sees everything.
    """
    if rules.chairs(request.user, entry):
        return Side.CHAIR, None
    if rules.reviews(request.user, entry) and (assignment := rules.assignment_of(request.user, entry)) is not None:
        assignment.filing = entry
        return Side.REVIEWER, assignment
    return Side.ORGANIZER, None
