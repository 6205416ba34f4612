"""Objects of all cases in one file: boxes or points as CSV, or COCO JSON."""

from __future__ import annotations

import json
import math
import unicodedata
from collections import Counter
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

import numpy as np

from evaluation.matching import Objects
from evaluation.readers.cells import Table, read_table
from evaluation.readers.errors import Issue, ReadError
from evaluation.readers.limits import DEFAULT, Limits

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

_LOWER = ("x_min", "y_min", "z_min")
_UPPER = ("x_max", "y_max", "z_max")
_POINT = ("x", "y", "z")
_DECISION = "decision"
_DOUBLE_ENDINGS = (".nii.gz", ".ome.tiff", ".ome.tif", ".seg.nrrd")
_SHOWN = 12
_FIRST = 3
_DIGITS = 20
_DECIDED = {"0": False, "0.0": False, "false": False, "1": True, "1.0": True, "true": True}
"""Decisions as tables contain them: a column of numbers or of truth values, as pandas, R and Excel write it."""


@dataclass
class ObjectTable:
    """The objects of all cases.

    Attributes
    ----------
    objects
        Objects by case; cases without objects can be absent.
    cases
        All cases that the file names, including those without objects (COCO lists its images).
    image_names, category_names
        Names of the ids of a COCO file, which a bare list of results refers to.
    dropped
        Reasons of the rows that were excluded, by case; only filled on request.
    kind
        ``boxes`` or ``points``, and the number of axes.
    """

    objects: dict[str, Objects]
    cases: list[str]
    image_names: dict[Any, str] = field(default_factory=dict)
    category_names: dict[Any, str] = field(default_factory=dict)
    dropped: dict[str, list[Issue]] = field(default_factory=dict)
    kind: tuple[str, int] = ("boxes", 2)

    def of(self, case: str) -> Objects:
        """The objects of a case, none if it has none."""
        if case in self.objects:
            return self.objects[case]
        example = next(iter(self.objects.values()), None)
        if example is None:
            name, axes = self.kind
            if name == "points":
                return Objects(points=np.zeros((0, axes)), classes=[], scores=[])
            return Objects(boxes=np.zeros((0, 2 * axes)), classes=[], scores=[])
        empty = np.zeros(0, dtype=np.int64)
        return example.select(empty)


class UnknownImagesError(ReadError):
    """List of COCO results of which no image id is one of the task.

    Attributes
    ----------
    given
        The image ids.
    """

    def __init__(self, file: str, given: Sequence[int | str], expected: str) -> None:
        content = f"0 of {len(given)} image ids are those of the task; the first is {str(given[0])[:40]}"
        super().__init__("table", file, content, expected)
        self.given = given


@dataclass(frozen=True)
class ResultIds:
    """Names of the ids in a list of COCO results, which has no images and categories of its own.

    Attributes
    ----------
    images
        Case of each image id.
    categories
        Class of each category id.
    only_class
        Class of all objects, if there is only one and the ids of categories are unknown.
    are_names
        Whether only names are known. A number is then refused: it could be the id of another image.
    """

    images: Mapping[Any, str]
    categories: Mapping[Any, str]
    only_class: str | None = None
    are_names: bool = False

    @classmethod
    def of_ids(
        cls,
        images: Sequence[tuple[int | str, str]],
        categories: Sequence[tuple[int | str, str]],
        classes: Sequence[str],
    ) -> ResultIds:
        """Return known ids. If there is one class without a number, every number means it."""
        has_number = any(isinstance(each, int) for each, _ in categories)
        only_class = (classes[0] if classes else "") if len(classes) <= 1 and not has_number else None
        return cls(dict(images), dict(categories), only_class)

    @classmethod
    def of_names(cls, cases: Sequence[str], classes: Sequence[str]) -> ResultIds:
        """Return names as ids, where no other ids are known.

        Examples
        --------
        >>> ResultIds.of_names(["007", "a"], ["lesion"]).images
        {'007': '007', 'a': 'a'}
        """
        images = dict(zip(cases, cases, strict=True))
        if len(classes) > 1:
            return cls(images, {name: name for name in classes}, are_names=True)
        return cls(images, {}, classes[0] if classes else "", are_names=True)


