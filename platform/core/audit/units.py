"""Requests, tasks and commands whose writes are sealed."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from celery.signals import task_postrun, task_prerun
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from core.audit.transactions import unit

UNSEALED_COMMANDS = frozenset({"shell", "dbshell"})
"""Commands that run arbitrary input of an operator; the verification reports what they write."""
_running: dict[str, AbstractContextManager[None]] = {}


class UnitMiddleware:
    """Seal what a request writes."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        def origin() -> str:
            match = request.resolver_match
            # Whom the session has turned out to be: to ask for it here would cost anonymous requests a query.
            user = request.__dict__.get("_cached_user")
            name = match.view_name if match else "?"
            return f"request {request.method} {name}" + (f" by user {user.pk}" if user is not None else "")

        with unit(origin):
            return self.get_response(request)


def command(name: str) -> AbstractContextManager[None]:
    """Seal the writes of a command of `manage.py`, unless the command runs arbitrary input."""
    return nullcontext() if name in UNSEALED_COMMANDS else unit(f"command {name}")


def connect() -> None:
    """Seal what Celery's tasks write."""
    task_prerun.connect(_begin, dispatch_uid="core.audit.units.begin")
    task_postrun.connect(_end, dispatch_uid="core.audit.units.end")


def _begin(task_id: str, task: Any, **_: object) -> None:
    _running[task_id] = unit(f"task {task.name}")
    _running[task_id].__enter__()


def _end(task_id: str, **_: object) -> None:
    running = _running.pop(task_id, None)
    if running is not None:
        running.__exit__(None, None, None)
