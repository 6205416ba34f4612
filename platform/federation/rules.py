"""Permissions on sites, declared once and used by pages and interface.

Sites have no accounts. Their messages are trusted by their signature.
Anyone with the code of an invitation sees its page.
"""

from typing import Any

import rules

from challenges.rules import is_organizer, is_public
from federation.models import Federation


@rules.predicate
def organizes(user: Any, federation: Federation | None) -> bool:
    """Runs the challenge of the federation."""
    return federation is not None and is_organizer(user, federation.phase.challenge)


@rules.predicate
def challenge_is_public(user: Any, federation: Federation | None) -> bool:
    """Return whether the challenge is public."""
    return federation is not None and is_public(user, federation.phase.challenge)


rules.add_perm("federation.view_sites", challenge_is_public | organizes)
rules.add_perm("federation.run_sites", organizes)
