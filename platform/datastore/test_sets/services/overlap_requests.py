"""Requests to compare the images of a test set, and the answers of owners to the pairs that were detected."""

from django.db import transaction
from django.utils import timezone

from accounts.models import User
from core.audit.services import record
from core.work.services import ask
from datastore.test_sets.models import OverlapCheck, OverlapPair, TestSet
from datastore.test_sets.queries.work import OVERLAPS
from datastore.test_sets.services.replacing import TestSetError

ACCEPTED = "image_overlap_accepted"


@transaction.atomic
def request(test_set: TestSet) -> None:
    """Request the comparison of a version that has images; a finished one is computed again, and its answers are lost."""
    if not test_set.cases.exclude(image_file="").exists():
        return
    fresh = {"state": OverlapCheck.State.WAITING, "attempts": 0, "failure": "", "finished_at": None, "progress": {}}
    check, is_new = OverlapCheck.objects.get_or_create(test_set=test_set)
    if not is_new:
        OverlapCheck.objects.filter(pk=check.pk).exclude(state__in=OverlapCheck.OPEN).update(**fresh)
    ask(OVERLAPS, check)


@transaction.atomic
def accept(*, actor: User, check: OverlapCheck, answer: str, pair: int | None = None) -> int:
    """Accept one pair, or all open pairs, with an answer; return their number.

    Raises
    ------
    TestSetError
        Without an answer, or if nothing is open.
    """
    text = answer.strip()[:1000]
    if not text:
        raise TestSetError("Write why the overlap is correct.")
    rows = OverlapPair.objects.filter(check_run=check, answered_at=None)
    if pair is not None:
        rows = rows.filter(pk=pair)
    names = list(rows.values_list("case", "other"))
    if not rows.update(answer=text, answered_at=timezone.now(), answered_by=actor):
        raise TestSetError("This overlap is accepted already, or does not exist.")
    test_set = check.test_set
    record(
        actor=actor,
        act=ACCEPTED,
        subject=test_set,
        scope=test_set.phase.challenge.slug,
        facts={
            "phase": test_set.phase.slug,
            "version": test_set.version,
            "pairs": [list(name) for name in names[:50]],
            "overlaps": len(names),
            "answer": text,
        },
    )
    return len(names)
