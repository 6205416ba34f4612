"""Pages of the reviewer: pending reviews, the form next to the design, and sending."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe

from accounts.requests import SignedInRequest
from designs.views.access import signed_in
from reviews import queries
from reviews.domain.sections import BY_KEY, HIDDEN_IN_DOUBLE, SECTIONS
from reviews.forms import AnswerForm, ConflictForm, VerdictForm
from reviews.models import Answer, Assignment, Confidence, Outcome, Question, Review, Side, State
from reviews.queries import readers
from reviews.services import reviewers, reviewing, talk
from reviews.views.access import filing_context, review_for


@login_required
@require_safe
def mine(request: SignedInRequest) -> HttpResponse:
    """Everything that the person reviews, what is due first."""
    calls = request.user.reviewing.filter(left_at=None).select_related("call")
    return render(request, "reviews/mine.html", {"rows": queries.reviewing_of(request.user), "calls": list(calls)})


@login_required
@require_safe
def review(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Show the start page of a review.

    It shows the due date and the sections with their open questions. A conflict of interest can be declared here.
    """
    assignment = review_for(request, slug, number)
    context = _context(request, assignment, "")
    open_parts = context["open_parts"]
    return render(
        request,
        "reviews/review.html",
        {
            **context,
            "begin": open_parts[0] if open_parts else None,
            "answered": sum(link["done"] for link in context["links"]),
            "asked_in_all": sum(link["asked"] for link in context["links"]),
            "form": ConflictForm(),
            "revised": queries.latest(assignment.filing).number > 1,
        },
    )


@login_required
@require_safe
def section(request: HttpRequest, slug: str, number: int, key: str) -> HttpResponse:
    """The design on one side, the questions of the section on the other."""
    assignment = review_for(request, slug, number)
    call = assignment.filing.call
    here = BY_KEY.get(key)
    if here is None or (key == HIDDEN_IN_DOUBLE and call.hides_organizers):
        raise Http404("There is no such section.")
    context = _context(request, assignment, key)
    answers = context.pop("answers")
    groups = readers.section_shown(assignment, here)
    asked = [
        {"question": question, "answer": answers.get(question.pk)}
        for question in context.pop("questions")
        if question.section == key
    ]
    links = context["links"]
    at = next(i for i, link in enumerate(links) if link["section"] == here)
    return render(
        request,
        "reviews/section.html",
        {
            **context,
            "section": here,
            "groups": groups,
            "asked": asked,
            "scores": range(call.score_min, call.score_max + 1),
            "judgements": Answer.Judgement.choices,
            "before": links[at - 1] if at else None,
            "after": links[at + 1] if at + 1 < len(links) else None,
            "reader": Side.REVIEWER,
            "may_raise": talk.is_open(assignment.filing),
        },
    )


@signed_in
@require_POST
def save_answer(request: HttpRequest, slug: str, number: int, pk: int) -> HttpResponse:
    """Keep the answer to one question."""
    assignment = review_for(request, slug, number)
    question = get_object_or_404(Question, call=assignment.filing.call, pk=pk)
    form = AnswerForm(request.POST)
    if not form.is_valid():
        return _status(request, [" ".join(map(str, errors)) for errors in form.errors.values()])
    try:
        review = reviewing.begin_review(assignment=assignment)
        review.assignment = assignment
        reviewing.save_answer(review=review, question=question, **form.cleaned_data)
    except ValidationError as error:
        return _status(request, error.messages)
    return _status(request, [])


