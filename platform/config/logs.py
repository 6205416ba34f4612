"""Structured logs: JSON lines in production, readable lines elsewhere, always with the request or task they belong to."""

import logging.config
from typing import Any

import structlog
from celery.signals import before_task_publish, task_postrun, task_prerun
from structlog.contextvars import bind_contextvars, clear_contextvars, get_contextvars

_SHARED = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_logger_name,
    structlog.stdlib.add_log_level,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
]


def logging_config(*, json: bool, level: str) -> None:
    """Send the standard library's and structlog's records through one formatter to standard error."""
    renderer = structlog.processors.JSONRenderer() if json else structlog.dev.ConsoleRenderer(colors=False)
    logging.config.dictConfig(
        {
            "version": 1,
            "disable_existing_loggers": False,
            "formatters": {
                "structured": {
                    "()": structlog.stdlib.ProcessorFormatter,
                    "foreign_pre_chain": _SHARED,
                    "processors": [
                        structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                        structlog.processors.format_exc_info,
                        renderer,
                    ],
                }
            },
            "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "structured"}},
            "root": {"handlers": ["console"], "level": level},
            "loggers": {"django.server": {"handlers": ["console"], "level": level, "propagate": False}},
        }
    )
    structlog.configure(
        processors=[
            *_SHARED,
            structlog.stdlib.PositionalArgumentsFormatter(),
            structlog.processors.StackInfoRenderer(),
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )


def follow_tasks() -> None:
    """Have every line that a task writes name the task, and the request from which it came, over any number of tasks."""
    before_task_publish.connect(_send_request, dispatch_uid="config.logs.send_request")
    task_prerun.connect(_bind_task, dispatch_uid="config.logs.bind_task")
    task_postrun.connect(_let_go, dispatch_uid="config.logs.let_go")


def _send_request(headers: dict[str, Any] | None = None, **_: object) -> None:
    request = get_contextvars().get("request_id")
    if headers is not None and request:
        headers["request_id"] = request


def _bind_task(task_id: str, task: Any, **_: object) -> None:
    if task.request.is_eager:
        return  # within a request or a test, whose names stay
    clear_contextvars()
    request = getattr(task.request, "request_id", None)
    bind_contextvars(task=task.name, task_id=task_id, **({"request_id": request} if request else {}))


def _let_go(task: Any, **_: object) -> None:
    if not task.request.is_eager:
        clear_contextvars()
