"""Kinds of problem: from the categories of a design, and the metrics that it ranks by, to those of an assessment."""

from typing import Any, Final

from evaluation import problems as kinds
from evaluation.designs.compilation.metrics import meaning
from evaluation.designs.compilation.notes import Problem
from evaluation.designs.document import Values
from evaluation.problems import kinds_of_task_category
from evaluation.problems.base import Problem as Kind

PARAMETER: Final = "problem_settings"


def fitting_kinds(category: object, metrics: frozenset[str] | set[str] = frozenset()) -> tuple[Kind, ...]:
    """The kinds of problem of a category of tasks that have all of the metrics, the usual one first; that alone if none has.

    Examples
    --------
    >>> [kind.id for kind in fitting_kinds("localization", {"radial_error"})]
    ['landmarks']
    """
    from evaluation.catalogue import all_metrics

    candidates = kinds_of_task_category(category)
    offered = {
        kind.id: {metric.id for metric in all_metrics() if kind.id in metric.problems} for kind in candidates if metrics
    }
    fitting = tuple(kind for kind in candidates if set(metrics) <= offered.get(kind.id, set(metrics)))
    return fitting or candidates[:1]


def problem_of(category: object, metrics: frozenset[str] | set[str] = frozenset(), chosen: object = None) -> str | None:
    """Return the id of the kind of problem for a category of tasks; ``None`` if the category has none.

    Parameters
    ----------
    metrics
        Ids of the metrics that the design ranks by. If a category may be of several kinds, the first kind that has all
        these metrics is used. Without metrics, or if no kind has all of them, the first kind is used.
    chosen
        The kind that the design names. It takes precedence over the metrics if it belongs to the category.

    Examples
    --------
    >>> problem_of("segmentation"), problem_of("stitching")
    ('semantic_segmentation', None)
    >>> problem_of("prediction", {"harrell_c"}), problem_of("prediction", {"rmse"})
    ('survival', 'regression')
    >>> problem_of("localization", chosen="landmarks"), problem_of("segmentation", chosen="landmarks")
    ('landmarks', 'semantic_segmentation')
    """
    if any(kind.id == chosen for kind in kinds_of_task_category(category)):
        return str(chosen)
    kind = next(iter(fitting_kinds(category, metrics)), None)
    return None if kind is None else kind.id


def kinds_of(values: Values) -> list[str | None]:
    """The kind of problem of each category of a task, ``None`` for a category without one."""
    ids, chosen = _ranked_metrics(values), chosen_kind(values)
    return [problem_of(category, ids, chosen) for category in values.get("task_category") or ()]


def chosen_kind(values: Values) -> str | None:
    """The kind of problem that a task names, if it names any."""
    kind = (values.get(PARAMETER) or {}).get("kind")
    return None if kind is None else str(kind)


def open_kinds(values: Values) -> tuple[Kind, ...]:
    """The kinds of problem that a task may be by its category and metrics, where these leave it open and it names none."""
    categories, metrics = values.get("task_category") or (), _ranked_metrics(values)
    if chosen_kind(values) or len(categories) != 1 or not metrics:
        return ()
    fitting = fitting_kinds(next(iter(categories)), metrics)
    return fitting if len(fitting) > 1 else ()


def settings_of(values: Values, kind: str | None, problems: list[Problem]) -> dict[str, Any]:
    """Return the settings of a design for its kind of problem.

    The validity of the values is checked with the complete assessment.
    """
    settings = dict((values.get(PARAMETER) or {}).get("settings") or {})
    chosen, categories = chosen_kind(values), values.get("task_category") or ()
    if (
        chosen
        and categories
        and not any(chosen == possible_kind.id for each in categories for possible_kind in kinds_of_task_category(each))
    ):
        text = f"Tasks of this category are no {kinds.get(chosen).title}."
        problems.append(Problem(PARAMETER, text))
    if kind is None:
        return {}
    declared = [option.name for option in kinds.get(kind).settings]
    if strange := [name for name in settings if name not in declared]:
        allowed = f"it takes {', '.join(declared)}" if declared else "it takes none"
        problems.append(Problem(PARAMETER, f"{strange[0]} is no setting of {kinds.get(kind).title}; {allowed}."))
    return {name: value for name, value in settings.items() if name in declared}


def _ranked_metrics(values: Values) -> set[str]:
    ranked = [meaning(row).metric for row in values.rows("metrics") if row.get("used_for_ranking")]
    return {metric.id for metric in ranked if metric is not None}


def possible_kinds(values: Values) -> set[str]:
    """Return every kind of problem that the categories of a task allow.

    If the task names one of these kinds, only this kind is returned.
    """
    kind_ids = {kind.id for category in values.get("task_category") or () for kind in kinds_of_task_category(category)}
    chosen = chosen_kind(values)
    return {chosen} if chosen in kind_ids else kind_ids
