"""Acts on change requests: ask, withdraw, object, decide."""

from registry.changes.services.asking import Wanted, object_to, request_change, request_proposal, withdraw_request
from registry.changes.services.deciding import Verdict, decide
from registry.changes.services.telling import ASKED, DECIDED, MAX_TEXT, OBJECTED

__all__ = [
    "ASKED",
    "DECIDED",
    "MAX_TEXT",
    "OBJECTED",
    "Verdict",
    "Wanted",
    "decide",
    "object_to",
    "request_change",
    "request_proposal",
    "withdraw_request",
]
