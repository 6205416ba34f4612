"""Samples of a kind of problem: small challenges to try it with, and predictions to try a scoring image with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from evaluation.problems.parts import KindPart

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from evaluation.assessment.model import Assessment

ALGORITHMS: Final = ("near", "far")
"""Of a challenge to try a kind with: the first has an error of a pixel or so, the second a larger one."""


CASES: Final = 12
"""Of samples for an assessment."""


class Samples(KindPart):
    """Samples of a kind of problem: by default a reference is also the perfect prediction, and nothing else is generated."""

    def perfect_prediction(
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

    def write_challenge(
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

    def cases_of(self, assessment: Assessment) -> int:
        """Return the number of cases that samples for this assessment have."""
        return CASES

    def write_registered(
        self,
        assessment: Assessment,
        folder: Path,
        *,
        cases: int = 12,
        seed: int = 1,
        algorithms: Sequence[str] = ALGORITHMS,
    ) -> None:
        """Write a small challenge with the regions, settings and metrics of an assessment.

        The layout is that of `write_challenge`. Kinds without such samples are not rehearsed.

        Parameters
        ----------
        algorithms
            Their names, the best first: each has a larger error than the one before.

        Raises
        ------
        NotImplementedError
            If the kind has no such samples.
        """
        raise NotImplementedError
