"""Acts of reviewers: drafts that save themselves, sending and revising."""

from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from core.audit.services import record
from reviews import queries
from reviews.domain.sections import BY_KEY, HIDDEN_IN_DOUBLE, SECTIONS
from reviews.models import (
    Answer,
    Assignment,
    Audience,
    Call,
    Confidence,
    Outcome,
    Part,
    Question,
    Review,
    SentReview,
    State,
)

MAX_WORDS = 5000
# Beside the questions of their own, clinical reviewers and statisticians answer those of these sections.
SHARED = {Part.CLINICAL: ("general",), Part.STATISTICS: ("general", "assessment")}
_AUDIENCE = {Part.CLINICAL: Audience.CLINICAL, Part.STATISTICS: Audience.STATISTICS}


def questions_for(call: Call, part: str) -> list[Question]:
    """Return the questions for a reviewer in this part, in the order of the pages."""
    order = [section.key for section in SECTIONS]
    asked = []
    for question in call.questions.filter(retired_at=None):
        if question.section == HIDDEN_IN_DOUBLE and call.hides_organizers:
            continue
        shared = question.audience == Audience.ALL and (part == Part.GENERAL or question.section in SHARED[Part(part)])
        if shared or question.audience == _AUDIENCE.get(Part(part)):
            asked.append(question)
    return sorted(asked, key=lambda question: (order.index(question.section), question.position, question.pk))


@transaction.atomic
def begin_review(*, assignment: Assignment) -> Review:
    """The reviewer's review of what was filed last; for a revision it starts with the answers given before."""
    filed = queries.latest(assignment.filing)
    review, created = Review.objects.get_or_create(assignment=assignment, filed=filed)
    before = (
        Review.objects.filter(assignment=assignment, filed__number__lt=filed.number).order_by("-filed__number").first()
    )
    if created and before is not None:
        review.confidence = before.confidence
        review.save(update_fields=["confidence"])
        Answer.objects.bulk_create(
            Answer(review=review, question=old.question, score=old.score, judgement=old.judgement, words=old.words)
            for old in before.answers.filter(question__retired_at=None).select_related("question")
        )
    return review


@transaction.atomic
def save_answer(
    *, review: Review, question: Question, score: int | None = None, judgement: str = "", words: str = ""
) -> Answer:
    """Store the answer to a question in the draft.

    Raises
    ------
    ValidationError
        If the review is over, the question is not part of it, or the score is outside the scale.
    """
    _writable(review)
    call = review.assignment.filing.call
    if question.pk not in {asked.pk for asked in questions_for(call, review.assignment.part)}:
        raise ValidationError("This question is not asked here.")
    if score is not None and not (question.kind == Question.Kind.SCORE and call.score_min <= score <= call.score_max):
        raise ValidationError(f"Scores go from {call.score_min} to {call.score_max}.")
    if judgement and (question.kind != Question.Kind.JUDGEMENT or judgement not in Answer.Judgement.values):
        raise ValidationError("Yes, partly, no or cannot judge.")
    answer, _ = Answer.objects.update_or_create(
        review=review, question=question, defaults={"score": score, "judgement": judgement, "words": _clean(words)}
    )
    Review.objects.filter(pk=review.pk).update(changed_at=timezone.now())
    return answer


@transaction.atomic
def save_verdict(
    *,
    review: Review,
    recommendation: str = "",
    confidence: int | None = None,
    summary: str = "",
    confidential: str = "",
) -> Review:
    """Keep recommendation, confidence, summary and the confidential note in the draft."""
    # As it stands now: one that was sent while this save was on its way stays sent.
    review = (
        Review.objects.select_for_update(of=("self",), no_key=True)
        .select_related("assignment__filing__call")
        .get(pk=review.pk)
    )
    _writable(review)
    if recommendation and recommendation not in Outcome.values:
        raise ValidationError("Accept, minor revision, major revision or reject.")
    if confidence is not None and confidence not in Confidence.values:
        raise ValidationError("Confidence goes from 1 to 5.")
    if review.sent_at is not None and not (recommendation and confidence):
        raise ValidationError("A sent review keeps a recommendation and a confidence; choose others instead.")
    review.recommendation, review.confidence = recommendation, confidence
    review.summary, review.confidential = _clean(summary), _clean(confidential)
    review.changed_at = timezone.now()
    review.save(update_fields=["recommendation", "confidence", "summary", "confidential", "changed_at"])
    return review


