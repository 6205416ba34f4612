"""What the pages of the form show of each field."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, Final

from django.utils.text import capfirst

from designs.forms.posted import OTHER
from evaluation.catalogue import CatalogueError, Metric, all_metrics, get
from evaluation.designs.catalogue import ItemField, Parameter
from evaluation.designs.checks.running import Finding
from evaluation.designs.compilation.problems import kinds_of, possible_kinds
from evaluation.designs.completeness import RARELY_REPORTED, applies
from evaluation.designs.document import Entry, State, Values
from evaluation.designs.document.words import entry_words
from evaluation.designs.executing import Statement, statements_of
from evaluation.designs.starting_points import StartingPoint, starting_points
from evaluation.metrics.options import Option as Declared
from evaluation.problems import all_problems
from evaluation.problems import get as problem
from evaluation.problems.base import Problem

OUTCOMES: Final = (
    ("missing", "missing or unreadable"),
    ("pred_empty", "empty prediction, reference is not"),
    ("ref_empty", "empty reference, prediction is not"),
    ("both_empty", "both empty"),
    ("degenerate", "otherwise undefined"),
)


@dataclass(frozen=True)
class Option:
    """One choice of a select or a list of boxes."""

    value: str
    label: str
    is_chosen: bool = False


@dataclass(frozen=True)
class Input:
    """One control: its name, kind, present text, and what can be chosen."""

    name: str
    id: str
    kind: str
    label: str
    text: str = ""
    options: tuple[Option, ...] = ()
    allow_other: bool = False
    other: str = ""
    help_text: str = ""
    required: bool = False
    minimum: float | None = None


@dataclass(frozen=True)
class Row:
    """A row of a table: its controls, and for a metric those of its options and policy."""

    place: str
    inputs: tuple[Input, ...]
    title: str
    options: tuple[Input, ...] = ()
    policy: tuple[Input, ...] = ()
    facts: str = ""
    metric: str = ""


@dataclass(frozen=True)
class FieldView:
    """A field of the form."""

    parameter: Parameter
    entry: Entry
    revision: int
    task_key: str
    applies: bool
    words: str
    findings: tuple[Finding, ...] = ()
    comments: int = 0
    statements: tuple[Statement, ...] = ()
    inputs: tuple[Input, ...] = ()
    rows: tuple[Row, ...] = ()
    blank_row: Row | None = None
    states: tuple[Option, ...] = field(default_factory=tuple)
    opens_pair: bool = False
    closes_pair: bool = False

    @property
    def starting_points(self) -> tuple[StartingPoint, ...]:
        """Published schemes to start from, for the table of rankings."""
        return starting_points() if self.parameter.id == "ranking_method" else ()

    @property
    def key(self) -> str:
        """What its ids on the page are made of."""
        return f"{self.parameter.id}-{self.task_key}" if self.task_key else self.parameter.id

    @property
    def is_rarely_reported(self) -> bool:
        """Whether fewer than a fifth of historic tasks said anything about it (REP-4)."""
        return self.parameter.left_out is not None and self.parameter.left_out >= 100 - RARELY_REPORTED

    @property
    def left_out(self) -> int | None:
        """Share of historic tasks without it, in whole percent."""
        return None if self.parameter.left_out is None else round(self.parameter.left_out)


def field_view(
    parameter: Parameter,
    entry: Entry,
    *,
    values: Values,
    revision: int = 0,
    task_key: str = "",
    findings: Iterable[Finding] = (),
    comments: int = 0,
    editable: bool = True,
    insider: bool = True,
) -> FieldView:
    """Everything that the template of a field needs."""
    key = f"{parameter.id}-{task_key}" if task_key else parameter.id
    inputs: tuple[Input, ...] = ()
    rows: tuple[Row, ...] = ()
    blank: Row | None = None
    if editable and parameter.type == "list-of-objects":
        stored = entry.value if isinstance(entry.value, list) else []
        rows = tuple(_row(parameter, index, row, key, values) for index, row in enumerate(stored))
        blank = _row(parameter, None, {}, key, values)
    elif editable and parameter.type == "object":
        record = entry.value if isinstance(entry.value, Mapping) else {}
        inputs = tuple(cell for item in parameter.item_fields for cell in _entries(item, key, record, values))
    elif editable:
        inputs = (_single(parameter, key, entry.value),)
    return FieldView(
        parameter=parameter,
        entry=entry,
        revision=revision,
        task_key=task_key,
        applies=applies(parameter, values),
        words=entry_words(parameter, entry, insider=insider),
        findings=tuple(findings),
        comments=comments,
        statements=tuple(statements_of(parameter, entry, values)),
        inputs=inputs,
        rows=rows,
        blank_row=blank,
        states=_states(parameter, entry),
    )


def paired(views: list[FieldView]) -> list[FieldView]:
    """Mark fields that say the same of training and of test data, so that they stand side by side."""
    marked = list(views)
    for index, (first, second) in enumerate(pairwise(views)):
        one, other = first.parameter.id.split("_"), second.parameter.id.split("_")
        if "training" in one and [{"training": "test"}.get(word, word) for word in one] == other:
            marked[index] = replace(first, opens_pair=True)
            marked[index + 1] = replace(second, closes_pair=True)
    return marked


def _states(parameter: Parameter, entry: Entry) -> tuple[Option, ...]:
    if parameter.never_absent:
        offered = [State.PROVIDED, State.EMBARGOED]
    else:
        offered = [State.PROVIDED, State.NONE_DECLARED, State.NOT_APPLICABLE, State.FOLLOWS, State.EMBARGOED]
    current = State.PROVIDED if entry.state is State.BLANK else entry.state
    return tuple(Option(str(state), state.label, state is current) for state in offered)


def _single(parameter: Parameter, key: str, value: Any) -> Input:
    identity = f"v-{key}"
    if parameter.type in ("enum", "multi-enum"):
        chosen = value if isinstance(value, list) else [value]
        other = next((item["other"] for item in chosen if isinstance(item, Mapping)), "")
        options = [Option(choice.value, choice.label, choice.value in chosen) for choice in parameter.choices]
        is_open = parameter.choices_mode != "closed"
        if is_open and parameter.type == "enum":
            options.append(Option(OTHER, "Other, in own words", bool(other)))
        return Input("value", identity, parameter.type, parameter.label, "", tuple(options), is_open, other)
    text = ", ".join(value) if isinstance(value, list) else _text(value)
    suggestions = tuple(Option(choice.label, choice.label) for choice in parameter.choices)
    return Input("value", identity, parameter.type, parameter.label, text, suggestions, minimum=parameter.minimum)


def _row(parameter: Parameter, index: int | None, row: Mapping[str, Any], key: str, values: Values) -> Row:
    place = "__n__" if index is None else str(index)
    inputs = tuple(
        _metric_cell(item, f"row.{place}.{item.key}", key, row.get(item.key), values)
        if item.type == "metric"
        else _cell(item, f"row.{place}.{item.key}", key, row.get(item.key))
        for item in sorted(parameter.item_fields, key=lambda item: item.type != "metric")
        if not (parameter.id == "metrics" and item.key in ("options", "policy"))
    )
    title = next((text for item in inputs if (text := item.text or _chosen(item))), "New row")
    metric = _metric(row)
    return Row(
        place=place,
        inputs=inputs,
        title=title,
        options=_options(metric, row, place, key),
        policy=_policy(metric, row, place, key, values),
        facts=_facts(metric),
        metric=metric.id if metric else "",
    )


def _cell(item: ItemField, name: str, key: str, value: Any) -> Input:
    identity = f"v-{key}-{name.replace('.', '-')}"
    options: list[Option] = []
    other = ""
    if item.type == "enum":
        other = value["other"] if isinstance(value, Mapping) else ""
        options = [Option("", "–", value is None)]
        options += [Option(choice.value, choice.label, choice.value == value) for choice in item.choices]
        if item.allow_other:
            options.append(Option(OTHER, "Other, in own words", bool(other)))
    elif item.type == "boolean":
        options = [
            Option("", "–", value is None),
            Option("true", "yes", value is True),
            Option("false", "no", value is False),
        ]
    text = ", ".join(map(str, value)) if isinstance(value, list) else _text(value)
    kind = "enum" if item.type == "boolean" else item.type
    return Input(
        name,
        identity,
        kind,
        item.label,
        "" if options else text,
        tuple(options),
        item.allow_other,
        other,
        item.help_text,
        item.required,
        item.minimum,
    )


def _entries(item: ItemField, key: str, record: Mapping[str, Any], values: Values) -> tuple[Input, ...]:
    """The controls of one entry of a record: of the settings of a kind of problem one each."""
    name = f"value.{item.key}"
    if item.type == "problem":
        return (_kind_cell(item, name, key, record.get(item.key), values), _shown_kind(key, values))
    if item.type == "json":
        kind = _kind(values)
        given = record.get(item.key) or {}
        return _option_inputs(kind.settings, given, name, key, with_allowed=True) if kind else ()
    return (_cell(item, name, key, record.get(item.key)),)


def _kind(values: Values) -> Problem | None:
    """The kind of problem that a task is scored as, if it is one."""
    ids = set(kinds_of(values))
    identity = ids.pop() if len(ids) == 1 else None
    return problem(identity) if identity else None


def _kind_cell(item: ItemField, name: str, key: str, value: Any, values: Values) -> Input:
    """The kinds of problem that the categories of the task may be; all of them as long as none is chosen."""
    categories = values.get("task_category") or ()
    fitting = [
        kind
        for kind in all_problems()
        if kind.id == value or (set(categories) & set(kind.task_categories) if categories else kind.task_categories)
    ]
    options = [Option("", "– as category and metrics say –", not value)]
    options += [Option(kind.id, capfirst(kind.title), kind.id == value) for kind in fitting]
    identity = f"v-{key}-{name.replace('.', '-')}"
    return Input(name, identity, "enum", item.label, "", tuple(options), help_text=item.help_text)


def _shown_kind(key: str, values: Values) -> Input:
    """Whose settings the page shows, so that another choice shows others."""
    kind = _kind(values)
    return Input("value.shown", f"v-{key}-value-shown", "hidden", "", kind.id if kind else "")


def _metric_cell(item: ItemField, name: str, key: str, value: Any, values: Values) -> Input:
    """The metrics of the platform that fit the kind of problem; all of them as long as that is open."""
    kinds = possible_kinds(values)
    fitting = [
        metric
        for metric in all_metrics()
        if not metric.is_criterion and (not kinds or kinds & set(metric.problems) or metric.id == value)
    ]
    options = [Option("", "– none: measured elsewhere –", not value)]
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


def _options(metric: Metric | None, row: Mapping[str, Any], place: str, key: str) -> tuple[Input, ...]:
    if metric is None:
        return ()
    return _option_inputs(metric.assessment_options, row.get("options") or {}, f"row.{place}.options", key)


def _option_inputs(
    options: Iterable[Declared], given: Mapping[str, Any], place: str, key: str, *, with_allowed: bool = False
) -> tuple[Input, ...]:
    """A control for each option that a metric or a kind of problem declares."""
    inputs = []
    for option in options:
        name = f"{place}.{option.name}"
        value = given.get(option.name)
        default = "" if option.default is None else f"; blank: {_text(option.default)}"
        allowed = (
            f" ({option.allowed.removesuffix(' or null')})"
            if (with_allowed or option.choices) and option.type != "enum"
            else ""
        )
        choices: tuple[Option, ...] = ()
        # What is a choice or a number is written, so that both can be given.
        if option.choices and option.type == "enum":
            blank = Option("", f"– {_text(option.default)} –" if option.default is not None else "–", value is None)
            choices = (blank, *(Option(choice, choice, choice == value) for choice in option.choices))
        inputs.append(
            Input(
                name,
                f"v-{key}-{name.replace('.', '-')}",
                "enum" if choices else "text",
                option.name.replace("_", " "),
                "" if choices else _text(value),
                choices,
                help_text=f"{capfirst(option.description)}{allowed}{default}",
                required=option.required,
            )
        )
    return tuple(inputs)


def _policy(metric: Metric | None, row: Mapping[str, Any], place: str, key: str, values: Values) -> tuple[Input, ...]:
    if metric is None:
        return ()
    given = row.get("policy") or {}
    kinds = kinds_of(values)
    problem = next((kind for kind in kinds if kind in metric.problems), metric.problems[0])
    defaults = metric.default_policy(problem)
    words = ["worst", "perfect", "exclude"]
    if metric.unit == "mm":
        words.append("image_diagonal")
    words.append("worst_rank")
    inputs = []
    for outcome, label in OUTCOMES:
        name = f"row.{place}.policy.{outcome}"
        value = given.get(outcome)
        inputs.append(
            Input(
                name,
                f"v-{key}-{name.replace('.', '-')}",
                "text",
                label,
                _text(value),
                tuple(Option(word, word) for word in words),
                help_text=f"a number or {', '.join(words)}; blank: {_text(defaults.get(outcome, 'no value'))}",
            )
        )
    return tuple(inputs)


def _chosen(item: Input) -> str:
    return item.other or next((option.label for option in item.options if option.is_chosen and option.value), "")


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, (Mapping, Sequence)) and not isinstance(value, str):
        import json

        return json.dumps(value, ensure_ascii=False)
    return str(value)
