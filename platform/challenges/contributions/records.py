"""Values of registered challenges that the verification of records computes again."""

from challenges.queries import rebuilt
from challenges.queries.planning import PROJECTED_FIELDS
from core.audit.hooks import Rebuilder, rebuilders

_DESIGN = "the registered version of the design"


def register() -> None:
    """Declare them; only a backup or a registered version can restore them."""
    rebuilders.register(
        Rebuilder("challenges.challenge", PROJECTED_FIELDS["challenge"], _DESIGN, rebuilt.rebuilt_challenges)
    )
    rebuilders.register(Rebuilder("challenges.task", PROJECTED_FIELDS["task"], _DESIGN, rebuilt.rebuilt_tasks))
    settings = (*PROJECTED_FIELDS["phase"], *rebuilt.ASSESSMENT)
    rebuilders.register(Rebuilder("challenges.phase", settings, _DESIGN, rebuilt.rebuilt_phases))
    rebuilders.register(
        Rebuilder("challenges.projection", ("version_id", "digest"), "the audit log", rebuilt.rebuilt_projections)
    )
