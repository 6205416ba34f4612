"""Hooks through which the apps below answer questions of this app.

`changed`
    Called inside the transaction after which another set of sites counts, with the id of the phase.
`obstacles`
    Returns in one sentence per phase why phases can no longer be evaluated at sites, by their ids.
    Submissions to such a phase would never be ranked. Called once for all phases.
"""

from collections.abc import Callable, Sequence

from challenges.models import Phase
from web.hooks import Hook

changed: Hook[Callable[[int], None]] = Hook()
obstacles: Hook[Callable[[Sequence[Phase]], dict[int, str]]] = Hook()
