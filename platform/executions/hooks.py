"""Hooks between executions and the apps below.

They cover the outcome of archives and algorithms, the need for an image, and the leases of running containers.
"""

from collections.abc import Callable

from executions.models import AlgorithmArchive, Execution
from web.hooks import Hook

ended: Hook[Callable[[Execution], None]] = Hook()
"""Called inside the transaction that ends an execution: with predictions, or with the reason why there are none."""

needed: Hook[Callable[[AlgorithmArchive], str]] = Hook()
"""Hook that returns in one sentence why an image must be kept, or an empty text if it is not needed."""

settled: Hook[Callable[[AlgorithmArchive], None]] = Hook()
"""Called inside the transaction that ends the check of an archive, whether it is ready or not."""

leases: Hook[Callable[[], set[str]]] = Hook()
"""Tokens of the leases under which apps above start containers of their own; what runs under none of them is ended."""
