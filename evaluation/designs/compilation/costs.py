"""Metrics of what a run costs: a row of the design that names one, measured where the platform runs the algorithms."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evaluation import problems as kinds
from evaluation.assessment.costs import CostError, CostMetric, declared, metric_named
from evaluation.designs.compilation.notes import Compiled, Problem
from evaluation.running.registered import Registered, RegisteredError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evaluation.designs.document import Values

FIELD = "cost"


def cost_of(row: Mapping[str, Any]) -> CostMetric | None:
    """The cost that a row of the metric table names, unless it names a metric of the platform; None where it names none."""
    if not row.get(FIELD) or row.get("metric"):
        return None
    try:
        return metric_named(str(row[FIELD]))
    except CostError:
        return None


def registers_costs(values: Values) -> bool:
    """Return whether any metric of a task is a cost of running the algorithms."""
    return any(cost_of(row) is not None for row in values.rows("metrics"))


def cost_name(row: Mapping[str, Any], cost: CostMetric) -> str:
    """Return the name of a cost in tables and rankings."""
    return str(row.get("result_name") or row.get("abbreviation") or cost.label)


def compile_cost(
    row: Mapping[str, Any], cost: CostMetric, kind: str | None, values: Values
) -> Compiled[dict[str, Any]]:
    """Return a cost metric as it appears in an assessment, with the reasons why it cannot be measured or ranked.

    Parameters
    ----------
    row
        Row of the metric table.
    cost
        The cost that the row names.
    kind
        Id of the kind of problem of the task, as far as it is known.
    values
        The values that the task sees.
    """
    document: dict[str, Any] = {"id": cost.id, "by": "run", "label": cost_name(row, cost)}
    if kind is not None and not kinds.get(kind).takes_algorithms:
        text = f"{cost.label} cannot be measured: the platform runs no algorithms for {kinds.get(kind).title}."
        return Compiled(document, (Problem("metrics", text),))
    stated = values.get("algorithm_execution")
    if not stated:
        text = f"{cost.label} is measured where the platform runs the algorithms: state how they are run."
        return Compiled(document, (Problem("algorithm_execution", text),))
    try:
        plan = Registered.of(stated)
        [entry] = declared([cost.id], plan.document(), exclusive=plan.exclusive, step=row.get("cost_step") or 0.0)
    except RegisteredError as error:
        return Compiled(document, (Problem("algorithm_execution", f"{error}."),))
    except CostError as error:
        remedy = " State “A machine of its own for each start”." if cost.is_time and not plan.exclusive else ""
        return Compiled(document, (Problem("algorithm_execution", f"{error}.{remedy}"),))
    handling = values.get("missing_data_handling")
    policy = {"missing": "worst_rank"} if handling == "worst_rank" else {}
    return Compiled(entry | document | ({"policy": policy} if policy else {}))


def cost_problems(values: Values, *, is_outside: bool) -> tuple[Problem, ...]:
    """Return problems that make costs of runs meaningless together with the other metrics of a task.

    Parameters
    ----------
    values
        The values that the task sees.
    is_outside
        Whether the task is ranked from externally measured values.
    """
    rows = values.rows("metrics")
    contradictory = tuple(
        Problem("metrics", f"{row.get('metric')}: a row names a metric of the platform or a cost of running, not both.")
        for row in rows
        if row.get("metric") and row.get(FIELD)
    )
    costs = [cost for row in rows if (cost := cost_of(row)) is not None]
    text = _conflict(rows, costs, is_outside=is_outside) if costs else ""
    return (*contradictory, Problem("metrics", text)) if text else contradictory


def _conflict(rows: Sequence[Mapping[str, Any]], costs: Sequence[CostMetric], *, is_outside: bool) -> str:
    """Return the reason why costs cannot be ranked together with the other metrics; empty if they can."""
    if is_outside:
        return (
            f"{costs[0].label} is measured where the platform runs the algorithms, and here it ranks values that are "
            "measured elsewhere. Leave the cost out, or describe it as a metric that is measured elsewhere, too."
        )
    ranked = [row for row in rows if row.get("used_for_ranking")]
    if ranked and all(cost_of(row) is not None for row in ranked):
        return "By costs alone, an algorithm that answers anything at once is first. Mark a metric of the output as used for the ranking."
    return ""
