"""Entries of the list of metrics: from the document to a metric of the catalogue with options and policy."""

from __future__ import annotations

from collections.abc import Mapping

from evaluation import problems
from evaluation.assessment.errors import AssessmentError, listed
from evaluation.assessment.model import Assessment, MetricUse
from evaluation.assessment.policy import Bounds, read_policy
from evaluation.assessment.reading import Place, name
from evaluation.catalogue import CatalogueError, Metric, OptionError, all_metrics, get
from evaluation.problems.offered_metrics import default_policy, ignored_options, kinds_with, level_of


def read_catalogue_metric(value: object, path: str, problem: str, *, rank_based: bool) -> MetricUse:
    """Check an entry that names a metric of the catalogue.

    Raises
    ------
    AssessmentError
        For a metric that the kind of problem does not have, an option or a policy that the metric does not take.
    """
    section = Place(value, path, ("id", "name", "options", "policy"))
    metric = _known(section.raw("id"), section.at("id"), problem)
    options = section.raw("options", {})
    if not isinstance(options, Mapping):
        raise AssessmentError(section.at("options"), options, "an object of options")
    try:
        checked = metric.check_options(options)
    except OptionError as error:
        raise AssessmentError(f"{section.at('options')}.{error.name}", error.value, error.allowed) from None
    if not _is_complete(metric, options):
        for option_name, allowed in ignored_options(metric, problem, options).items():
            raise AssessmentError(f"{section.at('options')}.{option_name}", options[option_name], allowed)
    if checked.get("class_average") == "micro" and not problems.get(problem).metrics.can_pool_classes:
        allowed_averages = (
            "per_class, macro or weighted: where a case has one class, pooled counts say the same as Accuracy"
        )
        raise AssessmentError(f"{section.at('options')}.class_average", "micro", allowed_averages)
    bounds = Bounds(
        metric=metric.id,
        direction=metric.direction,
        worst=metric.worst,
        best=metric.best,
        unit=metric.unit,
        problem=problem,
        rank_based=rank_based,
        worst_by_case=metric.worst_by_case,
    )
    return MetricUse(
        id=metric.id,
        name=name(section.raw("name", metric.id), section.at("name")),
        options=checked,
        policy=read_policy(section.raw("policy", {}), section.at("policy"), default_policy(metric, problem), bounds),
        direction="higher" if metric.higher_is_better else "lower",
        worst=metric.worst,
        best=metric.best,
        level=level_of(metric, problem, checked),
        unit=metric.unit,
    )


def check_ignored_options(assessment: Assessment) -> None:
    """Refuse options with which a metric would be computed as if they had not been set.

    `parse` accepts them in entries with every option written out, as earlier versions registered them.

    Raises
    ------
    AssessmentError
        For an option that differs from its default and that scoring this kind of problem ignores.
    """
    for index, use in enumerate(assessment.computed):
        try:
            metric = get(use.id)
        except CatalogueError:
            continue
        defaults = {option.name: option.default_document for option in metric.assessment_options}
        changed = {name: value for name, value in use.options.items() if value != defaults.get(name)}
        for name_of_option, allowed in ignored_options(metric, assessment.problem, changed).items():
            raise AssessmentError(f"metrics[{index}].options.{name_of_option}", changed[name_of_option], allowed)


def _is_complete(metric: Metric, options: Mapping[str, object]) -> bool:
    """Return whether an entry lists every option, as documents that were written by `parse` do."""
    return all(option.name in options for option in metric.assessment_options if not option.stands_where_set)


def _known(identity: object, path: str, problem: str) -> Metric:
    if not isinstance(identity, str):
        raise AssessmentError(path, identity, _allowed(problem))
    try:
        metric = get(identity)
    except CatalogueError as error:
        raise AssessmentError(path, identity, f"{_allowed(problem)} ({error})") from None
    if metric.is_criterion:
        words = f"{_allowed(problem)}; a hit criterion is an option of a metric, not a metric"
        raise AssessmentError(path, identity, words)
    if problem not in kinds_with(metric):
        raise AssessmentError(path, identity, _allowed(problem))
    return metric


def _allowed(problem: str) -> str:
    """Return the metrics of a kind of problem, for a message.

    This reads the whole catalogue. Call it only when needed.
    """
    fitting = [metric.id for metric in all_metrics() if problem in kinds_with(metric) and not metric.is_criterion]
    return f"a metric of {problem}: {listed(fitting)}"
