"""Strengths of each ranked method, from the data of its run.

Detection, classification and outlines are reported separately.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from challenges.models import Phase
from evaluation.problems import kind_of
from leaderboards.models import RankingVersion
from submissions.models import Run
from submissions.results.domain.object_parts import Cell, Parts, csv_of, parts_of

COLUMNS = (
    ("detection", 2, "Detection F1"),
    ("detection", 0, "Precision"),
    ("detection", 1, "Recall"),
    ("classification", 0, "Balanced accuracy"),
    ("segmentation", 0, "Outline IoU"),
    ("segmentation", 1, "Outline distance"),
    ("panoptic", 0, "PQ"),
    ("panoptic", 1, "DQ"),
    ("panoptic", 2, "SQ"),
)
"""Part, line of it, and heading of the table over all methods."""
_LIMITS = {"detection": "detection", "classification": "classification", "segmentation": "outlines"}


@dataclass(frozen=True)
class Method:
    """One ranked method.

    Attributes
    ----------
    rank
        In the order that the leaderboard opens with; None of a team that has none there.
    parts
        What a page shows of it.
    """

    team: str
    rank: float | None
    parts: Parts
    run: Run

    @property
    def cells(self) -> list[tuple[str, Cell]]:
        """Heading and pooled value of every column that is relevant to this task."""
        return [(title, self.parts.tables[part][line][1][0]) for part, line, title in shown_columns(self.parts)]

    @property
    def limits(self) -> str:
        """The part that limits it, in a word."""
        return " and ".join(_LIMITS[part] for part in self.parts.limiting) or "nothing"


def suits(phase: Phase) -> bool:
    """Return whether there are objects to match."""
    return kind_of(phase.assessment).metrics.rates_object_parts


def shown_columns(parts: Parts) -> list[tuple[str, int, str]]:
    """The columns without that of classification where all objects are of one class."""
    return [
        (part, line, f"{title} ({parts.unit})" if title == "Outline distance" else title)
        for part, line, title in COLUMNS
        if part != "classification" or parts.is_classified
    ]


def methods_of(version: RankingVersion) -> list[Method]:
    """The methods of a ranking by their rank, as far as their runs keep something; one query."""
    keys = {team["run"]: team["name"] for team in version.inputs["teams"]}
    runs = Run.objects.filter(pk__in=keys).only("pk", "disentangled")
    first = version.table["orders"][0]
    ranks = dict(zip(version.table["teams"], first["rank"], strict=True))
    run_parts = [(keys[str(run.pk)], run, parts_of(run.disentangled)) for run in runs]
    methods = [Method(team, ranks.get(team), parts, run) for team, run, parts in run_parts if parts is not None]
    return sorted(methods, key=lambda method: (method.rank is None, method.rank, method.team))


def chosen(methods: Sequence[Method], team: str) -> Method | None:
    """Return the method to show in full: the requested method, otherwise the best."""
    return next((method for method in methods if method.team == team), methods[0] if methods else None)


def csv_rows(methods: Sequence[Method], *, matrix: bool) -> tuple[Sequence[str], Iterator[list[Any]]]:
    """Return the head and rows of the values of all methods: pooled values, or pooled confusion matrices."""
    tables = [csv_of(method.run.disentangled, name=method.team, matrix=matrix) for method in methods]
    if not tables:
        return ("algorithm",), iter(())
    return tables[0][0], (row for _, rows in tables for row in rows)
