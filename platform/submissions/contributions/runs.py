"""Handling of algorithms that were run, and of values that a scoring image returned."""

import uuid

from executions import hooks
from executions.judging import hooks as judging_hooks
from submissions.services.algorithms import take_up


def register() -> None:
    """Learn of executions that end, and of values that a scoring image gave or never will."""
    hooks.ended.register(take_up)
    judging_hooks.judged.register(finish)
    judging_hooks.failed.register(give_up)


def finish(run: uuid.UUID) -> None:
    """Put the result of a run together if nothing else of it is open."""
    # Here, since web processes load no libraries of scoring.
    from submissions.services.scoring import finish_run

    finish_run(run_id=run)


def give_up(run: uuid.UUID, cause: str, log: str) -> None:
    """End a run without values of the scoring image: the fault is never the team's."""
    from submissions.services.scoring import fail_run

    fail_run(run_id=run, cause=cause, log=log)
