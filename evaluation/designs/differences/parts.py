"""The parts of a difference."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

from evaluation.designs.catalogue import Parameter
from evaluation.designs.document.words import cell_words

SAME, REMOVED, ADDED, CHANGED = "same", "removed", "added", "changed"
# Below this similarity two rows are one that went and one that came.
_ALIKE = 0.5


@dataclass(frozen=True)
class Run:
    """Run of text that was kept, removed or added."""

    kind: str
    text: str


@dataclass(frozen=True)
class Cell:
    """A cell of a compared table: both texts, equal or not."""

    label: str
    before: str
    after: str

    @property
    def is_changed(self) -> bool:
        return self.before != self.after


@dataclass(frozen=True)
class RowChange:
    """A row that stayed, went, came or changed."""

    kind: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class NumberChange:
    """A number before and after, and by how much it changed."""

    before: float
    after: float

    @property
    def words(self) -> str:
        """The change with its sign, and in percent where there was something before."""
        delta = self.after - self.before
        share = f", {100 * delta / self.before:+.3g} %" if self.before else ""
        return f"{delta:+,.10g}{share}"


def word_runs(before: str, after: str) -> list[Run]:
    """Compare two texts word by word.

    Examples
    --------
    >>> [(run.kind, run.text) for run in word_runs("one two three", "one four three")]
    [('same', 'one '), ('removed', 'two'), ('added', 'four'), ('same', ' three')]
    """
    old, new = _words(before), _words(after)
    runs: list[Run] = []
    went = came = ""
    for kind, i1, i2, j1, j2 in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        removed, added = "".join(old[i1:i2]), "".join(new[j1:j2])
        if kind != "equal":
            went, came = went + removed, came + added
        elif (went or came) and not removed.strip() and i2 < len(old) and j2 < len(new):
            # A mere space between two changes belongs to them: words that changed together are read together.
            went, came = went + removed, came + added
        else:
            runs += _changed(went, came)
            went = came = ""
            runs.append(Run(SAME, removed))
    return runs + _changed(went, came)


def _changed(went: str, came: str) -> list[Run]:
    return [run for run in (Run(REMOVED, went), Run(ADDED, came)) if run.text]


def row_changes(
    parameter: Parameter, before: Sequence[Mapping[str, Any]], after: Sequence[Mapping[str, Any]]
) -> list[RowChange]:
    """Compare two tables row by row: equal rows are matched first, then those that are most alike."""
    partner = _match(before, after)
    taken = set(partner.values())
    changes = []
    for j, row in enumerate(after):
        old = next((i for i, match in partner.items() if match == j), None)
        if old is None:
            changes.append(RowChange(ADDED, _cells(parameter, {}, row)))
        else:
            kind = SAME if before[old] == row else CHANGED
            changes.append(RowChange(kind, _cells(parameter, before[old], row)))
    gone = [RowChange(REMOVED, _cells(parameter, row, {})) for i, row in enumerate(before) if i not in partner]
    assert len(taken) == len(partner)
    return [*changes, *gone]


def number_change(before: float, after: float) -> NumberChange:
    """Compare two numbers.

    Examples
    --------
    >>> number_change(60, 45).words
    '-15, -25 %'
    """
    return NumberChange(before, after)


def _words(text: str) -> list[str]:
    return re.findall(r"\s+|[^\s]+", text)


def _match(before: Sequence[Mapping[str, Any]], after: Sequence[Mapping[str, Any]]) -> dict[int, int]:
    partner: dict[int, int] = {}
    free = list(range(len(after)))
    for i, row in enumerate(before):
        j = next((j for j in free if after[j] == row), None)
        if j is not None:
            partner[i] = j
            free.remove(j)
    pairs = sorted(
        (
            (_alike(before[i], after[j]), -abs(i - j), i, j)
            for i in range(len(before))
            if i not in partner
            for j in free
        ),
        reverse=True,
    )
    for alike, _, i, j in pairs:
        if alike >= _ALIKE and i not in partner and j in free:
            partner[i] = j
            free.remove(j)
    return partner


def _alike(one: Mapping[str, Any], other: Mapping[str, Any]) -> float:
    keys = set(one) | set(other)
    return sum(one.get(key) == other.get(key) for key in keys) / len(keys) if keys else 1.0


def _cells(parameter: Parameter, before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[Cell, ...]:
    return tuple(
        Cell(field.label, cell_words(field, before.get(field.key)), cell_words(field, after.get(field.key)))
        for field in parameter.item_fields
        if field.key in before or field.key in after
    )
