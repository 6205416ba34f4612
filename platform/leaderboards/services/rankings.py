"""Acts on rankings: ask for one, compute one; one that takes longer than a job may is computed in slices."""

import io
import time
from collections.abc import Iterator, MutableMapping
from contextlib import suppress
from datetime import timedelta
from typing import Any
from uuid import UUID

import numpy as np
import structlog
from django.conf import settings
from django.core.files.base import ContentFile
from django.core.files.storage import storages
from django.db import transaction

from accounts.models import User
from challenges.models import Phase
from core.audit.services import VALUES, hold_chain, record, values_of
from core.work.queries import shared_now
from core.work.services import UNEXPECTED, Lease, LeaseLostError, ask, claim, withdraw
from evaluation import __version__
from evaluation.federation.errors import FederationError
from evaluation.ranking.schemes import Ranked
from federation.queries.federations import of_phase
from leaderboards.models import Analysis, FollowUp, Freeze, RankingRequest, RankingVersion, Standing
from leaderboards.queries import rankings
from leaderboards.queries.current import current_standing, last_standing
from leaderboards.queries.work import ANALYSES, FOLLOWING, NOT_RANKED, RANKING, rest
from leaderboards.services import computing, pooled
from submissions.models import Run
from submissions.queries.results import waits_for_scoring

SLICE = timedelta(seconds=settings.PODIUM_TASK_SECONDS / 4)
"""A job that has worked so long hands over to the next one; the table it was at then still has three times that."""
WORTH_KEEPING = timedelta(seconds=1)
"""A table that takes less is computed again sooner than read."""


class Paused(Exception):  # noqa: N818 (not an error)
    """The slice is over; what it has done is kept."""


class StoredTables(MutableMapping[int, Ranked]):
    """The tables of a ranking that were computed before, as files in the private storage.

    Parameters
    ----------
    inputs
        What is ranked: the files are kept by its digest, and by the version of the program that made them.
    """

    def __init__(self, inputs: computing.Inputs) -> None:
        self._folder = f"rankings/{inputs.phase.pk}/{inputs.digest}/tables-{__version__}"
        self._storage = storages["private"]
        self._began = self._last = time.monotonic()
        self._places = self._stored()
        self._has_more = True

    def tell(self, done: int, total: int) -> None:
        """Learn how far the ranking is; the last table is not worth a break."""
        self._has_more = done < total - 1

    def __contains__(self, index: object) -> bool:
        return index in self._places

    def __getitem__(self, index: int) -> Ranked:
        with self._storage.open(self._name(index)) as file, np.load(io.BytesIO(file.read())) as arrays:
            return Ranked(arrays["scores"], arrays["ranks"], bool(arrays["higher_is_better"]))

    def __setitem__(self, index: int, ranked: Ranked) -> None:
        now = time.monotonic()
        took, self._last = now - self._last, now
        is_over = self._has_more and now - self._began >= SLICE.total_seconds()
        if took >= WORTH_KEEPING.total_seconds() or is_over:
            buffer = io.BytesIO()
            # Not compressed: the files live as long as the ranking takes, and packing them took a fifth of that.
            np.savez(buffer, scores=ranked.scores, ranks=ranked.ranks, higher_is_better=ranked.higher_is_better)
            self._storage.save(self._name(index), ContentFile(buffer.getvalue()))
            self._places.add(index)
        if is_over:
            raise Paused

    def __delitem__(self, index: int) -> None:
        self._storage.delete(self._name(index))
        self._places.discard(index)

    def clear(self) -> None:
        """Delete the files: the ranking is stored."""
        for index in list(self):
            del self[index]

    def __iter__(self) -> Iterator[int]:
        return iter(sorted(self._places))

    def __len__(self) -> int:
        return len(self._places)

    def _name(self, index: int) -> str:
        return f"{self._folder}/{index}.npz"

    def _stored(self) -> set[int]:
        try:
            _, names = self._storage.listdir(self._folder)
        except FileNotFoundError:
            return set()
        return {int(name.removesuffix(".npz")) for name in names if name.removesuffix(".npz").isdecimal()}


log = structlog.get_logger(__name__)


