"""The digest by which the audit log knows a decision about a change."""

from evaluation.canonical import sha256
from registry.changes.models import ProposedChange


def decision_digest(change: ProposedChange, outcome: str, reason: str) -> str:
    """Return the SHA-256 over everything that was requested and decided about one parameter."""
    return sha256(
        {
            "request": change.request_id,
            "place": change.place,
            "class": change.change_class,
            "before": change.before,
            "after": change.after,
            "reason": change.reason,
            "effect": change.effect,
            "outcome": str(outcome),
            "decision": reason,
        }
    )
