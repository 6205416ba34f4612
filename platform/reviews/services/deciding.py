"""Acts of chairs at the end of a round: the letter, the decision, singly or in bulk."""

from collections.abc import Iterable
from typing import Any, Final

from django.core.exceptions import ValidationError
from django.db import transaction

from evaluation.designs.catalogue import shipped
from reviews import queries
from reviews.models import Call, Decision, Filing, Outcome, State
from reviews.services import mails
from reviews.services.transitions import advance

LEADS_TO: Final = {
    Outcome.ACCEPT: State.ACCEPTED,
    Outcome.MINOR: State.REVISION_REQUIRED,
    Outcome.MAJOR: State.REVISION_REQUIRED,
    Outcome.REJECT: State.REJECTED,
}


def draft_letter(*, filing: Filing, outcome: str, chair: Any) -> tuple[str, str]:
    """Subject and text of the letter from the call's template, the blocking points filled in."""
    return mails.filled(
        filing.call,
        Outcome(outcome),
        design=filing.title,
        chair=chair.display_name,
        points=points_of(filing),
        link="",
    )


def points_of(filing: Filing) -> str:
    """Return a numbered list of the unresolved blocking points, by parameter, without names."""
    threads = queries.blocking_threads(filing).prefetch_related("comments")
    lines = []
    for number, thread in enumerate(threads, start=1):
        label = shipped()[thread.parameter].label
        task_suffix = f" ({thread.task_key})" if thread.task_key else ""
        first = next(iter(thread.comments.all()), None)
        lines.append(f"{number}. {label}{task_suffix}: {first.text if first else ''}")
    return "\n".join(lines) if lines else "There are no points that have to be answered."


@transaction.atomic
def decide(*, actor: Any, filing: Filing, outcome: str, letter: str, subject: str = "") -> Decision:
    """Decide about what was filed last; the letter goes to the organizers.

    Raises
    ------
    ValidationError
        When a guard of the transition refuses, or another chair was quicker.
    """
    if outcome not in Outcome.values:
        raise ValidationError("Accept, minor revision, major revision or reject.")
    filed = queries.latest(filing)
    step = advance(filing=filing, to=LEADS_TO[Outcome(outcome)], actor=actor, reason=letter)
    decision = Decision.objects.create(
        filed=filed, filing=filing, transition=step, outcome=outcome, letter=letter.strip(), decided_by=actor
    )
    mails.decided(filing, subject or draft_letter(filing=filing, outcome=outcome, chair=actor)[0], decision.letter)
    return decision


def decide_many(
    *, actor: Any, call: Call, filings: Iterable[Filing], outcome: str
) -> tuple[list[Decision], list[tuple[Filing, list[str]]]]:
    """Decide about several filings alike, each with its own letter from the template.

    Returns
    -------
    tuple
        The decisions made, and the filings that were refused, each with the reasons; one does not hold up the others.
    """
    done, refused = [], []
    for filing in filings:
        if filing.call_id != call.pk:
            continue
        try:
            subject, letter = draft_letter(filing=filing, outcome=outcome, chair=actor)
            done.append(decide(actor=actor, filing=filing, outcome=outcome, letter=letter, subject=subject))
        except ValidationError as error:
            refused.append((filing, error.messages))
    return done, refused
