"""Designs against reviewers; decisions, singly and in bulk."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from reviews import queries, rules
from reviews.forms import DecisionForm
from reviews.models import Call, Filing, Outcome, Part
from reviews.services import deciding
from reviews.views.access import call_context, call_for, filing_context, filing_for, own_designs
from reviews.views.letters import ShownLetter, lettered
from web.spreadsheets import csv_file


@login_required
def matrix(request: HttpRequest, slug: str) -> HttpResponse:
    """The matrix; posting shows the letters to the chosen designs, and posting once more sends them."""
    call = call_for(request, slug, "chair_call")
    if request.method == "POST":
        chosen = [int(pk) for pk in request.POST.getlist("filing") if pk.isdigit()]
        outcome = request.POST.get("outcome", "")
        filings = [
            filing
            for filing in Filing.objects.filter(call=call, pk__in=chosen).select_related("call", "design")
            if rules.chairs(request.user, filing)
        ]
        if not filings or outcome not in Outcome.values:
            messages.error(request, "Choose designs and a decision first.")
            return redirect("reviews:matrix", call.slug)
        if "confirmed" not in request.POST:
            return _previewed(request, call, filings, outcome)
        done, refused = deciding.decide_many(actor=request.user, call=call, filings=filings, outcome=outcome)
        if done:
            messages.success(request, f"{len(done)} decided; the letters are on their way.")
        for filing, reasons in refused:
            messages.error(request, f"{filing.title}: {' '.join(reasons)}")
        return redirect("reviews:matrix", call.slug)
    table = queries.matrix_of(call, without=own_designs(request.user))
    wanted = request.GET.get("state", "")
    states = sorted({(row.filing.state, row.filing.get_state_display()) for row in table.rows})
    if wanted:
        table.rows = [row for row in table.rows if row.filing.state == wanted]
    return render(
        request,
        "reviews/matrix.html",
        {
            **call_context(request, call, "matrix"),
            "matrix": table,
            "states": states,
            "wanted": wanted,
            "outcomes": Outcome.choices,
        },
    )


def _previewed(request: HttpRequest, call: Call, filings: list[Filing], outcome: str) -> HttpResponse:
    """The letters as they would go."""
    letters = []
    for filing in filings:
        subject, letter = deciding.draft_letter(filing=filing, outcome=outcome, chair=request.user)
        letters.append(
            ShownLetter(
                to="organizers",
                about=f"{filing.number} · {filing.title}",
                subject=subject,
                text=letter,
                value=str(filing.pk),
            )
        )
    return lettered(
        request,
        call_context(request, call, "matrix"),
        heading=f"{Outcome(outcome).label.capitalize()}: {len(letters)} letter{'' if len(letters) == 1 else 's'}",
        letters=letters,
        name="filing",
        submit="Decide and send the letters",
        back=reverse("reviews:matrix", args=[call.slug]),
        hidden_fields={"outcome": [outcome]},
        kind=outcome,
        note="To change one of them, leave it out here and decide on the page of its design.",
    )


@login_required
@require_safe
def matrix_csv(request: HttpRequest, slug: str) -> HttpResponse:
    """One row for each design and reviewer."""
    call = call_for(request, slug, "chair_call")
    head = (
        *("number", "design", "state", "reviewer", "part", "recommendation", "score", "confidence", "sent_at"),
        *("mean", "spread", "disagreement", "blocking_points"),
    )
    lines: list[list[object]] = []
    for row in queries.matrix_of(call, without=own_designs(request.user)).rows:
        mean_and_spread = ["" if value is None else f"{value:.3f}" for value in (row.mean, row.spread)]
        design_cells = [row.filing.number, row.filing.title, row.filing.state]
        end = [*mean_and_spread, "yes" if row.disagrees else "no", row.blocking]
        cells = [cell for cell in row.cells if cell is not None]
        if not cells:
            lines.append([*design_cells, "", "", "", "", "", "", *end])
        for cell in cells:
            sent = cell.sent
            review_cells: list[object] = ["", "", "", ""]
            if sent is not None:
                score = "" if sent.score is None else f"{sent.score:.3f}"
                review_cells = [sent.recommendation, score, sent.confidence, sent.sent_at.isoformat()]
            name = cell.assignment.reviewer.user.display_name
            lines.append([*design_cells, name, Part(cell.assignment.part).label, *review_cells, *end])
    return csv_file(f"{call.slug}-reviews.csv", head, lines)


@login_required
def decide(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Write the letter and decide."""
    filing = filing_for(request, slug, number, rules.chairs)
    outcome = request.POST.get("outcome") or request.GET.get("outcome", "")
    if outcome not in Outcome.values:
        return redirect("reviews:filing", filing.call.slug, filing.number)
    if request.method == "POST":
        form = DecisionForm(request.POST)
        if form.is_valid():
            try:
                deciding.decide(actor=request.user, filing=filing, **form.cleaned_data)
            except ValidationError as error:
                form.add_error(None, error)
            else:
                messages.success(request, "Decided; the letter is on its way.")
                return redirect("reviews:filing", filing.call.slug, filing.number)
    else:
        subject, letter = deciding.draft_letter(filing=filing, outcome=outcome, chair=request.user)
        form = DecisionForm(initial={"outcome": outcome, "subject": subject, "letter": letter})
    return render(
        request,
        "reviews/decide.html",
        {
            **filing_context(request, filing, "filing"),
            "form": form,
            "outcome": Outcome(outcome).label,
            "open_points": queries.blocking_threads(filing).count(),
        },
    )
