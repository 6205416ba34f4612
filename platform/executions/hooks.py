"""What executions ask of the apps below: what becomes of an algorithm that was run."""

from collections.abc import Callable

from executions.models import Execution
from web.hooks import Hook

ended: Hook[Callable[[Execution], None]] = Hook()
"""Called inside the transaction that ends an execution: with predictions, or with the reason why there are none."""
