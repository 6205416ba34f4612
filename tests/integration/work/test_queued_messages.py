"""Queued messages at a real broker, and a scheduler that sends nothing twice."""

import subprocess
import time
from contextlib import closing

import pytest
from celery import Celery
from kombu import Connection

from config.schedule import Schedule
from core.work.domain.messages import queue_of, queued_on
from operations.services.broker import EmbeddedBroker

SWEEP, VALIDATE = "work.tasks.sweep", "submissions.tasks.validate"


@pytest.fixture
def server(tmp_path):
    embedded = EmbeddedBroker(tmp_path)
    process = subprocess.Popen(embedded.command())
    deadline = time.monotonic() + 60
    while not embedded.socket.exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    yield embedded, process
    process.kill()
    process.wait()
    embedded.remove()


@pytest.fixture
def app(server):
    """An application of an installation that shares its broker with others."""
    embedded, _ = server
    app = Celery("queued", broker=embedded.url, set_as_current=False, fixups=[])
    app.conf.update(
        task_default_queue="ingest",
        task_routes={"work.tasks.*": {"queue": "sweep"}},
        broker_transport_options={"global_keyprefix": "podium-"},
        beat_schedule={"sweep": {"task": SWEEP, "schedule": 5, "options": {"expires": 4.5}}},
    )
    with closing(app):
        yield app


def queued(app, queue):
    with app.connection_for_read() as connection:
        return dict(queued_on(connection.default_channel, queue))


def test_messages_are_counted_by_task_and_arguments(app):
    assert queued(app, "ingest") == {}
    for key in ("a", "b", "a"):
        app.send_task(VALIDATE, args=[key])
    app.send_task(SWEEP)
    assert queued(app, "ingest") == {(VALIDATE, ("a",)): 2, (VALIDATE, ("b",)): 1}
    assert queued(app, "sweep") == {(SWEEP, ()): 1}
    assert (queue_of(app, SWEEP), queue_of(app, VALIDATE)) == ("sweep", "ingest")


def test_clock_sends_no_task_of_which_a_message_is_queued(app, server, tmp_path):
    schedule = Schedule(app=app, schedule_filename=str(tmp_path / "schedule"))
    with closing(schedule):
        (entry,) = (entry for name, entry in schedule.schedule.items() if name == "sweep")
        for _ in range(400):
            schedule.apply_entry(entry, producer=schedule.producer)
        assert queued(app, "sweep") == {(SWEEP, ()): 1}
        # A worker takes it.
        with app.connection_for_read() as connection:
            connection.default_channel.basic_get("sweep", no_ack=True)
        assert queued(app, "sweep") == {}
        schedule.apply_entry(entry, producer=schedule.producer)
        assert queued(app, "sweep") == {(SWEEP, ()): 1}


def test_in_memory_transport_reports_no_messages():
    with Connection("memory://") as connection:
        assert not queued_on(connection.default_channel, "sweep")
