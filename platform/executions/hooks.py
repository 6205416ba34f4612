"""What executions ask of the apps below: what becomes of archives and algorithms, who needs an image, whose containers run."""

from collections.abc import Callable

from executions.models import AlgorithmArchive, Execution
from web.hooks import Hook

ended: Hook[Callable[[Execution], None]] = Hook()
"""Called inside the transaction that ends an execution: with predictions, or with the reason why there are none."""

needed: Hook[Callable[[AlgorithmArchive], str]] = Hook()
"""Says in one sentence why an image has to be kept; empty where nobody needs it."""

settled: Hook[Callable[[AlgorithmArchive], None]] = Hook()
"""Called inside the transaction that ends the check of an archive, whether it is ready or not."""

leases: Hook[Callable[[], set[str]]] = Hook()
"""Tokens of the leases under which apps above start containers of their own; what runs under none of them is ended."""
