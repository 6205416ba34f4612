"""Plausibility of designs, data and results of a kind of problem."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evaluation.problems.parts import KindPart

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    import pandas as pd

    from evaluation.assessment.model import Assessment
    from evaluation.checking import Finding
    from evaluation.readers import Issue
    from evaluation.scoring.rows import Numbers


class Plausibility(KindPart):
    """Plausibility of designs, data and results of a kind of problem; by default no results of the whole data set are possible.

    Attributes
    ----------
    metric_rules, result_rules
        Rules of `evaluation.problems.cautions`. The first report what rankings by some metrics do not notice. The second report
        results of a team that look like a mistake in its files.
    """

    metric_rules: tuple[Callable[[Assessment], Iterable[str]], ...] = ()
    result_rules: tuple[Callable[[Assessment, pd.DataFrame], Iterable[str]], ...] = ()

    def cautions(self, assessment: Assessment) -> Sequence[str]:
        """Return what a ranking by these metrics would not notice, one sentence per item.

        The sequence is empty where the kind has no such rule.
        """
        return [words for rule in self.metric_rules for words in rule(assessment)]

    def doubts(self, assessment: Assessment, results: pd.DataFrame) -> Sequence[str]:
        """Return what in the results of a team looks like a mistake in its files, one sentence per item.

        An example is a sign that is the wrong way round.
        """
        return [words for rule in self.result_rules for words in rule(assessment, results)]

    def features(self, content: Any) -> dict[str, Any]:
        """Return what `questions` needs from the prediction of one case, as JSON values."""
        return {}

    def are_features(self, features: Mapping[str, Any]) -> bool:
        """Return whether values can be those of `features`; it checks values from a process that has read an untrusted file."""
        return not features

    def questions(self, features: Mapping[str, Mapping[str, Any]], reasons: Mapping[str, Issue]) -> Sequence[Finding]:
        """Return questions and notes about the predictions of all cases, which no single file shows.

        Parameters
        ----------
        features
            From the method of that name, by case; of files that can be read.
        reasons
            Reason why a file cannot be read, by case.
        """
        return []

    def scan(self, regions: Sequence[Any], references: Path, predictions: Iterable[Path]) -> tuple[Any, Sequence[Any]]:
        """Measure what metrics may stumble over in references and predictions, for the check of pitfalls.

        Returns
        -------
        tuple
            An `evaluation.advice.pitfalls.scan.ReferenceScan`, and a `PredictionScan` a folder of predictions.

        Raises
        ------
        ValueError
            If references of this kind cannot be scanned.
        """
        message = f"references of the problem {self.kind.id} cannot be scanned"
        raise ValueError(message)

    def is_possible(
        self, assessment: Assessment, case: str, reference: Any, pieces: Mapping[tuple[str, str], Numbers]
    ) -> bool:
        """Return whether pieces can be those of a case.

        It checks numbers from a process that has read an untrusted file.
        """
        return False

    def summary_of(self, prediction: Any) -> dict[str, Any]:
        """Of a prediction for a case that is not scored: its ``digest``, and how much is ``labelled``; empty if unreadable."""
        return {}

    def refusal(self, assessment: Assessment) -> str:
        """Return the reason why this assessment cannot score submissions; empty if it can."""
        return ""


class ValuePlausibility(Plausibility):
    """Plausibility of results of kinds whose predictions are images of real numbers or fields."""

    def features(self, content: Any) -> dict[str, Any]:
        """Checksum of the numbers, whether they are constant, and the shift of the grid.

        Parameters
        ----------
        content
            A `evaluation.scoring.intensities.PredictedImage` or a `evaluation.scoring.registration.PredictedField`.
        """
        from evaluation.checking.grids import features_of_values

        return features_of_values(getattr(content, "values", content), content.shift)

    def are_features(self, features: Mapping[str, Any]) -> bool:
        """Return whether values have the form of `features`."""
        from evaluation.checking.grids import are_features_of_values

        return are_features_of_values(features)

    def questions(self, features: Mapping[str, Mapping[str, Any]], reasons: Mapping[str, Issue]) -> Sequence[Finding]:
        """Question what is equal in all predictions, and note shifted grids."""
        from evaluation.checking.grids import questions_about_values

        return questions_about_values(features, reasons)
