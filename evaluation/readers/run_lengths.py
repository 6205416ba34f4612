"""Masks of the objects of one case: run lengths or polygons of COCO (``<case>.json``), or GeoJSON of QuPath.

Every bound is checked before memory is allocated, and every count before it is used.
"""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from evaluation.readers.errors import Issue, ReadError
from evaluation.readers.geometry import Geometry
from evaluation.readers.limits import DEFAULT, Limits
from evaluation.readers.outlines import Room, entry_of, features_of, mask_of_rings, rings_of, run_lengths_of_polygons

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

SUFFIX: Final = ".json"
OBJECTS: Final = "objects"
MOST_OBJECTS: Final = 5_000
_MOST_DIGITS: Final = 7
_FIRST: Final = 48
_LARGEST: Final = 1e300
_OTHER_FORMAT: Final = 3
"""Number of objects from which a file without any valid one has another format."""
_KEYS: Final = "segmentation, class, score and ignore"


class InstanceMask(NamedTuple):
    """One object of a file.

    Attributes
    ----------
    part, offset
        Mask inside its bounding box, axes x, y[, z], and the first pixel of the box.
    name
        Class, empty without one.
    score
        Score, if there is one.
    is_ignored
        Whether the object is a region that counts for no one.
    """

    part: NDArray[np.bool_]
    offset: tuple[int, ...]
    name: str
    score: float | None
    is_ignored: bool


class InstanceMasks(NamedTuple):
    """The objects of one case and the grid of its image.

    Attributes
    ----------
    dropped
        Reasons of the objects that are not used.
    """

    geometry: Geometry
    objects: tuple[InstanceMask, ...]
    dropped: tuple[Issue, ...] = ()


class MaskRules(NamedTuple):
    """Requirements of a task for the objects of a file.

    Attributes
    ----------
    classes
        Classes that the task knows; ``None`` accepts any.
    need_class
        True if every object needs one of them.
    need_scores
        Names of the metrics that need the score of every object.
    any_score
        True if a score is any finite number, not one from 0 to 1.
    takes_ignored
        True if regions that count for no team are allowed: in references, not in predictions.
    """

    classes: tuple[str, ...] | None = None
    need_class: bool = False
    need_scores: tuple[str, ...] = ()
    any_score: bool = False
    takes_ignored: bool = True

    @classmethod
    def of(cls, document: Mapping[str, Any], *, are_predictions: bool) -> MaskRules:
        """Return the rules that a document with these names describes."""
        classes = document["classes"]
        return cls(
            None if classes is None else tuple(classes),
            document["need_class"],
            tuple(document["need_scores"]),
            document.get("scores") == "any",
            not are_predictions,
        )

    def check(self, each: InstanceMask, file: str, entry_name: str) -> None:
        """Refuse an object without the class or score that the task needs, an unknown class, and an ignored prediction.

        Raises
        ------
        ReadError
            With the object, the value and what is allowed.
        """
        if each.is_ignored and self.takes_ignored:
            return
        if each.is_ignored:
            raise ReadError("table", file, f"{entry_name} is an ignored region", "ignored regions only in references")
        allowed = ", ".join(self.classes or ())
        if self.need_class and not each.name:
            raise ReadError("table", file, f"no class for {entry_name}", f"one of {allowed}")
        if each.name and self.classes is not None and each.name not in self.classes:
            raise ReadError("table", file, f"{each.name[:60]} as class of {entry_name}", allowed)
        if self.need_scores and each.score is None:
            raise ReadError("table", file, f"no score for {entry_name}", f"a score, for {', '.join(self.need_scores)}")


