"""The checks of the catalogue that reviews decide."""

from evaluation.designs.checks import Subject, register
from reviews import queries
from reviews.models import RUNNING, Filing


@register("no_reviewer_conflict", reads=("organizing_team", "contact_person"))
def no_reviewer_conflict(subject: Subject) -> str | None:
    """No assigned reviewer matches an organizer by account, e-mail domain, affiliation, or otherwise (REV-6)."""
    if subject.design is None:
        return None
    filing = Filing.objects.filter(design=subject.design, state__in=RUNNING).select_related("call").first()
    if filing is None:
        return None
    reviewers = [assignment.reviewer for assignment in queries.active_assignments(filing)]
    conflicts = queries.conflicts_of(filing.call, filings=[filing], reviewers=reviewers)
    if not conflicts:
        return None
    names = {reviewer.pk: reviewer.user.display_name for reviewer in reviewers}
    return " ".join(
        f"{names[reviewer]}: {'; '.join(reason.words for reason in reasons)}."
        for (reviewer, _), reasons in conflicts.items()
    )
