"""`/metrics` reports the state of the work to operators and nothing to other people."""

from datetime import timedelta

import pytest
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families

from accounts.notifications.models import Email
from core.work.domain.messages import Queued
from core.work.queries import registered
from operations.models import Heartbeat
from operations.queries import health, measuring
from operations.queries.health import State

pytestmark = pytest.mark.django_db
TOKEN = "a token of this installation"
NOTHING_YET = ("podium_uploads_received_bytes", "podium_archives_bytes", "podium_rankings_failing")


@pytest.fixture(autouse=True)
def _token(settings, monkeypatch):
    settings.PODIUM_METRICS_TOKEN = TOKEN
    monkeypatch.setattr(health, "broker", lambda: State(ok=False, detail="does not answer"))


def figures(client):
    answer = client.get("/metrics", headers={"Authorization": f"Bearer {TOKEN}"})
    assert answer.status_code == 200
    return {
        (sample.name, *sample.labels.values()): sample.value
        for family in text_string_to_metric_families(answer.content.decode())
        for sample in family.samples
    }


@pytest.mark.parametrize("sent", [None, "", "Bearer", "Bearer wrong", "Bearer é", f"Basic {TOKEN}", TOKEN])
def test_without_the_token_there_is_no_such_page(client, admin_client, sent):
    headers = {} if sent is None else {"Authorization": sent}
    assert client.get("/metrics", headers=headers).status_code == 404
    assert admin_client.get("/metrics", headers=headers).status_code == 404


def test_without_a_token_of_the_installation_nothing_opens_it(client, settings):
    settings.PODIUM_METRICS_TOKEN = ""
    assert client.get("/metrics", headers={"Authorization": "Bearer "}).status_code == 404


def test_parts_queues_and_states_are_told(client):
    now = timezone.now()
    Heartbeat.objects.create(queue="ingest", seen_at=now - timedelta(seconds=30))
    for minutes in (5, 1, -10):
        Email.objects.create(
            to="ada@example.org",
            kind="test",
            subject="S",
            text="T",
            unsubscribe="/",
            due_at=now - timedelta(minutes=minutes),
        )
    found = figures(client)
    assert (found["podium_up", "database"], found["podium_up", "broker"]) == (1, 0)
    assert found["podium_submissions", "scored"] == 0
    assert found["podium_emails", "waiting"] == 3
    assert found["podium_queue_length", "mail"] == 2  # one is not due yet
    assert found["podium_queue_oldest_seconds", "mail"] == pytest.approx(300, abs=20)
    assert found["podium_queue_oldest_seconds", "scoring"] == 0
    assert {name: found[name,] for name in NOTHING_YET} == dict.fromkeys(NOTHING_YET, 0)
    assert found["podium_queue_put_off", "mail"] == 1
    assert {labels[0] for name, *labels in found if name == "podium_queue_length"} == {
        *(
            "webhook_deliveries",
            "validation",
            "test_sets",
            "scoring",
            "rescoring",
            "ranking",
            "following",
            "analyses",
            "reports",
            "mail",
        ),
        *("suspects", "overlaps", "overlap_questions", "starter_kits"),
        *(
            "scans",
            "simulations",
            "rehearsals",
            "sample_rehearsals",
            "design_imports",
            "deposits",
            "assignments",
            "data_files",
            "publications",
            "brought_tables",
        ),
        *(
            "documents",
            "algorithms",
            "runs",
            "run_results",
            "run_returns",
            "measurements",
            "scorer_trials",
            "judging",
            "drift_checks",
        ),
    }
    assert found["podium_worker_silence_seconds", "ingest"] == pytest.approx(30, abs=20)
    assert found["podium_free_bytes",] > 0


def test_messages_at_the_broker_are_counted_by_queue(client, monkeypatch, settings):
    queued = {"validate": Queued([("submissions.tasks.validate", ("a",)), ("submissions.tasks.validate", ("b",))])}
    monkeypatch.setattr(measuring, "queued_messages", lambda queue: queued.get(queue, Queued()))
    found = figures(client)
    assert found["podium_broker_messages", "validate"] == 2
    assert {labels[0] for name, *labels in found if name == "podium_broker_messages"} == set(settings.PODIUM_QUEUES)
    monkeypatch.setattr(measuring, "queued_messages", lambda queue: None)
    assert not any(name == "podium_broker_messages" for name, *_ in figures(client))


def test_no_label_names_a_person_a_team_or_a_challenge(client):
    Email.objects.create(to="ada@example.org", kind="test", subject="Secret", text="T", unsubscribe="/")
    answer = client.get("/metrics", headers={"Authorization": f"Bearer {TOKEN}"}).content.decode()
    assert "ada" not in answer
    assert "Secret" not in answer


def test_the_number_of_queries_is_fixed(client, django_assert_max_num_queries):
    with django_assert_max_num_queries(2 * len(registered()) + 16):
        figures(client)
