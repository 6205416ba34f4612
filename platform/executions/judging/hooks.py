"""Hooks through which judging notifies the apps below of the values of a run, or of their failure."""

import uuid
from collections.abc import Callable

from web.hooks import Hook

judged: Hook[Callable[[uuid.UUID], None]] = Hook()
"""Called with the id of a run whose last values a scoring image gave, after the transaction that stored them."""

failed: Hook[Callable[[uuid.UUID, str, str], None]] = Hook()
"""Hook called when a run will have no values.

Its arguments are the id of the run, the cause for all readers, and the text for organizers.
"""
