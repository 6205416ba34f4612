"""From an assessment document to a checked, complete `Assessment`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal

from evaluation.assessment.errors import AssessmentError, listed
from evaluation.assessment.levels import aggregation_document, read_levels, uncertainty_document
from evaluation.assessment.model import Assessment, MetricUse, Region
from evaluation.assessment.policy import Bounds, read_policy
from evaluation.assessment.ranking import read_rankings, scheme_document, scheme_of
from evaluation.assessment.reading import Place, distinct, is_number, name
from evaluation.catalogue import PROBLEM_CATEGORIES, CatalogueError, Metric, OptionError, all_metrics, get

SCHEMA = 1
PROBLEMS = (*PROBLEM_CATEGORIES, "failure_detection", "table")
_KEYS = ("schema", "problem", "regions", "metrics", "aggregation", "ranking", "uncertainty")


def parse(document: Mapping[str, Any]) -> Assessment:
    """Check an assessment document completely and write out every default.

    Parameters
    ----------
    document
        JSON values as the contract describes them in section 2.

    Returns
    -------
    Assessment
        Frozen; ``parse(a.document) == a`` and its digest does not depend on what was left to the defaults.

    Raises
    ------
    AssessmentError
        For an unknown key, id or value; names the place, the value and what is allowed.

    Examples
    --------
    >>> assessment = parse(
    ...     {
    ...         "schema": 1,
    ...         "problem": "semantic_segmentation",
    ...         "regions": [{"name": "liver", "labels": [1]}],
    ...         "metrics": [{"id": "dsc"}],
    ...     }
    ... )
    >>> assessment.metrics[0].policy.pred_empty, assessment.rankings[0].ties, assessment.uncertainty.bootstrap
    ('worst', 'min', 1000)
    """
    place = Place(document, "", _KEYS)
    if place.raw("schema", SCHEMA) != SCHEMA or isinstance(place.raw("schema"), bool):
        raise AssessmentError("schema", place.raw("schema"), str(SCHEMA))
    problem = place.choice("problem", PROBLEMS)
    regions = _regions(place, problem)
    rankings, as_list = read_rankings(place.raw("ranking", {}), "ranking", problem)
    rank_based = all(scheme_of(ranking).ranks_cases for ranking in rankings)
    metrics = place.items("metrics", lambda value, path: _metric(value, path, problem, rank_based=rank_based))
    distinct([metric.name for metric in metrics], "metrics", "name")
    if problem == "table" and len(metrics) != 1:
        raise AssessmentError("metrics", len(metrics), 'exactly one entry {"id": "value", "direction": …} for a table')
    _check_selection(rankings, metrics, regions)
    aggregation, uncertainty = read_levels(place, rankings, metrics)
    draft = Assessment(
        schema=SCHEMA,
        problem=problem,
        regions=regions,
        metrics=metrics,
        aggregation=aggregation,
        rankings=tuple(rankings),
        uncertainty=uncertainty,
        document={},
    )
    _check_levels(draft)
    if problem == "instance_segmentation":
        _check_connectivity(metrics)
    if not regions and any(metric.id == "mean_average_precision" for metric in metrics):
        raise AssessmentError("regions", [], "the classes over which mean_average_precision is a mean")
    return replace(draft, document=_document(draft, as_list=as_list))


def _regions(place: Place, problem: str) -> tuple[Region, ...]:
    if problem == "table":
        if place.has("regions"):
            raise AssessmentError("regions", place.raw("regions"), "no regions: a table has none")
        return ()
    if not place.has("regions"):
        if problem == "semantic_segmentation":
            raise AssessmentError("regions", None, 'a list such as [{"name": "liver", "labels": [1]}]')
        return ()
    regions = place.items("regions", lambda value, path: _region(value, path, problem), empty=True)
    distinct([region.name for region in regions], "regions", "name")
    if problem == "semantic_segmentation" and not regions:
        raise AssessmentError("regions", [], "at least one region")
    return regions


def _region(value: object, path: str, problem: str) -> Region:
    place = Place(value, path, ("name", "labels"))
    title = name(place.raw("name"), place.at("name"))
    labels: tuple[int | str, ...]
    if problem == "semantic_segmentation" or place.has("labels"):
        labels = place.items("labels", lambda item, where: _label(item, where, problem))
    else:
        labels = (title,)
    if len(set(labels)) != len(labels):
        raise AssessmentError(place.at("labels"), place.raw("labels"), "labels that stand there once")
    return Region(title, labels)


def _label(value: object, path: str, problem: str) -> int | str:
    if is_number(value) and value == int(value) and value >= 0:  # type: ignore[call-overload, operator]
        return int(value)  # type: ignore[call-overload, no-any-return]
    if problem != "semantic_segmentation" and isinstance(value, str) and value:
        return value
    kinds = "a whole number of 0 or more" + ("" if problem == "semantic_segmentation" else " or the name of a class")
    raise AssessmentError(path, value, kinds)


def _metric(value: object, path: str, problem: str, *, rank_based: bool) -> MetricUse:
    if problem == "table":
        return _table_metric(value, path, rank_based=rank_based)
    place = Place(value, path, ("id", "name", "options", "policy"))
    metric = _known(place.raw("id"), place.at("id"), problem)
    options = place.raw("options", {})
    if not isinstance(options, Mapping):
        raise AssessmentError(place.at("options"), options, "an object of options")
    try:
        checked = metric.check_options(options)
    except OptionError as error:
        raise AssessmentError(f"{place.at('options')}.{error.name}", error.value, error.allowed) from None
    bounds = Bounds(
        metric=metric.id,
        direction=metric.direction,
        worst=metric.worst,
        best=metric.best,
        unit=metric.unit,
        problem=problem,
        rank_based=rank_based,
    )
    return MetricUse(
        id=metric.id,
        name=name(place.raw("name", metric.id), place.at("name")),
        options=checked,
        policy=read_policy(place.raw("policy", {}), place.at("policy"), metric.default_policy(problem), bounds),
        direction="higher" if metric.higher_is_better else "lower",
        worst=metric.worst,
        best=metric.best,
        level=metric.level(problem, checked),
        unit=metric.unit,
    )


def _known(identity: object, path: str, problem: str) -> Metric:
    fitting = [metric.id for metric in all_metrics() if problem in metric.problems and not metric.is_criterion]
    allowed = f"a metric of {problem}: {listed(fitting)}"
    if not isinstance(identity, str):
        raise AssessmentError(path, identity, allowed)
    try:
        metric = get(identity)
    except CatalogueError as error:
        raise AssessmentError(path, identity, f"{allowed} ({error})") from None
    if metric.is_criterion:
        raise AssessmentError(path, identity, f"{allowed}; a hit criterion is an option of a metric, not a metric")
    if problem not in metric.problems:
        raise AssessmentError(path, identity, allowed)
    return metric


def _table_metric(value: object, path: str, *, rank_based: bool) -> MetricUse:
    place = Place(value, path, ("id", "name", "direction", "policy"))
    if place.raw("id") != "value":
        raise AssessmentError(place.at("id"), place.raw("id"), '"value", the one metric of a table')
    direction: Literal["higher", "lower"] = (
        "higher" if place.choice("direction", ("higher", "lower")) == "higher" else "lower"
    )
    bounds = Bounds(
        metric="value", direction=direction, worst=None, best=None, unit=None, problem="table", rank_based=rank_based
    )
    defaults: dict[str, Any] = {"missing": "worst_rank"} if rank_based else {}
    return MetricUse(
        id="value",
        name=name(place.raw("name", "value"), place.at("name")),
        options={},
        policy=read_policy(place.raw("policy", {}), place.at("policy"), defaults, bounds),
        direction=direction,
        worst=None,
        best=None,
        level="case",
    )


def _check_selection(rankings: Any, metrics: tuple[MetricUse, ...], regions: tuple[Region, ...]) -> None:
    known = {"metrics": [metric.name for metric in metrics], "regions": [region.name for region in regions]}
    for index, ranking in enumerate(rankings):
        for kind, names in known.items():
            for item in getattr(ranking, kind) or ():
                if item not in names:
                    raise AssessmentError(f"ranking[{index}].{kind}", item, listed(names) or f"no {kind}")
        weighted = [step.weights or {} for step in ranking.combine or ()]
        for number, weights in enumerate(weighted):
            for dimension, kind in (("metric", "metrics"), ("region", "regions")):
                given = weights.get(dimension)
                selected = getattr(ranking, kind) or known[kind]
                if given is not None and set(given) != set(selected):
                    place = f"ranking[{index}].combine[{number}].weights.{dimension}"
                    raise AssessmentError(place, given, f"a positive number for each of {listed(selected)}")


def _check_levels(assessment: Assessment) -> None:
    """Refuse to resample below what is counted: cases of a patient that is drawn twice would be no patient any more."""
    levels, resample = assessment.aggregation.levels, assessment.uncertainty.resample
    order = [level for level in resample if level in levels]
    expected = [level for level in reversed(levels) if level in resample]
    if order != expected:
        raise AssessmentError("uncertainty.resample", list(resample), f"the order of aggregation.levels, {expected}")


def _check_connectivity(metrics: tuple[MetricUse, ...]) -> None:
    """Objects are found once for all metrics; connected parts of a mask carry no scores."""
    option = "instance_connectivity"
    given = {index: metric.options[option] for index, metric in enumerate(metrics) if option in metric.options}
    for index, value in given.items():
        first = next(iter(given.values()))
        if value != first:
            place = f"metrics[{index}].options.{option}"
            raise AssessmentError(place, value, f"{first!r}, as other metrics have it: objects are found once for all")
    if set(given.values()) - {"as_submitted"}:
        for index, metric in enumerate(metrics):
            if metric.level == "dataset" and "scores" in get(metric.id).needs:
                place, value = f"metrics[{index}].id", metric.id
                raise AssessmentError(
                    place, value, f"no metric of scores, which connected parts ({option}) do not have"
                )


def _document(assessment: Assessment, *, as_list: bool) -> dict[str, Any]:
    """The assessment as JSON values with every default."""
    document: dict[str, Any] = {"schema": assessment.schema, "problem": assessment.problem}
    if assessment.problem != "table":
        document["regions"] = [{"name": region.name, "labels": list(region.labels)} for region in assessment.regions]
    document["metrics"] = [_metric_document(metric, assessment.problem) for metric in assessment.metrics]
    schemes = [scheme_document(ranking) for ranking in assessment.rankings]
    document["aggregation"] = aggregation_document(assessment.aggregation)
    document["ranking"] = schemes if as_list else schemes[0]
    document["uncertainty"] = uncertainty_document(assessment.uncertainty, assessment.aggregation)
    return document


def _metric_document(metric: MetricUse, problem: str) -> dict[str, Any]:
    if problem == "table":
        return {
            "id": metric.id,
            "name": metric.name,
            "direction": metric.direction,
            "policy": metric.policy.document,
        }
    return {
        "id": metric.id,
        "name": metric.name,
        "options": {key: list(value) if isinstance(value, tuple) else value for key, value in metric.options.items()},
        "policy": metric.policy.document,
    }
