"""Assignment of reviewers: by hand, by the optimiser; reminders; the start of reviews."""

from collections import defaultdict
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from accounts.requests import SignedInRequest
from reviews import queries, rules
from reviews.models import Assignment, AutomaticAssignment, Bid, Part, Reviewer, State
from reviews.services import assigning
from reviews.views.access import call_context, call_for, filing_for, own_designs


@login_required
@require_safe
def assignments(request: HttpRequest, slug: str) -> HttpResponse:
    """Every design with its reviewers, and whom it could get: wishes, fit, load and conflicts beside the names."""
    call = call_for(request, slug, "chair_call")
    filings = list(
        call.filings.filter(state__in=assigning.ASSIGNABLE)
        .exclude(design__in=own_designs(request.user))
        .select_related("call", "design")
    )
    people = queries.loads_of(call)
    conflicts = queries.conflicts_of(call, filings=filings, reviewers=people)
    wishes = {(bid.reviewer_id, bid.filing_id): bid for bid in Bid.objects.filter(filing__in=filings)}
    topics = assigning.topics_of(filings)
    active = defaultdict(list)
    rows = Assignment.objects.filter(filing__in=filings, removed_at=None).select_related("reviewer__user", "filing")
    for row in rows:
        active[row.filing_id].append(row)
    table = []
    for filing in filings:
        taken = {one.reviewer_id for one in active[filing.pk]}
        choices: list[dict[str, Any]] = []
        for person in people:
            if person.pk in taken:
                continue
            bid = wishes.get((person.pk, filing.pk))
            fit = assigning.affinity(person.expertise, topics[filing.pk], bid.wish if bid else None)
            words = [f"{person.assigned} of {person.limit}", f"fit {fit:.0%}"]
            if bid:
                words.append(bid.get_wish_display())
            blocked = conflicts.get((person.pk, filing.pk))
            choices.append({"person": person, "words": ", ".join(words), "fit": fit, "blocked": blocked})
        choices.sort(key=lambda choice: (bool(choice["blocked"]), -choice["fit"]))
        table.append({"filing": filing, "assigned": active[filing.pk], "choices": choices})
    return render(
        request,
        "reviews/assignments.html",
        {
            **call_context(request, call, "assignments"),
            "table": table,
            "parts": Part.choices,
            "run": call.automatic_assignments.first(),
            "running": AutomaticAssignment.State.QUEUED,
            "open_reviews": sum(person.waiting for person in people),
            "is_late": timezone.now() > call.review_at,
        },
    )


@login_required
@require_POST
def automatic(request: SignedInRequest, slug: str) -> HttpResponse:
    """Have the open places filled."""
    call = call_for(request, slug, "chair_call")
    assigning.request_assignment(actor=request.user, call=call)
    return redirect("reviews:assignments", call.slug)


@login_required
@require_safe
def state(request: HttpRequest, slug: str) -> HttpResponse:
    """How far the automatic assignment is; once it is over, the page is loaded again."""
    call = call_for(request, slug, "chair_call")
    run = call.automatic_assignments.first()
    response = render(request, "reviews/parts/run.html", {"call": call, "run": run})
    if run is not None and run.state != AutomaticAssignment.State.QUEUED:
        response["HX-Refresh"] = "true"
    return response


@login_required
@require_POST
def remind(request: SignedInRequest, slug: str) -> HttpResponse:
    """Remind everybody whose review is missing."""
    call = call_for(request, slug, "chair_call")
    late = [
        cell.assignment
        for row in queries.matrix_of(call, without=own_designs(request.user)).rows
        if row.filing.state == State.UNDER_REVIEW
        for cell in row.cells
        if cell is not None and cell.sent is None
    ]
    for assignment in late:
        assignment.filing.call = call
        assigning.remind(actor=request.user, assignment=assignment)
    messages.success(request, f"{len(late)} reminder{'' if len(late) == 1 else 's'} sent.")
    return redirect("reviews:assignments", call.slug)


@login_required
@require_POST
def assign(request: SignedInRequest, slug: str, number: int) -> HttpResponse:
    """Assign a reviewer to a design, or take one off."""
    filing = filing_for(request, slug, number, rules.chairs)
    chosen = request.POST.get("remove") or request.POST.get("reviewer") or ""
    pk = int(chosen) if chosen.isdigit() else 0
    try:
        if "remove" in request.POST:
            row = get_object_or_404(Assignment.objects.select_related("reviewer__user"), filing=filing, pk=pk)
            row.filing = filing
            assigning.unassign(actor=request.user, assignment=row)
            messages.success(request, "The reviewer is taken off; what they wrote stays in the record.")
        else:
            person = get_object_or_404(Reviewer.objects.select_related("user", "call"), call=filing.call, pk=pk)
            part = request.POST.get("part", "")
            assigning.assign(actor=request.user, filing=filing, reviewer=person, part=part)
            messages.success(request, f"{person.user.display_name} is assigned.")
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
    return redirect("reviews:assignments", filing.call.slug)


@login_required
@require_POST
def start(request: SignedInRequest, slug: str, number: int) -> HttpResponse:
    """Open the review of a design or of its revision."""
    filing = filing_for(request, slug, number, rules.chairs)
    try:
        assigning.start_review(actor=request.user, filing=filing)
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
    else:
        messages.success(request, "The review is open.")
    return redirect("reviews:filing", filing.call.slug, filing.number)
