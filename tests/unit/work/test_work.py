"""The mechanism of durable work: permission to claim and end a row, and repeated requests."""

import ast
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest
from django.db import connection

from core.work import kinds, services
from core.work.domain.messages import Queued
from core.work.queries import figures_of, lost, next_rows, shared_now
from core.work.services import LeaseLostError, claim, claim_next
from tests.sources import nodes
from tests.unit.work import errands
from tests.unit.work.errands import Errand, errand, kind

pytestmark = pytest.mark.django_db
of_several_connections = pytest.mark.django_db(transaction=True)
SECOND = timedelta(seconds=1)
PLATFORM = Path(__file__).parents[3] / "platform"


@pytest.fixture(scope="module", autouse=True)
def table(django_db_setup, django_db_blocker):
    with django_db_blocker.unblock(), errands.table():
        yield


@pytest.fixture(autouse=True)
def no_errands(db):
    """Tests of several connections commit what they make."""
    Errand.objects.all().delete()


@pytest.fixture
def sent(monkeypatch):
    """Messages sent to the broker: task, arguments, countdown."""
    messages = []

    def send(task, args, *, countdown=None):
        messages.append((task, list(args), countdown))
        return True

    monkeypatch.setattr("core.work.services.send", send)
    monkeypatch.setattr(
        "core.work.services.enqueue", lambda task, *args, countdown=None: send(task, args, countdown=countdown)
    )
    return messages


def never(lease):
    pytest.fail(f"given up after {lease.attempts} attempts")


def silent(row):
    """Let the holder of a row have been silent for longer than its lease."""
    Errand.objects.filter(pk=row.pk).update(lease_until=shared_now() - SECOND)


# --- Claiming ---------------------------------------------------------------------------------------------------------
def test_of_two_workers_one_gets_the_row():
    row = errand()
    first = claim(kind(), row.pk, give_up=never)
    assert first is not None
    assert first.attempts == 1
    assert claim(kind(), row.pk, give_up=never) is None
    row.refresh_from_db()
    assert (row.state, row.lease_token) == ("running", first.token)


@of_several_connections
def test_of_many_workers_at_the_same_moment_one_gets_the_row():
    row, workers = errand(), 6
    together = threading.Barrier(workers)

    def work(_):
        try:
            together.wait(30)
            return claim(kind(), row.pk, give_up=never)
        finally:
            connection.close()

    with ThreadPoolExecutor(workers) as pool:
        leases = [lease for lease in pool.map(work, range(workers)) if lease is not None]
    assert len(leases) == 1
    assert Errand.objects.get().attempts == 1


def test_row_that_is_done_or_not_yet_due_is_nobodys():
    done, later = errand(state="done"), errand(due_at=shared_now() + 60 * SECOND)
    assert claim(kind(), done.pk, give_up=never) is None
    assert claim(kind(), later.pk, give_up=never) is None
    Errand.objects.filter(pk=later.pk).update(due_at=shared_now() - SECOND)
    assert claim(kind(), later.pk, give_up=never) is not None


def test_work_that_is_switched_off_is_nobodys():
    assert claim(kind(is_enabled=lambda: False), errand().pk, give_up=never) is None


def test_message_may_carry_another_field_than_the_key():
    errand(owner="Ada")
    lease = claim(kind(argument="owner"), "Ada", give_up=never)
    assert lease.pk == Errand.objects.get().pk


# --- Keeping and losing -----------------------------------------------------------------------------------------------
def test_silent_holder_loses_the_row_and_stores_nothing_any_more():
    row = errand()
    first = claim(kind(), row.pk, give_up=never)
    silent(row)
    second = claim(kind(), row.pk, give_up=never)
    assert second.attempts == 2
    assert not first.complete(state="done", done=1)
    assert not first.hand_back(failure="too late")
    with pytest.raises(LeaseLostError), first.completing() as held:
        held.state = "done"
    first.tell(done=7)
    row.refresh_from_db()
    assert (row.state, row.done, row.lease_token, row.failure) == ("running", 0, second.token, "")
    assert second.complete(state="done", done=2)
    row.refresh_from_db()
    assert (row.state, row.done, row.lease_token, row.lease_until) == ("done", 2, None, None)


def test_beats_renew_the_lease_once_a_third_of_it_is_over_and_store_progress(monkeypatch):
    clock = SimpleNamespace(now=1000.0, monotonic=lambda: clock.now)
    monkeypatch.setattr(services, "time", clock)
    row = errand()
    lease = claim(kind(lease=30 * SECOND), row.pk, give_up=never)
    before = Errand.objects.get().lease_until
    clock.now += 9.9
    lease.beat(lambda: {"done": 1})
    assert Errand.objects.get().done == 0
    clock.now += 0.2
    lease.beat(lambda: {"done": 2})
    row.refresh_from_db()
    assert row.done == 2
    assert row.lease_until > before