def missing_answers(review: Review, questions: list[Question]) -> list[Question]:
    """Required questions without an answer."""
    answers = {answer.question_id: answer for answer in review.answers.all()}
    return [
        question
        for question in questions
        if question.is_required
        and ((answer := answers.get(question.pk)) is None or (answer.score is None and not answer.judgement))
    ]


@transaction.atomic
def send_review(*, review: Review) -> SentReview:
    """Send the current review.

    Sending it a second time revises it. Every sent version is kept.

    Raises
    ------
    ValidationError
        With open required questions, without recommendation, confidence or summary, or if nothing changed.
    """
    review = (
        Review.objects.select_for_update(of=("self",), no_key=True)
        .select_related("assignment__filing__call", "assignment__reviewer__user", "filed")
        .get(pk=review.pk)
    )
    _writable(review)
    questions = questions_for(review.assignment.filing.call, review.assignment.part)
    problems = []
    if missing := missing_answers(review, questions):
        places = ", ".join(dict.fromkeys(BY_KEY[question.section].label for question in missing))
        problems.append(f"{len(missing)} questions have no answer yet: {places}.")
    if not review.recommendation:
        problems.append("Choose a recommendation.")
    if review.confidence is None:
        problems.append("Say how sure you are.")
    if not review.summary:
        problems.append("Write a summary for the organizers.")
    confidence = review.confidence
    if problems or confidence is None:
        raise ValidationError(problems)
    content, score = _content(review, questions)
    last = review.sent.order_by("-number").first()
    same = (
        last is not None
        and last.content == content
        and last.confidential == review.confidential
        and (last.recommendation, last.confidence) == (review.recommendation, review.confidence)
    )
    if same:
        raise ValidationError("Nothing has changed since you sent it.")
    sent = SentReview.objects.create(
        review=review,
        number=(review.sent.aggregate(last=Max("number"))["last"] or 0) + 1,
        content=content,
        confidential=review.confidential,
        recommendation=review.recommendation,
        confidence=confidence,
        score=score,
    )
    if review.sent_at is None:
        review.sent_at = sent.sent_at
        review.save(update_fields=["sent_at"])
    filing = review.assignment.filing
    record(
        actor=review.assignment.reviewer.user,
        act="review_sent",
        subject=filing,
        scope=filing.call.slug,
        facts={"reviewer": review.assignment.reviewer_id, "version": review.filed.number, "number": sent.number},
    )
    return sent


def _content(review: Review, questions: list[Question]) -> tuple[dict[str, Any], float | None]:
    answers = {answer.question_id: answer for answer in review.answers.all()}
    rows, scores = [], []
    for question in questions:
        answer = answers.get(question.pk)
        if answer is None:
            continue
        if answer.score is not None:
            scores.append(answer.score)
        rows.append({
            "section": question.section,
            "question": question.text,
            "score": answer.score,
            "judgement": answer.judgement,
            "words": answer.words,
        })  # fmt: skip
    score = sum(scores) / len(scores) if scores else None
    return {"answers": rows, "summary": review.summary}, score


def _writable(review: Review) -> None:
    assignment = Assignment.objects.select_related("filing").get(pk=review.assignment_id)
    if assignment.removed_at is not None:
        raise ValidationError("You do not review this design any more.")
    if assignment.filing.state != State.UNDER_REVIEW or queries.latest(assignment.filing).pk != review.filed_id:
        raise ValidationError("This design is not under review now.")


def _clean(text: str) -> str:
    return text.replace("\x00", "").strip()[:MAX_WORDS]
