"""The row of a metric: the catalogue first, then what its use decides; what follows from it is folded."""

from collections.abc import Mapping
from typing import Any, Final

from designs.forms.controls import Input, Option, Row, cell, option_inputs, text_of
from evaluation.assessment.costs import CostMetric, worst_of
from evaluation.catalogue import CatalogueError, Metric, all_metrics, get
from evaluation.designs.catalogue import ItemField, Parameter
from evaluation.designs.compilation.costs import cost_of
from evaluation.designs.compilation.problems import kinds_of, possible_kinds
from evaluation.designs.document import Values
from evaluation.problems.offered_metrics import default_policy, kinds_with, options_for
from evaluation.running.registered import Registered, RegisteredError

OUTCOMES: Final = (
    ("missing", "missing or unreadable"),
    ("pred_empty", "empty prediction, reference is not"),
    ("ref_empty", "empty reference, prediction is not"),
    ("both_empty", "both empty"),
    ("degenerate", "otherwise undefined"),
)
# Of a metric of the platform these are decided by the challenge; the rest follows from the metric.
DECIDED: Final = ("metric", "cost", "cost_step", "level", "used_for_ranking", "weight", "assessed_aim", "margin")
# Of a cost of running the algorithm.
OF_A_COST: Final = ("cost", "cost_step", "used_for_ranking", "weight", "assessed_aim", "margin")
_COST: Final = ("cost", "cost_step")
SEPARATE: Final = ("options", "policy")


def metric_row(parameter: Parameter, index: int | None, row: Mapping[str, Any], key: str, values: Values) -> Row:
    """The row of one metric; `index` is ``None`` for the template of a new row."""
    position = "__n__" if index is None else str(index)
    metric, cost = _metric(row), cost_of(row)
    # A cost can be measured only where the platform runs the algorithms.
    offers_costs = metric is None and (cost is not None or bool(values.get("algorithm_execution")))
    hidden = SEPARATE if offers_costs else (*SEPARATE, *_COST)
    fields = {item.key: item for item in parameter.item_fields if item.key not in hidden}
    # The platform's metric comes first: all else depends on it.
    inputs = {
        name: _metric_cell(fields[name], f"row.{position}.{name}", key, row.get(name), values)
        if fields[name].type == "metric"
        else cell(fields[name], f"row.{position}.{name}", key, row.get(name))
        for name in sorted(fields, key=lambda name: DECIDED.index(name) if name in DECIDED else len(DECIDED))
    }
    is_elsewhere = metric is None and cost is None and any(row.values())
    leading = DECIDED if metric else OF_A_COST if cost else () if is_elsewhere else ("metric", "cost")
    title = metric.name if metric else cost.label if cost else str(row.get("name") or "")
    return Row(
        place=position,
        inputs=tuple(each for name, each in inputs.items() if is_elsewhere or name in leading),
        title=title or "New metric",
        folded=tuple(each for name, each in inputs.items() if not is_elsewhere and name not in leading),
        fold=""
        if is_elsewhere
        else "Properties of the metric"
        if metric or cost
        else "Measured elsewhere? Describe it",
        options=_options(metric, row, position, key, values),
        policy=_policy(metric, row, position, key, values),
        facts=_cost_facts(cost, values) if cost else _facts(metric),
        metric=metric.id if metric else cost.id if cost else "",
    )


def _metric_cell(item: ItemField, name: str, key: str, value: Any, values: Values) -> Input:
    """The metrics of the platform that fit the kind of problem; all of them as long as that is open."""
    kinds = possible_kinds(values)
    fitting = [
        metric
        for metric in all_metrics()
        if not metric.is_criterion and (not kinds or kinds & set(kinds_with(metric)) or metric.id == value)
    ]
    options = [Option("", "– select, or describe one below –", not value)]
    options += [Option(metric.id, f"{metric.name} ({metric.abbreviation})", metric.id == value) for metric in fitting]
    identity = f"v-{key}-{name.replace('.', '-')}"
    return Input(name, identity, "enum", item.label, "", tuple(options), help_text=item.help_text)


def _metric(row: Mapping[str, Any]) -> Metric | None:
    try:
        return get(row["metric"]) if row.get("metric") else None
    except CatalogueError:
        return None


def _facts(metric: Metric | None) -> str:
    if metric is None:
        return ""
    low, high = ("unbounded" if bound is None else f"{bound:g}" for bound in metric.range)
    unit = f" {metric.unit}" if metric.unit else ""
    return f"{metric.direction.capitalize()} is better; range {low} to {high}{unit}."


def _cost_facts(cost: CostMetric, values: Values) -> str:
    try:
        plan = Registered.of(values.get("algorithm_execution") or {})
    except RegisteredError:
        return f"Lower is better, in {cost.unit}."
    worst = worst_of(cost, plan.document())
    failed = f"; a failed case counts as {worst:g} {cost.unit}, the most that the limits allow" if worst else ""
    return f"Lower is better, in {cost.unit}{failed}."


def _options(
    metric: Metric | None, row: Mapping[str, Any], position: str, key: str, values: Values
) -> tuple[Input, ...]:
    """Inputs for the options that scoring reads; an option that is set and ignored stays visible, so that it can be removed."""
    if metric is None:
        return ()
    given = row.get("options") or {}
    kind = next((kind for kind in kinds_of(values) if kind in kinds_with(metric)), "")
    read = {option.name: option for option in options_for(metric, kind or "")}
    options = [read.get(o.name, o) for o in metric.assessment_options if o.name in read or o.name in given]
    return option_inputs(options, given, f"row.{position}.options", key)


def _policy(
    metric: Metric | None, row: Mapping[str, Any], position: str, key: str, values: Values
) -> tuple[Input, ...]:
    if metric is None:
        return ()
    given = row.get("policy") or {}
    kinds = kinds_of(values)
    problem = next((kind for kind in kinds if kind in kinds_with(metric)), kinds_with(metric)[0])
    defaults = default_policy(metric, problem)
    words = ["worst", "perfect", "exclude"]
    if metric.unit == "mm":
        words.append("image_diagonal")
    words.append("worst_rank")
    inputs = []
    for outcome, label in OUTCOMES:
        name = f"row.{position}.policy.{outcome}"
        value = given.get(outcome)
        inputs.append(
            Input(
                name,
                f"v-{key}-{name.replace('.', '-')}",
                "text",
                label,
                text_of(value),
                tuple(Option(word, word) for word in words),
                help_text=f"a number or {', '.join(words)}; blank: {text_of(defaults.get(outcome, 'no value'))}",
            )
        )
    return tuple(inputs)
