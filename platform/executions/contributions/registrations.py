"""Kinds of notifications that this app sends."""

from accounts.notifications import kinds


def register() -> None:
    """Add the kinds of messages."""
    kinds.register(
        "compute_time_near_its_end", "The compute time of algorithms in your challenge is nearly used up", order=13
    )