def test_beat_tells_a_holder_that_another_worker_has_taken_over():
    row = errand()
    lease = claim(kind(lease=timedelta(0)), row.pk, give_up=never)
    Errand.objects.update(lease_token=None)
    with pytest.raises(LeaseLostError):
        lease.beat()
    assert lease.is_lost


@of_several_connections
def test_thread_renews_the_lease_through_one_long_step():
    row = errand()
    lease = claim(kind(lease=timedelta(seconds=1.5)), row.pk, give_up=never)
    first_end = Errand.objects.get().lease_until
    with lease.renewed():
        while shared_now() <= first_end:
            time.sleep(0.02)
        assert claim(kind(), row.pk, give_up=never) is None
    assert lease.complete(state="done")


def test_progress_is_stored_seldom_enough_to_cost_nothing():
    lease = claim(kind(), errand().pk, give_up=never)
    for number in range(1, 100):
        lease.tell(done=number)
    assert Errand.objects.get().done == 1
    lease.tell(every=0, done=100)
    assert Errand.objects.get().done == 1  # two seconds after the first have not passed


def test_error_while_completing_stores_nothing_and_keeps_the_lease():
    row = errand()
    lease = claim(kind(), row.pk, give_up=never)

    def stumble():
        with lease.completing() as held:
            held.state = "done"
            raise RuntimeError

    with pytest.raises(RuntimeError):
        stumble()
    row.refresh_from_db()
    assert (row.state, row.lease_token) == ("running", lease.token)


def test_what_happened_in_the_world_is_stored_even_by_who_lost_the_lease():
    row = errand()
    first = claim(kind(), row.pk, give_up=never)
    silent(row)
    claim(kind(), row.pk, give_up=never)
    assert first.complete(even_if_lost=True, state="done")
    row.refresh_from_db()
    assert (row.state, row.lease_token) == ("done", None)


# --- Failing ----------------------------------------------------------------------------------------------------------
def test_error_is_kept_with_the_row_and_the_next_attempt_comes_after_a_pause(sent):
    row = errand()
    lease = claim(kind(), row.pk, give_up=never)
    assert lease.may_try_again
    assert lease.hand_back(failure="ZeroDivisionError: division by zero")
    row.refresh_from_db()
    assert row.failure == "ZeroDivisionError: division by zero"
    assert row.lease_token is None
    assert sent == [("tests.run_errand", [row.pk], 2.1)]
    assert claim(kind(), row.pk, give_up=never) is None
    assert list(lost(kind())) == []
    Errand.objects.update(due_at=shared_now() - SECOND)
    assert not claim(kind(), row.pk, give_up=never).may_try_again


def test_attempt_that_was_no_failure_does_not_count(sent):
    row = errand()
    claim(kind(), row.pk, give_up=never).hand_back(timedelta(0), is_counted=False)
    assert Errand.objects.get().attempts == 0
    assert sent == [("tests.run_errand", [row.pk], None)]
    assert claim(kind(), row.pk, give_up=never).attempts == 1


def test_long_pause_is_left_to_the_sweep(sent):
    row = errand()
    claim(kind(), row.pk, give_up=never).hand_back(timedelta(hours=4))
    assert sent == []
    assert services.sweep_kind(kind()) == 0
    Errand.objects.update(due_at=shared_now() - SECOND)
    assert services.sweep_kind(kind()) == 1
    assert sent == [("tests.run_errand", [row.pk], None)]


def test_row_that_takes_its_workers_down_is_given_up_with_its_log():
    row = errand()
    for attempt in (1, 2, 3):
        assert claim(kind(), row.pk, give_up=never).attempts == attempt
        silent(row)

    def give_up(lease):
        assert lease.complete(state="failed", failure=f"Workers were lost {lease.attempts - 1} times.")

    assert claim(kind(), row.pk, give_up=give_up) is None
    row.refresh_from_db()
    assert (row.state, row.failure, row.lease_token) == ("failed", "Workers were lost 3 times.", None)
    assert list(lost(kind())) == []


# --- The sweep --------------------------------------------------------------------------------------------------------
def test_sweep_asks_again_for_exactly_what_is_due(sent):
    now = shared_now()
    expected = [
        errand(),  # never sent
        errand(asked_at=now - 6 * SECOND),  # its message got lost
        errand(asked_at=now - 6 * SECOND, state="running", lease_until=now - SECOND),  # its worker died
        errand(asked_at=now - 60 * SECOND, due_at=now - SECOND),  # its pause is over
    ]
    errand(asked_at=now - SECOND)  # its message is on the way
    errand(asked_at=now - 60 * SECOND, state="running", lease_until=now + 20 * SECOND)  # a worker is at it
    errand(asked_at=now - 60 * SECOND, due_at=now + 20 * SECOND)  # it is put off
    errand(asked_at=now - 60 * SECOND, state="done")
    assert services.sweep_kind(kind()) == 4
    assert [arguments for _, arguments, _ in sent] == [[row.pk] for row in expected]
    sent.clear()
    assert services.sweep_kind(kind()) == 0
    assert sent == []


