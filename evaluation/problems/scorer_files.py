"""Files of a case that a scoring image of the organizers receives."""

from __future__ import annotations

from evaluation.problems.parts import KindPart


class ScorerFiles(KindPart):
    """Files of a case that a scoring image of the organizers receives; by default no scoring image is supported.

    Attributes
    ----------
    stems_and_kinds
        Stem and kind of each file (`evaluation.running.interface.KINDS`). Empty where no scoring image is supported, because a
        reference cannot serve as a prediction with perfect values.
    """

    stems_and_kinds: tuple[tuple[str, str], ...] = ()

    @property
    def is_supported(self) -> bool:
        """True if a scoring image of the organizers may compute metrics beyond those of the catalogue."""
        return bool(self.stems_and_kinds)
