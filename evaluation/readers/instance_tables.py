"""Classes and scores of the objects of label maps, from an optional ``instances.csv`` next to the maps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Final, NamedTuple, TypeAlias

from evaluation.readers.cells import Table, read_table
from evaluation.readers.errors import Issue, ReadError
from evaluation.readers.labels import labels_present
from evaluation.readers.limits import DEFAULT, Limits

if TYPE_CHECKING:
    from pathlib import Path

    from evaluation.readers.images import LabelImage

INSTANCES_FILE: Final = "instances.csv"
COLUMNS: Final = ("case", "instance", "class", "score")
Instances: TypeAlias = Mapping[int, "Instance"]
"""The rows of one case, by label."""
_SHOWN: Final = 12


class Instance(NamedTuple):
    """Row of an instance table: class (empty without one), score, and a mark for ignored regions."""

    name: str
    score: float | None = None
    ignored: bool = False


@dataclass(frozen=True)
class InstanceRules:
    """Requirements of a task for the table of instances; they are public.

    Attributes
    ----------
    classes
        Classes that the task knows; ``None`` accepts any.
    need_class
        True if every object needs one of them; with a single class it can be omitted.
    need_scores
        Names of the metrics that have no value without the score of every object.
    """

    file: ClassVar[str] = INSTANCES_FILE
    words: ClassVar[str] = "table of instances"
    columns: ClassVar[tuple[str, ...]] = COLUMNS
    remedy: ClassVar[str] = "Give one row for each object."

    classes: tuple[str, ...] | None
    need_class: bool = False
    need_scores: tuple[str, ...] = ()

    @property
    def needed(self) -> bool:
        """True if the table is required."""
        return self.need_class or bool(self.need_scores)

    @property
    def purpose(self) -> str:
        """Purpose of the table, as the end of a sentence."""
        reasons = ["the class of each object"] if self.need_class else []
        if self.need_scores:
            reasons.append(f"the score of each object, which {', '.join(self.need_scores)} need")
        return " and ".join(reasons)

    def read(self, path: Path, *, limits: Limits = DEFAULT) -> InstanceTable:
        """Read the table next to predictions.

        A row that cannot be read excludes only its own case, and the result reports the reason.

        Raises
        ------
        ReadError
            If the table as a whole cannot be read.
        """
        return read_instances(path, self, by_case=True, limits=limits)


@dataclass
class InstanceTable:
    """Classes and scores of the objects of all cases.

    Attributes
    ----------
    instances
        By case.
    invalid
        Why the rows of a case cannot be taken, by case.
    """

    instances: dict[str, dict[int, Instance]] = field(default_factory=dict)
    invalid: dict[str, Issue] = field(default_factory=dict)

    @property
    def cases(self) -> list[str]:
        """All cases that the table names."""
        return [*self.instances, *(case for case in self.invalid if case not in self.instances)]

    def of(self, case: str) -> Instances:
        """The rows of a case, none if it has none."""
        return self.instances.get(case, {})


def read_instances(
    path: Path,
    rules: InstanceRules,
    *,
    scored: bool = True,
    by_case: bool = False,
    limits: Limits = DEFAULT,
) -> InstanceTable:
    """Read ``instances.csv``.

    Parameters
    ----------
    path
        The table, with the columns ``case`` and ``instance`` and, as the task requires, ``class`` and ``score``.
    rules
        Requirements of the task for the table.
    scored
        True if objects have scores (predictions), False if they have none (references). References can have a
        column ``ignore`` instead, which is 1 for regions that do not count for any algorithm and need no class.
    by_case
        True to exclude the cases of invalid rows and report the reason, instead of refusing the whole table.

    Raises
    ------
    ReadError
        If the table cannot be read. Without ``by_case`` also for a single invalid row. A row is invalid with an
        unknown class, a score outside [0, 1], or a label that is not a whole number from 1 or occurs twice.
    """
    table = read_table(path, ("case", "instance"), limits=limits)
    cases = table.text("case")
    wrong: dict[int, ReadError] = {}
    labels, bad = table.numbers_or_errors("instance", low=1)
    wrong |= bad
    ignored = [False] * len(table)
    if not scored and "ignore" in table:
        marks, bad = table.numbers_or_errors("ignore", low=0, high=1)
        wrong |= bad
        ignored = [mark > 0 for mark in marks]
    names = _classes(table, rules, wrong, ignored)
    scores = _scores(table, rules, wrong) if scored else [None] * len(table)
    instance_table = InstanceTable()
    rows = map(Instance, names, scores, ignored)
    for row, (case, label, instance) in enumerate(zip(cases, labels, rows, strict=True)):
        of_case = instance_table.instances.setdefault(case, {})
        if row not in wrong and (label != int(label) or label > limits.label or int(label) in of_case):
            what = f"the instance {label:.12g} in row {row + 2}"
            wrong[row] = ReadError("table", table.name, what, "each whole number once a case")
        of_case[int(label)] = instance
    if wrong and not by_case:
        raise wrong[min(wrong)]
    for row in sorted(wrong):
        first = wrong[row]
        again = ReadError(first.kind, first.file, f"case {cases[row]}: {first.found}", first.expected)
        instance_table.invalid.setdefault(cases[row], again.issue)
    for case in instance_table.invalid:
        del instance_table.instances[case]
    return instance_table


def check_instances(image: LabelImage, instances: Instances, *, case: str, file: str) -> None:
    """Refuse rows that do not match a label map: every object needs exactly one row.

    Parameters
    ----------
    image
        The label map of the case.
    instances
        The rows of the case.
    case, file
        Name of the case and of the label map, for the message.

    Raises
    ------
    ReadError
        With kind ``table``, naming the first label that occurs only in the rows or only in the label map.
    """
    present = {int(label) for label in labels_present(image.labels)} - {0}
    if lacking := sorted(set(instances) - present):
        what = f"case {case}: the instance {lacking[0]} has no pixel in {file}"
        raise ReadError("table", INSTANCES_FILE, what, "one row for each object of the label map")
    if unnamed := sorted(present - set(instances)):
        what = f"case {case}: no row for the instance {unnamed[0]} of {file}"
        raise ReadError("table", INSTANCES_FILE, what, "one row for each object of the label map")


def _classes(table: Table, rules: InstanceRules, wrong: dict[int, ReadError], ignored: list[bool]) -> list[str]:
    if "class" not in table:
        if rules.need_class:
            raise ReadError("table", table.name, "no column class", f"one of {_listed(rules.classes or ())}")
        return [""] * len(table)
    names = table.columns["class"]
    for row, name in enumerate(names if rules.classes is not None else ()):
        if name not in (rules.classes or ()) and (name or (rules.need_class and not ignored[row])):
            what = f"{name[:40]!r} as class in row {row + 2}"
            wrong.setdefault(row, ReadError("table", table.name, what, f"one of {_listed(rules.classes or ())}"))
    return names


def _scores(table: Table, rules: InstanceRules, wrong: dict[int, ReadError]) -> list[float] | list[None]:
    if "score" not in table or not (any(table.columns["score"]) or len(table) == 0):
        if rules.need_scores:
            needing = ", ".join(rules.need_scores)
            raise ReadError("table", table.name, f"no scores, which {needing} need", "a column score")
        return [None] * len(table)
    scores, bad = table.numbers_or_errors("score", low=0, high=1)
    for row, error in bad.items():
        wrong.setdefault(row, error)
    return scores


def _listed(classes: tuple[str, ...]) -> str:
    return ", ".join(classes[:_SHOWN]) + (", …" if len(classes) > _SHOWN else "")
