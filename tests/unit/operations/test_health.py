"""`/healthz` reports the state of database, broker and worker."""

import uuid
from datetime import timedelta
from types import SimpleNamespace

import pytest
from django.utils import timezone
from kombu import Connection

from confinement import guarantees
from operations import tasks
from operations.models import Heartbeat
from operations.queries import health
from operations.queries.health import State
from operations.tasks import heartbeat
from submissions.models import Submission
from tests.integration.submissions import world as worlds

pytestmark = pytest.mark.django_db


@pytest.fixture
def answering_broker(monkeypatch):
    monkeypatch.setattr(health, "broker", lambda: State(ok=True, detail="answers"))


def test_all_is_well_after_a_heartbeat(client, answering_broker):
    heartbeat()
    answer = client.get("/healthz")
    assert answer.status_code == 200
    assert answer.json()["status"] == "ok"
    assert {"database", "broker", "worker"} <= set(answer.json())


def test_a_silent_worker_is_named(client, answering_broker):
    Heartbeat.objects.create(queue="ingest", seen_at=timezone.now() - timedelta(minutes=5))
    answer = client.get("/healthz").json()
    assert answer["status"] == "degraded"
    assert answer["worker"] == {"ok": False, "detail": "last seen 300 s ago"}


def test_a_broker_that_does_not_answer_is_named_and_pages_are_still_served(client, monkeypatch):
    monkeypatch.setattr(
        health.current_app, "connection_for_write", lambda **options: Connection("redis://127.0.0.1:1/0", **options)
    )
    answer = client.get("/healthz")
    assert answer.status_code == 200
    assert answer.json()["broker"] == {"ok": False, "detail": "does not answer"}


def test_nothing_about_versions_or_hosts_is_told(client, answering_broker):
    Heartbeat.objects.create(queue="ingest", host="pathology-3", seen_at=timezone.now())
    answer = client.get("/healthz")
    assert set(answer.json()) == {"status", "database", "broker", "worker", "confinement", "runs"}
    assert "pathology-3" not in answer.content.decode()


def test_a_worker_that_has_been_busy_for_long_is_busy_and_not_missing(client, answering_broker, tmp_path):
    """The clock's heartbeats expire behind a full queue; the lease that a worker renews while it scores shows it alive."""
    world = worlds.build(tmp_path)
    submission = world.upload(worlds.zipped({}))
    since = timezone.now() - timedelta(minutes=7)
    token = {"lease_token": uuid.uuid4(), "lease_until": timezone.now() + timedelta(seconds=9)}
    Submission.objects.filter(pk=submission.pk).update(state="validating", state_since=since, **token)
    Heartbeat.objects.create(queue="ingest", seen_at=timezone.now() - timedelta(minutes=5))
    answer = client.get("/healthz").json()
    assert answer["worker"] == {"ok": True, "detail": f"busy since {since:%H:%M:%S} UTC: validating"}
    Submission.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    assert client.get("/healthz").json()["worker"]["ok"] is False


def test_a_task_of_any_queue_shows_a_living_worker_and_tells_seldom(monkeypatch, django_assert_num_queries):
    monkeypatch.setattr(tasks, "_told", {})
    taken = SimpleNamespace(request=SimpleNamespace(is_eager=False, delivery_info={"routing_key": "score"}))
    tasks.tell(task=taken)
    assert [beat.queue for beat in Heartbeat.objects.all()] == ["score"]
    with django_assert_num_queries(0):
        tasks.tell(task=taken)


def test_what_holds_on_all_machines_is_told(client, answering_broker, settings):
    full = dict.fromkeys(guarantees.NAMES, True)
    Heartbeat.objects.create(queue="score", host="a", seen_at=timezone.now(), confinement=full)
    assert client.get("/healthz").json()["confinement"]["detail"].startswith("no network: yes, writes only in its own")
    Heartbeat.objects.create(queue="score", host="b", seen_at=timezone.now(), confinement=full | {"reads": False})
    told = client.get("/healthz").json()
    assert "reads no stored data: no" in told["confinement"]["detail"]
    assert told["confinement"]["ok"]
    settings.PODIUM_CONFINEMENT = "require"
    assert client.get("/healthz").json()["status"] == "degraded"
