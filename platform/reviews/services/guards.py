"""Conditions for state changes of a filing; the error of each guard states the remedy."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from django.core.exceptions import ValidationError
from django.utils import timezone

from designs.queries import document_of_version
from designs.queries.findings import findings, gate_of
from designs.queries.rehearsals import rehearsal_of
from evaluation.designs.compilation import compile_values
from evaluation.designs.document import Document
from reviews import queries
from reviews.models import Filing, Part, ReviewThread, State
from reviews.rules import chairs, organizes, owns


@dataclass(frozen=True)
class Step:
    """A requested change of state; without an actor, the system requests it."""

    filing: Filing
    to: State
    actor: Any
    reason: str


Guard = Callable[[Step], None]


def by_owner(step: Step) -> None:
    if step.actor is None or not owns(step.actor, step.filing):
        raise ValidationError("An owner of the design does this.")


def by_chair(step: Step) -> None:
    if step.actor is None or not chairs(step.actor, step.filing):
        raise ValidationError("A chair of the call who has no part in the design does this.")


def by_chair_or_system(step: Step) -> None:
    if step.actor is not None:
        by_chair(step)


def by_owner_or_chair(step: Step) -> None:
    if step.actor is None or not (owns(step.actor, step.filing) or chairs(step.actor, step.filing)):
        raise ValidationError("An owner of the design or a chair of the call does this.")


def chair_waits_for_the_revision(step: Step) -> None:
    """Organizers withdraw at any time; a chair does it for them only when no revision came in time."""
    if organizes(step.actor, step.filing):
        return
    late = step.filing.state == State.REVISION_REQUIRED and timezone.now() > step.filing.call.revision_at
    if not late:
        raise ValidationError("A chair closes a filing only when its revision did not come in time.")


def has_reason(step: Step) -> None:
    if not step.reason.strip():
        raise ValidationError("Write the reason.")


def has_letter(step: Step) -> None:
    if not step.reason.strip():
        raise ValidationError("Write the decision letter.")


def in_time(step: Step) -> None:
    if not step.filing.call.takes_designs:
        raise ValidationError("The call does not take designs now.")


def revision_in_time(step: Step) -> None:
    if timezone.now() > step.filing.call.revision_at:
        raise ValidationError("Revisions were due earlier; ask the chairs for a later date.")


def passes_the_gate(step: Step) -> None:
    """Require that enough essential parameters are filled and no check fails (REV-2).

    A design that was transcribed from a publication is reviewed as it was published: reviewers find its open
    points. Only examples have this mark. Organizers cannot set it.
    """
    filing = step.filing
    if filing.design.legacy_import:
        return
    document = document_of_version(queries.latest(filing).version)
    gate = gate_of(document, design=filing.design, share=filing.call.gate / 100)
    if not gate.completeness.passes(gate.share):
        raise ValidationError(
            f"{gate.completeness.gate.percent} % of the essential parameters are filled; "
            f"this call asks for {filing.call.gate} %."
        )
    if gate.errors:
        message_text = "; ".join(dict.fromkeys(finding.message for finding in gate.errors[:3]))
        raise ValidationError(f"{len(gate.errors)} checks block submission, first: {message_text}")
    if gate.elsewhere and not filing.call.takes_unexecuted:
        message_text = " ".join(dict.fromkeys(finding.message for finding in gate.elsewhere[:3]))
        raise ValidationError(f"This call takes only designs that the platform executes. {message_text}")
    _is_rehearsed(filing, document)


def _is_rehearsed(filing: Filing, document: Document) -> None:
    """Require a successful rehearsal of this document, if the call requires one and the platform executes a task."""
    if not filing.call.requires_rehearsal:
        return
    if not any(compile_values(values).assessment is not None for values in document.each_task()):
        return
    rehearsal = rehearsal_of(filing.design, queries.latest(filing).version.digest)
    if rehearsal is None or not rehearsal.is_passed:
        raise ValidationError(
            "This call requires a successful rehearsal of the design in its current state. "
            "Open “Rehearsal” in the design, start it, and submit the design when it has passed."
        )


def has_reviewers(step: Step) -> None:
    assigned = Counter(queries.active_assignments(step.filing).values_list("part", flat=True))
    _enough(assigned, step.filing, "are assigned")


def without_conflicts(step: Step) -> None:
    version = queries.latest(step.filing).version
    assignment_findings = findings(document_of_version(version), design=step.filing.design, phase="review_assignment")
    blocking = [finding for finding in assignment_findings if finding.blocks]
    if blocking:
        raise ValidationError([f"{finding.message} {finding.detail}".strip() for finding in blocking])


def reviews_are_in(step: Step) -> None:
    """For a revision that is decided without another round the reviews before it count."""
    filing = step.filing
    filed = queries.latest(filing) if filing.state == State.UNDER_REVIEW else None
    reviews = queries.sent_reviews(filing, filed).values_list("assignment__part", "assignment").distinct()
    _enough(Counter(part for part, _ in reviews), filing, "have sent their reviews")


def _enough(have: Counter[str], filing: Filing, done: str) -> None:
    missing = [
        f"{wanted} {Part(part).label}{'s' if wanted > 1 else ''} are needed, {have[part]} {done}"
        for part, wanted in queries.numbers_wanted(filing).items()
        if have[part] < wanted
    ]
    if missing:
        raise ValidationError(f"{'; '.join(missing)}.")


def blocking_points_are_answered(step: Step) -> None:
    number = step.filing.threads.filter(is_blocking=True, state=ReviewThread.State.OPEN).count()
    if number:
        raise ValidationError(
            f"{number} blocking point{'s' if number > 1 else ''} {'have' if number > 1 else 'has'} no answer yet."
        )


def blocking_points_are_resolved(step: Step) -> None:
    number = queries.blocking_threads(step.filing).count()
    if number:
        raise ValidationError(
            f"{number} blocking point{'s are' if number > 1 else ' is'} not resolved; resolve what is settled first."
        )


S = State
_ACCEPTING: Final = (by_chair, reviews_are_in, blocking_points_are_resolved, has_letter)
GUARDS: Final[dict[tuple[State, State], tuple[Guard, ...]]] = {
    (S.DRAFT, S.SUBMITTED): (by_owner, in_time, passes_the_gate),
    (S.SUBMITTED, S.UNDER_REVIEW): (by_chair, has_reviewers, without_conflicts),
    (S.SUBMITTED, S.WITHDRAWN): (by_owner, has_reason),
    (S.UNDER_REVIEW, S.REVISION_REQUIRED): (by_chair, reviews_are_in, has_letter),
    (S.UNDER_REVIEW, S.ACCEPTED): _ACCEPTING,
    (S.UNDER_REVIEW, S.REJECTED): (by_chair, has_letter),
    (S.UNDER_REVIEW, S.WITHDRAWN): (by_owner, has_reason),
    (S.REVISION_REQUIRED, S.REVISION_SUBMITTED): (
        by_owner,
        revision_in_time,
        blocking_points_are_answered,
        passes_the_gate,
    ),
    (S.REVISION_REQUIRED, S.WITHDRAWN): (by_owner_or_chair, chair_waits_for_the_revision, has_reason),
    (S.REVISION_SUBMITTED, S.UNDER_REVIEW): (by_chair, has_reviewers, without_conflicts),
    (S.REVISION_SUBMITTED, S.ACCEPTED): _ACCEPTING,
    (S.REVISION_SUBMITTED, S.REJECTED): (by_chair, has_letter),
    (S.REVISION_SUBMITTED, S.WITHDRAWN): (by_owner, has_reason),
    (S.ACCEPTED, S.REGISTERED): (by_chair_or_system,),
    (S.ACCEPTED, S.DECLINED): (by_owner_or_chair, has_reason),
}