def numbered(names: Sequence[str]) -> list[tuple[int | str, str]]:
    """Return names with themselves as ids, and with their numbers if they are numbers.

    Examples
    --------
    >>> numbered(["007", "a"])
    [('007', '007'), ('a', 'a'), (7, '007')]
    """
    numbers = [(int(name), name) for name in names if name.isdecimal() and len(name) < _DIGITS]
    counts = Counter(number for number, _ in numbers)
    return [*((name, name) for name in names), *(pair for pair in numbers if counts[pair[0]] == 1)]


@dataclass(frozen=True)
class RowRules:
    """Rules for the rows of a table of predictions that is read row by row.

    Attributes
    ----------
    classes
        Accepted names of classes; ``None`` accepts any.
    need_class
        True if every object needs a class.
    any_score
        True if a score is any finite number, not one from 0 to 1.
    """

    classes: tuple[str, ...] | None = None
    need_class: bool = False
    any_score: bool = False

    @property
    def scores(self) -> dict[str, float]:
        """Bounds of a score."""
        return {} if self.any_score else {"low": 0, "high": 1}


def read_objects(
    path: Path,
    *,
    scored: bool,
    ids: ResultIds | None = None,
    rules: RowRules | None = None,
    limits: Limits = DEFAULT,
) -> ObjectTable:
    """Read ``objects.csv`` or ``objects.json``.

    The column ``class`` of a CSV file is optional: without it, objects have no class. The column ``decision``
    of predictions is optional too, and if present, it is required in every row. It is 1 for an object that
    counts as detected at a working point, and 0 for any other.

    Parameters
    ----------
    path
        The file.
    scored
        True if objects can have scores (predictions), False if they have none (references).
    ids
        Names of the ids that a list of COCO results refers to.
    rules
        Excludes each invalid row and reports the reason, instead of refusing the whole table. The other rows of its case count.

    Raises
    ------
    ReadError
        If the file cannot be read, or no row of it is valid.
    """
    if path.suffix.lower() == ".json":
        return _read_coco(path, ids, rules, limits)
    table = read_table(path, ("case",), limits=limits)
    boxes = all(column in table for column in (*_LOWER[:2], *_UPPER[:2]))
    if not boxes and not all(column in table for column in _POINT[:2]):
        raise ReadError("table", path.name, "neither boxes nor points", "x_min, y_min, x_max, y_max or x, y")
    if boxes:
        axes = 3 if "z_min" in table and "z_max" in table else 2
        names = (*_LOWER[:axes], *_UPPER[:axes])
    else:
        names = _POINT if "z" in table else _POINT[:2]
        axes = len(names)
    wrong: dict[int, ReadError] = {}

    def numbers(column: str, **bounds: float) -> Any:
        if rules is None:
            return np.array(table.numbers(column, **bounds), dtype=float)
        values, bad = table.numbers_or_errors(column, **bounds)
        for row, error in bad.items():
            wrong.setdefault(row, error)
        return np.array(values, dtype=float)

    places = np.array([numbers(name) for name in names]).T.reshape(len(table), len(names))
    bounds = (rules or RowRules()).scores
    scores = numbers("score", **bounds) if scored and "score" in table else None
    ignored = numbers("ignore", low=0, high=1) > 0 if not scored and "ignore" in table else None
    decisions, undecided = _decisions(table) if scored and _DECISION in table else (None, {})
    if undecided and rules is None:
        raise undecided[min(undecided)]
    for row, error in undecided.items():
        wrong.setdefault(row, error)
    if boxes:
        for row in np.flatnonzero((places[:, axes:] <= places[:, :axes]).any(axis=1)).tolist():
            message = f"a box without extent in row {row + 2}"
            error = ReadError("table", path.name, message, "x_min < x_max, y_min < y_max", row=row + 2)
            if rules is None:
                raise error
            wrong.setdefault(row, error)
    if rules is not None:
        for row, name in enumerate(table.columns.get("class", [""] * len(table))):
            if (refusal := _refusal_of_class(name, rules, path.name, f" in row {row + 2}", row=row + 2)) is not None:
                wrong.setdefault(row, refusal)
        _refuse_if_none_is_left(wrong, len(table))
    kind = ("boxes" if boxes else "points", axes)
    return _by_case(table, places, scores, ignored, decisions, kind, wrong)


