"""Figures and search terms of a registered document, for search and statistics."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from evaluation.designs.catalogue import shipped
from evaluation.designs.completeness import reported
from evaluation.designs.document import Document, State, Values
from evaluation.designs.document.words import plain
from registry.domain.anatomy import PARTS, parts_in
from registry.models import Facet

Kind = Facet.Kind
# PostgreSQL refuses a text vector of a megabyte; a design with longer texts is still found by what stands before.
MAX_TEXT: Final = 200_000
NO_TEST: Final = "none"


@dataclass(frozen=True)
class Word:
    """A word by which a registration is found."""

    kind: str
    value: str
    label: str


def words_of(document: Document) -> list[Word]:
    """The facets of a document, each once."""
    facets: dict[tuple[str, str], Word] = {}
    for values in _views(document):
        for word in _words(values):
            facets.setdefault((word.kind, word.value), word)
    return list(facets.values())


def figures_of(document: Document) -> list[dict[str, Any]]:
    """Return the figures for the statistics, one mapping per task.

    A number that is not stated is ``None``, never 0.
    """
    return [_figures(values) for values in _views(document)]


def text_of(data: Any) -> str:
    """Every text of a public document, for the search."""
    return "\n".join(_texts(data))[:MAX_TEXT]


def _views(document: Document) -> list[Values]:
    return list(document.each_task()) or [document.values()]


def _words(values: Values) -> Iterator[Word]:
    catalogue = shipped()
    for kind, parameter in (
        (Kind.MODALITY, "imaging_modality"),
        (Kind.CATEGORY, "task_category"),
        (Kind.FIELD, "field_of_application"),
    ):
        for value in values.get(parameter) or ():
            label = catalogue[parameter].label_of(value)
            yield Word(kind, str(value if isinstance(value, str) else label)[:120], label[:200])
    for slug in parts_in(*(values.text(name) for name in ("data_origin", "algorithm_target"))):
        yield Word(Kind.ANATOMY, slug, PARTS[slug][0])
    for row in values.rows("metrics"):
        label = metric_label(row)
        if label:
            yield Word(Kind.METRIC, str(row.get("metric") or row.get("name") or label)[:120], label[:200])


def metric_label(row: Mapping[str, Any]) -> str:
    """Return the name of a metric as people read it; empty if its row names none."""
    column = next(item for item in shipped()["metrics"].item_fields if item.key == "name")
    name = row.get("name")
    listed = next((choice.label for choice in column.choices if choice.value == name), "")
    return listed or plain(name) or str(row.get("metric") or row.get("abbreviation") or "")


def _figures(values: Values) -> dict[str, Any]:
    metrics = values.rows("metrics")
    rankings = values.rows("ranking_method")
    tests = values.get("statistical_tests")
    return {
        "name": values.name,
        "training": _number(values, "number_training_cases"),
        "test": _number(values, "number_test_cases"),
        "centers": len(values.rows("data_centers")) or None,
        "devices": len(values.rows("acquisition_devices")) or None,
        "annotators": _number(values, "number_of_annotators_test"),
        "categories": _slugs(values, "task_category"),
        "modalities": _slugs(values, "imaging_modality"),
        "fields": _slugs(values, "field_of_application"),
        "submission": _slugs(values, "submission_method"),
        "life_cycle": _slug(values.get("life_cycle_type")),
        "ethics": _slug(values.get("ethics_status")),
        "metrics": list(dict.fromkeys(label for row in metrics if (label := metric_label(row)))),
        "ranking_metrics": sum(row.get("used_for_ranking") is True for row in metrics) or None,
        "schemes": list(dict.fromkeys(slug for row in rankings if (slug := _slug(row.get("scheme"))))),
        "tests": None if tests is None else [test for test in _slugs(values, "statistical_tests") if test != NO_TEST],
        "metric_reason": values.entry("metric_justification").state is State.PROVIDED,
        "reported": [int(entry.number) for entry in shipped().index_53 if reported(entry, values)],
    }


def _number(values: Values, parameter: str) -> float | None:
    value = values.get(parameter)
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def _slugs(values: Values, parameter: str) -> list[str]:
    choices = values.get(parameter) or []
    return [_slug(value) for value in (choices if isinstance(choices, list) else [choices])]


def _slug(value: Any) -> str:
    if isinstance(value, Mapping):
        return "other"
    return "" if value is None else str(value)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            if not key.endswith("__state"):
                yield from _texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)
