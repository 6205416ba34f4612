"""The stored table as a file."""

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from evaluation.boards.effects import effect_cells
from evaluation.boards.page import Method, marks_of
from evaluation.boards.stored import COLUMNS
from web.spreadsheets import harmless

REPORTED: Mapping[str, str] = MappingProxyType(
    {"value": "value", "low": "value_low", "high": "value_high", "with_value": "cases_with_value"}
)
"""Values of a team in a metric that no ranking uses, and their names in files and for programs."""


def csv_rows(
    table: Mapping[str, Any],
    *,
    methods: Mapping[str, Method] = MappingProxyType({}),
    deviations: Sequence[str] = (),
    note: str = "",
) -> Iterator[list[Any]]:
    """Yield the head and one row per team, in the order of the first ranking.

    Each row contains the columns of `COLUMNS` for every order, its verdict, and the numbers about its lead. The latter are
    the same in every row except those about the team itself.
    The metrics that no ranking uses come last, under heads that begin with “without rank”.

    Parameters
    ----------
    table
        As `evaluation.boards.stored.build` returned it.
    methods
        Descriptions of the teams' methods.
    deviations
        Deviations of the ranking from its registration. They appear in every row, so no copy of a row loses them.
    note
        Sentence about all rows, in a column of its own; no column if it is empty.
    """
    reported = table.get("reported", ())
    yield [
        "team",
        "cases",
        "missing",
        "submissions",
        "handed_in",
        "marks",
        "method",
        "deviations",
        *(["note"] if note else ()),
        *(
            f"{order['key']}:{name}"
            for order in table["orders"]
            for name in (*COLUMNS.values(), *effect_cells(order, ""))
        ),
        *(f"without rank:{entry['key']}:{name}" for entry in reported for name in REPORTED.values()),
    ]
    ranks = table["orders"][0]["rank"]
    last = len(ranks) + 1.0
    for index in sorted(range(len(ranks)), key=lambda i: (last if ranks[i] is None else ranks[i], table["teams"][i])):
        values: list[Any] = []
        for order in table["orders"]:
            # Tables of schema 2 lack some columns.
            values += [order[field][index] if field in order else None for field in COLUMNS]
            cells = effect_cells(order, table["teams"][index]).values()
            values += [harmless(cell) if isinstance(cell, str) else cell for cell in cells]
        values += [entry[field][index] for entry in reported for field in REPORTED]
        # Tables that were stored before these were known have none.
        submission_cells = [table[key][index] if key in table else "" for key in ("submissions", "handed_in")]
        team = table["teams"][index]
        method = methods.get(team)
        method_cells = [
            " ".join(marks_of(table, index, method)),
            method.url if method else "",
            harmless("; ".join(deviations)),
            *([harmless(note)] if note else ()),
        ]
        yield [harmless(team), table["cases"], table["missing"][index], *submission_cells, *method_cells, *values]
