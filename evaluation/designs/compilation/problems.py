"""Kinds of problem: from the categories of a design, and the metrics that it ranks by, to those of an assessment."""

from typing import Any, Final

from evaluation import problems as kinds
from evaluation.designs.catalogue import shipped
from evaluation.designs.compilation.metrics import meaning
from evaluation.designs.compilation.notes import Compiled, Problem
from evaluation.designs.document import Values
from evaluation.problems import kinds_of_task_category
from evaluation.problems.base import Problem as Kind
from evaluation.problems.offered_metrics import kinds_with

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
    # To ask each metric for its kinds takes long. Only those that the design ranks by are asked.
    kinds_by_metric = [kinds_with(metric) for metric in all_metrics() if metric.id in metrics]
    are_known = len(kinds_by_metric) == len(set(metrics))
    fitting = tuple(
        kind
        for kind in candidates
        if not metrics or (are_known and all(kind.id in kind_ids for kind_ids in kinds_by_metric))
    )
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


def compile_kind(values: Values) -> Compiled[str | None]:
    """Return the kind of problem that the categories of a task have; ``None`` if the platform scores no such task."""
    categories = values.get("task_category") or []
    kind_ids = set(kinds_of(values))
    if not categories:
        return Compiled(None, (Problem("task_category", "The task category is missing."),))
    if len(kind_ids) == 1 and None not in kind_ids:
        return Compiled(kind_ids.pop())
    if None in kind_ids:
        labels = [shipped()["task_category"].label_of(category) for category in categories if not problem_of(category)]
        text = f"The platform does not score tasks of this category: {', '.join(labels)}."
    else:
        text = "The platform scores one kind of problem a task, and these are several; a task of each can be executed."
    return Compiled(None, (Problem("task_category", text, elsewhere=True),))


def compile_settings(values: Values, kind: str | None) -> Compiled[dict[str, Any]]:
    """Return the settings of a design for its kind of problem.

    The validity of the values is checked with the complete assessment.
    """
    problems = _unfit_kind(values)
    if kind is None:
        return Compiled({}, problems)
    settings = (values.get(PARAMETER) or {}).get("settings") or {}
    declared = [option.name for option in kinds.get(kind).settings]
    fitting = {name: value for name, value in settings.items() if name in declared}
    if strange := [name for name in settings if name not in declared]:
        allowed = f"it takes {', '.join(declared)}" if declared else "it takes none"
        text = f"{strange[0]} is no setting of {kinds.get(kind).title}; {allowed}."
        problems = (*problems, Problem(PARAMETER, text))
    return Compiled(fitting, problems)


def _unfit_kind(values: Values) -> tuple[Problem, ...]:
    """Return the problem of a named kind that no category of the task has."""
    chosen, categories = chosen_kind(values), values.get("task_category") or ()
    possible = {kind.id for category in categories for kind in kinds_of_task_category(category)}
    if not chosen or not categories or chosen in possible:
        return ()
    return (Problem(PARAMETER, f"Tasks of this category are no {kinds.get(chosen).title}."),)


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
