"""What executions ask of the apps below: what becomes of an algorithm that was run, and who needs an image."""

from collections.abc import Callable

from executions.models import AlgorithmArchive, Execution
from web.hooks import Hook

ended: Hook[Callable[[Execution], None]] = Hook()
"""Called inside the transaction that ends an execution: with predictions, or with the reason why there are none."""
needed: Hook[Callable[[AlgorithmArchive], str]] = Hook()
"""Says in one sentence why an image has to be kept; empty where nobody needs it."""
