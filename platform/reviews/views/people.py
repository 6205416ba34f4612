"""Reviewers and chairs of a call; bids."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from accounts.people.tables import invitation_rows
from accounts.requests import SignedInRequest
from reviews import queries
from reviews.contributions.invitations import REVIEWER_INVITATIONS
from reviews.forms import BidForm, ChairForm, InvitationForm, ReviewerForm
from reviews.models import Bid, Call, Chair, Reviewer, State
from reviews.queries import anonymity
from reviews.services import calls, reviewers
from reviews.views.access import call_context, call_for, own_designs, reviewed_call_for, reviewer_in
from web.spreadsheets import csv_file


@login_required
@require_safe
def people(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the reviewers with their load, the invitations and the chairs."""
    return people_page(request, call_for(request, slug, "chair_call"), InvitationForm())


def people_page(request: HttpRequest, call: Call, form: InvitationForm) -> HttpResponse:
    """Return the page of the people of a call, with the invitation form."""
    return render(
        request,
        "reviews/people.html",
        {
            **call_context(request, call, "people"),
            "reviewers": queries.loads_of(call),
            "invitations": invitation_rows(
                REVIEWER_INVITATIONS,
                call.invitations.all(),
                withdraw_path=lambda entry: reverse("reviews:close_invitation", args=[call.slug, entry.pk]),
            ),
            "chairs": call.chairs.select_related("user"),
            "form": form,
            "chair_form": ChairForm(),
        },
    )


@login_required
@require_safe
def people_csv(request: HttpRequest, slug: str) -> HttpResponse:
    """The load of the reviewers as a table."""
    call = call_for(request, slug, "chair_call")
    heads = ["name", "parts", "expertise", "limit", "assigned", "sent", "waiting"]
    rows = (
        (
            one.user.display_name,
            " ".join(one.parts),
            ", ".join(one.expertise),
            one.limit,
            one.assigned,
            one.sent,
            one.waiting,
        )
        for one in queries.loads_of(call)
    )
    return csv_file(f"{call.slug}-reviewers.csv", heads, rows)


@login_required
@require_POST
def chairs(request: SignedInRequest, slug: str) -> HttpResponse:
    """Add a chair, or remove one."""
    call = call_for(request, slug, "chair_call")
    if pk := request.POST.get("remove"):
        chair = get_object_or_404(Chair, call=call, pk=int(pk) if pk.isdigit() else 0)
        try:
            calls.remove_chair(actor=request.user, chair=chair)
        except ValidationError as error:
            messages.error(request, " ".join(error.messages))
        return redirect("reviews:people", call.slug)
    form = ChairForm(request.POST)
    if form.is_valid():
        calls.add_chair(actor=request.user, call=call, user=form.cleaned_data["username"])
        messages.success(request, "The person chairs the call too.")
    else:
        messages.error(request, " ".join(map(str, form.errors.get("username", ["Enter a user name."]))))
    return redirect("reviews:people", call.slug)


@login_required
def reviewer(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Parts, expertise and load of a reviewer; for the person and the chairs."""
    call = call_for(request, slug)
    person = get_object_or_404(Reviewer.objects.select_related("user", "call"), call=call, pk=pk, left_at=None)
    if person.user_id != request.user.pk:
        call_for(request, slug, "chair_call")
    is_own = person.user_id == request.user.pk
    if request.method == "POST" and request.POST.get("act") == "leave":
        try:
            reviewers.remove_reviewer(actor=request.user, reviewer=person)
        except ValidationError as error:
            messages.error(request, " ".join(error.messages))
        else:
            messages.success(request, "The person reviews for this call no longer.")
        return redirect(call)
    form = ReviewerForm(request.POST or None, instance=Reviewer.objects.get(pk=person.pk))
    if request.method == "POST" and form.is_valid():
        try:
            reviewers.change_reviewer(actor=request.user, reviewer=person, **form.cleaned_data)
        except ValidationError as error:
            form.add_error(None, error)
        else:
            messages.success(request, "Saved.")
            return redirect("reviews:people" if not is_own else "reviews:call", call.slug)
    return render(
        request,
        "reviews/reviewer.html",
        {**call_context(request, call, "people"), "form": form, "person": person, "own": is_own},
    )


@login_required
def bids(request: SignedInRequest, slug: str) -> HttpResponse:
    """Show the bids of a reviewer and store changes."""
    call = reviewed_call_for(request, slug)
    person = reviewer_in(request.user, call)
    assert person is not None, "the rule found them"
    open_ = list(
        call.filings.filter(state__in=[State.SUBMITTED, State.UNDER_REVIEW])
        .exclude(design__in=own_designs(request.user))
        .select_related("call", "design")
    )
    if request.method == "POST":
        form = BidForm(request.POST)
        wanted = next((one for one in open_ if form.is_valid() and one.pk == form.cleaned_data["filing"]), None)
        if wanted is None:
            messages.error(request, "This design is not open for bids.")
        else:
            try:
                reviewers.bid(reviewer=person, filing=wanted, wish=form.cleaned_data["wish"])
            except ValidationError as error:
                messages.error(request, " ".join(error.messages))
            else:
                messages.success(request, "Your bid is kept.")
        return redirect("reviews:bids", call.slug)
    conflicts = queries.conflicts_of(call, filings=open_, reviewers=[person])
    wish_by_filing = dict(Bid.objects.filter(reviewer=person).values_list("filing", "wish"))
    briefs = queries.briefs_of(open_)
    masks = anonymity.masks_of(open_) if call.hides_organizers else {}
    rows = []
    for filing in open_:
        mask = masks.get(filing.pk)
        brief = briefs.get(filing.pk, "")
        rows.append({
            "filing": filing,
            "title": mask.text(filing.title) if mask else filing.title,
            "brief": mask.text(brief) if mask else brief,
            "wish": wish_by_filing.get(filing.pk),
            # In a double-blind call the reason would say who organizes.
            "conflict": bool(conflicts.get((person.pk, filing.pk))),
        })  # fmt: skip
    return render(
        request,
        "reviews/bids.html",
        {**call_context(request, call, "bids"), "rows": rows, "wishes": Bid.Wish.choices, "person": person},
    )
