"""Acts on what follows a ranking: people are told, and what stands beside it is brought up to date."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Final

import structlog
from django.db import transaction

from audit.services import hold_chain
from challenges.models import Phase
from leaderboards.models import FollowUp, RankingRequest
from leaderboards.queries.work import FOLLOWING
from leaderboards.services import both_assessments, computing, overall
from submissions.services.messages import tell_scored
from work.services import UNEXPECTED, Lease, LeaseLostError, ask, claim

log = structlog.get_logger(__name__)

Step = Callable[[Phase], object]


@transaction.atomic
def tell(phase: Phase) -> None:
    """Tell teams how they rank; everybody once, however often this is begun.

    As long as another ranking is asked for, those whom none ranks wait for it. The chain is held, since no score may come
    between that question and the letters.
    """
    hold_chain()
    is_last = not any(request.is_due for request in RankingRequest.objects.filter(phase=phase))
    tell_scored(phase, is_last=is_last)


# Each of them finds what an attempt that broke off has done already, and does it no second time.
TELLING: Final[Mapping[str, Step]] = {"telling": tell}
BESIDE: Final[Mapping[str, Step]] = {
    "history": computing.draw_history,
    "registered assessments": both_assessments.rank_registered,
    "over tasks": overall.rank_overall,
}


def follow_phase(*, phase_id: int) -> bool:
    """Do what follows the rankings of a phase, unless another worker is at it; returns whether there was something."""
    lease = claim(FOLLOWING, phase_id, give_up=_give_up)
    if lease is None:
        return False
    follow_up = FollowUp.objects.select_related("phase__task__challenge").get(pk=lease.pk)
    failures = []
    with lease.renewed():
        for name, step in {**TELLING, **(BESIDE if follow_up.is_ranked else {})}.items():
            try:
                step(follow_up.phase)
            except Exception:  # what stands is not lost over what stands beside it
                log.exception("follow_up_failed", phase=phase_id, step=name)
                failures.append(name)
    failure = f"{', '.join(failures)}: {UNEXPECTED}" if failures else ""
    if failures and lease.may_try_again:
        lease.hand_back(failure=failure)
    else:
        _finish(lease, done=follow_up.requested, failure=failure)
    return True


def _finish(lease: Lease, *, done: int, failure: str) -> None:
    """Give the lease back; what was asked for meanwhile is done next."""
    with suppress(LeaseLostError), lease.completing() as row:
        row.done, row.failure, row.attempts = done, failure, 0
        if row.is_due:
            ask(FOLLOWING, row)
        else:
            row.is_ranked = False


def _give_up(lease: Lease) -> None:
    """Leave alone what takes its workers down, until the next ranking."""
    with suppress(LeaseLostError), lease.completing() as row:
        row.failure = f"The worker died {lease.attempts - 1} times after this ranking."
        row.done, row.is_ranked = row.requested, False
