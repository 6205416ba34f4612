"""Assignment of reviewers by hand or by the optimizer, reminders and the start of a review.

Assignments never have conflicts of interest.
"""

import re
import traceback
from collections import Counter, defaultdict
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import structlog
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.db.models import Max
from django.utils import timezone

from accounts.models import User
from accounts.notifications.domain.acts import Letter
from core.audit.services import record
from core.work.services import Lease, LeaseLostError, ask, claim
from evaluation.designs.catalogue import shipped
from evaluation.designs.document.words import value_words
from reviews import queries, rules
from reviews.domain.optimising import Candidate, plan
from reviews.models import (
    Assignment,
    AutomaticAssignment,
    Bid,
    Call,
    FiledVersion,
    Filing,
    Part,
    Reviewer,
    State,
)
from reviews.queries.work import ASSIGNMENTS
from reviews.services import mails
from reviews.services.reviewing import begin_review
from reviews.services.transitions import advance

log = structlog.get_logger(__name__)
# Reviewers are assigned while a filing waits, and exchanged while it is reviewed.
ASSIGNABLE = (State.SUBMITTED, State.UNDER_REVIEW, State.REVISION_SUBMITTED)
# What a bid is worth beside expertise, which gives up to `_EXPERTISE`.
_WISH = {Bid.Wish.GLADLY: 0.6, Bid.Wish.CAN: 0.35, Bid.Wish.NO: -0.3}
_SILENT, _EXPERTISE, _LEAST = 0.2, 0.4, 0.01
# Parameters whose words tell what a design is about.
TOPICS = (
    *("challenge_keywords", "field_of_application", "task_category", "imaging_modality", "challenge_name"),
    *("task_name", "algorithm_target", "data_origin", "primary_objective"),
)


@transaction.atomic
def assign(*, actor: User, filing: Filing, reviewer: Reviewer, part: str, is_automatic: bool = False) -> Assignment:
    """Assign a reviewer without notifying them.

    The reviewer is notified by `tell` or with the start of the review, so that chairs can read the letters first.

    Raises
    ------
    ValidationError
        For a conflict of interest, a part that the person does not have, or a filing that cannot be reviewed now.
    """
    locked = (
        Filing.objects.select_for_update(of=("self",), no_key=True).select_related("call", "design").get(pk=filing.pk)
    )
    if locked.state not in ASSIGNABLE:
        raise ValidationError("This design is not to be reviewed now.")
    if reviewer.call_id != locked.call_id or reviewer.left_at is not None:
        raise ValidationError("This person does not review for the call.")
    if part not in Part.values:
        raise ValidationError("Choose as what the person reviews.")
    if part not in reviewer.parts:
        raise ValidationError(f"{reviewer.user.display_name} is no {Part(part).label}.")
    conflicts = queries.conflicts_of(locked.call, filings=[locked], reviewers=[reviewer])
    if reasons := conflicts.get((reviewer.pk, locked.pk)):
        words = "; ".join(reason.words for reason in reasons)
        raise ValidationError(f"Conflict of interest of {reviewer.user.display_name}: {words}.")
    if part == Part.GENERAL and (
        locked.assignments.filter(removed_at=None, part=part).count() >= locked.call.reviewers_max
    ):
        raise ValidationError(f"A design gets at most {locked.call.reviewers_max} reviewers.")
    label = (locked.assignments.aggregate(last=Max("label"))["last"] or 0) + 1
    try:
        with transaction.atomic():
            assignment = Assignment.objects.create(
                filing=locked,
                reviewer=reviewer,
                part=part,
                label=label,
                assigned_by=actor,
                is_automatic=is_automatic,
            )
    except IntegrityError as error:
        raise ValidationError(f"{reviewer.user.display_name} reviews this design already.") from error
    rules.forget(reviewer.user)
    record(
        actor=actor,
        act="reviewer_assigned",
        subject=locked,
        scope=locked.call.slug,
        facts={"reviewer": reviewer.pk, "part": str(part), "automatic": is_automatic},
    )
    return assignment


@transaction.atomic
def unassign(*, actor: User, assignment: Assignment) -> None:
    """Take a reviewer off; what they wrote stays in the record but counts no longer."""
    if assignment.removed_at is None:
        assignment.removed_at = timezone.now()
        assignment.save(update_fields=["removed_at"])
        rules.forget(assignment.reviewer.user)
        record(
            actor=actor,
            act="reviewer_unassigned",
            subject=assignment.filing,
            scope=assignment.filing.call.slug,
            facts={"reviewer": assignment.reviewer_id},
        )


@dataclass(frozen=True)
class ReviewerLetter:
    """A letter to a reviewer about one design, before it is sent."""

    assignment: Assignment
    kind: str
    letter: Letter


