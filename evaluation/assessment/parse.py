"""From an assessment document to a checked, complete `Assessment`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from evaluation import problems
from evaluation.assessment.columns import KEY as COLUMNS
from evaluation.assessment.columns import read_columns
from evaluation.assessment.costs import (
    check_combined,
    check_costs,
    cost_metric_document,
    is_by_run,
    read_cost_metric,
)
from evaluation.assessment.errors import AssessmentError, listed
from evaluation.assessment.exclusions import KEY as EXCLUSIONS
from evaluation.assessment.exclusions import read_exclusions
from evaluation.assessment.interaction import KEY as INTERACTION
from evaluation.assessment.interaction import check_weights, read_weights
from evaluation.assessment.levels import aggregation_document, read_levels, uncertainty_document
from evaluation.assessment.metrics import read_catalogue_metric
from evaluation.assessment.model import Assessment, MetricUse, Region
from evaluation.assessment.ranking import read_rankings, scheme_document, scheme_of
from evaluation.assessment.reading import Place, distinct, is_number, name
from evaluation.assessment.scorers import KEY as SCORER
from evaluation.assessment.scorers import is_by_scorer, read_scorer, read_scorer_metric, scorer_metric_document
from evaluation.catalogue import OptionError
from evaluation.metrics.declaration import check_option

if TYPE_CHECKING:
    from evaluation.problems import Problem

SCHEMA = 1
_KEYS = (
    "schema",
    "problem",
    "regions",
    "metrics",
    "aggregation",
    "ranking",
    "uncertainty",
    EXCLUSIONS,
    COLUMNS,
    INTERACTION,
    SCORER,
)
_SETTINGS = "settings"


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
    section = Place(document, "", _keys(document))
    if section.raw("schema", SCHEMA) != SCHEMA or isinstance(section.raw("schema"), bool):
        raise AssessmentError("schema", section.raw("schema"), str(SCHEMA))
    named = problems.get(section.choice("problem", [kind.id for kind in problems.all_problems()]))
    problem = named.variant(section.raw(_SETTINGS))
    regions = _regions(section, problem)
    rankings, as_list = read_rankings(section.raw("ranking", {}), "ranking", problem.id)
    rank_based = all(scheme_of(ranking).ranks_cases for ranking in rankings)
    settings = _settings(section, problem)
    metrics = section.items("metrics", lambda value, path: _metric(value, path, problem, rank_based=rank_based))
    metrics = tuple(metric if metric.is_by_scorer else problem.metrics.complete(metric, settings) for metric in metrics)
    distinct([metric.name for metric in metrics], "metrics", "name")
    check_costs(metrics)
    problem.metrics.check(metrics)
    _check_selection(rankings, metrics, regions)
    aggregation, uncertainty = read_levels(
        section, rankings, metrics, apart=problem.evidence.data_set_columns(settings)
    )
    draft = Assessment(
        schema=SCHEMA,
        problem=problem.id,
        regions=regions,
        metrics=metrics,
        aggregation=aggregation,
        rankings=tuple(rankings),
        uncertainty=uncertainty,
        document={},
        settings=settings,
        exclusions=read_exclusions(section.raw(EXCLUSIONS)),
        columns=read_columns(section.raw(COLUMNS)),
        interaction_weights=read_weights(section.raw(INTERACTION)),
        scorer=read_scorer(section.raw(SCORER), metrics),
    )
    _check_levels(draft)
    check_weights(draft.interaction_weights, metrics, rankings)
    problem.check(draft)
    return replace(draft, document=_document(draft, problem, as_list=as_list))


def _metric(value: object, path: str, problem: Problem, *, rank_based: bool) -> MetricUse:
    if is_by_scorer(value):
        return read_scorer_metric(value, path, problem, rank_based=rank_based)
    if is_by_run(value):
        return read_cost_metric(value, path, problem, rank_based=rank_based)
    own = problem.metrics.read(value, path, rank_based=rank_based)
    return own or read_catalogue_metric(value, path, problem.id, rank_based=rank_based)


def _metric_document(metric: MetricUse, problem: Problem) -> dict[str, Any]:
    if metric.is_by_scorer:
        return scorer_metric_document(metric)
    return cost_metric_document(metric) if metric.is_by_run else problem.metrics.document_of(metric)


def _keys(document: object) -> tuple[str, ...]:
    """The keys of a document; only kinds of problem that have settings take any."""
    kind = document.get("problem") if isinstance(document, Mapping) else None
    takes_settings = isinstance(kind, str) and problems.is_known(kind) and bool(problems.get(kind).settings)
    return (*_KEYS, _SETTINGS) if takes_settings else _KEYS


def _settings(section: Place, problem: Problem) -> dict[str, Any]:
    """The settings of the kind of problem with their defaults."""
    if not problem.settings:
        return {}
    inner = Place(section.raw(_SETTINGS, {}), _SETTINGS, [option.name for option in problem.settings])
    checked = {}
    for option in problem.settings:
        if option.required and option.name not in inner.value:
            raise AssessmentError(inner.at(option.name), None, f"{option.allowed}: {option.description}")
        try:
            value = check_option(option, inner.value[option.name]) if option.name in inner.value else option.default
        except OptionError as error:
            raise AssessmentError(inner.at(option.name), error.value, error.allowed) from None
        if not option.stands_where_set or value != option.default:
            checked[option.name] = value
    return problem.complete_settings(checked)


def _regions(section: Place, problem: Problem) -> tuple[Region, ...]:
    if not problem.regions.are_allowed:
        if section.has("regions"):
            raise AssessmentError("regions", section.raw("regions"), f"no regions: a {problem.title} has none")
        return ()
    if not section.has("regions"):
        if problem.regions.are_required:
            raise AssessmentError("regions", None, 'a list such as [{"name": "liver", "labels": [1]}]')
        return ()
    regions = section.items("regions", lambda value, path: _region(value, path, problem), empty=True)
    distinct([region.name for region in regions], "regions", "name")
    if problem.regions.are_required and not regions:
        raise AssessmentError("regions", [], "at least one region")
    return regions


def _region(value: object, path: str, problem: Problem) -> Region:
    section = Place(value, path, ("name", "labels"))
    title = name(section.raw("name"), section.at("name"))
    labels: tuple[int | str, ...]
    if problem.regions.have_numbered_labels or section.has("labels"):
        labels = section.items("labels", lambda item, where: _label(item, where, problem))
    else:
        labels = (title,)
    if len(set(labels)) != len(labels):
        raise AssessmentError(section.at("labels"), section.raw("labels"), "labels that stand there once")
    return Region(title, labels)


def _label(value: object, path: str, problem: Problem) -> int | str:
    if is_number(value) and value == int(value) and value >= 0:  # type: ignore[call-overload, operator]
        return int(value)  # type: ignore[call-overload, no-any-return]
    if not problem.regions.have_numbered_labels and isinstance(value, str) and value:
        return value
    kinds = "a whole number of 0 or more" + ("" if problem.regions.have_numbered_labels else " or the name of a class")
    raise AssessmentError(path, value, kinds)


def _check_selection(rankings: Any, metrics: tuple[MetricUse, ...], regions: tuple[Region, ...]) -> None:
    names_by_kind = {"metrics": [metric.name for metric in metrics], "regions": [region.name for region in regions]}
    for index, ranking in enumerate(rankings):
        for kind, names in names_by_kind.items():
            for item in getattr(ranking, kind) or ():
                if item not in names:
                    raise AssessmentError(f"ranking[{index}].{kind}", item, listed(names) or f"no {kind}")
        weighted = [step.weights or {} for step in ranking.combine or ()]
        costs = [
            metric.name
            for metric in metrics
            if metric.is_by_run and metric.name in (ranking.metrics or names_by_kind["metrics"])
        ]
        if costs and regions:
            check_combined(ranking, f"ranking[{index}].combine", costs[0])
        for number, weights in enumerate(weighted):
            for dimension, kind in (("metric", "metrics"), ("region", "regions")):
                given = weights.get(dimension)
                selected = getattr(ranking, kind) or names_by_kind[kind]
                if given is not None and set(given) != set(selected):
                    field_path = f"ranking[{index}].combine[{number}].weights.{dimension}"
                    raise AssessmentError(field_path, given, f"a positive number for each of {listed(selected)}")


def _check_levels(assessment: Assessment) -> None:
    """Refuse to resample below what is counted: cases of a patient that is drawn twice would be no patient any more."""
    levels, resample = assessment.aggregation.levels, assessment.uncertainty.resample
    order = [level for level in resample if level in levels]
    expected = [level for level in reversed(levels) if level in resample]
    if order != expected:
        raise AssessmentError("uncertainty.resample", list(resample), f"the order of aggregation.levels, {expected}")


def _document(assessment: Assessment, problem: Problem, *, as_list: bool) -> dict[str, Any]:
    """The assessment as JSON values with every default."""
    document: dict[str, Any] = {"schema": assessment.schema, "problem": assessment.problem}
    if problem.regions.are_allowed:
        document["regions"] = [{"name": region.name, "labels": list(region.labels)} for region in assessment.regions]
    document["metrics"] = [_metric_document(metric, problem) for metric in assessment.metrics]
    if assessment.scorer:
        document[SCORER] = dict(assessment.scorer)
    if assessment.settings or any(not option.stands_where_set for option in problem.settings):
        document[_SETTINGS] = dict(assessment.settings)
    schemes = [scheme_document(ranking) for ranking in assessment.rankings]
    document["aggregation"] = aggregation_document(assessment.aggregation)
    document["ranking"] = schemes if as_list else schemes[0]
    document["uncertainty"] = uncertainty_document(assessment.uncertainty, assessment.aggregation)
    if assessment.exclusions:
        document[EXCLUSIONS] = assessment.exclusions.document
    if assessment.columns:
        document[COLUMNS] = dict(assessment.columns)
    if assessment.interaction_weights:
        document[INTERACTION] = dict(assessment.interaction_weights)
    return document
