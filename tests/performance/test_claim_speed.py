"""Time that the server needs to answer a claim of a runner, with 1,000 queued runs and 20 runners."""

import time
from collections import Counter

import pytest
from django.core.cache import cache

from executions.runners.models import RunnerRun
from tests.integration.executions.conftest import broker_of_its_own, nobody_listens, private_files, workers
from tests.integration.executions.world import Algorithms, build
from tests.integration.runners.attacks import Peer
from tests.integration.runners.test_scale import queue
from tests.integration.runners.world import image_of, issued

__all__ = ["broker_of_its_own", "nobody_listens", "private_files", "workers"]
pytestmark = pytest.mark.django_db(transaction=True)
RUNNERS, QUEUED, ROUNDS = 20, 1_000, 10
LIMIT = 0.150
"""Seconds within which 95 of 100 claims must be answered. The aim is 0.050, which is not reached (docs/performance.md)."""


@pytest.fixture
def world(db, tmp_path) -> Algorithms:
    """Build a challenge whose one open phase takes algorithms."""
    return build(tmp_path)


def test_claims_over_a_long_queue_are_answered_in_time(world, client, tmp_path, capsys):
    cache.clear()
    queue(world, image_of(world, tmp_path), QUEUED, [world.adas, world.bos])
    peers = []
    for number in range(RUNNERS):
        _, secret = issued(world, name=f"gpu-{number}", concurrency=2)
        peers.append(Peer(client, secret))
        peers[-1].report()
    seconds = []
    for _ in range(ROUNDS):
        runs = []
        for peer in peers:
            begun = time.perf_counter()
            runs.append((peer, peer.claimed()["run"]))
            seconds.append(time.perf_counter() - begun)
        held = Counter(
            RunnerRun.objects.filter(state=RunnerRun.State.LEASED).values_list(
                "batch__execution__team__name", flat=True
            )
        )
        assert set(held.values()) == {RUNNERS // 2}
        for peer, run in runs:
            assert peer.ask("post", f"runs/{run}/release/", {"reason": "measured"}).status_code < 300
    seconds.sort()
    median, late = (seconds[int(share * len(seconds))] for share in (0.5, 0.95))
    with capsys.disabled():
        print(
            f"\n{len(seconds)} claims, {QUEUED} queued: median {median * 1000:.0f} ms, 95th percentile {late * 1000:.0f} ms"
        )
    assert late < LIMIT
