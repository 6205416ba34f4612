"""Hook through which judging notifies the apps above of runs whose values are complete, or will never be."""

import uuid
from collections.abc import Callable

from web.hooks import Hook

ended: Hook[Callable[[uuid.UUID], None]] = Hook()
"""Called with the id of a run after the scoring image gave its last values, or failed for good.

The process that calls it starts programs of organizers and has few rights in the database. It only requests work.
"""
