"""Permissions on sites, declared once and used by pages and interface.

Sites have no accounts. Their messages are trusted by their signature.
Anyone with the code of an invitation sees its page.
"""

from typing import Any

import rules

from challenges.rules import is_organizer, is_reader
from federation.models import Federation


@rules.predicate
def organizes(user: Any, federation: Federation | None) -> bool:
    """Runs the challenge of the federation."""
    return federation is not None and is_organizer(user, federation.phase.challenge)


@rules.predicate
def reads_challenge(user: Any, federation: Federation | None) -> bool:
    """Return whether the person sees the challenge."""
    return federation is not None and is_reader(user, federation.phase.challenge)


rules.add_perm("federation.view_sites", reads_challenge | organizes)
rules.add_perm("federation.run_sites", organizes)
