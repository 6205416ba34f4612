"""What scoring yields: one row for every case, region and metric."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from evaluation.outcomes import Flag, Outcome

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from evaluation.readers import Issue
    from evaluation.scoring.pieces import Numbers, Pieces


class Row(NamedTuple):
    """One value of a results table.

    Attributes
    ----------
    algorithm, case, region
        ``case`` is empty for values of the whole data set, ``region`` for values over all classes.
    metric
        The assessment's name of the metric.
    value
        A finite number exactly when ``outcome`` is ``ok``.
    image_diagonal
        In mm, on every row of an image metric.
    flag
        What the outcome alone does not say; empty as a rule.
    worst
        The worst value that can reasonably be expected here, in the metric's unit, where its range has no worst end.
    """

    algorithm: str
    case: str
    region: str
    metric: str
    value: float | None
    outcome: Outcome
    image_diagonal: float | None
    flag: Flag = Flag.NONE
    worst: float | None = None


class ScoredCase(list[Row]):
    """The rows of one case, with the reason if the prediction could not be read.

    Attributes
    ----------
    reason
        Why all outcomes are ``missing``; ``None`` if the prediction was read, or if there was none to read.
    pieces
        What the case adds to the values of the whole data set; ``None`` if the prediction is missing.
    lacking
        Metrics of the whole data set for which the prediction lacks an input, such as scores.
    apart
        Of instances, where it was asked for: what detection, classification and outlines are rated by
        (`evaluation.scoring.disentangling.numbers_of`).
    """

    apart: Numbers | None = None

    def __init__(
        self,
        rows: Iterable[Row],
        reason: Issue | None = None,
        pieces: Pieces | None = None,
        lacking: Collection[str] = (),
    ) -> None:
        super().__init__(rows)
        self.reason = reason
        self.pieces = pieces
        self.lacking = set(lacking)

    @property
    def rows(self) -> list[Row]:
        """The rows as a plain list."""
        return list(self)
