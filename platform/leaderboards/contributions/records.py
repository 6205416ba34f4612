"""Columns of rankings that the verification of records computes again from the ranking document and the inputs."""

from core.audit.hooks import Rebuilder, rebuilders
from leaderboards.services.stored_columns import COLUMNS, rebuilt_versions


def register() -> None:
    """Declare them; only a backup can restore them."""
    rebuilders.register(
        Rebuilder("leaderboards.rankingversion", COLUMNS, "the ranking document and its inputs", rebuilt_versions)
    )
