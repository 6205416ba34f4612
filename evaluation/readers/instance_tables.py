"""Classes and scores of the objects of label maps, from an optional ``instances.csv`` next to the maps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Final, NamedTuple, TypeAlias

from evaluation.checking.unused import Unused
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
    any_score
        True if a score is any finite number, not one from 0 to 1.
    """

    file: ClassVar[str] = INSTANCES_FILE
    words: ClassVar[str] = "table of instances"
    columns: ClassVar[tuple[str, ...]] = COLUMNS
    remedy: ClassVar[str] = "Give one row for each object."

    classes: tuple[str, ...] | None
    need_class: bool = False
    need_scores: tuple[str, ...] = ()
    any_score: bool = False

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

        A row that cannot be read excludes only its own object, and the result reports the reason.

        Raises
        ------
        ReadError
            If the table as a whole cannot be read.
        """
        return read_instances(path, self, by_row=True, limits=limits)


@dataclass
class InstanceTable:
    """Classes and scores of the objects of all cases.

    Attributes
    ----------
    instances
        By case.
    dropped
        Reasons of the rows that are not used, by case. The other rows of the case count.
    """

    instances: dict[str, dict[int, Instance]] = field(default_factory=dict)
    dropped: dict[str, list[Issue]] = field(default_factory=dict)

    @property
    def cases(self) -> list[str]:
        """All cases that the table names."""
        return list(dict.fromkeys([*self.instances, *self.dropped]))

    def of(self, case: str) -> Instances:
        """The rows of a case, none if it has none."""
        return self.instances.get(case, {})


def read_instances(
    path: Path,
    rules: InstanceRules,
    *,
    scored: bool = True,
    by_row: bool = False,
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
    by_row
        True to exclude each invalid row and report the reason, instead of refusing the whole table. Of several rows
        for one label, none is used.

    Raises
    ------
    ReadError
        If the table cannot be read. Without ``by_row`` also for a single invalid row. A row is invalid with an
        unknown class, a score that the rules do not accept, or a label that is not a whole number from 1 or occurs twice.
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
    first_row: dict[tuple[str, int], int] = {}
    repeated: dict[int, ReadError] = {}
    rows = list(map(Instance, names, scores, ignored))
    for row, (case, label) in enumerate(zip(cases, labels, strict=True)):
        if row in wrong:
            continue
        if label != int(label) or label > limits.label:
            wrong[row] = _not_once(table.name, label, row)
        elif (first := first_row.setdefault((case, int(label)), row)) != row:
            wrong[row] = _not_once(table.name, label, row)
            repeated[first] = _not_once(table.name, label, first)
    if wrong and not by_row:
        raise wrong[min(wrong)]
    wrong = repeated | wrong
    for row, (case, label) in enumerate(zip(cases, labels, strict=True)):
        if row in wrong:
            error = wrong[row]
            instance_table.dropped.setdefault(case, []).append(error.of_case(case).issue)
        else:
            instance_table.instances.setdefault(case, {})[int(label)] = rows[row]
    return instance_table


def _not_once(file: str, label: float, row: int) -> ReadError:
    name = f"{label:.12g}"
    message = f"the instance {name} in row {row + 2}"
    return ReadError("table", file, message, "each whole number once a case", row=row + 2, cell=name)


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


def rows_and_objects(
    image: LabelImage, table: InstanceTable, *, case: str, file: str
) -> tuple[dict[int, Instance], Unused]:
    """Return the rows of the objects of a predicted label map, and what is not used of both.

    An object without a valid row counts as not predicted, and a row without an object is ignored.

    Parameters
    ----------
    image
        The label map of the case.
    table
        The table of all cases.
    case, file
        Name of the case and of the label map, for the message.

    Returns
    -------
    dict
        Rows by label, of the objects that are used.
    Unused
        Number of rows and objects that are not used, and the message about the first of them.
    """
    present = {int(label) for label in labels_present(image.labels)} - {0}
    instances, dropped = table.of(case), table.dropped.get(case, [])
    used = {label: row for label, row in instances.items() if label in present}
    rows_alone, objects_alone = sorted(set(instances) - present), sorted(present - set(instances))
    reasons = [issue.message for issue in dropped]
    reasons += [
        f"{INSTANCES_FILE}: case {case}: the instance {label} has no pixel in {file}" for label in rows_alone[:1]
    ]
    reasons += [
        f"{INSTANCES_FILE}: case {case}: no row for the instance {label} of {file}" for label in objects_alone[:1]
    ]
    # The object of a row that cannot be read is one object and not two.
    count = len(rows_alone) + max(len(objects_alone), len(dropped))
    return used, Unused(count, len(used) + count, reasons[0]) if count else Unused()


def _classes(table: Table, rules: InstanceRules, wrong: dict[int, ReadError], ignored: list[bool]) -> list[str]:
    if "class" not in table:
        if rules.need_class:
            raise ReadError("table", table.name, "no column class", f"one of {_listed(rules.classes or ())}")
        return [""] * len(table)
    names = table.columns["class"]
    for row, name in enumerate(names if rules.classes is not None else ()):
        if name not in (rules.classes or ()) and (name or (rules.need_class and not ignored[row])):
            what = f"{name[:40]!r} as class in row {row + 2}"
            classes = f"one of {_listed(rules.classes or ())}"
            wrong.setdefault(row, ReadError("table", table.name, what, classes, row=row + 2, cell=name))
    return names


def _scores(table: Table, rules: InstanceRules, wrong: dict[int, ReadError]) -> list[float] | list[None]:
    if "score" not in table or not (any(table.columns["score"]) or len(table) == 0):
        if rules.need_scores:
            needing = ", ".join(rules.need_scores)
            raise ReadError("table", table.name, f"no scores, which {needing} need", "a column score")
        return [None] * len(table)
    bounds = {} if rules.any_score else {"low": 0, "high": 1}
    scores, bad = table.numbers_or_errors("score", **bounds)
    for row, error in bad.items():
        wrong.setdefault(row, error)
    return scores


def _listed(classes: tuple[str, ...]) -> str:
    return ", ".join(classes[:_SHOWN]) + (", …" if len(classes) > _SHOWN else "")
