"""Handling of algorithms that were run, and of scoring images that ended."""

import uuid

from core.work.services import enqueue
from executions import hooks
from executions.judging import hooks as judging_hooks
from submissions.services.algorithms import take_up


def register() -> None:
    """Learn of executions that end, and of runs for which a scoring image ended."""
    hooks.ended.register(take_up)
    judging_hooks.ended.register(finish)


def finish(run: uuid.UUID) -> None:
    """Request that a worker with the rights for it assembles the result of a run, or ends the run."""
    enqueue("submissions.tasks.finish", str(run))
