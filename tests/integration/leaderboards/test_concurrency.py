"""Several workers at once, on a database that lets them work at once."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connection, transaction

from core.audit.services import record
from leaderboards.models import RankingRequest, RankingVersion, Standing
from leaderboards.services import computing, rankings
from tests.integration.leaderboards import world

pytestmark = [
    pytest.mark.services,
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor == "sqlite", reason="SQLite takes one writer at a time"),
]


def in_a_worker(act, *arguments):
    try:
        return act(*arguments)
    finally:
        connection.close()


def test_many_workers_and_many_scores_end_in_one_version():
    built = world.build(ranked=())
    phase = built.phases["open"]
    for index, team in enumerate(built.teams.values()):
        world.scored_run(phase, team, built.people["member"], level=0.9 - 0.1 * index)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(in_a_worker, [rankings.request_ranking] * 8, [phase.pk] * 8))
        list(pool.map(lambda _: in_a_worker(lambda: rankings.rank_phase(phase_id=phase.pk)), range(8)))
    assert RankingRequest.objects.get(phase=phase).requested == 8
    rankings.rank_phase(phase_id=phase.pk)
    assert not RankingRequest.objects.get(phase=phase).is_due
    assert RankingVersion.objects.filter(phase=phase).count() == 1
    assert Standing.objects.filter(phase=phase).count() == 1


def test_lease_is_renewed_while_a_long_computation_runs(monkeypatch):
    built = world.build(ranked=())
    phase = built.phases["open"]
    world.scored_run(phase, built.teams["Ada"], built.people["member"], level=0.9)
    compute, leases = computing.compute, []

    def slow(inputs, progress=None, cache=None):
        leases.append(RankingRequest.objects.get(phase=phase).lease_until)
        patience = time.monotonic() + 60
        while leases[-1] == leases[0] and time.monotonic() < patience:
            time.sleep(0.05)
            leases.append(RankingRequest.objects.get(phase=phase).lease_until)
        return compute(inputs)

    monkeypatch.setattr(computing, "compute", slow)
    monkeypatch.setattr("leaderboards.queries.work.RANKING.lease", timedelta(seconds=0.4))
    rankings.request_ranking(phase.pk)
    assert rankings.rank_phase(phase_id=phase.pk).number == 1
    assert leases[0] < leases[-1]


def test_a_score_that_comes_while_a_ranking_is_stored_waits_its_turn(monkeypatch):
    """Both write to the audit chain and to the request for a ranking; they take the two in the same order."""
    built = world.build(ranked=())
    phase = built.phases["open"]
    world.scored_run(phase, built.teams["Ada"], built.people["member"], level=0.9)
    rankings.request_ranking(phase.pk)
    storing, written = threading.Event(), threading.Event()
    let_stand = rankings._let_stand

    def slow(*arguments, **more):
        storing.set()
        written.wait(0.5)
        return let_stand(*arguments, **more)

    monkeypatch.setattr(rankings, "_let_stand", slow)

    def score():
        storing.wait(30)
        with transaction.atomic():
            record(actor=None, act="run_scored", subject=phase)
            written.set()
            rankings.request_ranking(phase.pk)

    with ThreadPoolExecutor(2) as pool:
        ranked = pool.submit(in_a_worker, lambda: rankings.rank_phase(phase_id=phase.pk))
        pool.submit(in_a_worker, score).result(60)
        assert ranked.result(60).number == 1
    assert RankingRequest.objects.get(phase=phase).requested == 2
