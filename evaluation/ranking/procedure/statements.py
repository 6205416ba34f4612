"""The statements of a procedure: frozen values that describe exactly what is executed.

Each statement is rendered by `evaluation.ranking.procedure.lines`. The property tests execute the same statements with
a separate interpreter and compare the result with the ranking.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evaluation.assessment.model import Operator


@dataclass(frozen=True)
class Leave:
    """Cases that count for no algorithm: some by name, others by their grade in a column."""

    cases: tuple[str, ...]
    column: str
    grades: tuple[str, ...]


@dataclass(frozen=True)
class Fill:
    """The value that counts where a metric has none.

    Attributes
    ----------
    outcome
        ``missing``, ``pred_empty``, ``ref_empty``, ``both_empty``, ``degenerate``; ``reference`` for a value that the
        reference alone leaves undefined, and ``unbounded`` for one better than any number.
    counts_as
        A number; ``exclude``, ``worst`` (of the case), ``image_diagonal``, ``worst_rank`` (of the case) or ``best``.
    name
        ``worst`` or ``best`` where the number is that end of the range.
    """

    outcome: str
    counts_as: float | str
    name: str = ""


@dataclass(frozen=True)
class Measure:
    """A metric with its values: of each case, of a run on each case, or of all cases together.

    Attributes
    ----------
    metric
        Its name in the assessment.
    level
        ``case``, ``run`` or ``dataset``.
    identity
        Id in the catalogue, ``value`` for one that is measured elsewhere.
    options
        Options that scoring reads, as values.
    option_words
        Options as text.
    regions
        Regions with values; empty for one value over all.
    fills
        Rules for missing values.
    missing_words
        Treatment of a case without a valid answer by the kind of problem, where it computes a value.
    """

    metric: str
    level: str
    identity: str
    title: str
    higher_is_better: bool
    options: tuple[tuple[str, Any], ...]
    option_words: str
    regions: tuple[str, ...]
    fills: tuple[Fill, ...]
    missing_words: str = ""


@dataclass(frozen=True)
class Weigh:
    """Values of methods that need a person keep a part of their distance from the worst value.

    Attributes
    ----------
    worst
        From which the distance counts; ``None`` where values are divided by the weight.
    weights
        By level of interaction.
    lowest
        Weight of a method whose level is not known.
    """

    metric: str
    worst: float | None
    weights: tuple[tuple[str, float], ...]
    lowest: float


@dataclass(frozen=True)
class RankCases:
    """The algorithms are ranked on every case, and ranks take the place of values."""

    ties: str
    missing_rank: str


@dataclass(frozen=True)
class Group:
    """Aggregation of the values (or ranks) inside each group into one.

    Attributes
    ----------
    within
        Further columns that distinguish groups: a group that spans several of their values counts as several groups.
    """

    inner: str
    outer: str
    operator: Operator
    of_ranks: bool = False
    within: tuple[str, ...] = ()


@dataclass(frozen=True)
class Aggregate:
    """The values (or ranks) of all units become the score."""

    operator: Operator
    unit: str
    of_ranks: bool = False


@dataclass(frozen=True)
class Compare:
    """Tests between all pairs: the score is the share of the others that are beaten."""

    alpha: float
    adjust: str
    unit: str


@dataclass(frozen=True)
class TakeValue:
    """The one value of all cases together is the score."""


@dataclass(frozen=True)
class Described:
    """Lines of a scheme of a package, which nothing here can execute."""

    lines: tuple[str, ...]


@dataclass(frozen=True)
class RankScores:
    """Scores become ranks.

    Attributes
    ----------
    best
        ``best`` in the direction of the metric, ``lowest`` or ``highest``.
    """

    best: str
    ties: str
    missing_rank: str


Statement = RankCases | Group | Aggregate | Compare | TakeValue | Described | RankScores


@dataclass(frozen=True)
class Combine:
    """Rankings become one over some dimensions.

    Attributes
    ----------
    quantity
        ``ranks``, ``fractional ranks`` or ``scores``: what is aggregated.
    weights
        By dimension: numbers by name, ``cases`` or ``sqrt_cases``.
    """

    over: tuple[str, ...]
    operator: Operator
    quantity: str
    ties: str
    missing_rank: str
    weights: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class Ranking:
    """One registered ranking.

    Attributes
    ----------
    metrics
        Names of the metrics that it uses.
    regions
        Names of the regions that it is limited to; ``None`` for all.
    of_cases
        Statements for each metric of cases; empty where the ranking has none.
    of_data_set
        Statements for each metric of all cases together; empty where the ranking has none.
    apart
        Columns of the cases. The cases of each value are ranked separately before rankings are combined.
    apart_within
        Further columns that distinguish these values, as `Group.within`.
    combine
        Steps that combine them into one ranking; ``None`` where rankings remain separate.
    """

    name: str | None
    metrics: tuple[str, ...]
    regions: tuple[str, ...] | None
    of_cases: tuple[Statement, ...]
    of_data_set: tuple[Statement, ...]
    apart: tuple[str, ...]
    combine: tuple[Combine, ...] | None
    apart_within: tuple[str, ...] = ()


@dataclass(frozen=True)
class Procedure:
    """All that an assessment does with values, in the order in which it is done."""

    leave: Leave | None
    measures: tuple[Measure, ...]
    weighed: tuple[Weigh, ...]
    rankings: tuple[Ranking, ...]
    regions: tuple[str, ...] = ()
