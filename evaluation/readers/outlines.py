"""Masks of outlines: polygons of COCO and features of GeoJSON, as QuPath exports them.

Coordinates count pixel edges: the first pixel reaches from 0 to 1. Every bound is checked before memory is allocated.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np

from evaluation.readers.errors import ReadError
from evaluation.readers.libraries import decoded, load_library

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

FloatArray: TypeAlias = "NDArray[np.float64]"
SUFFIX: Final = ".geojson"
MOST_POINTS: Final = 100_000
"""Largest number of points of one object."""
_BYTES_OF_STEP: Final = 80
"""Memory that pycocotools takes for each pixel along an outline: four lists of five numbers."""
_BYTES_OF_PIXEL: Final = 3
"""Memory for each pixel of the box around rings."""
_SCORES: Final = ("score", "detection probability")
"""Measurements that contain the score of an object, in lower case. StarDist for QuPath writes the second one."""
_IGNORED: Final = "ignore*"
"""Class of regions that QuPath ignores, in lower case."""


class Room:
    """Memory that the masks of a file can still take.

    It is charged before the work, also for objects that are refused later.
    """

    def __init__(self, limit: int) -> None:
        self.left = limit

    def check(self, amount: int, file: str, entry_name: str) -> None:
        """Refuse an amount in bytes that exceeds what is left.

        Raises
        ------
        ReadError
            With the first object that does not fit.
        """
        if amount > self.left:
            raise ReadError("too_large", file, f"masks with more pixels than allowed, from {entry_name} on")

    def take(self, amount: int, file: str, entry_name: str) -> None:
        """Charge an amount in bytes.

        Raises
        ------
        ReadError
            If it exceeds what is left.
        """
        self.check(amount, file, entry_name)
        self.left -= amount


def run_lengths_of_polygons(
    polygons: Sequence[Any], size: Sequence[int], file: str, entry_name: str, room: Room
) -> list[str]:
    """Return the polygons of an object in compressed run-length encoding, each filled by the rule of COCO.

    Parameters
    ----------
    polygons
        Lists ``[x1, y1, x2, y2, …]`` in pixels.
    size
        Height and width of the image.
    file, entry_name
        Names in messages.
    room
        Memory for outlines and masks.

    Raises
    ------
    ReadError
        For other than numbers, fewer than three points, too many points or pixels, and if pycocotools is not installed.

    Notes
    -----
    pycocotools fills the outlines, so that masks are those of the evaluation of COCO.
    """
    expected = "polygons as lists of x and y in pixels, each with at least three points"
    rings = [_points(each, file, entry_name, expected) for each in polygons]
    _check(rings, size, file, entry_name)
    steps = sum(int(np.abs(np.diff(ring, axis=0, append=ring[:1])).max(axis=1).sum()) + len(ring) for ring in rings)
    room.take(_BYTES_OF_STEP * steps, file, entry_name)

    def fill() -> list[str]:
        masks = load_library("pycocotools.mask", "polygons of COCO")
        filled = masks.frPyObjects([ring.ravel().tolist() for ring in rings], size[0], size[1])
        return [each["counts"].decode("ascii") for each in filled]

    return decoded(fill, file, "table")


def mask_of_rings(
    rings: Sequence[FloatArray], size: Sequence[int], file: str, entry_name: str, room: Room
) -> tuple[NDArray[np.bool_], tuple[int, int]]:
    """Return the pixels whose centre is inside an odd number of rings.

    This is the rule of QuPath and GDAL. A hole is a ring inside another one.

    Parameters
    ----------
    rings
        Points × (x, y) in pixels. The last point is connected to the first.
    size, file, entry_name
        As in `run_lengths_of_polygons`.
    room
        Memory for outlines and masks.

    Returns
    -------
    mask, offset
        Mask with the axes x and y, and its first pixel. The mask can have empty margins.

    Examples
    --------
    >>> square = np.array([[1.0, 0.0], [3.0, 0.0], [3.0, 2.0], [1.0, 2.0]])
    >>> mask, start = mask_of_rings([square], (2, 4), "a.geojson", "object 1", Room(1000))
    >>> start, int(mask.sum())
    ((1, 0), 4)
    """
    start, shape = _box(rings, size, file, entry_name)
    room.take(_BYTES_OF_PIXEL * math.prod(shape), file, entry_name)
    changes = np.zeros((shape[0] + 1, shape[1]), dtype=np.uint8)
    for ring in rings:
        begin, end = ring - start, np.roll(ring, -1, axis=0) - start
        low, high = np.minimum(begin[:, 1], end[:, 1]), np.maximum(begin[:, 1], end[:, 1])
        # Centres of rows with low ≤ y < high, inside the box.
        first = np.clip(np.ceil(low - 0.5), 0, shape[1]).astype(np.int64)
        lengths = np.clip(np.ceil(high - 0.5), 0, shape[1]).astype(np.int64) - first
        room.take(_BYTES_OF_STEP * int(lengths.sum()), file, entry_name)
        edge = np.repeat(np.arange(len(ring)), lengths)
        row = np.arange(len(edge)) - np.repeat(np.cumsum(lengths) - lengths, lengths) + np.repeat(first, lengths)
        rise = (row + 0.5 - begin[edge, 1]) / (end[edge, 1] - begin[edge, 1])
        crossing = begin[edge, 0] + rise * (end[edge, 0] - begin[edge, 0])
        column = np.clip(np.ceil(crossing - 0.5), 0, shape[0]).astype(np.int64)
        np.bitwise_xor.at(changes, (column, row), 1)
    return np.bitwise_xor.accumulate(changes[:-1], axis=0).view(np.bool_), start


def features_of(document: Any, file: str) -> list[Any] | None:
    """Return the features of a GeoJSON file: of a collection, a list or a single one; ``None`` for another file.

    Objects that QuPath exports inside of others follow these, as in an export without nesting.

    Raises
    ------
    ReadError
        If a collection has no list of features, or a list has other entries.
    """
    if isinstance(document, list):
        if not all(isinstance(each, dict) and each.get("type") == "Feature" for each in document):
            raise ReadError(
                "table", file, "a list whose entries are no features", "features of GeoJSON, or size and objects"
            )
        return _flat(document)
    kind = document.get("type") if isinstance(document, dict) else None
    if kind == "Feature":
        return _flat([document])
    if kind != "FeatureCollection":
        return None
    features = document.get("features")
    if not isinstance(features, list):
        raise ReadError("table", file, "no list features", "a FeatureCollection of GeoJSON")
    return _flat(features)


def _flat(features: Sequence[Any]) -> list[Any]:
    flat = list(features)
    for each in flat:  # which grows
        properties = each.get("properties") if isinstance(each, dict) else None
        children = properties.get("childObjects") if isinstance(properties, dict) else None
        flat += children if isinstance(children, list) else []
    return flat


def rings_of(feature: Mapping[str, Any], file: str, entry_name: str) -> list[FloatArray]:
    """Return the rings of a polygon or of several ones.

    Raises
    ------
    ReadError
        For another geometry, such as points and lines, which have no area.
    """
    geometry = feature.get("geometry")
    kind = geometry.get("type") if isinstance(geometry, dict) else None
    expected = "Polygon or MultiPolygon with rings of at least three points"
    if kind not in ("Polygon", "MultiPolygon") or not isinstance(geometry, dict):
        raise ReadError("table", file, f"{str(kind)[:60]} as geometry of {entry_name}", expected)
    coordinates = geometry.get("coordinates")
    polygons = [coordinates] if kind == "Polygon" else coordinates
    if not isinstance(polygons, list) or not all(isinstance(each, list) for each in polygons):
        raise ReadError("table", file, f"no coordinates of {entry_name}", expected)
    return [_points(ring, file, entry_name, expected) for polygon in polygons for ring in polygon]


def entry_of(feature: Mapping[str, Any]) -> dict[str, Any]:
    """Return class, score and mark of a feature with the names that a list of objects uses. Ignored regions have no class.

    Examples
    --------
    >>> entry_of({"properties": {"classification": {"name": "Tumor"}, "measurements": {"Detection probability": 0.9}}})
    {'class': 'Tumor', 'score': 0.9, 'ignore': False}
    """
    properties = feature.get("properties")
    if not isinstance(properties, dict):
        properties = {}
    classification = properties.get("classification")
    name = classification
    if isinstance(classification, dict):
        names = classification.get("names")  # of derived classes, such as "Tumor: Positive"
        name = ": ".join(map(str, names)) if isinstance(names, list) else classification.get("name")
    name = name if isinstance(name, str) else ""
    is_ignored = name.lower() == _IGNORED
    return {"class": "" if is_ignored else name, "score": _score(properties), "ignore": is_ignored}


def _score(properties: Mapping[str, Any]) -> Any:
    """Score among the properties or measurements; older versions of QuPath have a list of measurements."""
    measured = properties.get("measurements")
    if isinstance(measured, list):
        measured = {str(each.get("name")): each.get("value") for each in measured if isinstance(each, dict)}
    values = [properties, *([measured] if isinstance(measured, dict) else [])]
    return next(
        (value for row in values for key, value in row.items() if isinstance(key, str) and key.lower() in _SCORES), None
    )


def _points(value: Any, file: str, entry_name: str, expected: str) -> FloatArray:
    """Points × (x, y) of a list of numbers or of pairs."""
    if isinstance(value, list) and len(value) > 2 * MOST_POINTS:
        raise ReadError("too_large", file, f"{len(value):,} coordinates in one outline of {entry_name}")
    try:
        numbers = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        numbers = np.zeros(0)
    if numbers.ndim == 1 and numbers.size % 2 == 0:
        numbers = numbers.reshape(-1, 2)
    are_points = numbers.ndim == 2 and len(numbers) >= 3 and numbers.shape[1] in (2, 3)
    if not are_points or not np.isfinite(numbers).all() or np.abs(numbers).max() > 1e7:
        raise ReadError("table", file, f"an outline of {entry_name} that is no list of points", expected)
    return numbers[:, :2]


def _check(rings: Sequence[FloatArray], size: Sequence[int], file: str, entry_name: str) -> None:
    """Refuse outlines in volumes, and none or too many points.

    Raises
    ------
    ReadError
        With the number of points.
    """
    if len(size) != 2:
        raise ReadError("table", file, f"outlines for {entry_name}", "run lengths, since the image is a volume")
    if not rings or sum(map(len, rings)) > MOST_POINTS:
        count = sum(map(len, rings))
        raise ReadError("table", file, f"{count:,} points in {entry_name}", f"3 to {MOST_POINTS:,} points")


def _box(
    rings: Sequence[FloatArray], size: Sequence[int], file: str, entry_name: str
) -> tuple[tuple[int, int], tuple[int, int]]:
    """First pixel and lengths along x and y of the part of the image that rings can cover.

    Raises
    ------
    ReadError
        For volumes, for too many points, and for rings outside the image.
    """
    _check(rings, size, file, entry_name)
    lowest = np.min([ring.min(axis=0) for ring in rings], axis=0)
    highest = np.max([ring.max(axis=0) for ring in rings], axis=0)
    width, height = size[1], size[0]
    start = (max(math.floor(lowest[0]), 0), max(math.floor(lowest[1]), 0))
    shape = (min(math.ceil(highest[0]), width) - start[0], min(math.ceil(highest[1]), height) - start[1])
    if min(shape) <= 0:
        raise ReadError("table", file, f"{entry_name} is outside the image", f"{width} × {height} pixels")
    return start, shape