def _decisions(table: Table) -> tuple[NDArray[np.bool_], dict[int, ReadError]]:
    """Return which objects count as detected, and the errors of cells that are neither 0 nor 1, by row."""
    cells = [cell.strip() for cell in table.columns[_DECISION]]
    wrong = {}
    for row, cell in enumerate(cells):
        if cell.lower() not in _DECIDED:
            content = f"{cell[:40]!r} as {_DECISION} in row {row + 2}" if cell else f"no {_DECISION} in row {row + 2}"
            expected = "0 or 1 in every row, or a table without this column"
            wrong[row] = ReadError("table", table.name, content, expected, row=row + 2, cell=cell)
    return np.array([_DECIDED.get(cell.lower(), 0) for cell in cells], dtype=bool), wrong


def _by_case(
    table: Table,
    places: Any,
    scores: Any,
    ignored: Any,
    decisions: Any,
    kind: tuple[str, int],
    wrong: Mapping[int, ReadError],
) -> ObjectTable:
    cases, classes = table.text("case"), table.columns.get("class")
    rows_of: dict[str, list[int]] = {}
    dropped: dict[str, list[Issue]] = {}
    for row, case in enumerate(cases):
        if row in wrong:
            dropped.setdefault(case, []).append(wrong[row].of_case(case).issue)
        else:
            rows_of.setdefault(case, []).append(row)
    objects = {
        case: Objects(
            **{kind[0]: places[rows]},
            classes=None if classes is None else [classes[row] for row in rows],
            scores=None if scores is None else scores[rows],
            ignored=None if ignored is None else ignored[rows],
            decisions=None if decisions is None else decisions[rows],
        )
        for case, rows in rows_of.items()
    }
    return ObjectTable(objects, list(dict.fromkeys(cases)), dropped=dropped, kind=kind)


def _refusal_of_class(name: str, rules: RowRules, file: str, place: str, *, row: int | None = None) -> ReadError | None:
    """Return the error of a class that the task does not know, or that is missing; ``None`` for a valid one."""
    if not name:
        if not rules.need_class:
            return None
        return ReadError("table", file, f"no class{place}", "a class for each object", row=row)
    if rules.classes is None or name in rules.classes:
        return None
    allowed = ", ".join(rules.classes[:_SHOWN]) + (", …" if len(rules.classes) > _SHOWN else "")
    return ReadError("table", file, f"the class {name[:40]!r}{place}", f"one of {allowed}", row=row, cell=name)


def _refuse_if_none_is_left(wrong: Mapping[int, ReadError], rows: int) -> None:
    """Refuse a table of which no row is valid: that is no slip in a row but another format.

    Raises
    ------
    ReadError
        For the first row.
    """
    if rows and len(wrong) == rows:
        raise wrong[min(wrong)]


def _read_coco(path: Path, ids: ResultIds | None, rules: RowRules | None, limits: Limits) -> ObjectTable:
    name = path.name
    if not path.is_file():
        raise ReadError("not_found", name, "there is no such file")
    if path.stat().st_size > limits.table_bytes:
        raise ReadError("too_large", name, f"{path.stat().st_size:,} bytes", f"at most {limits.table_bytes:,}")
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        if isinstance(document, list):
            images, categories = _names_of_list(document, ids, name)
            entries, known_ids = document, f"an image_id such as {_first(images)}"
            known_ids += f" and a category_id such as {_first(categories)}" if categories else ""
        else:
            known_ids = "an id of the file's images and categories"
            images = {i["id"]: str(i.get("case") or case_of_image_name(i["file_name"])) for i in document["images"]}
            categories = {c["id"]: str(c["name"]) for c in document["categories"]}
            entries = document["annotations"]
        if len(entries) > limits.table_rows:
            raise ReadError("too_large", name, f"{len(entries):,} objects", f"at most {limits.table_rows:,}")
        are_names = isinstance(document, list) and ids is not None and ids.are_names
        entries = [_with_known_ids(entry, images, categories, are_names=are_names) for entry in entries]
        rows, dropped = _coco_rows(entries, images, categories, rules, name, known_ids)
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError, OverflowError) as error:
        if isinstance(error, ReadError):
            raise
        reason = f"no {error}" if isinstance(error, KeyError) else str(error)[:100]
        raise ReadError(
            "table", name, f"not as COCO writes it ({reason})", "images, annotations and categories"
        ) from None
    of_case: dict[str, list[Any]] = {}
    for row in rows:
        of_case.setdefault(row[0], []).append(row)
    objects: dict[str, Objects] = {}
    for case, case_rows in of_case.items():
        scores = [row[3] for row in case_rows]
        objects[case] = Objects(
            boxes=np.array([row[2] for row in case_rows], dtype=float).reshape(len(case_rows), 4),
            classes=[row[1] for row in case_rows],
            scores=None if None in scores else np.array(scores, dtype=float),
            ignored=[row[4] for row in case_rows],
            decisions=None if case_rows[0][5] is None else [row[5] for row in case_rows],
        )
    return ObjectTable(objects, list(dict.fromkeys(images.values())), dict(images), dict(categories), dropped)


