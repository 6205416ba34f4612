"""What this app asks of the apps below.

`changed`
    Called inside the transaction after which another set of sites counts, with the id of the phase.
`obstacles`
    Says in one sentence why phases cannot be evaluated at sites any more, by their ids: what was handed in to one would
    never be ranked. Of all phases at once.
"""

from collections.abc import Callable, Sequence

from challenges.models import Phase
from web.hooks import Hook

changed: Hook[Callable[[int], None]] = Hook()
obstacles: Hook[Callable[[Sequence[Phase]], dict[int, str]]] = Hook()
