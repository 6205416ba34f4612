"""The metrics that are known, by id: those that the modules of this package declare, others from installed packages."""

from __future__ import annotations

from functools import cache
from importlib.metadata import entry_points
from typing import Final

from evaluation.metrics.declaration import FAMILIES, CatalogueError, Metric, declared_in, metric_modules

ENTRY_POINT_GROUP: Final = "podium.metrics"
VERSION: Final = "1.0.0"
"""Version of the declarations, stored with results. It changes with a value or a default, not with a new metric."""


def get(metric_id: str) -> Metric:
    """Return the metric of that id.

    Raises
    ------
    CatalogueError
        If there is none; the message names the closest ids.

    Examples
    --------
    >>> get("dsc").name
    'Dice Similarity Coefficient'
    """
    metrics = _registry()
    try:
        return metrics[metric_id]
    except KeyError:
        from difflib import get_close_matches

        close = get_close_matches(metric_id, metrics, n=3)
        hint = f"; close to it: {', '.join(close)}" if close else ""
        message = f"no metric has the id {metric_id!r}{hint}"
        raise CatalogueError(message) from None


def all_metrics() -> tuple[Metric, ...]:
    """Every metric, the built-in ones first and in the catalogue's order."""
    return tuple(_registry().values())


def register(metric: Metric) -> Metric:
    """Add a metric for this process; installed packages name theirs under the entry point group ``podium.metrics``.

    Raises
    ------
    CatalogueError
        If the id is taken.
    """
    metrics = _registry()
    if metric.id in metrics:
        message = f"the id {metric.id!r} is taken by {metrics[metric.id].name} of {metrics[metric.id].source}"
        raise CatalogueError(message)
    metrics[metric.id] = metric
    return metric


def unregister(metric_id: str) -> None:
    """Take away a metric that was added with `register`; built-in ones stay."""
    if get(metric_id).source == "podium":
        message = f"{metric_id} is built in"
        raise CatalogueError(message)
    del _registry()[metric_id]


def catalogue_version() -> str:
    """The version of the catalogue, stored with results."""
    return VERSION


def _built_in() -> dict[str, Metric]:
    positions = {family: position for position, families in enumerate(FAMILIES) for family in families}
    metrics: dict[str, Metric] = {}
    for metric in (metric for module in metric_modules() for metric in declared_in(module)):
        if metric.id in metrics:
            modules = f"{metrics[metric.id].compute.__module__} and {metric.compute.__module__}"
            message = f"{modules} declare the same metric {metric.id!r}; rename one of the functions"
            raise CatalogueError(message)
        metrics[metric.id] = metric
    return dict(sorted(metrics.items(), key=lambda item: positions[item[1].family]))


@cache
def _registry() -> dict[str, Metric]:
    metrics = _built_in()
    for point in entry_points(group=ENTRY_POINT_GROUP):
        loaded = point.load()
        for metric in loaded if isinstance(loaded, (list, tuple)) else [loaded]:
            if not isinstance(metric, Metric):
                message = f"entry point {point.name} ({point.value}) is not a Metric or a list of them"
                raise CatalogueError(message)
            if metric.id in metrics:
                message = f"entry point {point.name} ({point.value}): the id {metric.id!r} is taken"
                raise CatalogueError(message)
            metrics[metric.id] = metric
    return metrics
