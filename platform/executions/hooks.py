"""What executions ask of the apps below: what becomes of archives and algorithms, and which containers are theirs."""

from collections.abc import Callable

from executions.models import AlgorithmArchive, Execution
from web.hooks import Hook

ended: Hook[Callable[[Execution], None]] = Hook()
"""Called inside the transaction that ends an execution: with predictions, or with the reason why there are none."""

settled: Hook[Callable[[AlgorithmArchive], None]] = Hook()
"""Called inside the transaction that ends the check of an archive, whether it is ready or not."""

leases: Hook[Callable[[], set[str]]] = Hook()
"""Tokens of the leases under which apps above start containers of their own; what runs under none of them is ended."""
