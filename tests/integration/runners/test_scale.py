"""Claims over a long queue: statements per run are constant, and turns are shared between teams."""

import uuid
from collections import Counter

import pytest
from django.core.cache import cache
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from executions.models import Batch, Execution
from executions.runners.models import RunnerRun
from tests.integration.runners.attacks import Peer, manifest_of
from tests.integration.runners.world import image_of, issued

pytestmark = pytest.mark.django_db(transaction=True)


def queue(world, archive, number, teams):
    """Queue executions of several teams, one batch of one case each."""
    case = world.test_set.cases.order_by("position").first().name
    now = timezone.now()
    executions = Execution.objects.bulk_create(
        Execution(
            subject=uuid.uuid4(),
            phase=world.phase,
            team=teams[index % len(teams)],
            user=world.ada,
            test_set=world.test_set,
            image=archive,
            plan=world.phase.algorithms,
            key="00" * 32,
            state=Execution.State.QUEUED,
            cases_total=1,
            queued_at=now,
        )
        for index in range(number)
    )
    Batch.objects.bulk_create(Batch(execution=row, index=0, cases=[case], asked_at=now) for row in executions)


def statements_of_a_run(peer, client):
    with CaptureQueriesContext(
        connection,
    ) as queries:
        claimed = peer.claimed()
        content = b"".join(client.get(claimed["cases"][0]["address"]).streaming_content)
        peer.send(claimed["run"], content)
        peer.measure(claimed["run"])
        assert peer.finish(claimed["run"], manifest_of(claimed, content)).status_code == 200
    return len(queries)


def test_the_statements_of_a_run_do_not_grow_with_the_queue(world, client, tmp_path):
    cache.clear()
    archive = image_of(world, tmp_path)
    _, secret = issued(world, concurrency=5)
    peer = Peer(client, secret)
    peer.report()
    queue(world, archive, 4, [world.adas, world.bos])
    statements_of_a_run(peer, client)
    few = statements_of_a_run(peer, client)
    queue(world, archive, 300, [world.adas, world.bos])
    assert statements_of_a_run(peer, client) == few


def test_runners_share_turns_between_teams(world, client, tmp_path):
    cache.clear()
    archive = image_of(world, tmp_path)
    queue(world, archive, 12, [world.adas])
    queue(world, archive, 4, [world.bos])
    for number in range(4):
        _, secret = issued(world, name=f"gpu-{number}", concurrency=2)
        peer = Peer(client, secret)
        peer.report()
        peer.claimed()
        peer.claimed()
    teams = RunnerRun.objects.values_list("batch__execution__team__name", flat=True)
    assert Counter(teams) == {"Ada's": 4, "Bo's": 4}
