"""Model of simulated scores: a case effect, a team effect and noise, on a scale without bounds, and failures.

`docs/advice.md` gives the formulas, the estimates from a pilot, and the limits.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.special import ndtr, ndtri

from evaluation.assessment.policy_values import constant
from evaluation.quadrature import gauss_hermite

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evaluation.assessment.model import MetricUse

FloatArray = npt.NDArray[np.float64]
SampleArray = npt.NDArray[np.float32]
BoolArray = npt.NDArray[np.bool_]
_EDGE: Final = 1e-3
_FEWEST_CASES: Final = 3
MOST_SKEWNESS: Final = 6.0
"""Largest absolute skewness of the noise; that of a log-normal variable whose logarithm has deviation 1."""
FEWEST_FOR_SKEWNESS: Final = 3
"""Fewest algorithms of a pilot from which a skewness can be estimated: differences of two are symmetric in them."""
_NODES_OF_TWO: Final = 24
_LEAST_SPREAD: Final = 1e-24


class SimulationError(ValueError):
    """Error for a simulation that cannot be run, with the missing or unsuitable input."""


@dataclass(frozen=True)
class Spread:
    """Spread of scores, on the scale of the metric.

    Attributes
    ----------
    typical
        Score of a typical team on a typical case.
    cases
        Standard deviation between cases that are easy and hard for everyone.
    teams
        Standard deviation between the scores of teams on infinitely many cases.
    noise
        Standard deviation of a team on a case, beyond the effects of case and team.
    skewness
        Skewness of this deviation of a team on a case, from -6 to 6, where more is better; negative if a few cases are very
        bad.
    """

    typical: float
    cases: float
    teams: float
    noise: float
    skewness: float = 0.0

    def __post_init__(self) -> None:
        for name in ("cases", "teams", "noise"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value >= 0):
                message = f"spread.{name}: {value} is not a number of 0 or more"
                raise SimulationError(message)
        if not math.isfinite(self.typical):
            message = f"spread.typical: {self.typical} is not a number"
            raise SimulationError(message)
        check_skewness(self.skewness)


def check_skewness(value: float) -> None:
    """Refuse a skewness beyond the limits of the model."""
    if not -MOST_SKEWNESS <= value <= MOST_SKEWNESS:
        message = f"skewness: {value} is not a number from {-MOST_SKEWNESS:g} to {MOST_SKEWNESS:g}"
        raise SimulationError(message)


DEFAULT_SHARE: Final = Spread(0.85, 0.08, 0.02, 0.05)
"""Default spread for metrics from 0 to 1: a moderately hard segmentation."""
DEFAULT_DISTANCE: Final = Spread(5.0, 2.5, 0.5, 1.5)
"""Default spread for distances in mm."""


@dataclass(frozen=True)
class Scale:
    """From scores to a scale without bounds on which more is better, and back.

    Attributes
    ----------
    kind
        ``logit`` between two bounds, ``log`` above one bound, ``identity`` without; ``answer`` for bounded metrics of the
        whole data set, to which a case contributes one bound or the other, as a right or a wrong answer does.
    """

    kind: str
    low: float
    high: float
    higher_is_better: bool

    @classmethod
    def of(cls, metric: MetricUse) -> Scale:
        """The scale that fits the range of a metric."""
        bounds = (metric.worst, metric.best) if metric.higher_is_better else (metric.best, metric.worst)
        low, high = bounds
        if low is not None and high is not None and metric.level == "dataset":
            return cls("answer", low, high, metric.higher_is_better)
        if low is not None and high is not None:
            return cls("logit", low, high, metric.higher_is_better)
        if low is not None:
            return cls("log", low, math.inf, metric.higher_is_better)
        return cls("identity", -math.inf, math.inf, metric.higher_is_better)

    @property
    def sign(self) -> float:
        """1 if a greater score is better, else -1."""
        return 1.0 if self.higher_is_better else -1.0

    def to_latent(self, scores: npt.ArrayLike) -> FloatArray:
        """Scores as quality without bounds; scores at a bound are moved inside by a thousandth of the range."""
        array = np.asarray(scores, dtype=np.float64)
        if self.kind == "logit":
            share = np.clip((array - self.low) / (self.high - self.low), _EDGE, 1.0 - _EDGE)
            return np.asarray(self.sign * np.log(share / (1.0 - share)))
        if self.kind == "log":
            return np.asarray(self.sign * np.log(np.maximum(array - self.low, _EDGE)))
        return self.sign * array

    def to_scores(self, latent: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Quality back to scores, in the precision of the input."""
        signed = latent if self.higher_is_better else -latent
        if self.kind == "answer":
            return np.asarray(np.where(signed > 0, self.high, self.low), dtype=latent.dtype)
        if self.kind == "logit":
            share = 1.0 / (1.0 + np.exp(-np.clip(signed, -60.0, 60.0)))
            return np.asarray(self.low + (self.high - self.low) * share, dtype=latent.dtype)
        if self.kind == "log":
            return np.asarray(self.low + np.exp(np.clip(signed, -60.0, 60.0)), dtype=latent.dtype)
        return signed

    def expectation(self, centre: FloatArray, deviation: float) -> FloatArray | None:
        """Mean score of normal quality where there is a formula; ``None`` where it has to be integrated."""
        if self.kind != "answer":
            return None
        share = ndtr(self.sign * centre / deviation)
        return np.asarray(self.low + (self.high - self.low) * share)

    def slope(self, score: float) -> float:
        """Return the change of the score per unit of quality, at a score."""
        if self.kind == "answer":
            share = (score - self.low) / (self.high - self.low)
            return float((self.high - self.low) * np.exp(-(ndtri(share) ** 2) / 2.0) / math.sqrt(2.0 * math.pi))
        if self.kind == "logit":
            share = (score - self.low) / (self.high - self.low)
            return (self.high - self.low) * share * (1.0 - share)
        return score - self.low if self.kind == "log" else 1.0


