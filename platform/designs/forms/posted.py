"""Conversion of the names and values of a posted field to a JSON value of its type.

Names: ``value`` for one value, ``value.<key>`` for the entries of a record
(``value.settings.<name>`` for those of a kind of problem), ``row.<n>.<key>`` for the cells of a table
(``row.<n>.options.<name>`` and ``row.<n>.policy.<name>`` for the options and policy of a metric), ``other`` and
``row.<n>.<key>.other`` for a choice in free text.
"""

import json
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final

from django.http import QueryDict

from evaluation.assessment.costs import METRICS, CostMetric
from evaluation.catalogue import CatalogueError, Metric, all_metrics, get
from evaluation.designs.catalogue import ItemField, Parameter
from evaluation.designs.compilation.costs import cost_of
from evaluation.designs.compilation.metrics import usual_level
from evaluation.problems.offered_metrics import kinds_with

OTHER: Final = "__other__"
DATA_SET: Final = "data_set"
_ROW = re.compile(r"^row\.(\d{1,6})\.([a-z_]+)(?:\.([a-z_]+))?$")
_NESTED: Final = ("options", "policy")


@dataclass(frozen=True)
class Posted:
    """Posted field.

    `completed` is True if the server filled in more than the writer sees.
    """

    value: Any
    details: str
    state: str
    reason: str
    until: str
    event: str
    revision: int | None
    completed: bool = False


def read_posted(parameter: Parameter, post: QueryDict, *, kinds: Collection[str] = ()) -> Posted:
    """Read what the form of a field sends; whether it fits is decided by the type.

    Parameters
    ----------
    kinds
        The kinds of problem that the task can be, which decide whether a metric has one value per case; empty if unknown.
    """
    revision = post.get("revision", "")
    typed = _value(parameter, post)
    value = [_completed(row, kinds) for row in typed] if parameter.id == "metrics" else typed
    return Posted(
        value=value,
        details=post.get("details", ""),
        state=post.get("state", ""),
        reason=post.get("reason", ""),
        until=post.get("until", ""),
        event=post.get("event", ""),
        revision=int(revision) if revision.isascii() and revision.isdigit() else None,
        completed=value != typed or _shows_others(parameter, post),
    )


def _shows_others(parameter: Parameter, post: QueryDict) -> bool:
    """Return whether a row shows the options of a metric other than the chosen one.

    `row.<n>.shown` names the metric whose options are shown.
    For a record, return whether it shows the settings of another kind of problem (`value.shown`).
    """
    if any(field.type == "problem" for field in parameter.item_fields):
        return any(
            post.get(f"value.{field.key}", "") not in ("", post.get("value.shown", ""))
            for field in parameter.item_fields
            if field.type == "problem"
        )
    if parameter.id != "metrics":
        return False
    rows = [name.removesuffix("metric") for name in post if name.startswith("row.") and name.endswith(".metric")]
    return any(
        (post.get(f"{row}metric", "") or post.get(f"{row}cost", "")) != post.get(f"{row}shown", "") for row in rows
    )


def _value(parameter: Parameter, post: QueryDict) -> Any:
    match parameter.type:
        case "multi-enum":
            chosen: list[Any] = [item for item in post.getlist("value") if item and item != OTHER]
            other = post.get("other", "").strip()
            return [*chosen, {"other": other}] if other else chosen
        case "enum":
            return _choice(post.get("value", ""), post.get("other", ""))
        case "object":
            return {field.key: _entry(field, post) for field in parameter.item_fields}
        case "list-of-objects":
            return _rows(parameter, post)
    return post.get("value", "")


def _entry(field: ItemField, post: QueryDict) -> Any:
    """An entry of a record; one of names with values comes as a control for each name."""
    name = f"value.{field.key}"
    if field.type != "json" or name in post:
        return _cell(field, post.get(name, ""), "")
    parts = {
        match[1]: post.getlist(each)[-1].strip()
        for each in post
        if (match := re.fullmatch(rf"{re.escape(name)}\.([a-z_]+)", each))
    }
    return {key: _json(text) for key, text in parts.items() if text}


