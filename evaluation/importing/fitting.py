"""Requirements for a table of externally measured values: assessment, complete case list and teams."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from evaluation.assessment.described import WITHOUT
from evaluation.problems import kind_of

if TYPE_CHECKING:
    from evaluation.assessment.model import Assessment, MetricUse

NO_CASE = ""
"""In the place of a case, of a value of the whole data set."""


@dataclass(frozen=True)
class Fitting:
    """Requirements that a table must meet.

    Attributes
    ----------
    assessment
        Assessment that ranks the values.
    cases
        Names of the cases in their order.
    teams
        Names of the existing teams.
    team
        The only team of the table; empty if a column names the teams.
    takes_new_teams
        Whether the table may name teams that do not exist yet.
    """

    assessment: Assessment
    cases: tuple[str, ...]
    teams: tuple[str, ...] = ()
    team: str = ""
    takes_new_teams: bool = False

    @property
    def regions(self) -> tuple[str, ...]:
        """Names of the regions; the empty name where there are none."""
        return tuple(region.name for region in self.assessment.regions) or ("",)

    @cached_property
    def whole(self) -> tuple[tuple[str, MetricUse], ...]:
        """Region and metric of every value of the whole data set that a team has."""
        return tuple(
            (region, metric)
            for region in self.regions
            for metric in self.assessment.metrics
            if metric.level == "dataset"
        )

    @cached_property
    def keys(self) -> list[tuple[str, str, str]]:
        """Case, region and metric of every value that a team has, in the order in which values are listed.

        Values of the whole data set come after those of cases, and name no case.
        """
        of_cases = [metric.name for metric in self.assessment.metrics if metric.level == "case"]
        single = [(case, region, name) for case in self.cases for region in self.regions for name in of_cases]
        return [*single, *((NO_CASE, region, metric.name) for region, metric in self.whole)]

    @cached_property
    def metrics(self) -> list[MetricUse]:
        """The metric of each of the `keys`."""
        by_name = {metric.name: metric for metric in self.assessment.metrics}
        return [by_name[name] for _, _, name in self.keys]


def is_in_range(metric: MetricUse, value: float) -> bool:
    """Return whether a value is within the bounds that the assessment declares."""
    low, high = (metric.worst, metric.best) if metric.higher_is_better else (metric.best, metric.worst)
    return (low is None or value >= low) and (high is None or value <= high)


def range_words(metric: MetricUse) -> str:
    """Describe the declared range.

    Examples
    --------
    >>> from evaluation.assessment import parse
    >>> time = {"id": "runtime", "direction": "lower", "range": [0, None], "policy": {"missing": 600}}
    >>> range_words(parse({"schema": 1, "problem": "external", "metrics": [time]}).metrics[0])
    'at least 0'
    """
    low, high = (metric.worst, metric.best) if metric.higher_is_better else (metric.best, metric.worst)
    if low is not None and high is not None:
        return f"from {low:g} to {high:g}"
    if low is not None:
        return f"at least {low:g}"
    return "any number" if high is None else f"at most {high:g}"


def takes_uncertainty(metric: MetricUse) -> bool:
    """Return whether a value of the whole data set requires replicates or a standard error."""
    return metric.level == "dataset" and not metric.options.get(WITHOUT)


@dataclass(frozen=True)
class Sources:
    """Titles of metrics by the source of their uncertainty.

    Attributes
    ----------
    drawn
        Units are resampled here.
    sent
        Replicates or standard errors come from the people who measured the values.
    unknown
        No uncertainty is available.
    """

    drawn: tuple[str, ...]
    sent: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()


def sources_of(assessment: Assessment) -> Sources:
    """Return the source of the uncertainty of each metric."""
    if not kind_of(assessment).is_measured_elsewhere:
        return Sources(tuple(use.title for use in assessment.metrics))
    whole = [use for use in assessment.metrics if use.level == "dataset"]
    return Sources(
        tuple(use.title for use in assessment.metrics if use.level != "dataset"),
        tuple(use.title for use in whole if takes_uncertainty(use)),
        tuple(use.title for use in whole if not takes_uncertainty(use)),
    )


def needs_worst(metric: MetricUse) -> bool:
    """Return whether a missing value counts as the worst value of its case, which only the table contains."""
    return metric.level == "case" and metric.policy.missing == "worst" and metric.worst is None