@dataclass(frozen=True)
class PartModel:
    """The model of one metric in one region: mean and standard deviations on the scale without bounds.

    Attributes
    ----------
    source
        ``pilot``, ``given`` or ``assumed``.
    """

    metric: MetricUse
    region: str | None
    scale: Scale
    mean: float
    cases: float
    teams: float
    noise: float
    source: str
    skewness: float = 0.0

    @property
    def shape(self) -> float:
        """Standard deviation of the logarithm of the log-normal noise; 0 if the noise is normal."""
        return shape_of(abs(self.skewness)) if self.skewness else 0.0

    def skewed(self, noise: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Turn standard normal noise into noise of mean 0, deviation 1 and the skewness of the model."""
        if not self.skewness:
            return noise
        shape, sign = self.shape, -1.0 if self.skewness < 0 else 1.0
        middle = math.exp(shape**2 / 2.0)
        values = np.exp(sign * shape * noise)
        return np.asarray(sign * (values - middle) / (middle * math.sqrt(math.expm1(shape**2))), dtype=noise.dtype)

    @property
    def nodes(self) -> tuple[FloatArray, FloatArray]:
        """Nodes and weights of the deviation of a case from the mean of a team with skewed noise; weights add up to 1."""
        points, weights = gauss_hermite(_NODES_OF_TWO)
        deviations = self.cases * points[:, None] + self.noise * self.skewed(points)[None, :]
        both = weights[:, None] * weights[None, :]
        return deviations.ravel(), both.ravel()

    @property
    def document(self) -> dict[str, Any]:
        """Ready for JSON; typical score and spreads back on the scale of the metric."""
        expected = self.scale.expectation(np.array(self.mean), math.hypot(self.cases, self.noise))
        typical = float(self.scale.to_scores(np.array(self.mean)) if expected is None else expected)
        slope = self.scale.slope(typical)
        return {
            "metric": self.metric.name,
            "region": self.region,
            "scale": self.scale.kind,
            "typical": typical,
            "cases": self.cases * slope,
            "teams": self.teams * slope,
            "noise": self.noise * slope,
            "skewness": self.skewness,
            "source": self.source,
        }


def model_of(
    metric: MetricUse,
    region: str | None,
    *,
    spread: Spread | Mapping[str, Spread] | None,
    pilot: pd.DataFrame | None,
    alone: bool,
) -> PartModel:
    """The model of one metric and region, from a pilot, a given spread, or the defaults.

    Parameters
    ----------
    spread
        For the metric of that name, or one for all metrics: it then holds for those from 0 to 1, and for others its
        standard deviations are taken over on the scale without bounds.
    pilot
        Case scores of at least two algorithms on three cases: ``algorithm``, ``case``, ``value``, and ``metric`` and
        ``region`` if there are several.
    alone
        Whether it is the only metric of the assessment.

    Raises
    ------
    SimulationError
        If the spread or the pilot does not fit.
    """
    scale = Scale.of(metric)
    if pilot is not None:
        pilot_model = _from_pilot(metric, region, scale, pilot)
        if pilot_model is not None:
            return pilot_model
    default = {"logit": DEFAULT_SHARE, "answer": DEFAULT_SHARE}.get(scale.kind, DEFAULT_DISTANCE)
    if scale.kind == "answer" and not metric.higher_is_better:
        middle = scale.low + scale.high - default.typical
        default = Spread(middle, default.cases, default.teams, default.noise)
    if isinstance(spread, Spread):
        if alone or scale.kind in ("logit", "answer"):
            return _from_spread(metric, region, scale, spread, "given")
        model = _from_spread(metric, region, scale, default, "assumed")
        reference = Scale("logit", 0.0, 1.0, higher_is_better=True)
        slope = reference.slope(spread.typical) if 0 < spread.typical < 1 else None
        if slope is None:
            return model
        return PartModel(
            metric, region, scale, model.mean, spread.cases / slope, spread.teams / slope, spread.noise / slope, "given"
        )
    if spread is not None and metric.name in spread:
        return _from_spread(metric, region, scale, spread[metric.name], "given")
    return _from_spread(metric, region, scale, default, "assumed")


def _from_spread(metric: MetricUse, region: str | None, scale: Scale, spread: Spread, source: str) -> PartModel:
    if not scale.low < spread.typical < scale.high:
        message = (
            f"spread.typical: {spread.typical:g} does not lie within the range of {metric.name}, "
            f"{scale.low:g} to {scale.high:g}"
        )
        raise SimulationError(message)
    slope = scale.slope(spread.typical)
    if scale.kind == "answer":
        return _answers(metric, region, scale, spread, source)
    mean = float(scale.to_latent(spread.typical))
    return PartModel(
        metric,
        region,
        scale,
        mean,
        spread.cases / slope,
        spread.teams / slope,
        spread.noise / slope,
        source,
        spread.skewness,
    )


def _answers(metric: MetricUse, region: str | None, scale: Scale, spread: Spread, source: str) -> PartModel:
    """Return the model of right and wrong answers.

    The information per case follows from the share of right answers. Only the proportions of the spread count:
    the share of a case's contribution that is common to all teams.
    """
    squares = spread.cases**2 + spread.noise**2
    common = spread.cases**2 / squares if squares > 0 else 0.5
    share = (spread.typical - scale.low) / (scale.high - scale.low)
    mean = float(scale.sign * ndtri(share))
    teams = spread.teams / scale.slope(spread.typical)
    return PartModel(metric, region, scale, mean, math.sqrt(common), teams, math.sqrt(1.0 - common), source)


def _from_pilot(metric: MetricUse, region: str | None, scale: Scale, pilot: pd.DataFrame) -> PartModel | None:
    rows = _rows_of(metric, region, pilot)
    if rows.empty:
        return None
    if metric.level == "case":
        return of_table(metric, region, scale, pilot_table(metric, region, pilot))
    values = rows["value"].dropna().to_numpy(dtype=np.float64)
    if len(values) < 2 or not scale.low < values.mean() < scale.high:
        return None
    default = DEFAULT_SHARE if scale.kind == "answer" else DEFAULT_DISTANCE
    spread = Spread(float(values.mean()), default.cases, float(values.std(ddof=1)), default.noise)
    return _from_spread(metric, region, scale, spread, "pilot")


def _rows_of(metric: MetricUse, region: str | None, pilot: pd.DataFrame) -> pd.DataFrame:
    """Rows of a pilot on one metric and region.

    Raises
    ------
    SimulationError
        If a column is missing.
    """
    missing = [name for name in ("algorithm", "case", "value") if name not in pilot.columns]
    if missing:
        message = f"the pilot has no column {missing[0]!r}; it has {', '.join(map(str, pilot.columns))}"
        raise SimulationError(message)
    rows = pilot
    for column, wanted in (("metric", metric.name), ("region", region)):
        if column in rows.columns and wanted is not None and rows[column].notna().any():
            rows = rows[rows[column] == wanted]
    return rows


def pilot_table(metric: MetricUse, region: str | None, pilot: pd.DataFrame) -> FloatArray:
    """Return the values of a pilot, cases × algorithms; not a number where a case is missing.

    Raises
    ------
    SimulationError
        If an algorithm has several values on one case.
    """
    rows = _rows_of(metric, region, pilot)
    if rows.duplicated(["algorithm", "case"]).any():
        message = f"the pilot gives several values of {metric.name} for one algorithm and case"
        raise SimulationError(message)
    values = pd.to_numeric(rows["value"])
    if "outcome" in rows.columns:
        values = values.where(rows["outcome"] != "missing")
    matrix = rows.assign(value=values).pivot_table(
        index="case", columns="algorithm", values="value", aggfunc="mean", dropna=False
    )
    return matrix.to_numpy(dtype=np.float64)


def failure_value(metric: MetricUse) -> float | None:
    """Return the registered value of a missing case; ``None`` if it is no number that all cases share."""
    value = metric.policy.missing
    if value is None or value in ("worst_rank", "exclude", "image_diagonal"):
        return None
    return float(constant(value, metric))


def is_failure(metric: MetricUse, table: FloatArray) -> BoolArray:
    """Return which values of a pilot are failures: those that are missing or equal the registered value of a missing case."""
    failed = np.isnan(table)
    value = failure_value(metric)
    return failed if value is None else failed | (table == value)


def failure_rate(metric: MetricUse, region: str | None, pilot: pd.DataFrame | None) -> float:
    """Return the share of failures in a pilot; 0 without one."""
    if pilot is None or metric.level != "case" or _rows_of(metric, region, pilot).empty:
        return 0.0
    return float(is_failure(metric, pilot_table(metric, region, pilot)).mean())


def of_table(metric: MetricUse, region: str | None, scale: Scale, values: FloatArray) -> PartModel:
    """Return the model of the values of a pilot, cases × algorithms, from the cases on which no algorithm fails."""
    table = values[~is_failure(metric, values).any(axis=1)]
    if table.shape[0] < _FEWEST_CASES or table.shape[1] < 2:
        message = (
            f"the pilot has {table.shape[1]} algorithms with values of {metric.name} on {table.shape[0]} common cases "
            f"without failure; at least 2 algorithms and {_FEWEST_CASES} cases are needed"
        )
        raise SimulationError(message)
    latent = scale.to_latent(table)
    mean, cases, teams, noise = variance_components(latent)
    return PartModel(metric, region, scale, mean, cases, teams, noise, "pilot", noise_skewness(latent))


def noise_skewness(latent: FloatArray) -> float:
    """Return the skewness of the noise of values, cases × teams without gaps, by the third moment of the residuals.

    Residuals are deviations from the mean of the teams on a case, whose skewness is smaller by a known factor. With two teams
    it is 0, whatever that of the noise, so that none can be estimated.

    Examples
    --------
    >>> noise_skewness(np.array([[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]]))
    0.0
    """
    cases, teams = latent.shape
    if teams < FEWEST_FOR_SKEWNESS:
        return 0.0
    residual = latent - latent.mean(axis=1, keepdims=True) - latent.mean(axis=0) + latent.mean()
    spread = float((residual**2).mean())
    if spread <= _LEAST_SPREAD:
        return 0.0
    of_team, of_others = 1.0 - 1.0 / teams, 1.0 / teams
    factor = (of_team**3 - (teams - 1) * of_others**3) / of_team**1.5
    # The means of the teams are subtracted as well, which takes away almost nothing with many cases.
    of_cases = (cases - 2.0) / math.sqrt(cases * (cases - 1.0))
    skewness = float((residual**3).mean()) / spread**1.5 / (factor * max(of_cases, 0.1))
    return float(np.clip(skewness, -MOST_SKEWNESS, MOST_SKEWNESS))


def shape_of(skewness: float) -> float:
    """Return the deviation of the logarithm of a log-normal variable with a positive skewness.

    Examples
    --------
    >>> round(shape_of(6.184877138632554), 6)
    1.0
    """
    half = skewness**2 / 2.0
    root = skewness * math.sqrt(1.0 + skewness**2 / 4.0)
    grown = float(np.cbrt(1.0 + half + root) + np.cbrt(1.0 + half - root)) - 1.0
    return math.sqrt(math.log(max(grown, 1.0)))


def variance_components(latent: FloatArray) -> tuple[float, float, float, float]:
    """Mean and standard deviations of case effect, team effect and noise, by the method of moments.

    Parameters
    ----------
    latent
        Cases × teams without gaps, on the scale without bounds.

    Returns
    -------
    tuple
        Grand mean, and the standard deviations of cases, teams and noise; a negative estimate of a variance is 0.

    Examples
    --------
    >>> variance_components(np.array([[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]]))
    (2.5, 2.0, 0.7071067811865476, 0.0)
    """
    cases, teams = latent.shape
    grand = float(latent.mean())
    by_case, by_team = latent.mean(axis=1), latent.mean(axis=0)
    residual = latent - by_case[:, None] - by_team[None, :] + grand
    noise = float((residual**2).sum()) / ((cases - 1) * (teams - 1))
    between_cases = max(float(by_case.var(ddof=1)) - noise / teams, 0.0)
    between_teams = max(float(by_team.var(ddof=1)) - noise / cases, 0.0)
    return grand, math.sqrt(between_cases), math.sqrt(between_teams), math.sqrt(noise)


def share(common: npt.NDArray[Any], specific: npt.NDArray[Any], agreement: float) -> npt.NDArray[Any]:
    """Mix a standard normal effect that all metrics share with one of their own; the result is standard normal."""
    return np.asarray(math.sqrt(agreement) * common + math.sqrt(1.0 - agreement) * specific, dtype=common.dtype)


@dataclass(frozen=True)
class Field:
    """The true qualities of the teams: samples × teams for each part, in units of the team effect's deviation."""

    common: FloatArray
    parts: tuple[FloatArray, ...]


def draw_field(random: np.random.Generator, samples: int, teams: int, parts: int, agreement: float) -> Field:
    """Sample new teams for every simulated challenge."""
    common = random.standard_normal((samples, teams))
    return Field(
        common,
        tuple(share(common, random.standard_normal((samples, teams)), agreement) for _ in range(parts)),
    )


def draw_latent(
    random: np.random.Generator, models: tuple[PartModel, ...], field: Field, cases: int, agreement: float
) -> list[SampleArray]:
    """Draw quality of every team on every case: for each part samples × cases × teams."""
    samples, teams = field.common.shape
    case_common = random.standard_normal((samples, cases, 1), dtype=np.float32)
    noise_common = random.standard_normal((samples, cases, teams), dtype=np.float32)
    drawn = []
    for model, quality in zip(models, field.parts, strict=True):
        case = share(case_common, random.standard_normal((samples, cases, 1), dtype=np.float32), agreement)
        noise = share(noise_common, random.standard_normal((samples, cases, teams), dtype=np.float32), agreement)
        latent = np.asarray(model.skewed(noise), dtype=np.float32)
        latent *= np.float32(model.noise)
        latent += case * np.float32(model.cases)
        latent += (model.mean + model.teams * quality).astype(np.float32)[:, None, :]
        drawn.append(latent)
    return drawn


def draw_failures(random: np.random.Generator, shape: tuple[int, int, int], rate: float) -> BoolArray | None:
    """Draw which teams fail on which cases: samples × cases × teams; ``None`` if none ever does."""
    return random.random(shape, dtype=np.float32) < rate if rate > 0.0 else None
