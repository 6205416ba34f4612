"""Knowledge of the recommender, read from its versioned data file: questions, trees, guides and rules."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evaluation.advice.expressions import Expression

DATA_FILE: Final = "recommendation.v1.json"
CATEGORY: Final = "category"
"""Name under which conditions look up the problem category."""


@dataclass(frozen=True, slots=True)
class Item:
    """One question of the fingerprint.

    Attributes
    ----------
    kind
        ``yes_no`` or ``choice``.
    choices
        Allowed values with their labels, in the order in which they are offered.
    categories
        The problem categories to which it applies.
    scope
        ``task``, or ``class`` if the answer may differ between classes.
    if_unknown
        The cautious value for "I do not know"; ``None`` if none exists, in which case an answer is required.
    ask_if
        Condition for asking the question; otherwise `derive` decides the value, or it is `if_not_asked`.
    origin
        ``framework``, or ``platform`` where it was added to make the framework executable.
    """

    id: str
    group: str
    title: str
    question: str
    kind: str
    choices: tuple[tuple[Any, str], ...]
    categories: tuple[str, ...]
    why: str
    scope: str
    if_unknown: Any
    ask_if: Expression
    derive: Expression | None
    if_not_asked: Any
    used_in: tuple[str, ...]
    readable_from_references: bool
    pitfalls: tuple[str, ...]
    origin: str

    @property
    def values(self) -> tuple[Any, ...]:
        """The allowed values."""
        return tuple(value for value, _ in self.choices)

    def label(self, value: Any) -> str:
        """Return the label of a value.

        Examples
        --------
        >>> item("FP3.1").label(True)
        'Yes'
        """
        return next((words for choice, words in self.choices if choice == value), str(value))


@dataclass(frozen=True, slots=True)
class Guide:
    """A choice that the trees leave open: arguments for and against, and what to start from.

    Attributes
    ----------
    options
        For each option the arguments for and against it.
    hints
        ``(condition, preferred option, why)``; the first that holds is preselected, else `default`.
    parameter
        Name of the option that it sets, if it does not choose a metric.
    """

    id: str
    title: str
    step: str
    options: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]]
    hints: tuple[tuple[Expression, str, str], ...]
    default: str
    parameter: str | None
    note: str | None


@dataclass(frozen=True, slots=True)
class Leaf:
    """End of a walk through a tree.

    Attributes
    ----------
    select
        ``none``, ``all``, ``one`` (by `guide`) or ``one_set`` (one of `metric_sets`, by `guide`).
    """

    select: str
    metrics: tuple[str, ...]
    note: str
    guide: str | None
    parameter_guides: tuple[str, ...]
    metric_sets: tuple[tuple[str, ...], ...]
    redirect: str | None
    category: str | None
    warning: bool
    origin: str


@dataclass(frozen=True, slots=True)
class Node:
    """A question of a tree; a branch for ``*`` takes all values that have no branch of their own."""

    question: Expression
    branches: Mapping[str, Tree]
    pitfalls: tuple[str, ...]
    origin: str


@dataclass(frozen=True, slots=True)
class Fork:
    """Several parts of a tree that are all walked."""

    parts: tuple[Tree, ...]


Tree = Node | Leaf | Fork


@dataclass(frozen=True, slots=True)
class Step:
    """One decision tree; `kind` is ``category``, ``metrics``, ``localisation`` or ``assignment``."""

    id: str
    title: str
    purpose: str
    kind: str
    categories: tuple[str, ...]
    per_class: bool
    root: Tree


@dataclass(frozen=True, slots=True)
class Knowledge:
    """Everything in the data file."""

    version: str
    source: str
    problems: Mapping[str, str]
    pipelines: Mapping[str, tuple[str, ...]]
    items: Mapping[str, Item]
    steps: Mapping[str, Step]
    guides: Mapping[str, Guide]
    reroute: tuple[Mapping[str, Any], ...]
    complements: tuple[Mapping[str, Any], ...]
    rules: tuple[Mapping[str, Any], ...]
    empty: tuple[Mapping[str, str], ...]
    consistency: tuple[Mapping[str, Any], ...]
    unfit: Mapping[str, tuple[Mapping[str, Any], ...]]

    @property
    def categories(self) -> Mapping[str, str]:
        """Category of each problem."""
        return {problem: category for category, problem in self.problems.items()}


@cache
def knowledge() -> Knowledge:
    """Read the data file, once."""
    text = resources.files("evaluation.advice").joinpath("data", DATA_FILE).read_text("utf-8")
    data = json.loads(text)
    return Knowledge(
        version=data["version"],
        source=data["source"],
        problems=data["categories"],
        pipelines={category: tuple(steps) for category, steps in data["pipelines"].items()},
        items={entry["id"]: _item(entry) for entry in data["items"]},
        steps={key: _step(key, entry) for key, entry in data["trees"].items()},
        guides={key: _guide(key, entry) for key, entry in data["guides"].items()},
        reroute=tuple(data["reroute"]),
        complements=tuple(data["complements"]),
        rules=tuple(data["rules"]),
        empty=tuple(data["empty"]),
        consistency=tuple(data["consistency"]),
        unfit={category: tuple(entries) for category, entries in data["unfit"].items()},
    )


def item(item_id: str) -> Item:
    """Return the question of that id.

    Raises
    ------
    KeyError
        If there is none.
    """
    return knowledge().items[item_id]


def items(category: str | None = None) -> list[Item]:
    """The questions in the order of the data file, those of one problem category if one is given.

    Examples
    --------
    >>> [item.id for item in items("SemS")][:3]
    ['FP1.1a', 'FP1.1b', 'FP2.1']
    """
    return [item for item in knowledge().items.values() if category is None or category in item.categories]


def _item(entry: Mapping[str, Any]) -> Item:
    choices = entry.get("choices") or [{"value": True, "label": "Yes"}, {"value": False, "label": "No"}]
    return Item(
        id=entry["id"],
        group=entry["group"],
        title=entry["title"],
        question=entry["question"],
        kind=entry["kind"],
        choices=tuple((choice["value"], choice["label"]) for choice in choices),
        categories=tuple(entry["categories"]),
        why=entry["why"],
        scope=entry["scope"],
        if_unknown=entry["if_unknown"],
        ask_if=entry.get("ask_if", True),
        derive=entry.get("derive"),
        if_not_asked=entry.get("if_not_asked"),
        used_in=tuple(entry["used_in"]),
        readable_from_references=entry.get("readable_from_references", False),
        pitfalls=tuple(entry.get("pitfalls", ())),
        origin=entry["origin"],
    )


def _guide(key: str, entry: Mapping[str, Any]) -> Guide:
    return Guide(
        id=key,
        title=entry["title"],
        step=entry["step"],
        options={name: (tuple(side["for"]), tuple(side["against"])) for name, side in entry["options"].items()},
        hints=tuple((hint["when"], hint["prefer"], hint["why"]) for hint in entry["hints"]),
        default=entry["default"],
        parameter=entry.get("parameter"),
        note=entry.get("note"),
    )


def _step(key: str, entry: Mapping[str, Any]) -> Step:
    return Step(
        id=key,
        title=entry["title"],
        purpose=entry["purpose"],
        kind=entry["kind"],
        categories=tuple(entry["categories"]),
        per_class=entry["per_class"],
        root=_tree(entry["root"]),
    )


def _tree(entry: Mapping[str, Any]) -> Tree:
    if "all_of" in entry:
        return Fork(tuple(_tree(part) for part in entry["all_of"]))
    if "question" in entry:
        branches = {answer: _tree(branch) for answer, branch in entry["branches"].items()}
        return Node(entry["question"], branches, tuple(entry.get("pitfalls", ())), entry["origin"])
    return Leaf(
        select=entry["select"],
        metrics=tuple(entry["metrics"]),
        note=entry.get("note", ""),
        guide=entry.get("guide"),
        parameter_guides=tuple(entry.get("params_guide", ())),
        metric_sets=tuple(tuple(chosen) for chosen in entry.get("metric_sets", ())),
        redirect=entry.get("redirect"),
        category=entry.get("category"),
        warning=bool(entry.get("warning", False)),
        origin=entry["origin"],
    )