def case_of_image_name(name: str) -> str:
    """Return the case that the file name of an image means: the name without folders and ending.

    Examples
    --------
    >>> case_of_image_name("test/a 1.nii.gz"), case_of_image_name("c.3.png"), case_of_image_name("x.ome.tif")
    ('a 1', 'c.3', 'x')
    """
    bare = unicodedata.normalize("NFC", PurePosixPath(name.replace("\\", "/")).name)
    lower = bare.lower()
    double = next((ending for ending in _DOUBLE_ENDINGS if lower.endswith(ending) and len(bare) > len(ending)), "")
    return bare[: -len(double)] if double else PurePosixPath(bare).stem


def _names_of_list(
    entries: Sequence[Any], ids: ResultIds | None, name: str
) -> tuple[Mapping[Any, str], Mapping[Any, str]]:
    """Return the case of each image id and the class of each category id of a list of results.

    Raises
    ------
    UnknownImagesError
        If no image id is known.
    ReadError
        If no category id is known.
    """
    whole = "a COCO document with images, categories and annotations"
    if ids is None or not ids.images:
        raise ReadError("table", name, "a list of results without images", whole)
    objects = [entry for entry in entries if isinstance(entry, dict)]
    given = _hashable(entry.get("image_id") for entry in objects)
    known = (each in ids.images or _image_id(each, ids.images, are_names=ids.are_names) is not None for each in given)
    if given and not any(known):
        raise UnknownImagesError(name, given, f"an image_id such as {_first(ids.images)}, or {whole}")
    if ids.only_class is None:
        return ids.images, ids.categories
    used = _hashable(entry.get("category_id") for entry in objects)
    if len(used) > 1:
        raise ReadError("table", name, f"{len(used)} category ids without names", f"one, or {whole}")
    return ids.images, dict.fromkeys(used, ids.only_class)


def _hashable(values: Iterable[Any]) -> list[Any]:
    return list(dict.fromkeys(value for value in values if isinstance(value, (int, str))))


def _first(names: Mapping[Any, str]) -> str:
    ordered = sorted(names, key=lambda each: (isinstance(each, str), each))
    return ", ".join(str(each)[:40] for each in ordered[:_FIRST])


def _with_known_ids(
    entry: Any, images: Mapping[Any, str], categories: Mapping[Any, str], *, are_names: bool = False
) -> Any:
    """An annotation whose ids have the type of those in the file: programs write numbers as text, and text as numbers."""
    if not isinstance(entry, dict):
        return entry
    return entry | {
        key: same
        for key, same in (
            ("image_id", _image_id(entry.get("image_id"), images, are_names=are_names)),
            ("category_id", _same_id(entry.get("category_id"), categories, are_names=are_names)),
        )
        if same is not None
    }


def _same_id(given: Any, names: Mapping[Any, str], *, are_names: bool = False) -> Any:
    """The known id that is the given one in the other type; ``None`` if there is none, or none is needed."""
    if isinstance(given, bool) or not isinstance(given, (int, str)) or given in names:
        return None
    if isinstance(given, int):
        return str(given) if not are_names and abs(given) < 10**_DIGITS and str(given) in names else None
    number = int(given) if given.isdecimal() and len(given) < _DIGITS else None
    return number if number in names else None


def _image_id(given: Any, images: Mapping[Any, str], *, are_names: bool = False) -> Any:
    """The same as `_same_id`, and the name of a case for the name of its file."""
    if (
        (same := _same_id(given, images, are_names=are_names)) is None
        and isinstance(given, str)
        and given not in images
    ):
        case = case_of_image_name(given)
        return case if images.get(case) == case else None
    return same