def test_message_from_a_clock_that_is_ahead_counts_as_lost(sent):
    errand(asked_at=shared_now() + timedelta(hours=1))
    assert services.sweep_kind(kind()) == 1


def test_sweep_asks_for_a_bounded_number_and_for_collective_work_once(sent):
    for _ in range(5):
        errand()
    assert services.sweep_kind(kind(at_once=2)) == 2
    assert len(sent) == 2
    sent.clear()
    assert services.sweep_kind(kind(is_collective=True)) == 3
    assert sent == [("tests.run_errand", [], None)]


def queued_at_the_broker(monkeypatch, *messages):
    """Let these (task, arguments) be queued; returns the names of the queues that are read."""
    read = []

    def queued_messages(queue):
        read.append(queue)
        return Queued(messages)

    monkeypatch.setattr("core.work.services.queued_messages", queued_messages)
    return read


def test_sweep_sends_nothing_that_is_queued_already(sent, monkeypatch):
    """While two long tasks occupy both slots, all waiting rows have their message and repeated sweeps add none."""
    rows = [errand(asked_at=shared_now() - 6 * SECOND) for _ in range(5)]
    queued_at_the_broker(monkeypatch, *[("tests.run_errand", (row.pk,)) for row in rows[:4]])
    for _ in range(3):
        services.sweep_kind(kind())
        Errand.objects.update(asked_at=shared_now() - 600 * SECOND)
    assert [arguments for _, arguments, _ in sent] == [[rows[4].pk]] * 3


def test_sweep_sends_no_more_turns_than_rows_wait(sent, monkeypatch):
    now = shared_now()
    for _ in range(4):
        errand(asked_at=now - 6 * SECOND)
    errand(asked_at=now - SECOND)
    queued_at_the_broker(monkeypatch, *[("tests.run_errand", ())] * 3, *[("tests.other", ())] * 9)
    assert services.sweep_kind(kind(argument=None)) == 2
    assert sent == [("tests.run_errand", [], None)] * 2
    sent.clear()
    Errand.objects.update(asked_at=now - 600 * SECOND)
    queued_at_the_broker(monkeypatch, *[("tests.run_errand", ())] * 5)
    assert services.sweep_kind(kind(argument=None)) == 0
    assert services.sweep_kind(kind(is_collective=True)) == 0
    assert sent == []


def test_one_sweep_reads_a_queue_once_and_only_when_a_message_may_be_lost(sent, monkeypatch):
    monkeypatch.setattr(kinds, "_kinds", {})
    kinds.register(kind(), kind(name="other"))
    row = errand(asked_at=shared_now() - SECOND)
    read = queued_at_the_broker(monkeypatch)
    services.sweep()
    assert read == []
    Errand.objects.filter(pk=row.pk).update(asked_at=None)
    services.sweep()
    assert read == ["ingest"]


def test_patience_grows_with_each_message_that_no_worker_could_use(sent):
    """Workers take the messages and begin nothing, for instance because the disk is full."""
    row, asked = errand(), []
    for second in range(0, 300, 5):
        last = shared_now() - SECOND * (second - asked[-1]) if asked else None
        Errand.objects.filter(pk=row.pk).update(created_at=shared_now() - SECOND * second, asked_at=last)
        if services.sweep_kind(kind()):
            asked.append(second)
    assert asked == [0, 5, 10, 20, 40, 80, 140, 200, 260]
    # A worker died over it: its row is asked for as soon as the lease has run out.
    now = shared_now()
    Errand.objects.update(asked_at=now - 30 * SECOND, created_at=now - 300 * SECOND, lease_until=now - SECOND)
    assert services.sweep_kind(kind()) == 1


def test_what_is_no_row_of_work_is_sent_once_too(sent, monkeypatch):
    queued_at_the_broker(monkeypatch, ("tests.digest", (1,)), ("tests.other", (2,)))
    assert services.send_missing("tests.digest", [(1,), (2,)]) == 1
    assert sent == [("tests.digest", [2], None)]


def test_sweep_leaves_alone_what_is_switched_off(sent):
    errand()
    assert services.sweep_kind(kind(is_enabled=lambda: False)) == 0
    assert sent == []


