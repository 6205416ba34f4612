"""Metadata of the cases of a test set: each column with the type of its values and its use."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from challenges.models import Phase
from challenges.queries.projections import projection_of, registered_document
from datastore.test_sets.models import TestSet
from evaluation.assessment.columns import KINDS, column_name, grouping_columns


@dataclass(frozen=True)
class Characteristic:
    """A column of the case metadata.

    Attributes
    ----------
    kind
        Type as text: numbers, whole numbers, yes or no, names.
    different, lacking
        Number of different values, and of scored cases without a value.
    groups
        True if the assessment groups cases by it.
    registered
        Type of values that the registered design declares; empty if it declares none.
    """

    name: str
    kind: str
    different: int
    lacking: int
    groups: bool
    registered: str


def characteristics(test_set: TestSet, phase: Phase) -> list[Characteristic]:
    """The columns of the scored cases of a version, in their order; two queries and those of the registration."""
    rows = test_set.cases.filter(is_decoy=False).order_by("position").values_list("metadata", flat=True)
    return characteristics_of(list(rows), phase)


def characteristics_of(rows: Sequence[Mapping[str, Any]], phase: Phase) -> list[Characteristic]:
    """The same of cases that are not sealed yet, given what is known of each."""
    names = list(dict.fromkeys(name for metadata in rows for name in metadata))
    grouping, declared = grouping_columns(phase.assessment), _declared(phase)
    table_characteristics = []
    for name in names:
        values = [metadata.get(name) for metadata in rows]
        present = [value for value in values if value not in (None, "")]
        table_characteristics.append(
            Characteristic(
                name=name,
                kind=kind_of(present),
                different=len({str(value) for value in present}),
                lacking=len(values) - len(present),
                groups=name in grouping,
                registered=declared.get(column_name(name), ""),
            )
        )
    return table_characteristics


def kind_of(values: list[Any]) -> str:
    """Return the type of values as text.

    Examples
    --------
    >>> [kind_of(values) for values in ([1, 2.5], [1, 2], [True, False], ["a", 1], [])]
    ['numbers', 'whole numbers', 'yes or no', 'names', 'no values']
    """
    if not values:
        return "no values"
    if all(isinstance(value, bool) for value in values):
        return "yes or no"
    if any(isinstance(value, bool) or not isinstance(value, int | float) for value in values):
        return "names"
    return "whole numbers" if all(float(value).is_integer() for value in values) else "numbers"


def _declared(phase: Phase) -> dict[str, str]:
    projection = projection_of(phase.challenge)
    if projection is None:
        return {}
    document = registered_document(projection.version)
    key = phase.task.design_key
    values = document.values(key if key in document.tasks else None)
    declared = {
        column_name(str(row.get("name", ""))): str(row.get("value_type") or "declared")
        for row in values.rows("image_characteristics")
    }
    kinds = {
        column_name(str(row.get("column", ""))): KINDS[row["kind"]]
        for row in values.rows("case_columns")
        if row.get("kind") in KINDS
    }
    return declared | kinds