def read_masks(
    path: Path,
    *,
    expected: Geometry | None = None,
    rules: MaskRules | None = None,
    by_object: bool = False,
    limits: Limits = DEFAULT,
) -> InstanceMasks:
    """Read the objects of one case.

    The file is an object with ``size`` (height, width and, for volumes, slices), optionally ``spacing`` (mm along x, y and z)
    and the list ``objects``. Each entry has ``segmentation`` (``size`` and ``counts``, compressed or as a list, in column
    order as in COCO; or polygons), and optionally ``class``, ``score`` and ``ignore``.

    GeoJSON, as QuPath exports it, has features in place of objects. If no grid is expected, the collection also needs
    ``size``.

    Parameters
    ----------
    expected
        The grid that the image must have.
    rules
        Requirements of the task for the objects.
    by_object
        True to exclude each invalid object and report the reason, instead of refusing the file.

    Raises
    ------
    ReadError
        With the object, the value and what is allowed.
    """
    document = _document(path, limits)
    features = features_of(document, path.name)
    fields = document if isinstance(document, dict) else {}
    if features is not None and expected is not None and "size" not in fields:
        size, geometry = (expected.shape[1], expected.shape[0], *expected.shape[2:]), expected
    else:
        size = _size(fields.get("size"), path.name, limits)
        geometry = _geometry(fields, size, path.name)
    if expected is not None and geometry.shape != tuple(expected.shape):
        actual, required = (_product(shape) for shape in (geometry.shape, expected.shape))
        raise ReadError("shape", path.name, f"{actual} pixels", required)
    entries = fields.get(OBJECTS) if features is None else features
    if not isinstance(entries, list):
        raise ReadError("table", path.name, f"no list {OBJECTS}", f"a list with one entry for each object: {_KEYS}")
    if len(entries) > MOST_OBJECTS:
        raise ReadError("too_large", path.name, f"{len(entries):,} objects", f"{MOST_OBJECTS:,} at most")
    objects: list[InstanceMask] = []
    dropped: list[Issue] = []
    room, asked = Room(limits.decoded_bytes), rules or MaskRules()
    first: ReadError | None = None
    for number, entry in enumerate(entries, 1):
        try:
            read = _object if features is None else _feature
            objects.append(read(entry, size, path.name, f"object {number}", room, asked))
        except ReadError as error:
            if not by_object or error.kind in ("too_large", "format"):
                raise
            first = first or error
            dropped.append(error.issue)
    if first is not None and not objects and len(dropped) >= _OTHER_FORMAT:
        raise first  # no slip in an object but another format
    return InstanceMasks(expected or geometry, tuple(objects), tuple(dropped))


def _object(
    entry: Any, size: tuple[int, ...], file: str, entry_name: str, room: Room, rules: MaskRules
) -> InstanceMask:
    if not isinstance(entry, dict):
        raise ReadError("table", file, f"{entry_name} is no JSON object", _KEYS)
    segmentation = entry.get("segmentation")
    if isinstance(segmentation, list):
        filled = run_lengths_of_polygons(segmentation, size, file, entry_name, room)
        runs = [_runs_of(each, size, file, entry_name) for each in filled]
    else:
        runs = [_runs(segmentation, size, file, entry_name)]
    part, offset = _mask(runs, size, file, entry_name, room)
    return _checked(entry, part, offset, file, entry_name, rules)


def _feature(
    entry: Any, size: tuple[int, ...], file: str, entry_name: str, room: Room, rules: MaskRules
) -> InstanceMask:
    if not isinstance(entry, dict):
        raise ReadError("table", file, f"{entry_name} is no JSON object", "a feature of GeoJSON")
    filled, start = mask_of_rings(rings_of(entry, file, entry_name), size, file, entry_name, room)
    if not filled.any():
        raise ReadError("table", file, f"{entry_name} has no pixel", "objects with at least one pixel")
    covered = [np.flatnonzero(filled.any(axis=1 - axis)) for axis in (0, 1)]
    part = filled[covered[0][0] : covered[0][-1] + 1, covered[1][0] : covered[1][-1] + 1]
    offset = tuple(begin + int(each[0]) for begin, each in zip(start, covered, strict=True))
    return _checked(entry_of(entry), part.copy(), offset, file, entry_name, rules)


def _checked(
    entry: Mapping[str, Any],
    part: NDArray[np.bool_],
    offset: tuple[int, ...],
    file: str,
    entry_name: str,
    rules: MaskRules,
) -> InstanceMask:
    score = _score(entry, file, entry_name, any_score=rules.any_score)
    each = InstanceMask(part, offset, _name(entry), score, _is_ignored(entry))
    rules.check(each, file, entry_name)
    return each


