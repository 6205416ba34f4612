"""`/healthz` tells the state of database, broker and worker."""

from datetime import timedelta

import pytest
from django.utils import timezone
from kombu import Connection

from operations import health
from operations.health import State
from operations.models import Heartbeat
from operations.tasks import heartbeat

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
    assert set(client.get("/healthz").json()) == {"status", "database", "broker", "worker"}
