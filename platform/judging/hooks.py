"""What judging tells the apps below: that the values of a run are there, or that they will never be."""

import uuid
from collections.abc import Callable

from web.hooks import Hook

judged: Hook[Callable[[uuid.UUID], None]] = Hook()
"""Called with the id of a run whose last values a scoring image gave, after the transaction that stored them."""

failed: Hook[Callable[[uuid.UUID, str, str], None]] = Hook()
"""Called with the id of a run, the cause in words for everybody, and what organizers read, when there will be no values."""
