"""Numbers that a policy for failed and undefined cases means."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evaluation.assessment.model import MetricUse, PolicyValue


def depends_on_case(value: PolicyValue, metric: MetricUse) -> bool:
    """Return whether a policy keyword means a different number in every case."""
    return value == "image_diagonal" or (value == "worst" and metric.worst is None)


def constant(value: PolicyValue, metric: MetricUse) -> float:
    """Return the number that a policy keyword means, which is not a number for ``exclude``.

    Raises
    ------
    ValueError
        For a keyword that depends on the case, such as ``image_diagonal``.
    """
    if isinstance(value, (int, float)):
        return float(value)
    bounds = {"worst": metric.worst, "perfect": metric.best, "exclude": float("nan")}
    number = bounds.get(value)
    if number is None:
        message = f"policy {value!r} of metric {metric.name!r} has no fixed number"
        raise ValueError(message)
    return number