def _coco_rows(
    entries: Sequence[Mapping[str, Any]],
    images: Mapping[Any, str],
    categories: Mapping[Any, str],
    rules: RowRules | None,
    name: str,
    known_ids: str,
) -> tuple[list[tuple[Any, ...]], dict[str, list[Issue]]]:
    """Read the objects; with rules, what cannot be read costs only its own object.

    Raises
    ------
    ReadError
        For the first invalid object without rules, or if none is valid.
    """
    if rules is None:
        every = [_coco_row(entry, images, categories, name, RowRules()) for entry in entries]
        if 0 < (given := sum(row[5] is not None for row in every)) < len(every):
            content = f"{_DECISION} in {given:,} of {len(every):,} objects"
            raise ReadError("table", name, content, "0 or 1 for every object, or for none")
        return every, {}
    rows: list[tuple[Any, ...]] = []
    wrong: dict[int, tuple[str, ReadError]] = {}
    needed = [
        key
        for key in ("score", _DECISION)
        if any(isinstance(entry, dict) and entry.get(key) is not None for entry in entries)
    ]
    for number, entry in enumerate(entries):
        try:
            rows.append(_checked_coco_row(entry, number, images, categories, rules, name, needed, known_ids))
        except ReadError as error:
            wrong[number] = (_case_of_entry(entry, images), error)
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
            reason = f"no {error}" if isinstance(error, KeyError) else str(error)[:100]
            content = f"object {number + 1} is not as COCO writes it ({reason})"
            wrong[number] = (
                _case_of_entry(entry, images),
                ReadError("table", name, content, "image_id, category_id, bbox and score"),
            )
    _refuse_if_none_is_left({number: error for number, (_, error) in wrong.items()}, len(entries))
    dropped: dict[str, list[Issue]] = {}
    for case, refusal in wrong.values():
        dropped.setdefault(case, []).append(refusal.of_case(case).issue)
    return rows, dropped


def _case_of_entry(entry: object, images: Mapping[Any, str]) -> str:
    """Return the case of an object, or an empty text where it names none."""
    named = entry.get("image_id") if isinstance(entry, dict) else None
    return images.get(named, "") if isinstance(named, (int, str)) else ""


def _checked_coco_row(
    entry: Mapping[str, Any],
    number: int,
    images: Mapping[Any, str],
    categories: Mapping[Any, str],
    rules: RowRules,
    name: str,
    needed: Sequence[str],
    known_ids: str,
) -> tuple[Any, ...]:
    """Read one object of a COCO file.

    Raises
    ------
    ReadError
        For an id, class, box or score that cannot be accepted.
    """
    for key, ids in (("image_id", images), ("category_id", categories)):
        if entry[key] not in ids:
            what = f"the {key} {str(entry[key])[:40]} of object {number + 1}"
            raise ReadError("table", name, what, known_ids)
    row = _coco_row(entry, images, categories, name, rules)
    refusal = _refusal_of_class(row[1], rules, name, f" of object {number + 1}")
    if refusal is not None:
        raise refusal
    for key in needed:
        if entry.get(key) is None:
            raise ReadError("table", name, f"no {key} of object {number + 1}", f"a {key} for every object")
    return row


def _coco_row(
    entry: Mapping[str, Any], images: Mapping[Any, str], categories: Mapping[Any, str], name: str, rules: RowRules
) -> tuple[str, str, tuple[float, ...], float | None, bool, int | None]:
    x, y, width, height = (float(number) for number in entry["bbox"])
    numbers = (x, y, x + width, y + height)
    score = entry.get("score")
    if not all(map(math.isfinite, numbers)) or width <= 0 or height <= 0:
        raise ReadError("table", name, f"the box {entry['bbox']}", "four finite numbers with a positive extent")
    if score is not None and not (math.isfinite(float(score)) if rules.any_score else 0 <= float(score) <= 1):
        raise ReadError("table", name, f"the score {score}", "a number" + ("" if rules.any_score else " from 0 to 1"))
    decision = entry.get(_DECISION)
    if decision is not None and decision not in (0, 1):
        raise ReadError("table", name, f"the {_DECISION} {str(decision)[:40]}", "0 or 1")
    return (
        images[entry["image_id"]],
        categories[entry["category_id"]],
        numbers,
        None if score is None else float(score),
        bool(entry.get("iscrowd", 0)),
        None if decision is None else int(decision),
    )
