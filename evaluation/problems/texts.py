"""Texts about a kind of problem on pages: nouns, headings and descriptions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evaluation.problems.parts import KindPart

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evaluation.assessment.model import Assessment


class PageTexts(KindPart):
    """Texts about a kind of problem on pages; the defaults fit many kinds.

    Attributes
    ----------
    region_noun
        Noun for a region of an assessment in sentences.
    counted_noun
        Noun for what `FileProblem.classes_of` and `TableProblem.classes_of` count in a case. It is empty where a case either
        is of a class or is not.
    decoy_columns
        Headings of the stored columns for a prediction of a case that is requested but not scored. The columns contain its
        digest and its amount.
    """

    region_noun: str = "region"
    counted_noun: str = ""
    decoy_columns: tuple[str, str] = ("sha256", "predicted")

    def pooled_cases(self, settings: Mapping[str, Any]) -> str:
        """Return the cases for which a metric of the whole data set has a value, as the subject of a sentence."""
        return "all cases together"

    def missing_cases(self, assessment: Assessment) -> str:
        """Return how a case without a valid prediction counts.

        The text is empty where the policies of the metrics describe it completely.
        """
        return ""
