"""A challenge in programs and notebooks: its registered assessment, and scores of your own cases."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evaluation.assessment import Assessment
    from podium_client.scoring import Scored


class Challenge:
    """A challenge whose assessment you run on your own computer.

    Scoring needs `podium-evaluation`.

    Parameters
    ----------
    source
        Public address of the challenge, its short name, or a file with the assessment (JSON). A short name needs
        `podium login`.
    phase
        Number or short name of the phase, if phases are assessed differently.

    Examples
    --------
    >>> Challenge("https://podium.example.org/challenges/demo/")
    Challenge('https://podium.example.org/challenges/demo/')
    """

    def __init__(self, source: str | Path, *, phase: str = "") -> None:
        self.source, self.phase = str(source), phase

    def __repr__(self) -> str:
        return f"Challenge({self.source!r})"

    @cached_property
    def assessment(self) -> Assessment:
        """The registered assessment.

        Raises
        ------
        ClientError
            If the challenge, the phase or the file is not found.
        """
        from podium_client.connection import Connection
        from podium_client.scoring import assessment_of

        return assessment_of(self.source, self.phase, Connection.remembered)

    def score(
        self,
        predictions: str | Path | Mapping[str, str | Path],
        references: str | Path,
        *,
        cases: str | Path | None = None,
        jobs: int = 1,
    ) -> Scored:
        """Score predictions as the platform does.

        Parameters
        ----------
        predictions
            Folder of predictions, or the folder of each algorithm by its name.
        references
            Folder of references.
        cases
            Table with characteristics of the cases. By default ``cases.csv`` in the folder of references or next to it.
        jobs
            Number of processes.

        Raises
        ------
        ClientError
            If references or predictions cannot be read, or no case has a prediction.
        """
        from podium_client.scoring import score_at_home

        if isinstance(predictions, (str, Path)):
            predictions = {Path(predictions).resolve().name: predictions}
        folders = {name: Path(folder) for name, folder in predictions.items()}
        table = None if cases is None else Path(cases)
        return score_at_home(self.assessment, Path(references), folders, cases=table, jobs=jobs)
