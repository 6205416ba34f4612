"""Sample data of a task of the gallery, and the teams that submit them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pandas as pd

from evaluation.assessment import Assessment

TEAMS: Final = ("Ada", "Ben", "Cleo")
"""Teams, the best first: each has a larger error than the one before."""


@dataclass(frozen=True)
class Sample:
    """Sample data of a task.

    Attributes
    ----------
    folder
        Folder with references, and with the predictions of each team.
    facts
        Row of ``cases.csv`` by case.
    results
        Rows of all teams, as scored.
    """

    assessment: Assessment
    folder: Path
    cases: Sequence[str]
    facts: Mapping[str, Mapping[str, str]]
    results: pd.DataFrame | None = None

    @property
    def references(self) -> Path:
        """Folder of references."""
        return self.folder / "references"

    def predictions(self, team: str) -> Path:
        """Folder of the predictions of a team."""
        return self.folder / "predictions" / team