def test_asking_is_noted_in_the_row_so_that_the_sweep_does_not_ask_again(sent):
    row = errand()
    services.ask(kind(), row)
    assert sent == [("tests.run_errand", [row.pk], None)]
    assert services.sweep_kind(kind()) == 0
    row.refresh_from_db()
    assert abs(row.asked_at - shared_now()) < 5 * SECOND


def test_broker_that_is_down_loses_nothing(monkeypatch):
    errand()
    monkeypatch.setattr("core.work.services.send", lambda *arguments, **more: False)
    assert services.sweep_kind(kind()) == 1
    Errand.objects.update(asked_at=shared_now() - 6 * SECOND)
    assert services.sweep_kind(kind()) == 1


def test_kind_that_cannot_be_looked_for_keeps_no_other_waiting(sent, monkeypatch, caplog):
    def fail(rows):
        raise RuntimeError("a column is missing")

    monkeypatch.setattr(kinds, "_kinds", {})
    row = errand()
    kinds.register(kind(name="broken", chosen=fail), kind())
    assert services.sweep() == {"errands": 1}
    assert sent == [("tests.run_errand", [row.pk], None)]


# --- Fairness ---------------------------------------------------------------------------------------------------------
def test_those_with_the_least_under_way_come_first_and_then_the_oldest():
    fair = kind(fair_between="owner")
    many = [errand(owner="Ada") for _ in range(4)]
    few = errand(owner="Bea")
    assert next_rows(fair) == [*[row.pk for row in many], few.pk]
    assert claim_next(fair, give_up=never).pk == many[0].pk
    assert claim_next(fair, give_up=never).pk == few.pk
    last = errand(owner="Cleo")
    assert claim_next(fair, give_up=never).pk == last.pk
    assert claim_next(fair, give_up=never).pk == many[1].pk
    errand(owner="Bea")
    assert next_rows(fair)[0] == Errand.objects.get(owner="Bea", state="waiting").pk


def test_without_shares_rows_come_in_the_order_of_their_kind():
    later, sooner = errand(created_at=shared_now()), errand(created_at=shared_now() - SECOND)
    assert next_rows(kind(order=("created_at",))) == [sooner.pk, later.pk]


# --- Figures and the registry -----------------------------------------------------------------------------------------
def test_figures_count_what_waits_what_runs_what_is_put_off_and_what_is_repeated():
    now = shared_now()
    oldest = errand(created_at=now - 60 * SECOND)
    running = errand(created_at=now - 30 * SECOND)
    claim(kind(), running.pk, give_up=never)
    errand(due_at=now + 60 * SECOND, attempts=2, created_at=now - 90 * SECOND)
    errand(state="done")
    figures = figures_of(kind())
    assert (figures.waiting, figures.running, figures.put_off, figures.repeated) == (1, 1, 1, 1)
    assert figures.length == 2
    assert (figures.oldest, figures.running_since) == (oldest.created_at, running.created_at)
    assert str(figures) == f"busy since {running.created_at:%H:%M:%S} UTC: running an errand"
    assert figures_of(kind(is_open=kind().is_open & ~kind().is_open)).is_nothing


def test_two_kinds_cannot_have_one_name(monkeypatch):
    monkeypatch.setattr(kinds, "_kinds", {})
    one = kind()
    kinds.register(one, one)
    with pytest.raises(ValueError, match="two kinds of work called errands"):
        kinds.register(kind())


def test_lease_fields_exist_in_one_file_only():
    fields = {"lease_token", "lease_until", "lease", "attempts", "attempt"}
    declaring = set()
    for path in PLATFORM.rglob("models*/**/*.py"):
        declaring |= _declared(path, fields)
    for path in PLATFORM.rglob("models.py"):
        declaring |= _declared(path, fields)
    assert declaring == {"core/work/models.py"}


def test_no_code_outside_the_mechanism_writes_lease_fields():
    writing = {
        str(path.relative_to(PLATFORM))
        for path in PLATFORM.rglob("*.py")
        if "migrations" not in path.parts and {"lease_token", "lease_until"} & _names(path)
    }
    assert {path.rpartition("/")[0] for path in writing} == {"core/work"}


def _declared(path, fields):
    names = {
        target.id
        for node in nodes(path.read_text())
        if isinstance(node, ast.ClassDef)
        for line in node.body
        if isinstance(line, ast.Assign) and isinstance(line.value, ast.Call)
        for target in line.targets
        if isinstance(target, ast.Name)
    }
    return {str(path.relative_to(PLATFORM))} if names & fields else set()


def _names(path):
    found = set()
    for node in nodes(path.read_text()):
        if isinstance(node, ast.Attribute):
            found.add(node.attr)
        elif isinstance(node, ast.keyword):
            found.add(node.arg)
    return found
