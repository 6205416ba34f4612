"""Digests recomputed from registered versions and compared during the verification of records."""

from core.audit import hooks
from core.audit.hooks import Rebuilder
from registry.queries.timestamps import stored_timestamps
from registry.services.listing import LISTED, list_all, rebuilt_facets, rebuilt_listings
from registry.services.verifying import ledger_problems

_SOURCE = "the registered version of the design"


def register() -> None:
    """Declare them."""
    hooks.checks.register(ledger_problems)
    hooks.checks.register(_timestamp_problems)
    hooks.summaries.register(_timestamps)
    hooks.rebuilders.register(
        Rebuilder("registry.listing", (*LISTED, "version_id"), _SOURCE, rebuilt_listings, list_all)
    )
    hooks.rebuilders.register(Rebuilder("registry.registration", ("facets",), _SOURCE, rebuilt_facets, list_all))


def _timestamp_problems() -> list[str]:
    # The library of signatures is loaded by the process that verifies, never by one that serves pages.
    from registry.services.timestamps import timestamp_problems

    return timestamp_problems()


def _timestamps() -> str:
    return str(stored_timestamps())