def count_objects(path: Path, limits: Limits = DEFAULT) -> int:
    """Return the number of objects that a file lists, without decoding them.

    Raises
    ------
    ReadError
        If the file is no JSON or has no list of objects.
    """
    document = _document(path, limits)
    entries = features_of(document, path.name)
    if entries is None:
        entries = document.get(OBJECTS)
    if not isinstance(entries, list):
        raise ReadError("table", path.name, f"no list {OBJECTS}", f"a list with one entry for each object: {_KEYS}")
    return len(entries)


def encode(mask: NDArray[Any]) -> dict[str, Any]:
    """Return a mask with the axes x, y[, z] as uncompressed run lengths.

    Examples
    --------
    >>> encode(np.array([[0, 1, 1]]))
    {'size': [3, 1], 'counts': [1, 2]}
    """
    turned = np.swapaxes(np.asarray(mask) != 0, 0, 1)
    flat = turned.ravel(order="F")
    changes = np.flatnonzero(np.diff(flat)) + 1
    ends = [0, *changes.tolist(), flat.size]
    counts = np.diff(ends).tolist()
    return {"size": list(turned.shape), "counts": [0, *counts] if flat.size and flat[0] else counts}


def decompress(text: str) -> NDArray[np.int64]:
    """Return the counts that a compressed string of COCO contains.

    Raises
    ------
    ValueError
        For a string that no encoder writes.
    """
    try:
        codes = np.frombuffer(text.encode("ascii"), dtype=np.uint8).astype(np.int64) - _FIRST
    except UnicodeEncodeError:
        message = "characters that no encoder writes"
        raise ValueError(message) from None
    if not codes.size:
        return np.zeros(0, dtype=np.int64)
    if (codes < 0).any() or (codes > 63).any() or codes[-1] & 0x20:
        message = "characters that no encoder writes"
        raise ValueError(message)
    ends = np.flatnonzero((codes & 0x20) == 0)
    starts = np.concatenate([[0], ends[:-1] + 1])
    if (ends - starts >= _MOST_DIGITS).any():
        message = "a count that is too long"
        raise ValueError(message)
    digit = np.arange(codes.size) - np.repeat(starts, ends - starts + 1)
    numbers = np.add.reduceat((codes & 0x1F) << (5 * digit), starts)
    is_negative = (codes[ends] & 0x10) != 0
    numbers = np.where(is_negative, numbers - (np.int64(1) << (5 * (ends - starts + 1))), numbers)
    # From the fourth number on, each is the difference from the one before the previous.
    numbers[1::2] = np.cumsum(numbers[1::2])
    numbers[2::2] = np.cumsum(numbers[2::2])
    return numbers


def _document(path: Path, limits: Limits) -> Any:
    if not path.is_file():
        raise ReadError("not_found", path.name, "no such file")
    if path.stat().st_size > min(limits.file_bytes, limits.table_bytes):
        raise ReadError("too_large", path.name, f"{path.stat().st_size:,} bytes")
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise ReadError("table", path.name, f"no JSON ({type(error).__name__})", "a JSON object") from None
    if not isinstance(document, (dict, list)):
        raise ReadError("table", path.name, "no JSON object", f"an object with size and {OBJECTS}")
    return document


def _size(value: Any, file: str, limits: Limits) -> tuple[int, ...]:
    """Height, width and perhaps slices."""
    if not isinstance(value, list) or len(value) not in (2, 3) or any(type(each) is not int for each in value):
        raise ReadError("shape", file, f"{_short(value)} as size", "height, width and, for volumes, slices")
    if any(not 0 < each <= limits.axis for each in value) or math.prod(value) > limits.decoded_bytes:
        raise ReadError("too_large", file, f"{_product(value)} pixels")
    return tuple(value)


def _geometry(document: Mapping[str, Any], size: Sequence[int], file: str) -> Geometry:
    shape = (size[1], size[0], *size[2:])
    spacing = document.get("spacing")
    if spacing is None:
        return Geometry(shape)
    numbers = isinstance(spacing, list) and all(type(each) in (int, float) for each in spacing)
    if not numbers or len(spacing) != len(shape) or not all(0 < each < _LARGEST for each in spacing):
        raise ReadError("spacing", file, f"{_short(spacing)} as spacing", f"{len(shape)} lengths in mm above 0")
    return Geometry(shape, spacing=tuple(float(each) for each in spacing))


