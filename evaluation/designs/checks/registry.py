"""Registry of custom checks for conditions that rules cannot express, by their name in the catalogue.

Checks that need only the document live in `evaluation.designs.checks.custom`. The other checks are registered by the
app that owns the facts (other designs, reviews, submissions, teams, runs), in its `AppConfig.ready`::

    from evaluation.designs.checks import register

    @register("submission_quota", reads=("max_submissions",))
    def within_quota(subject): ...
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from evaluation.designs.catalogue import Catalogue, Check, shipped
from evaluation.designs.document import Document, Values


@dataclass(frozen=True)
class Subject:
    """Input of a check.

    Attributes
    ----------
    values
        The entries as one task (or the challenge) sees them; entries of an algorithm description or a report override
        them.
    document
        The complete design.
    design
        The stored design, for checks that the platform registers; ``None`` for a document that is not stored.
    check
        The check itself: one function may serve several checks.
    """

    values: Values
    document: Document
    check: Check
    design: Any = None
    catalogue: Catalogue = field(default_factory=shipped)
    now: datetime = field(default_factory=lambda: datetime.now(UTC))


# Returns what is wrong in words, or None when the check holds or has nothing to look at yet.
Custom = Callable[[Subject], str | None]


@dataclass(frozen=True)
class Registered:
    """A function and the parameters it reads."""

    function: Custom
    reads: tuple[str, ...]


_customs: dict[str, Registered] = {}


def register(name: str, *, reads: tuple[str, ...] = ()) -> Callable[[Custom], Custom]:
    """Register the code of a custom check.

    Raises
    ------
    ValueError
        When the catalogue has no such check or another function has taken it.
    """
    if name not in {check.custom for check in shipped().checks}:
        raise ValueError(f"The catalogue has no custom check {name}.")

    def keep(function: Custom) -> Custom:
        existing = _customs.get(name)
        if existing is not None and existing.function is not function:
            raise ValueError(f"The custom check {name} is registered already.")
        _customs[name] = Registered(function, reads)
        return function

    return keep


def registered(name: str) -> Registered | None:
    """The code of a custom check, if an app has registered it."""
    return _customs.get(name)


def open_customs() -> set[str]:
    """Names of custom checks that no app decides yet."""
    return {check.custom for check in shipped().checks if check.custom} - set(_customs)
