"""Assignment of reviewers: by hand, by the optimiser; reminders; the start of reviews."""

from collections import defaultdict
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from accounts.requests import SignedInRequest
from reviews import queries, rules
from reviews.models import Assignment, AutomaticAssignment, Bid, Call, Filing, Part, Reviewer, State
from reviews.services import assigning
from reviews.views.access import call_context, call_for, filing_context, filing_for, own_designs
from reviews.views.letters import ShownLetter, lettered


@login_required
@require_safe
def assignments(request: HttpRequest, slug: str) -> HttpResponse:
    """Show every design with its reviewers and candidates.

    Wishes, fit, load and conflicts are listed next to the names.
    """
    call = call_for(request, slug, "chair_call")
    filings = list(_filings(request, call).filter(state__in=assigning.ASSIGNABLE).select_related("call", "design"))
    people = queries.loads_of(call)
    conflicts = queries.conflicts_of(call, filings=filings, reviewers=people)
    wishes = {(bid.reviewer_id, bid.filing_id): bid for bid in Bid.objects.filter(filing__in=filings)}
    topics = assigning.topics_of(filings)
    active = defaultdict(list)
    rows = list(
        Assignment.objects.filter(filing__in=filings, removed_at=None).select_related("reviewer__user", "filing")
    )
    for row in rows:
        active[row.filing_id].append(row)
    table = []
    for filing in filings:
        taken = {one.reviewer_id for one in active[filing.pk]}
        missing = queries.still_wanted(filing, active[filing.pk])
        part = next(iter(missing), str(Part.GENERAL))
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
            order = (bool(blocked), part not in person.parts, -fit)
            choices.append({"person": person, "words": ", ".join(words), "order": order, "blocked": blocked})
        choices.sort(key=lambda choice: choice["order"])
        table.append(
            {"filing": filing, "assigned": active[filing.pk], "choices": choices, "missing": missing, "part": part}
        )
    return render(
        request,
        "reviews/assignments.html",
        {
            **call_context(request, call, "assignments"),
            "table": table,
            "parts": Part.choices,
            "run": call.automatic_assignments.first(),
            "running": AutomaticAssignment.State.QUEUED,
            "untold": sum(row.told_at is None for row in rows),
            "open_places": any(entry["missing"] for entry in table),
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
    """Show the progress of the automatic assignment; the page reloads when it is finished."""
    call = call_for(request, slug, "chair_call")
    run = call.automatic_assignments.first()
    response = render(request, "reviews/parts/run.html", {"call": call, "run": run})
    if run is not None and run.state != AutomaticAssignment.State.QUEUED:
        response["HX-Refresh"] = "true"
    return response


@login_required
def letters(request: SignedInRequest, slug: str) -> HttpResponse:
    """The letters of assignment that were not sent yet; posting sends the chosen ones."""
    call = call_for(request, slug, "chair_call")
    waiting = list(
        Assignment.objects.filter(
            filing__in=_filings(request, call), filing__state__in=assigning.ASSIGNABLE, removed_at=None, told_at=None
        ).select_related("filing__call", "filing__design", "reviewer__user")
    )
    if request.method == "POST":
        number = assigning.tell(actor=request.user, assignments=[one for one in waiting if _chosen(request, one)])
        messages.success(request, f"{_letters(number)} sent.")
        return redirect("reviews:assignments", call.slug)
    drafts = [_shown(one) for one in assigning.letters_of_assignment(waiting)]
    return lettered(
        request,
        call_context(request, call, "assignments"),
        heading="Letters of assignment",
        letters=drafts,
        none="All assigned reviewers have been notified.",
        submit="Send the letters",
        back=reverse("reviews:assignments", args=[call.slug]),
        kind="assigned",
    )


@login_required
def remind(request: SignedInRequest, slug: str) -> HttpResponse:
    """Show the reminders for all missing reviews; a POST request sends the chosen ones."""
    call = call_for(request, slug, "chair_call")
    missing = [
        cell.assignment
        for row in queries.matrix_of(call, without=own_designs(request.user)).rows
        if row.filing.state == State.UNDER_REVIEW
        for cell in row.cells
        if cell is not None and cell.sent is None
    ]
    for assignment in missing:
        assignment.filing.call = call
    if request.method == "POST":
        chosen = [one for one in missing if _chosen(request, one)]
        for assignment in chosen:
            assigning.remind(actor=request.user, assignment=assignment)
        messages.success(request, f"{len(chosen)} reminder{'' if len(chosen) == 1 else 's'} sent.")
        return redirect("reviews:assignments", call.slug)
    return lettered(
        request,
        call_context(request, call, "assignments"),
        heading="Reminders",
        letters=[_shown(assigning.letter_of_reminder(one)) for one in missing],
        none="No review is missing.",
        submit="Send the reminders",
        back=reverse("reviews:assignments", args=[call.slug]),
        kind="reminder",
    )


def _filings(request: HttpRequest, call: Call) -> QuerySet[Filing]:
    """Return the filings of a call without the chair's own designs."""
    return call.filings.exclude(design__in=own_designs(request.user))


def _chosen(request: HttpRequest, assignment: Assignment) -> bool:
    return str(assignment.pk) in request.POST.getlist("letter")


def _letters(number: int) -> str:
    return f"{number} letter{'' if number == 1 else 's'}"


def _shown(one: assigning.ReviewerLetter) -> ShownLetter:
    """A letter to a reviewer as the preview has it."""
    reminded = one.assignment.reminded_at if one.kind == "review_reminder" else None
    return ShownLetter(
        to=one.assignment.reviewer.user.display_name,
        about=f"{one.assignment.filing.number} · {one.assignment.filing.title}",
        subject=one.letter.subject,
        text=one.letter.text,
        value=str(one.assignment.pk),
        last_at=reminded,
    )


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
            messages.success(request, "The reviewer was removed. Their texts remain in the record.")
        else:
            person = get_object_or_404(Reviewer.objects.select_related("user", "call"), call=filing.call, pk=pk)
            part = request.POST.get("part", "")
            assigning.assign(actor=request.user, filing=filing, reviewer=person, part=part)
            messages.success(request, f"{person.user.display_name} is assigned, and not written to yet.")
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
    return redirect("reviews:assignments", filing.call.slug)


@login_required
@require_POST
def start(request: SignedInRequest, slug: str, number: int) -> HttpResponse:
    """Open the review of a design or of its revision, once the letters that go with it have been seen."""
    filing = filing_for(request, slug, number, rules.chairs)
    if "confirmed" not in request.POST and (drafts := [_shown(one) for one in assigning.letters_of_start(filing)]):
        return lettered(
            request,
            filing_context(request, filing, "filing"),
            base="reviews/filing_base.html",
            heading=f"Open the review and send {_letters(len(drafts))}",
            letters=drafts,
            submit="Open the review and send",
            back=filing.get_absolute_url(),
            kind="again" if filing.state == State.REVISION_SUBMITTED else "assigned",
            all_of_them=True,
        )
    try:
        assigning.start_review(actor=request.user, filing=filing)
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
    else:
        messages.success(request, "The review is open.")
    return redirect("reviews:filing", filing.call.slug, filing.number)