@transaction.atomic
def request_ranking(phase_id: int, *, cause: str = Standing.Cause.SCORE) -> None:
    """Request a new ranking of a phase, inside the transaction of the action that requires it.

    Many requests in a row cost one computation.
    A job is sent only for the first request that no worker processes. The worker looks again when it is done.
    The sweep finds lost requests.
    """
    hold_chain()
    request, _ = RankingRequest.objects.get_or_create(phase_id=phase_id)
    request = RankingRequest.objects.select_for_update(no_key=True).get(pk=request.pk)
    waiting = request.is_due
    request.requested += 1
    request.requested_at = shared_now()
    if not (
        waiting and request.cause == Standing.Cause.CLOSED
    ):  # that the phase closed is not forgotten over a later score
        request.cause = cause
    request.attempts = 0
    request.save()
    pause = rest(request)
    # The last of many scores, or the end of the phase, need not wait as long as the message that is on its way.
    soonest = shared_now() + (pause or timedelta(0)) + timedelta(seconds=1)
    if not waiting or (request.asked_at is not None and request.asked_at > soonest):
        _ask(request, pause)


def _ask(request: RankingRequest, pause: timedelta | None) -> None:
    ask(RANKING, request, countdown=None if pause is None else pause.total_seconds())


def request_final_ranking(phase_id: int) -> None:
    """Ask for the ranking with which a phase closes."""
    request_ranking(phase_id, cause=Standing.Cause.CLOSED)


def request_ranking_over_sites(phase_id: int) -> None:
    """Ask for the ranking over another set of sites."""
    request_ranking(phase_id, cause=Standing.Cause.CHANGE)


def request_changed_ranking(phase_id: int, needs_scoring: bool) -> None:  # noqa: ARG001 (the signature of the hook)
    """Ask for the ranking by the assessment that a registered change gave a phase."""
    request_ranking(phase_id, cause=Standing.Cause.CHANGE)


@transaction.atomic
def freeze_board(*, actor: User, phase: Phase, hours: int | None) -> None:
    """Freeze the public ranking `hours` before the phase closes, or never if `hours` is None."""
    before = rankings.freeze_of(phase)
    if (before.hours if before else None) == hours:
        return
    if hours is None:
        Freeze.objects.filter(phase=phase).delete()
    else:
        freeze, _ = Freeze.objects.update_or_create(phase=phase, defaults={"hours": hours})
        standing = current_standing(phase, until=freeze.moment)
        if standing is not None:  # the sweep finds it
            Analysis.objects.filter(version=standing.version_id).update(is_superseded=False)
    facts = {"phase": phase.slug, "hours": hours, "before": before.hours if before else None}
    record(actor=actor, act="leaderboard_frozen", subject=phase, scope=phase.challenge.slug, facts=facts)


def rank_phase(*, phase_id: int) -> RankingVersion | None:
    """Compute the requested ranking, unless another worker does it.

    Returns
    -------
    RankingVersion or None
        The current version. None if nothing was requested, nothing can be ranked, or the computation failed.
        The reason for a failure is stored for the organizers.
    """
    lease = claim(RANKING, phase_id, give_up=_give_up)
    if lease is None:
        return None
    # As it is now it says how many requests the computation will answer.
    request = RankingRequest.objects.get(pk=lease.pk)
    phase = Phase.objects.select_related("task__challenge").get(pk=phase_id)
    try:
        version = _version_of(phase, request, lease)
    except Paused:
        return None
    except FederationError as error:
        _finish(request, lease, failure=f"{NOT_RANKED}: {error}.")
        return None
    except Exception:
        log.exception("ranking_failed", phase=phase_id)
        _finish(request, lease, failure=UNEXPECTED)
        return None
    return _finish(request, lease, version=version)


def _pooled_version(inputs: pooled.PooledInputs, request: RankingRequest, lease: Lease) -> RankingVersion | None:
    """The ranking over sites: of a phase that is evaluated at sites nothing else is ranked."""
    request.nothing_counts = not inputs.counts
    if request.nothing_counts:
        return None
    existing = RankingVersion.objects.filter(phase=inputs.phase, inputs_digest=inputs.digest).first()
    if existing is not None:
        return existing
    with lease.renewed():
        return pooled.compute(inputs, progress=lambda done, total: lease.tell(progress=[done, total]))


def _version_of(phase: Phase, request: RankingRequest, lease: Lease) -> RankingVersion | None:
    if (federation := of_phase(phase)) is not None:
        return _pooled_version(pooled.collect(phase, federation), request, lease)
    if waits_for_scoring(phase):  # every new result asks again
        return None
    inputs = _inputs(phase, request)
    request.nothing_counts = not inputs.runs
    if request.nothing_counts:
        return None
    existing = RankingVersion.objects.filter(phase=phase, inputs_digest=inputs.digest).first()
    if existing is not None:
        return existing
    cache = StoredTables(inputs)

    def progress(done: int, total: int) -> None:
        cache.tell(done, total)
        lease.tell(progress=[done, total])

    try:
        with lease.renewed():
            version = computing.compute(inputs, progress=progress, cache=cache)
    except Paused:
        _pause(request, lease, inputs)
        raise
    cache.clear()
    return version


