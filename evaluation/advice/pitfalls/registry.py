"""Triggers: functions that each check for one pitfall and describe why it applies."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from evaluation.advice.pitfalls.facts import Facts

Trigger = Callable[[Facts], "str | None"]
TRIGGERS: Final[dict[str, Trigger]] = {}


def trigger(pitfall: str) -> Callable[[Trigger], Trigger]:
    """Register the trigger of a pitfall.

    A trigger returns why the pitfall bites, or ``None``; it raises `Unknown` where a fact is missing. It looks up only
    what it needs, so that a fact that decides alone is enough.
    """

    def register(function: Trigger) -> Trigger:
        if pitfall in TRIGGERS:
            message = f"{pitfall} has two triggers"
            raise ValueError(message)
        TRIGGERS[pitfall] = function
        return function

    return register


def names(ids: Iterable[object]) -> str:
    """Return ids as an enumeration in a sentence.

    Examples
    --------
    >>> names({"iou", "dsc", "nsd"})
    'dsc, iou and nsd'
    """
    *first, last = sorted(str(name) for name in ids)
    return f"{', '.join(first)} and {last}" if first else last


def verb(ids: Iterable[object], singular: str) -> str:
    """Ids with a verb that agrees with their number.

    Examples
    --------
    >>> verb(["dsc"], "needs"), verb(["dsc", "iou"], "needs"), verb(["dsc", "iou"], "is")
    ('dsc needs', 'dsc and iou need', 'dsc and iou are')
    """
    all_ids = list(ids)
    plural = {"is": "are", "does": "do", "has": "have"}.get(singular, singular.removesuffix("s"))
    return f"{names(all_ids)} {singular if len(all_ids) == 1 else plural}"
