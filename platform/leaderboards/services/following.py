"""Follow-ups to a ranking: notifications of people, and updates of related information."""

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Final

import structlog
from django.db import transaction

from challenges.models import Phase
from core.audit.services import hold_chain
from core.work.services import UNEXPECTED, Lease, LeaseLostError, ask, claim
from datastore.datasets.services.publishing import replace_names
from datastore.uploads.storage import store_json
from evaluation.analyses import order_figures
from evaluation.figures.markup import for_plotly
from leaderboards.models import FollowUp, RankingRequest
from leaderboards.queries import rankings
from leaderboards.queries.work import FOLLOWING
from leaderboards.services import both_assessments, overall, suspects
from submissions.services.messages import tell_scored

log = structlog.get_logger(__name__)

Step = Callable[[Phase], object]
HISTORY_LENGTH: Final = 200
"""Maximum number of recent rankings in the figure; all rankings stay readable."""


@transaction.atomic
def tell(phase: Phase) -> None:
    """Notify teams of their rank, each recipient once, even if the function runs again.

    Teams without a rank are notified only when no other ranking is requested.
    The chain is locked, because no score must arrive between that check and the notifications.
    """
    hold_chain()
    is_last = not any(request.is_due for request in RankingRequest.objects.filter(phase=phase))
    tell_scored(phase, is_last=is_last)


def draw_history(phase: Phase) -> None:
    """Draw the ranks of the teams over the last rankings, in one file per phase that is replaced each time."""
    standings = rankings.last_tables(phase, most=HISTORY_LENGTH)
    if standings:
        figure = order_figures.over_time([(since.date().isoformat(), table) for since, table in standings])
        store_json(history_name(phase), json.dumps(for_plotly(figure), separators=(",", ":"), allow_nan=False))


def history_name(phase: Phase) -> str:
    """Name of the file with the figure of a phase's history; dates without a time of day, teams as rankings store them."""
    return f"rankings/{phase.pk}/ranks-by-day.json.gz"


def republish(phase: Phase) -> None:
    """Publish data again that name a team which may not be named any more; until then they are withheld."""
    replace_names(phase.challenge)


# Each of them finds what an attempt that broke off has done already, and does it no second time.
TELLING: Final[Mapping[str, Step]] = {"telling": tell}
BESIDE: Final[Mapping[str, Step]] = {
    "history": draw_history,
    "registered assessments": both_assessments.rank_registered,
    "over tasks": overall.rank_overall,
    "published data": republish,
    "suspect references": suspects.request,
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
    """Release the lease, and queue requests that arrived during the work."""
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
