"""Calls that a person sees, and their own part in them."""

from typing import Any

from django.db.models import Count, Q, QuerySet

from reviews.models import Call, FiledVersion, Filing


def calls_for(user: Any) -> QuerySet[Call]:
    """Published calls and those that the person chairs or reviews for, with the number of designs, in one query."""
    seen = Q(is_public=True)
    if user.is_authenticated:
        seen |= Q(chairs__user=user) | Q(reviewers__user=user, reviewers__left_at=None)
        if user.is_superuser:
            seen = Q()
    return Call.objects.filter(seen).annotate(designs=Count("filings", distinct=True)).distinct()


def own_filings(user: Any, call: Call) -> QuerySet[Filing]:
    """Designs of the person in a call."""
    if not user.is_authenticated:
        return Filing.objects.none()
    return call.filings.filter(design__collaborators__user=user).select_related("call")


def briefs_of(filings: list[Filing]) -> dict[int, str]:
    """The abstract of each filed design, for reviewers who choose; in one query."""
    rows = FiledVersion.objects.filter(filing__in=filings).select_related("version").order_by("number")
    return {row.filing_id: str(row.version.document["challenge"].get("challenge_abstract") or "") for row in rows}
