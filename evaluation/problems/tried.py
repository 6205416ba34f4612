"""Scoring from folders, scans for pitfalls, and trials of a kind of problem.

Trials use examples and scoring images.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from evaluation.assessment import Assessment
    from evaluation.problems.opened import Opened, References

ALGORITHMS: Final = ("near", "far")
"""Of a challenge to try a kind with: the first has an error of a pixel or so, the second a larger one."""


class TriedProblem:
    """Part of `evaluation.problems.base.Problem` that concerns folders, scans, examples and scoring images.

    Attributes
    ----------
    shown
        Files of a case that a scoring image of the organizers receives, by stem and kind (`evaluation.running.interface.KINDS`).
        Empty where the kind supports no scoring image, because a reference cannot serve as a prediction with perfect values.
    """

    id: str
    shown: tuple[tuple[str, str], ...] = ()

    # Folders of the command line --------------------------------------------------------------------------------------

    def open_references(self, assessment: Assessment, folder: Path) -> References:
        """Find the references of a folder.

        Raises
        ------
        ReadError
            If they cannot be taken.
        ValueError
            If predictions of this kind are not scored from folders.
        """
        raise ValueError(self._from_no_folder)

    def open_predictions(self, assessment: Assessment, folder: Path, references: References) -> Opened:
        """Find the predictions of one algorithm; what cannot be taken is no error but a reason.

        Raises
        ------
        ReadError
            If the folder is not there.
        """
        raise ValueError(self._from_no_folder)

    def open_all(
        self, assessment: Assessment, predictions: Mapping[str, Path], references: References
    ) -> dict[str, Opened]:
        """Find the predictions of all algorithms: of a folder each, unless a kind has several in one."""
        return {name: self.open_predictions(assessment, folder, references) for name, folder in predictions.items()}

    @property
    def _from_no_folder(self) -> str:
        return f"predictions of the problem {self.id} cannot be scored from folders"

    # What a scoring image is shown ------------------------------------------------------------------------------------

    @property
    def takes_scorer(self) -> bool:
        """True if a scoring image of the organizers may compute metrics beyond those of the catalogue."""
        return bool(self.shown)

    def as_prediction(
        self, reference: Mapping[str, Path], shared: Mapping[str, Any], folder: Path
    ) -> Mapping[str, Path]:
        """The files of a reference as those of the perfect prediction; what differs is written into the folder.

        Parameters
        ----------
        reference
            As it is shown, by name of the file.
        shared
            What all cases have in common, of a kind with one table.
        """
        return reference

    def worse_predictions(self, perfect: Mapping[str, Path], folder: Path) -> dict[str, dict[str, Path]]:
        """Predictions made of the perfect one to try a scoring image with, by what they are; written into the folder."""
        raise NotImplementedError

    # Scan of data, and challenges to try out --------------------------------------------------------------------------

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
        message = f"references of the problem {self.id} cannot be scanned"
        raise ValueError(message)

    def write_example(
        self, folder: Path, *, cases: int = 6, seed: int = 1, algorithms: Sequence[str] = ALGORITHMS
    ) -> dict[str, Any]:
        """Write a small challenge to try the kind with: ``references`` and one folder an algorithm in ``predictions``.

        Parameters
        ----------
        algorithms
            Their names, the best first: each has a larger error than the one before.

        Returns
        -------
        dict
            The assessment document that they are scored by.
        """
        raise NotImplementedError
