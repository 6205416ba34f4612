"""Permissions to upload tables, and to read or change their analyses."""

from typing import Any

import rules

from leaderboards.workbench.models import BroughtTable


@rules.predicate
def owns(user: Any, table: BroughtTable | None) -> bool:
    """Brought the table."""
    return table is not None and user.is_authenticated and table.owner_id == user.pk


@rules.predicate
def is_shared(user: Any, table: BroughtTable | None) -> bool:  # noqa: ARG001 (the signature of a predicate)
    """Return whether anyone with the address may read a table: its owner shares it, and it has a result."""
    return table is not None and table.is_shared and table.is_done


# Rules and not permissions: Django grants every permission to administrators, to whom a private table is private as well.
rules.add_rule("workbench.read", owns | is_shared)
rules.add_rule("workbench.change", owns)
