"""Ranking documents of schema 2, which remain stored: an earlier rule named the winners, and keys are missing."""

from copy import deepcopy
from typing import Any

ADDED = (
    "lead", "break_even_failure_rate", "false_claim_probability", "fewest_cases_to_unseat", "cases_to_settle",
    "cases_to_confirm",
)  # fmt: skip


def of_schema_2(document: dict[str, Any]) -> dict[str, Any]:
    """Return a document in the form of schema 2, with the winners that its rule named."""
    older = deepcopy(document) | {"schema": 2}
    overall = older["overall"] or []
    for entry in [*(overall if isinstance(overall, list) else [overall]), *older["rankings"]]:
        for key in ADDED:
            entry.pop(key, None)
        winner = entry["winner"]
        if winner["reason"] in ("shown", "one_more_failure"):
            entry["verdict"] = "clear"
            winner |= {"named": True, "algorithm": entry["algorithms"][0]["name"], "reason": "shown"}
        if winner["reason"] == "possible_clusters":  # was no reason
            winner["reason"], entry["sets"]["reason"] = "not_shown", None
    return older
