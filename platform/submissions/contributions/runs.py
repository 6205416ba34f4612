"""What becomes of an algorithm that was run: its predictions are validated like those that are uploaded."""

from executions import hooks
from submissions.services.algorithms import take_up


def register() -> None:
    """Learn of executions that end."""
    hooks.ended.register(take_up)
