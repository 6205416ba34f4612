"""Rows and objects of a valid prediction that are not used."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from evaluation.checking.sentences import finding

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evaluation.checking.findings import Finding

UNUSED: Final = "unused"
"""Key of the features of a case under which the numbers are stored."""
_LONGEST: Final = 400


@dataclass(frozen=True)
class Unused:
    """Objects and rows of the prediction of one case that are not used.

    Attributes
    ----------
    count, total
        Number of objects or rows that are not used, and of all.
    reason
        Message about the first of them.
    """

    count: int = 0
    total: int = 0
    reason: str = ""

    @property
    def remark(self) -> str:
        """Sentence about the case; empty if all is used."""
        if not self.count:
            return ""
        return f"{self.count:,} of {self.total:,} not used: {self.reason}"

    @property
    def features(self) -> dict[str, Any]:
        """Features of the case, as JSON values; empty if all is used.

        Examples
        --------
        >>> Unused(1, 3, "row 2 has no class").features, Unused().features
        ({'unused': [1, 3, 'row 2 has no class']}, {})
        """
        return {UNUSED: [self.count, self.total, self.reason[:_LONGEST]]} if self.count else {}


def are_unused_features(value: Any) -> bool:
    """Return whether a value has the form of `Unused.features`; it comes from a process that read an untrusted file.

    Examples
    --------
    >>> are_unused_features([1, 3, "row 2"]), are_unused_features([4, 3, "row 2"]), are_unused_features("x")
    (True, False, False)
    """
    if not isinstance(value, list) or len(value) != 3:
        return False
    count, total, reason = value
    if type(count) is not int or type(total) is not int or not isinstance(reason, str):
        return False
    return 0 < count <= total < 10**9 and len(reason) <= _LONGEST


def question_of_unused(features: Mapping[str, Mapping[str, Any]]) -> list[Finding]:
    """Return the question whether objects or rows that are not used can be ignored; empty if all are used.

    `features` are those of all valid cases.
    """
    unused = {case: Unused(*each[UNUSED]) for case, each in features.items() if UNUSED in each}
    if not unused:
        return []
    first = unused[min(unused)].reason
    return [
        finding(
            "parts_not_used",
            count=sum(each.count for each in unused.values()),
            total=sum(each.total for each in unused.values()),
            reason=first,
        )
    ]
