"""Metrics of what a run cost: measured where the platform runs an algorithm, declared in the assessment by their ids."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from evaluation.assessment.errors import AssessmentError
from evaluation.assessment.model import BY_RUN, MetricUse, Policy
from evaluation.assessment.reading import Place, is_number, name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evaluation.assessment.model import PolicyValue, RankingScheme
    from evaluation.problems import Problem

Limits = Mapping[str, float | None]
"""Limits that a design registers for a run: `evaluation.running.registered.Registered`."""
_COMMON_ID: Final = "value"
_KEYS: Final = ("id", "by", "label", "worst", "step", "policy")
_DIGITS: Final = 10
"""Of a value that was rounded down to whole steps: 3 × 0.1 is 0.3."""
_SLACK: Final = 1e-9
"""In steps: 0.3 in steps of 0.1 is three of them, though the quotient of the two numbers is a little less."""


@dataclass(frozen=True)
class CostMetric:
    """A metric of what a run took; lower is better and nothing is below 0."""

    id: str
    label: str
    unit: str
    column: str
    """Of the table of runs."""
    limit: str = ""
    """The registered limit that bounds it; empty where the time of a case bounds it, or nothing does."""
    devices: str = ""
    """Limit on the number of devices that work at the same time, for costs that are times."""
    is_time: bool = False
    """Comparable only on one class of machine with nothing else on its cores."""
    least: float | None = None
    """Below it nothing is measured; a valid case without a value counts as it."""
    bounded_by: str = "the time of a case"
    """Name of the limit that bounds it, as text."""
    is_measured: bool = True
    """True if the platform measures it and fills its column."""

    @property
    def can_be_registered(self) -> bool:
        """True if it is measured and bounded by a limit.

        Without a limit, a failed case would have no value to count as.
        """
        return self.is_measured and (self.is_time or bool(self.limit))


METRICS: Final = (
    CostMetric("run_wall_time", "Wall time", "s", "wall_seconds", is_time=True),
    CostMetric("run_cpu_time", "Processor time", "s", "cpu_seconds", devices="cpus", is_time=True),
    CostMetric(
        "run_peak_memory",
        "Peak memory",
        "MiB",
        "peak_memory_mib",
        "memory_mib",
        least=16.0,
        bounded_by="the memory of a start",
    ),
    CostMetric(
        "run_gpu_time",
        "GPU time",
        "s",
        "gpu_seconds",
        devices="gpus",
        is_time=True,
        bounded_by="the number of GPUs of a start",
    ),
    CostMetric(
        "run_gpu_peak_memory",
        "Peak memory of GPUs",
        "MiB",
        "gpu_peak_memory_mib",
        "gpu_memory_mib",
        bounded_by="the memory of a GPU",
        is_measured=False,
    ),
    CostMetric("run_energy", "Energy", "J", "energy_joule", bounded_by="energy", is_measured=False),
)


class CostError(ValueError):
    """Error for a cost that cannot be ranked, with the reason."""


def metric_named(identity: str) -> CostMetric:
    """Return a metric by its id.

    Raises
    ------
    CostError
        If there is none.
    """
    for metric in METRICS:
        if metric.id == identity:
            return metric
    message = f"{identity!r} is no cost of a run; known are {', '.join(metric.id for metric in METRICS)}"
    raise CostError(message)


def worst_of(metric: CostMetric, limits: Limits) -> float | None:
    """Return the most that a case can cost within the registered limits, which a case without a value counts as.

    A start may take `start_seconds` and `case_seconds` for each of its cases, so that a case alone can take both: were the
    worst value the latter alone, failing would be cheaper than a slow start.

    Parameters
    ----------
    metric
        Of which.
    limits
        As they are registered.

    Examples
    --------
    >>> worst_of(metric_named("run_cpu_time"), {"case_seconds": 300, "start_seconds": 120, "cpus": 2})
    840.0
    """
    if metric.limit:
        value = limits.get(metric.limit)
        return float(value) if value else None
    seconds = limits.get("case_seconds")
    devices = limits.get(metric.devices) if metric.devices else 1
    if not metric.is_time or not seconds or not devices:
        return None
    return float((seconds + (limits.get("start_seconds") or 0.0)) * devices)


def declared(
    names: Sequence[str], limits: Limits, *, exclusive: bool = True, step: float = 0.0
) -> list[dict[str, Any]]:
    """Return the entries of cost metrics in an assessment.

    Parameters
    ----------
    names
        Ids of the cost metrics.
    limits
        Registered limits.
    exclusive
        Whether all runs are on one class of machine with nothing else on its cores.
    step
        Values are rounded down to whole multiples of it, in the unit of the metric; 0 leaves them as they were
        measured.

    Raises
    ------
    CostError
        For a metric that is not known or not measured, has no limit to fall back to, or needs a dedicated
        machine.

    Examples
    --------
    >>> declared(["run_wall_time"], {"case_seconds": 300, "start_seconds": 20})
    [{'id': 'run_wall_time', 'by': 'run', 'label': 'Wall time', 'worst': 320.0}]
    """
    entries = []
    for metric in map(metric_named, names):
        if not metric.is_measured:
            message = f"{metric.label} ({metric.id}) is not measured here"
            raise CostError(message)
        worst = worst_of(metric, limits)
        if worst is None:
            message = f"{metric.label} ({metric.id}) needs a registered limit on {metric.bounded_by}: a case without a value counts as it"
            raise CostError(message)
        if metric.is_time and not exclusive:
            message = f"{metric.label} ({metric.id}) is comparable only on one class of machine with nothing else on its cores"
            raise CostError(message)
        entry: dict[str, Any] = {"id": metric.id, "by": BY_RUN, "label": metric.label, "worst": worst}
        entries.append(entry | ({"step": step} if step else {}))
    return entries


def is_by_run(value: object) -> bool:
    """Return whether an entry of the metrics is a cost of running an algorithm."""
    return isinstance(value, Mapping) and value.get("by") == BY_RUN


def read_cost_metric(value: object, path: str, problem: Problem, *, rank_based: bool) -> MetricUse:
    """Check a cost of a run as an assessment declares it.

    Parameters
    ----------
    value
        The entry of the metrics.
    path
        Path of the entry, for messages.
    problem
        The kind of problem of the assessment.
    rank_based
        Whether every ranking ranks case by case, which makes ``worst_rank`` possible.

    Raises
    ------
    AssessmentError
        For a kind of problem whose algorithms are not run, for unknown entries, and for a policy by which failing
        would be cheaper than finishing.
    """
    section = Place(value, path, _KEYS)
    if not problem.takes_algorithms:
        allowed = f"no cost of a run: no algorithm is run for {problem.title}"
        raise AssessmentError(section.at("by"), BY_RUN, allowed)
    metric = metric_named(section.choice("id", [candidate.id for candidate in METRICS if candidate.can_be_registered]))
    worst = section.raw("worst")
    if not is_number(worst) or not float(worst) > 0:
        allowed = f"the most {metric.unit} that a case can cost: the registered limit"
        raise AssessmentError(section.at("worst"), worst, allowed)
    step = section.raw("step", 0.0)
    if not is_number(step) or not 0 <= float(step) < float(worst):
        raise AssessmentError(section.at("step"), step, f"a number of {metric.unit} from 0 to below {worst:g}")
    return MetricUse(
        id=_COMMON_ID,
        name=name(section.raw("label", metric.label), section.at("label")),
        options={"by": BY_RUN, "id": metric.id, "step": float(step)},
        policy=_policy(section, float(worst), rank_based=rank_based),
        direction="lower",
        worst=float(worst),
        best=0.0,
        level="case",
        unit=metric.unit,
    )


def _policy(section: Place, worst: float, *, rank_based: bool) -> Policy:
    """Return the policy for a case without valid output: never less than the registered limit."""
    inner = Place(section.raw("policy", {}), section.at("policy"), ("missing",))
    counts = inner.raw("missing", "worst")
    words = ("worst", "worst_rank") if rank_based else ("worst",)
    is_enough = is_number(counts) and float(counts) >= worst
    if counts not in words and not is_enough:
        allowed = f"{' or '.join(words)}, or {worst:g} or more: else a case that fails is cheaper than a slow one"
        raise AssessmentError(inner.at("missing"), counts, allowed)
    value: PolicyValue = float(counts) if is_enough else counts
    return Policy(both_empty=None, ref_empty=None, pred_empty=None, degenerate=None, missing=value)


def cost_metric_document(metric: MetricUse) -> dict[str, Any]:
    """The declaration as JSON values with every default."""
    document: dict[str, Any] = {"id": metric.options["id"], "by": BY_RUN, "label": metric.name}
    document |= {"worst": metric.worst, "step": metric.options["step"]}
    return document | {"policy": {"missing": metric.policy.missing}}


def check_costs(metrics: tuple[MetricUse, ...]) -> None:
    """Reject duplicate costs, and costs without any metric of the quality of the output.

    Raises
    ------
    AssessmentError
        For either.
    """
    costs = [metric for metric in metrics if metric.is_by_run]
    ids = [metric.options["id"] for metric in costs]
    if twice := [identity for identity in ids if ids.count(identity) > 1]:
        raise AssessmentError("metrics", twice[0], "costs of a run that stand there once")
    if costs and len(costs) == len(metrics):
        allowed = "also a metric of the output: by costs alone, an algorithm that answers anything at once is first"
        raise AssessmentError("metrics", ids[0], allowed)


def check_combined(ranking: RankingScheme, path: str, cost: str) -> None:
    """Refuse a way of combining that leaves a cost out: a case has one value of it over all regions.

    Raises
    ------
    AssessmentError
        For metrics that are combined within each region alone, and for weights of regions.
    """
    for number, step in enumerate(ranking.combine or ()):
        given = (step.weights or {}).get("region")
        if given:
            field_path = f"{path}[{number}].weights.region"
            raise AssessmentError(field_path, given, f"no weights of regions: {cost} has one value over all")
    over = [name for step in ranking.combine or () for name in step.over]
    if "metric" in over and "region" not in over:
        allowed = f"metrics and regions together: {cost} has one value over all regions, and would be ranked alone"
        raise AssessmentError(f"{path}.over", over, allowed)


def told_value(metric: MetricUse, measured: float) -> float:
    """The value of a case as results have it: in whole steps, and at most the registered limit.

    Examples
    --------
    >>> from evaluation.assessment import parse
    >>> region = {"name": "liver", "labels": [1]}
    >>> metrics = [{"id": "dsc"}, *declared(["run_wall_time"], {"case_seconds": 60}, step=0.1)]
    >>> use = parse({"problem": "semantic_segmentation", "regions": [region], "metrics": metrics}).metrics[1]
    >>> told_value(use, 0.3), told_value(use, 0.37), told_value(use, 60.2)
    (0.3, 0.3, 60.0)
    """
    step = metric.options["step"]
    value = round(math.floor(measured / step + _SLACK) * step, _DIGITS) if step else measured
    return value if metric.worst is None else min(value, metric.worst)
