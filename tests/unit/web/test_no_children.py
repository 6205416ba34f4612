"""No request starts a confined child: the tests of all pages run with this guard."""

import pytest
from celery import shared_task
from django.http import HttpResponse
from django.test import RequestFactory

from confinement.limits import ChildLimits
from confinement.sandbox import answers
from web.middleware import NoChildMiddleware


def read():
    [answer] = answers(
        ["file"],
        lambda _item, _folder: 1,
        limits=ChildLimits(memory_bytes=1 << 30, file_bytes=1 << 20, item_seconds=20),
    )
    return answer.value


@shared_task
def read_by_worker():
    read()


def test_a_request_cannot_start_a_child(rf: RequestFactory):
    def view(request):
        read()

    with pytest.raises(RuntimeError, match="never in a request"):
        NoChildMiddleware(view)(rf.get("/"))


def test_a_worker_can_start_one_also_where_a_test_runs_its_task_at_once(rf: RequestFactory):
    def view(request):
        read_by_worker.apply(throw=True)
        return HttpResponse()

    assert NoChildMiddleware(view)(rf.get("/")).status_code == 200
    assert read() == 1