@signed_in
@require_POST
def save_verdict(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Keep recommendation, confidence, summary and note."""
    assignment = review_for(request, slug, number)
    form = VerdictForm(request.POST)
    if not form.is_valid():
        return _status(request, [" ".join(map(str, errors)) for errors in form.errors.values()])
    try:
        review = reviewing.begin_review(assignment=assignment)
        reviewing.save_verdict(review=review, **form.cleaned_data)
    except ValidationError as error:
        return _status(request, error.messages)
    return _status(request, [])


def _status(request: HttpRequest, problems: list[str]) -> HttpResponse:
    return render(request, "reviews/parts/saved.html", {"problems": problems})


@login_required
@require_safe
def verdict(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Recommendation and sending; after it the other reviews and the discussion."""
    assignment = review_for(request, slug, number)
    filing = assignment.filing
    context = _context(request, assignment, "verdict")
    stored = context["stored"]
    others = []
    if queries.sees_others(assignment):
        others = [
            other_review
            for other_review in readers.reviews_shown(filing, queries.latest(filing), Side.REVIEWER)
            if other_review["label"] != assignment.label
        ]
    return render(
        request,
        "reviews/verdict.html",
        {
            **context,
            "form": VerdictForm.shown(
                initial={
                    "recommendation": stored.recommendation if stored else "",
                    "confidence": stored.confidence if stored else None,
                    "summary": stored.summary if stored else "",
                    "confidential": stored.confidential if stored else "",
                }
            ),
            "sees_others": queries.sees_others(assignment),
            "others": others,
            "discussion": readers.discussion_shown(filing, Side.REVIEWER) if queries.sees_others(assignment) else [],
            "sent": stored.sent.last() if stored else None,
            "outcomes": Outcome.choices,
            "confidences": Confidence.choices,
        },
    )


@login_required
@require_POST
def send(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Send the review, or send it again."""
    assignment = review_for(request, slug, number)
    try:
        stored = reviewing.begin_review(assignment=assignment)
        sent = reviewing.send_review(review=stored)
    except ValidationError as error:
        for message in error.messages:
            messages.error(request, message)
    else:
        messages.success(
            request,
            "Your review is sent. Until the decision you can revise it."
            if sent.number == 1
            else "The revised review is sent.",
        )
    return redirect("reviews:verdict", slug, number)


@login_required
@require_POST
def conflict(request: SignedInRequest, slug: str, number: int) -> HttpResponse:
    """Declare a conflict; the assignment ends with it."""
    assignment = review_for(request, slug, number)
    form = ConflictForm(request.POST)
    if not form.is_valid():
        messages.error(request, "Say in a few words what the conflict is.")
        return redirect("reviews:review", slug, number)
    reviewers.declare_conflict(
        actor=request.user, reviewer=assignment.reviewer, filing=assignment.filing, reason=form.cleaned_data["reason"]
    )
    messages.success(request, "Thank you. The design will be assigned to another reviewer.")
    return redirect("reviews:mine")


def _context(request: HttpRequest, assignment: Assignment, current: str) -> dict:
    """Return the context shared by all pages of a review.

    It contains the sections with their open questions, and whether the review can be edited.
    """
    filing, call = assignment.filing, assignment.filing.call
    filed = queries.latest(filing)
    stored = Review.objects.filter(assignment=assignment, filed=filed).first()
    questions = reviewing.questions_for(call, assignment.part)
    answers = {answer.question_id: answer for answer in stored.answers.all()} if stored else {}
    done = {pk for pk, answer in answers.items() if answer.score is not None or answer.judgement}
    links = [
        {
            "section": section,
            "current": section.key == current,
            "asked": sum(question.section == section.key for question in questions),
            "done": sum(question.section == section.key and question.pk in done for question in questions),
            "needed": sum(
                question.section == section.key and question.is_required and question.pk not in done
                for question in questions
            ),
        }
        for section in SECTIONS
        if not (section.key == HIDDEN_IN_DOUBLE and call.hides_organizers)
    ]
    return {
        **filing_context(request, filing, "review"),
        "assignment": assignment,
        "stored": stored,
        "links": links,
        "open_parts": [link for link in links if link["needed"]],
        "current": current,
        "questions": questions,
        "answers": answers,
        "due": queries.review_due(filing, filed),
        "writable": filing.state == State.UNDER_REVIEW,
    }
