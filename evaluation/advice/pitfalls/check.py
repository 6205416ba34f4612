"""Looking for every pitfall whose trigger can be read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from evaluation.advice.pitfalls import choice, data, practice
from evaluation.advice.pitfalls.catalogue import Pitfall, pitfalls
from evaluation.advice.pitfalls.demonstrations import demonstrations_of
from evaluation.advice.pitfalls.facts import Facts, Unknown
from evaluation.advice.pitfalls.registry import TRIGGERS

if TYPE_CHECKING:
    from collections.abc import Iterator

_MODULES = (choice, data, practice)


@dataclass(frozen=True, slots=True)
class Finding:
    """Result of checking for one pitfall.

    Attributes
    ----------
    state
        ``bites``, ``clear``, ``unknown`` (a fact is missing), ``elsewhere`` (another kind of problem) or
        ``results`` (only results, or facts that no design contains, can show it).
    because
        Reason why it applies.
    missing
        The fact that is missing: ``fingerprint.FP2.1``, ``design.sites``, ``assessment``, ``references``,
        ``predictions``.
    """

    pitfall: Pitfall
    state: str
    because: str = ""
    missing: str = ""

    @property
    def document(self) -> dict[str, Any]:
        """Ready for JSON."""
        return {
            "id": self.pitfall.id,
            "title": self.pitfall.title,
            "group": self.pitfall.group,
            "state": self.state,
            "because": self.because,
            "missing": self.missing,
            "effect": self.pitfall.effect,
            "remedy": self.pitfall.remedy,
            "metrics": list(self.pitfall.metrics),
            "demonstrations": [demonstration.id for demonstration in demonstrations_of(self.pitfall.id)],
        }


def check(facts: Facts) -> list[Finding]:
    """Look for all pitfalls; those that bite come first, in the order of the catalogue.

    Examples
    --------
    >>> from evaluation.advice.fingerprint import parse_fingerprint
    >>> from evaluation.assessment import parse
    >>> answers = {"FP2.1": True}
    >>> fingerprint = parse_fingerprint({"schema": 1, "problem": "semantic_segmentation", "answers": answers})
    >>> assessment = parse({"problem": "semantic_segmentation", "regions": [{"name": "liver", "labels": [1]}],
    ...     "metrics": [{"id": "dsc"}]})
    >>> bites = [found for found in check(Facts(fingerprint, assessment)) if found.state == "bites"]
    >>> bites[1].pitfall.id, bites[1].because
    ('P-DOM-BOUNDARY-UNAWARE', 'the outline matters, and dsc does not measure it')
    """
    order = ("bites", "unknown", "clear", "results", "elsewhere")
    return sorted(_look(facts), key=lambda finding: order.index(finding.state))


def _look(facts: Facts) -> Iterator[Finding]:
    try:
        category = facts.category
    except Unknown:
        category = None
    for pitfall in pitfalls().values():
        function = TRIGGERS.get(pitfall.id)
        if category is not None and category not in pitfall.categories:
            yield Finding(pitfall, "elsewhere")
        elif function is None:
            yield Finding(pitfall, "results")
        else:
            try:
                because = function(facts)
            except Unknown as unknown:
                yield Finding(pitfall, "unknown", missing=unknown.source)
            else:
                yield Finding(pitfall, "bites" if because else "clear", because=because or "")
