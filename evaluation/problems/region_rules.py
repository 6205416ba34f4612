"""Regions that an assessment of a kind of problem has."""

from __future__ import annotations

from evaluation.problems.parts import KindPart


class RegionRules(KindPart):
    """Regions that an assessment of a kind of problem has; by default it can have some.

    Attributes
    ----------
    are_allowed, are_required
        Whether an assessment can have regions, and whether it must have them.
    have_numbered_labels
        Whether an assessment names the labels of its regions by whole numbers only.
    """

    are_allowed: bool = True
    are_required: bool = False
    have_numbered_labels: bool = False
