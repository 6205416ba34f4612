"""References and predictions as a kind of problem opens them, before it scores."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evaluation.checking import Finding
    from evaluation.readers import Issue


class References:
    """The references of all cases of a folder, each read on access.

    The object can be sent to other processes.

    Attributes
    ----------
    cases
        The cases in the order in which they are scored.
    shared
        Content that the evidence of all algorithms has in common, as JSON values.
    """

    cases: Sequence[str]
    shared: Mapping[str, Any]

    def prepare(self, case: str) -> Any:
        """The reference of a case, prepared for any number of predictions.

        Raises
        ------
        ReadError
            If it cannot be read.
        """
        raise NotImplementedError


@dataclass
class Opened:
    """The predictions of one algorithm, found but perhaps not yet read; can be sent to other processes.

    Attributes
    ----------
    predictions
        By case, as `Problem.score` takes them; a case without one lacks.
    reasons
        Why what is there was not taken, by case; under the empty name for the submission as a whole.
    unexpected
        Files or rows that belong to no case.
    unread
        Files of formats that are not read for a case.
    findings
        Findings about missing cases and about the submission as a whole; see `evaluation.checking`.
    ignored
        Note on each ignored file, by path.
    """

    predictions: Mapping[str, Any] = field(default_factory=dict)
    reasons: dict[str, Issue] = field(default_factory=dict)
    unexpected: Sequence[str] = ()
    unread: Sequence[str] = ()
    findings: Sequence[Finding] = ()
    ignored: Mapping[str, Finding] = field(default_factory=dict)

    @property
    def found_cases(self) -> int:
        """Number of cases for which there is a file, a row or a value, usable or not; a table as a whole counts as one."""
        return len(self.predictions) + len(self.reasons)
