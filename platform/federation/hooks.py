"""What this app asks of the apps below.

`changed`
    Called inside the transaction after which another set of sites counts, with the id of the phase.
"""

from collections.abc import Callable

from web.hooks import Hook

changed: Hook[Callable[[int], None]] = Hook()
