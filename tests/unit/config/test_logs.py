"""Every line names the request or task that wrote it, and a task the request from which it came."""

from types import SimpleNamespace

import pytest
from celery.signals import before_task_publish, task_postrun, task_prerun
from structlog.contextvars import bind_contextvars, clear_contextvars, get_contextvars

from config.logs import follow_tasks

TASK = "submissions.tasks.validate"


@pytest.fixture(autouse=True)
def _clean():
    follow_tasks()
    clear_contextvars()
    yield
    clear_contextvars()


def received(headers, *, eager=False):
    return SimpleNamespace(name=TASK, request=SimpleNamespace(is_eager=eager, **headers))


def test_a_task_and_those_that_it_sends_carry_the_request_from_which_they_came():
    bind_contextvars(request_id="request-1")
    first, second = {}, {}
    before_task_publish.send(sender=TASK, headers=first)
    clear_contextvars()
    task_prerun.send(sender=None, task_id="t-1", task=received(first), args=[], kwargs={})
    before_task_publish.send(sender=TASK, headers=second)
    assert get_contextvars() == {"request_id": "request-1", "task": TASK, "task_id": "t-1"}
    assert first == second == {"request_id": "request-1"}
    task_postrun.send(sender=None, task_id="t-1", task=received(first))
    assert get_contextvars() == {}


def test_a_task_without_a_request_has_its_own_id_alone():
    headers = {}
    before_task_publish.send(sender=TASK, headers=headers)
    task_prerun.send(sender=None, task_id="t-2", task=received(headers), args=[], kwargs={})
    assert get_contextvars() == {"task": TASK, "task_id": "t-2"}
