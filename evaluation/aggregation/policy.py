"""Every outcome turned into what the policy of its metric says it counts as."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from evaluation.aggregation.columns import BoolArray, FloatArray, IntArray, ResultsError
from evaluation.outcomes import Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from evaluation.assessment import MetricUse, PolicyValue


@dataclass(frozen=True)
class Coded:
    """Outcomes and flags of a table as whole numbers, cases × algorithms, and what the numbers mean."""

    outcomes: IntArray
    outcome_names: tuple[str, ...]
    flags: IntArray
    flag_names: tuple[str, ...]

    def counters(self) -> tuple[Counter[str], ...]:
        """How often each algorithm has each outcome."""
        width, kinds = self.outcomes.shape[1], len(self.outcome_names)
        flat = np.bincount((self.outcomes + kinds * np.arange(width)).ravel(), minlength=kinds * width)
        counters: list[Counter[str]] = []
        for row in flat.reshape(width, kinds).tolist():
            counter: Counter[str] = Counter()
            for name, count in zip(self.outcome_names, row, strict=True):
                if count:
                    counter[name] += count
            counters.append(counter)
        return tuple(counters)

    def having(self, outcome: str) -> BoolArray:
        """Where a value has this outcome."""
        return _one_of(self.outcomes, self.outcome_names, outcome)

    def flagged(self, flag: str) -> BoolArray:
        """Where a value has this flag."""
        return _one_of(self.flags, self.flag_names, flag)


def _one_of(codes: IntArray, names: Sequence[str], wanted: str) -> BoolArray:
    numbers = [number for number, name in enumerate(names) if name == wanted]
    found: BoolArray = np.isin(codes, numbers) if numbers else np.zeros(codes.shape, dtype=bool)
    return found


def number_of(names: Sequence[str], wanted: str) -> int:
    """Its number, or that of one more behind them."""
    return names.index(wanted) if wanted in names else len(names)


def apply_policy(
    values: FloatArray,
    coded: Coded,
    *,
    metric: MetricUse,
    cases: Sequence[str],
    algorithms: Sequence[str],
    diagonals_of: Callable[[], FloatArray],
    worst_of: Callable[[], FloatArray],
) -> tuple[FloatArray, BoolArray]:
    """Fill in what has no value.

    Parameters
    ----------
    values, coded
        Cases × algorithms.
    metric
        With its policy.
    cases, algorithms
        Their names, for messages.
    diagonals_of
        The diagonal of the image of every case in mm; called only where the policy needs it.
    worst_of
        The worst value of every case, where the range of the metric has no worst end; called likewise.

    Returns
    -------
    tuple
        The values, not a number where a case is left out or gets the last rank, and where it gets the last rank.

    Raises
    ------
    ResultsError
        For an outcome without a policy, or an input that no submission has.
    """
    filled = values.copy()
    last_rank = np.zeros(values.shape, dtype=bool)
    for outcome in sorted(set(coded.outcome_names) - {Outcome.OK.value}):
        where = coded.having(outcome)
        if not where.any():
            continue
        if outcome == Outcome.DEGENERATE:
            where &= ~coded.flagged("reference")
        unbounded = where & coded.flagged("unbounded")
        if unbounded.any():
            filled[unbounded] = np.inf if metric.higher_is_better else -np.inf
            where &= ~unbounded
        if not where.any():
            continue
        # One participant who leaves out an input (scores, say) must not stop the ranking of all: where others gave it,
        # its absence is a missing result. Only where nobody could is the metric wrong for the task.
        if outcome == Outcome.NOT_APPLICABLE and bool(where.all()):
            name = algorithms[int(np.argwhere(where)[0][1])]
            message = f"the submission of {name!r} lacks an input that metric {metric.name!r} needs"
            raise ResultsError(message)
        rule = Outcome.MISSING if outcome == Outcome.NOT_APPLICABLE else outcome
        value = metric.policy.get(str(rule))
        if value is None:
            case, algorithm = np.argwhere(where)[0]
            message = (
                f"{int(where.sum())} values of metric {metric.name!r} are {outcome} (first: case {cases[case]!r}, "
                f"algorithm {algorithms[algorithm]!r}); set policy.{rule} of the metric before ranking"
            )
            raise ResultsError(message)
        if depends_on_case(value, metric):
            of_cases = diagonals_of() if value == "image_diagonal" else worst_of()
            filled[where] = np.broadcast_to(of_cases[:, None], where.shape)[where]
        elif value == "worst_rank":
            last_rank |= where
        else:
            filled[where] = constant(value, metric)
    return filled, last_rank


def depends_on_case(value: PolicyValue, metric: MetricUse) -> bool:
    """Whether a policy word stands for another number in every case."""
    return value == "image_diagonal" or (value == "worst" and metric.worst is None)


def constant(value: PolicyValue, metric: MetricUse) -> float:
    """The number that a policy word stands for; not a number for ``exclude``.

    Raises
    ------
    ValueError
        For a word that needs the case, such as ``image_diagonal``.
    """
    if isinstance(value, (int, float)):
        return float(value)
    bounds = {"worst": metric.worst, "perfect": metric.best, "exclude": float("nan")}
    number = bounds.get(value)
    if number is None:
        message = f"policy {value!r} of metric {metric.name!r} has no fixed number"
        raise ValueError(message)
    return number
