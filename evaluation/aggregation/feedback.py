"""Precision of the scores reported to a team, limited to protect a hidden test set.

Many submissions with exact scores would reveal the test set. Two defences exist, both measured in the standard error
of a score, which describes how far it would move with other cases:

- *rounded*: digits below the first digit of the standard error are noise, and are not reported;
- *ladder*: the rule of Blum and Hardt (2015, "The Ladder: A Reliable Leaderboard for Machine Learning Competitions")
  in its form without a parameter. A score is reported only when it beats the team's best so far by more than the
  standard error of the paired difference to it; otherwise the earlier score is reported again. The reported score is
  rounded as above.

A score for which no standard error can be computed (one value for the whole data set, a single case) is not reported
at all before the end: a standard error of zero would promise a certainty that does not exist.
"""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final

import numpy as np
import pandas as pd

from evaluation.aggregation import build_tables, check_results, metadata_column
from evaluation.assessment.model import Assessment
from evaluation.outcomes import Outcome

RESAMPLES = 200
EXACT: Final = "exact"
ROUNDED: Final = "rounded"
"""Feedback mode with rounded scores, as an alternative to the ladder."""


@dataclass(frozen=True)
class Score:
    """One aggregated score with what its noise is computed from.

    Attributes
    ----------
    value
        As the summary of the run has it; None where it is undefined.
    units
        Values of the outermost level (cases, or patients, or sites …) by name, finite ones only.
    quantile
        Of the aggregation, None for the mean.
    """

    metric: str
    region: str | None
    higher_is_better: bool
    value: float | None
    units: "pd.Series"
    quantile: float | None


@dataclass(frozen=True)
class FeedbackDecision:
    """Decision about one score, which is stored and displayed only where `shown` is set.

    Attributes
    ----------
    standard_error, step
        Standard error of the score, and of its difference to the best one so far; None where undefined or without
        an earlier one.
    gain
        Improvement over the best one so far; negative if worse.
    improved
        Whether it beats the best one so far by more than the step.
    shown
        Number displayed to the team, or None.
    leader
        Number of the submission with the best score so far.
    """

    metric: str
    region: str | None
    value: float | None
    standard_error: float | None
    step: float | None
    gain: float | None
    improved: bool
    shown: float | None
    leader: int | None

    def document(self) -> dict[str, Any]:
        """Return it as JSON."""
        return asdict(self)


def scores_of(
    assessment: Assessment, results: pd.DataFrame, metadata: pd.DataFrame | None, values: list[dict[str, Any]]
) -> list[Score]:
    """Return the scores of one run, in the order of its summary, with the units that they are aggregated from.

    Parameters
    ----------
    results, metadata
        Of the run, and of its cases.
    values
        The summary of the run.
    """
    lacking = results["outcome"] == Outcome.NOT_APPLICABLE.value
    results = results.assign(outcome=results["outcome"].mask(lacking, Outcome.MISSING.value))
    levels = [level for level in assessment.aggregation.levels if level != "case"]
    scores = []
    for table, value in zip(build_tables(assessment, check_results(results)), values, strict=True):
        higher = table.metric.higher_is_better
        quantile = assessment.aggregation.operator.quantile(higher_is_better=higher)
        if table.per_dataset:
            units = pd.Series(dtype=float)
        else:
            groups = {level: metadata_column(metadata, table.cases, level) for level in levels}
            units = _units(table.values[:, 0], table.cases, groups, quantile)  # noqa: PD011 (not a pandas object)
        scores.append(Score(value["metric"], value["region"], higher, value["value"], units, quantile))
    return scores


def _units(
    values: np.ndarray, cases: tuple[str, ...], groups: Mapping[str, np.ndarray], quantile: float | None
) -> "pd.Series":
    table = pd.DataFrame({"case": list(cases), "value": values, **groups})
    table = table[np.isfinite(table["value"])]
    if not groups:
        of_cases: pd.Series = table.set_index("case")["value"]
        return of_cases
    names = list(groups)
    for position in range(len(names)):
        grouped = table.groupby(names[position:])["value"]
        table = (grouped.mean() if quantile is None else grouped.quantile(quantile)).reset_index()
    outermost: pd.Series = table.set_index(names[-1])["value"]
    return outermost


def standard_error(units: "pd.Series", quantile: float | None = None, other: "pd.Series | None" = None) -> float | None:
    """Return the standard error of an aggregated score, or of its paired difference to another one.

    Of a mean it is the standard deviation of the units (of their differences) over the root of their number; of a quantile
    the standard deviation over `RESAMPLES` bootstrap samples, drawn for both scores alike.

    Parameters
    ----------
    units, other
        Values by name of the unit; of two, only units that both have are compared.
    quantile
        Of the aggregation; None for the mean.

    Returns
    -------
    float or None
        None with fewer than two units.

    Examples
    --------
    >>> standard_error(pd.Series([1.0, 2.0, 3.0, 4.0]))
    0.6454972243679028
    >>> standard_error(pd.Series([1.0]))
    """
    table = pd.DataFrame({"own": units} if other is None else {"own": units, "other": other}).dropna()
    count = len(table)
    if count < 2:
        return None
    if quantile is None:
        values = table["own"] if other is None else table["own"] - table["other"]
        return float(values.std(ddof=1)) / math.sqrt(count)
    drawn = np.random.default_rng(0).integers(0, count, (RESAMPLES, count))
    statistic = np.quantile(table["own"].to_numpy()[drawn], quantile, axis=1)
    if other is not None:
        statistic = statistic - np.quantile(table["other"].to_numpy()[drawn], quantile, axis=1)
    return float(np.std(statistic, ddof=1))


def rounded(value: float, error: float) -> float:
    """Return a value without the digits below the first one of its standard error.

    Examples
    --------
    >>> rounded(0.87654, 0.012), rounded(12.345, 0.4), rounded(1234.5, 30.0), rounded(1.0, 0.0)
    (0.88, 12.3, 1230.0, 1.0)
    """
    if error <= 0:
        return value
    return round(value, -math.floor(math.log10(error)))


def tell(
    score: Score, *, number: int, feedback: str, best: Score | None = None, before: FeedbackDecision | None = None
) -> FeedbackDecision:
    """Decide how one score is reported to the team.

    Parameters
    ----------
    number
        Number of the submission within its team and phase.
    feedback
        Feedback mode of the phase.
    best, before
        The best score of the team so far, and the last reported decision; None at first.
    """
    error = standard_error(score.units, score.quantile)
    plain = None if score.value is None or error is None else rounded(score.value, error)
    step, gain = None, None
    improved = score.value is not None and (best is None or best.value is None)
    if best is not None and best.value is not None and score.value is not None:
        step = standard_error(score.units, score.quantile, best.units)
        gain = (score.value - best.value) * (1 if score.higher_is_better else -1)
        improved = step is not None and gain > step
    if feedback == EXACT:
        visible_score = score.value
    elif feedback == ROUNDED:
        visible_score = plain
    else:
        visible_score = plain if improved else before.shown if before else None
    leader = number if improved else before.leader if before else None
    return FeedbackDecision(score.metric, score.region, score.value, error, step, gain, improved, visible_score, leader)