def letters_of_assignment(assignments: Iterable[Assignment]) -> list[ReviewerLetter]:
    """Return the letters to reviewers who have not been notified of their assignment."""
    return [
        ReviewerLetter(one, "review_assigned", mails.letter_of_assignment(one))
        for one in assignments
        if one.told_at is None
    ]


def letter_of_reminder(assignment: Assignment) -> ReviewerLetter:
    """Return the letter that reminds a reviewer of a review that was not sent."""
    return ReviewerLetter(assignment, "review_reminder", mails.letter_of_reminder(assignment))


def letters_of_start(filing: Filing) -> list[ReviewerLetter]:
    """Return the letters that the start of a review sends to its reviewers.

    Reviewers who were not notified yet receive the letter about the assignment. For a revision, reviewers who
    know the design receive a letter about it.
    """
    assignments = list(queries.active_assignments(filing).select_related("filing__call"))
    letters = letters_of_assignment(assignments)
    if filing.state == State.REVISION_SUBMITTED:
        earlier_assignments = [one for one in assignments if one.told_at is not None]
        letters += [
            ReviewerLetter(one, "review_assigned", mails.letter_of_revision(one)) for one in earlier_assignments
        ]
    return letters


@transaction.atomic
def tell(*, actor: User, assignments: Iterable[Assignment]) -> int:
    """Send reviewers the letters about what was assigned to them, each once; returns how many."""
    rows = Assignment.objects.select_for_update(of=("self",), no_key=True).filter(
        pk__in=[one.pk for one in assignments], removed_at=None, told_at=None
    )
    letters = letters_of_assignment(rows.select_related("filing__call", "reviewer__user"))
    for one in letters:
        _send(one)
        record(
            actor=actor,
            act="reviewer_told",
            subject=one.assignment.filing,
            scope=one.assignment.filing.call.slug,
            facts={"reviewer": one.assignment.reviewer_id},
        )
    return len(letters)


def _send(one: ReviewerLetter) -> None:
    mails.send_to_reviewer(one.assignment, one.kind, one.letter)
    if one.assignment.told_at is None:
        one.assignment.told_at = timezone.now()
        one.assignment.save(update_fields=["told_at"])


@transaction.atomic
def start_review(*, actor: User, filing: Filing) -> None:
    """Open the review of the version filed last and notify its reviewers (`letters_of_start`)."""
    is_revision = filing.state == State.REVISION_SUBMITTED
    letters = letters_of_start(filing)
    advance(filing=filing, to=State.UNDER_REVIEW, actor=actor)
    if is_revision:
        for assignment in queries.active_assignments(filing).select_related("filing__call"):
            begin_review(assignment=assignment)
    for one in letters:
        _send(one)


@transaction.atomic
def remind(*, actor: User | None, assignment: Assignment) -> None:
    """Remind a reviewer; the system does it by itself, a chair whenever they like."""
    _send(letter_of_reminder(assignment))
    assignment.reminded_at = timezone.now()
    assignment.save(update_fields=["reminded_at"])
    record(
        actor=actor,
        act="reviewer_reminded",
        subject=assignment.filing,
        scope=assignment.filing.call.slug,
        facts={"reviewer": assignment.reviewer_id},
    )


def remind_due() -> int:
    """Remind each reviewer whose review is due soon or overdue, once per assignment.

    Returns the number of reminders.
    """
    reminded = 0
    for assignment in queries.due_for_reminder(timezone.now()):
        with transaction.atomic():
            row = Assignment.objects.select_for_update(no_key=True).get(pk=assignment.pk)
            if row.reminded_at == assignment.reminded_at:
                remind(actor=None, assignment=assignment)
                reminded += 1
    return reminded


# --- The optimiser -----------------------------------------------------------------------------------------------
@transaction.atomic
def request_assignment(*, actor: User, call: Call) -> AutomaticAssignment:
    """Have a worker fill the open places of a call; one that waits already is returned."""
    Call.objects.select_for_update(no_key=True).get(pk=call.pk)
    waiting = call.automatic_assignments.filter(state=AutomaticAssignment.State.QUEUED).first()
    if waiting is None:
        waiting = AutomaticAssignment.objects.create(call=call, requested_by=actor)
        record(actor=actor, act="assignment_requested", subject=call, scope=call.slug)
    ask(ASSIGNMENTS, waiting)
    return waiting


def assign_automatically(*, run: AutomaticAssignment) -> AutomaticAssignment:
    """Fill the open places; what chairs assigned stays. Running it again changes nothing."""
    lease = claim(ASSIGNMENTS, run.pk, give_up=_give_up)
    if lease is not None:
        _assign(lease, run.call)
    run.refresh_from_db()
    return run


