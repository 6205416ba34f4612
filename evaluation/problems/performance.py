"""Preparation and shortcuts of scoring for a kind of problem."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evaluation.problems.parts import KindPart

if TYPE_CHECKING:
    from evaluation.assessment.model import Assessment
    from evaluation.problems.opened import Opened, References
    from evaluation.scoring.evidence_blocks import Block
    from evaluation.scoring.rows import Row


class Performance(KindPart):
    """Preparation and shortcuts of scoring for a kind of problem; by default there are none."""

    def score_at_once(
        self, assessment: Assessment, algorithm: str, references: References, opened: Opened
    ) -> tuple[list[Row], list[Block]] | None:
        """Return the results of `score` for every case and of `KindEvidence.assemble` in one pass.

        This is for kinds in which scoring all cases together is much faster. Other kinds return ``None``.
        """
        return None

    def preload(self) -> None:
        """Load the libraries that scoring loads when first called, before processes are forked."""

    def warm_up(self, assessment: Assessment, reference: Any) -> None:
        """Work out about a reference, once before processes are forked, what comparing it with a prediction needs."""