def _runs(value: Any, size: tuple[int, ...], file: str, entry_name: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    if not isinstance(value, dict):
        raise ReadError(
            "table", file, f"no run lengths for {entry_name}", "segmentation with size and counts, or polygons"
        )
    if value.get("size") != list(size):
        raise ReadError("shape", file, f"{_short(value.get('size'))} as size of {entry_name}", f"{list(size)}")
    return _runs_of(value.get("counts"), size, file, entry_name)


def _runs_of(
    value: Any, size: tuple[int, ...], file: str, entry_name: str
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """First pixels and lengths of the runs of a mask."""
    counts = _counts(value, file, entry_name)
    if (counts.size and (counts.min() < 0 or counts.max() > math.prod(size))) or int(counts.sum()) != math.prod(size):
        raise ReadError(
            "table", file, f"counts of {entry_name} that add up to {int(counts.sum()):,}", f"{math.prod(size):,} pixels"
        )
    ends = np.cumsum(counts)
    first, last = ends[0::2][: len(counts) // 2], ends[1::2]
    return first, last - first


def _mask(
    runs: Sequence[tuple[NDArray[np.int64], NDArray[np.int64]]],
    size: tuple[int, ...],
    file: str,
    entry_name: str,
    room: Room,
) -> tuple[NDArray[np.bool_], tuple[int, ...]]:
    """The union of masks inside its box, and the first pixel of the box."""
    first, lengths = (np.concatenate([each[part] for each in runs]) for part in (0, 1))
    if not lengths.sum():
        raise ReadError("table", file, f"{entry_name} has no pixel", "objects with at least one pixel")
    room.check(int(lengths.sum()), file, entry_name)
    starts = np.repeat(first - np.concatenate([[0], np.cumsum(lengths)[:-1]]), lengths)
    flat = starts + np.arange(int(lengths.sum()))
    rows, columns, *slices = np.unravel_index(flat, size, order="F")
    places = (columns, rows, *slices)
    offset = tuple(int(axis.min()) for axis in places)
    box = tuple(int(axis.max()) - start + 1 for axis, start in zip(places, offset, strict=True))
    room.take(math.prod(box), file, entry_name)
    part = np.zeros(box, dtype=bool)
    part[tuple(axis - start for axis, start in zip(places, offset, strict=True))] = True
    return part, offset


def _counts(value: Any, file: str, entry_name: str) -> NDArray[np.int64]:
    expected = "a compressed string or a list of whole numbers, as COCO writes them"
    if isinstance(value, str):
        try:
            return decompress(value)
        except ValueError as error:
            raise ReadError("table", file, f"counts of {entry_name}: {error}", expected) from None
    if isinstance(value, list) and all(type(each) is int and 0 <= each < 2**31 for each in value):
        return np.array(value, dtype=np.int64)
    raise ReadError("table", file, f"{_short(value)} as counts of {entry_name}", expected)


def _name(entry: Mapping[str, Any]) -> str:
    value = entry.get("class", entry.get("category_id", ""))
    return str(value)[:1000] if isinstance(value, (str, int)) and not isinstance(value, bool) else ""


def _score(entry: Mapping[str, Any], file: str, entry_name: str, *, any_score: bool) -> float | None:
    value = entry.get("score")
    if value is None:
        return None
    is_number = type(value) in (int, float)
    if not is_number or not (abs(value) < _LARGEST if any_score else 0 <= value <= 1):
        allowed = "a finite number" if any_score else "a number from 0 to 1"
        raise ReadError("table", file, f"{_short(value)} as score of {entry_name}", allowed)
    return float(value)


def _is_ignored(entry: Mapping[str, Any]) -> bool:
    return entry.get("ignore", entry.get("iscrowd", 0)) in (1, True)


def _product(lengths: Sequence[int]) -> str:
    return " × ".join(str(each) for each in lengths)


def _short(value: Any) -> str:
    text = json.dumps(value, default=str)
    return text if len(text) <= 60 else f"{text[:60]}…"
