"""Findings about test sets, counted by check."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import Count, Q

from datastore.test_sets.models import SanityFinding, TestSetArchive
from evaluation.test_set_quality.findings import RULES, Rule


@dataclass(frozen=True)
class Group:
    """Number of findings of one check."""

    check_id: str
    total: int
    open: int

    @property
    def rule(self) -> Rule:
        """Title, reason and remedy."""
        return RULES[self.check_id]


def by_check(archive: TestSetArchive) -> list[Group]:
    """Return the numbers of findings of an archive in the order of the checks; one query."""
    rows = SanityFinding.objects.filter(archive=archive).order_by().values_list("check_id")
    counted = rows.annotate(total=Count("pk"), unanswered=Count("pk", filter=Q(answered_at=None)))
    groups = {check: Group(check, total, unanswered) for check, total, unanswered in counted}
    return [groups[check] for check in RULES if check in groups]


def mark_open(archives: Iterable[TestSetArchive]) -> list[TestSetArchive]:
    """Set `found` and `unanswered`, the numbers of findings, on each archive; one query."""
    archives = list(archives)
    rows = SanityFinding.objects.filter(archive__in=archives).order_by().values_list("archive")
    counted = {
        archive: (total, unanswered)
        for archive, total, unanswered in rows.annotate(
            total=Count("pk"), unanswered=Count("pk", filter=Q(answered_at=None))
        )
    }
    for archive in archives:
        archive.found, archive.unanswered = counted.get(archive.pk, (0, 0))
    return archives