def _inputs(phase: Phase, request: RankingRequest) -> computing.Inputs:
    """Return the inputs of the ranking: those of an earlier slice, otherwise those that count now.

    A computation that restarted with every new result would never end. New results are ranked next.
    """
    if request.begun:
        run_by_id = Run.objects.select_related("submission__team", "test_set").in_bulk(request.begun["runs"])
        runs = [run_by_id[UUID(key)] for key in request.begun["runs"] if UUID(key) in run_by_id]
        inputs = computing.collect(phase, runs=runs)
        if inputs.digest == request.begun["digest"]:
            request.requested = request.begun["requested"]
            return inputs
    return computing.collect(phase)


def _pause(request: RankingRequest, lease: Lease, inputs: computing.Inputs) -> None:
    """Leave the remaining work to a separate job behind the other queued jobs.

    A slice that ended well is not counted as a failed attempt.
    """
    begun = {
        "digest": inputs.digest,
        "runs": [str(run.pk) for run in inputs.runs],
        "requested": request.requested,
    }
    lease.hand_back(timedelta(0), begun=begun, attempts=0)


def _give_up(lease: Lease) -> None:
    """End a ranking that takes its workers down."""
    with suppress(LeaseLostError), lease.completing() as row:
        row.failure = f"The worker died {lease.attempts - 1} times while it computed this ranking."
        row.computed = row.requested
        _request_follow_up(row.phase_id)


def _finish(
    request: RankingRequest, lease: Lease, *, version: RankingVersion | None = None, failure: str = ""
) -> RankingVersion | None:
    """Store the result and give the lease back; a worker whose lease went to another one stores nothing."""
    try:
        with transaction.atomic():
            hold_chain()
            with lease.completing() as row:
                if version is not None:
                    _let_stand(version, cause=request.cause)
                row.computed = request.requested
                row.failure = failure
                row.nothing_counts = request.nothing_counts
                row.attempts, row.progress, row.begun = 0, [], {}
                if row.is_due:
                    _ask(row, rest(row))
                _request_follow_up(row.phase_id, is_ranked=version is not None)
    except LeaseLostError:
        return None
    return version


def _request_follow_up(phase_id: int, *, is_ranked: bool = False) -> None:
    """Ask for what follows a ranking; called inside the transaction that ends it, so that neither is there without the other."""
    follow_up, _ = FollowUp.objects.get_or_create(phase_id=phase_id)
    follow_up = FollowUp.objects.select_for_update(no_key=True).get(pk=follow_up.pk)
    waiting = follow_up.is_due
    follow_up.requested += 1
    follow_up.requested_at, follow_up.attempts = shared_now(), 0
    follow_up.is_ranked |= is_ranked
    follow_up.save()
    if not waiting:
        ask(FOLLOWING, follow_up)


def _supersede(before: Standing) -> None:
    """Stop drawing figures of a version that is no longer shown as the current one, in any worker."""
    freeze = rankings.freeze_of(before.phase)
    if freeze is None or not freeze.holds or before.since > freeze.moment:
        withdraw(Analysis.objects.filter(version=before.version_id, finished_at=None), is_superseded=True)


def _let_stand(version: RankingVersion, *, cause: str) -> None:
    phase = version.phase
    facts: dict[str, Any] = {"phase": phase.slug, "digest": version.digest}
    before = last_standing(phase)
    if version._state.adding:  # noqa: SLF001 (Django's)
        version.number = rankings.last_number(phase) + 1
        version.save(force_insert=True)
        if version.is_over_sites:
            pooled.finish_analysis(version)
        else:
            Analysis.objects.create(version=version)
        act = "ranking_computed"
        facts |= {
            "inputs_digest": version.inputs_digest,
            "assessment_digest": version.assessment_digest,
            "teams": version.teams,
        }
    elif before is None or before.version_id != version.pk:
        act = "ranking_restored"
    else:
        act = ""
    facts |= {"number": version.number, "cause": cause}
    if act:
        changes = computing.changes(before.version.inputs if before else None, version.inputs)
        standing = Standing.objects.create(phase=phase, version=version, cause=cause, changes=changes)
        attested = [version, standing] if act == "ranking_computed" else [standing]
        if before:
            _supersede(before)
        Analysis.objects.filter(version=version).update(is_superseded=False)
        record(
            actor=None,
            act=act,
            subject=version,
            scope=phase.challenge.slug,
            facts=facts | {VALUES: values_of(*attested)},
        )
        ask(ANALYSES, Analysis.objects.get(version=version))
    if cause == Standing.Cause.CLOSED:
        record(actor=None, act="ranking_final", subject=version, scope=phase.challenge.slug, facts=facts)