def _assign(lease: Lease, call: Call) -> None:
    with lease.renewed():
        candidates, places, room, load = problem_of(call)
        try:
            assignment_plan = plan(candidates, places, room=room, load=load)
        except RuntimeError as error:
            log.exception("assignment_failed", call=call.slug)
            state = AutomaticAssignment.State.FAILED
            lease.complete(state=state, words=str(error), failure=traceback.format_exc())
            return
    filings = {filing.pk: filing for filing in call.filings.all()}
    people = {one.pk: one for one in call.reviewers.select_related("user", "call")}
    words = [
        f"{filings[filing].title}: {number} {Part(part).label}{'s' if number > 1 else ''} missing"
        for (filing, part), number in assignment_plan.open_places.items()
    ]
    with suppress(LeaseLostError), lease.completing() as run:
        for chosen in assignment_plan.chosen:
            try:
                assign(
                    actor=run.requested_by,
                    filing=filings[chosen.filing],
                    reviewer=people[chosen.reviewer],
                    part=chosen.part,
                    is_automatic=True,
                )
                run.made += 1
            except ValidationError as error:
                # A chair was quicker with this one.
                words += [f"{filings[chosen.filing].title}: {message}" for message in error.messages]
        run.state, run.words = AutomaticAssignment.State.DONE, "\n".join(words)


def _give_up(lease: Lease) -> None:
    """End an assignment that takes its workers down."""
    words = "The workers that tried broke off. Ask for it again; if it fails once more, tell the operators."
    lease.complete(state=AutomaticAssignment.State.FAILED, words=words)


Problem = tuple[list[Candidate], dict[tuple[int, str], int], dict[int, int], dict[int, int]]


def problem_of(call: Call) -> Problem:
    """Candidates, open places, room and load of a call, in a constant number of queries."""
    filings = list(call.filings.filter(state__in=ASSIGNABLE))
    people = list(call.reviewers.filter(left_at=None).select_related("user", "call"))
    conflicts = queries.conflicts_of(call, filings=filings, reviewers=people)
    active = list(Assignment.objects.filter(filing__call=call, removed_at=None).select_related("filing"))
    load = Counter(one.reviewer_id for one in active)
    taken = {(one.reviewer_id, one.filing_id) for one in active}
    have = Counter((one.filing_id, one.part) for one in active)
    wanted = {Part.GENERAL: call.reviewers_max, Part.CLINICAL: call.clinical_reviewers}
    if call.statistician:
        wanted[Part.STATISTICS] = 1
    places = {
        (filing.pk, str(part)): max(number - have[filing.pk, str(part)], 0)
        for filing in filings
        for part, number in wanted.items()
    }
    wishes = {(bid.reviewer_id, bid.filing_id): bid.wish for bid in Bid.objects.filter(filing__in=filings)}
    topics = topics_of(filings)
    candidates = [
        Candidate(
            reviewer=person.pk,
            filing=filing.pk,
            part=part,
            affinity=affinity(person.expertise, topics[filing.pk], wishes.get((person.pk, filing.pk))),
        )
        for filing in filings
        for person in people
        if (person.pk, filing.pk) not in conflicts and (person.pk, filing.pk) not in taken
        for part in person.parts
        if places.get((filing.pk, part))
    ]
    room = {person.pk: max(person.limit - load[person.pk], 0) for person in people}
    return candidates, places, room, dict(load)


def affinity(expertise: list[str], topics: set[str], wish: int | None) -> float:
    """Return the fit of a reviewer and a design, above 0 and at most 1.

    It combines the bid of the reviewer with the share of their expertise terms that match the design.

    >>> affinity(["cardiac MRI", "segmentation"], {"mri", "segmentation"}, 2)
    0.9
    """
    share = sum(bool(_words(word) & topics) * len(_words(word) & topics) / len(_words(word)) for word in expertise)
    share = share / len(expertise) if expertise else 0.0
    worth = _SILENT if wish is None else _WISH[Bid.Wish(wish)]
    return round(min(max(worth + _EXPERTISE * share, _LEAST), 1.0), 3)


def topics_of(filings: list[Filing]) -> dict[int, set[str]]:
    """Return the words that describe the topic of each design."""
    topics: dict[int, set[str]] = defaultdict(set)
    rows = FiledVersion.objects.filter(filing__in=filings).select_related("version").order_by("number")
    catalogue = shipped()
    for filed in rows:
        document = filed.version.document
        for entries in (document["challenge"], *document["tasks"]):
            for name in TOPICS:
                if entries.get(name):
                    topics[filed.filing_id] |= _words(value_words(catalogue[name], entries[name]))
    return topics


def _words(text: Any) -> set[str]:
    return {word for word in re.findall(r"\w+", str(text).casefold()) if len(word) > 1}