def _rows(parameter: Parameter, post: QueryDict) -> list[dict[str, Any]]:
    fields = {field.key: field for field in parameter.item_fields}
    rows: dict[int, dict[str, Any]] = {}
    nested: dict[tuple[int, str], dict[str, Any]] = {}
    for name in post:
        match = _ROW.match(name)
        if match is None:
            continue
        index, key, inner = int(match[1]), match[2], match[3]
        if key not in fields:
            continue
        row = rows.setdefault(index, {})
        if inner is not None and key in _NESTED:
            text = post.get(name, "").strip()
            if text:
                nested.setdefault((index, key), {})[inner] = _json(text)
        elif inner is None:
            row[key] = _cell(fields[key], post.get(name, ""), post.get(f"{name}.other", ""))
    for (index, key), values in nested.items():
        rows[index][key] = values
    return [row for _, row in sorted(rows.items())]


def _cell(field: ItemField, text: str, other: str) -> Any:
    return _choice(text, other) if field.type == "enum" else text


def _choice(text: str, other: str) -> Any:
    if text == OTHER:
        return {"other": other.strip()} if other.strip() else ""
    return text


def _json(text: str) -> Any:
    """A number, a word or a list as typed."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def _completed(row: Mapping[str, Any], kinds: Collection[str]) -> dict[str, Any]:
    """Complete a row with the values that follow from the platform's metric or from a cost of a run.

    Direction and range are set as facts. The other values are set only where they were left blank.
    Options and the abbreviation that remain from an earlier choice of another metric are removed.
    """
    if (cost := cost_of(row)) is not None:
        return _completed_cost(row, cost)
    full = {key: value for key, value in row.items() if key not in ("cost", "cost_step") or not row.get("metric")}
    try:
        metric = get(str(row.get("metric") or ""))
    except CatalogueError:
        return full
    option_names = {option.name for option in metric.assessment_options}
    if isinstance(full.get("options"), Mapping):
        full["options"] = {key: value for key, value in full["options"].items() if key in option_names}
    if full.get("abbreviation") in {other.abbreviation for other in all_metrics()}:
        full["abbreviation"] = metric.abbreviation
    levels = _levels(metric, full, kinds)
    level = "case" if "case" in levels else DATA_SET
    if len(levels) == 1 and DATA_SET in (level, full.get("level")):
        full["level"] = level
    suggested = {
        "abbreviation": metric.abbreviation,
        "level": level,
        "used_for_ranking": "true",
        "implementation": "this platform",
    }
    full |= {key: value for key, value in suggested.items() if not full.get(key)}
    low, high = metric.range
    return {**full, "orientation": metric.direction, "range_min": _bound(low), "range_max": _bound(high)}


def _levels(metric: Metric, row: Mapping[str, Any], kinds: Collection[str]) -> set[str]:
    """Return what a metric is computed per with the options of its row, in each kind of problem that the task can be."""
    options = row["options"] if isinstance(row.get("options"), Mapping) else {}
    fitting = [kind for kind in kinds if kind in kinds_with(metric)]
    return {usual_level(metric, kind, options) for kind in fitting or kinds_with(metric)}


def _completed_cost(row: Mapping[str, Any], cost: CostMetric) -> dict[str, Any]:
    """Complete a row with the values that follow from a cost of a run.

    Its worst value is the registered limit, even if another value was entered before.
    """
    full = {key: value for key, value in row.items() if key not in ("options", "policy")}
    if full.get("name") in [{"other": other.label} for other in METRICS]:
        full["name"] = ""
    suggested = {
        "name": {"other": cost.label},
        "level": "case",
        "used_for_ranking": "true",
        "implementation": "this platform",
    }
    full |= {key: value for key, value in suggested.items() if not full.get(key)}
    facts = {"orientation": "lower", "range_min": "0", "range_max": "", "open_range": "above", "unit": cost.unit}
    return {**full, **facts, "worst_value": ""}


def _bound(value: float | None) -> str:
    return "" if value is None else f"{value:g}"
