"""The objects of one image, however they are given: boxes, points, a label map or masks that may overlap."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from evaluation.matching.mask_lists import MaskList

InstanceConnectivity = Literal["as_submitted", "full", "face"]


class Objects:
    """The objects of one image; treat it as immutable.

    Coordinates count pixel edges: pixel i of an axis reaches from i to i + 1, its centre is at i + 0.5. Axes have the
    order of the label map's axes, or of the columns of boxes and points.

    Parameters
    ----------
    boxes
        Shape ``(n, 2k)``: all lower corners, then all upper ones.
    points
        Shape ``(n, k)``.
    labels
        Label map, 0 is background; it cannot contain objects that overlap.
    masks
        One mask per object; they may overlap.
    ids
        Label of each object, in the order of the other arrays; all labels that occur, ascending, if omitted.
    classes, scores
        One value per object.
    ignored
        Mask of the objects that are ignored regions of the reference; they count neither for nor against an algorithm.
    decisions
        Whether each object counts as detected for metrics at one threshold; scores decide if omitted.
    spacing
        Size of a pixel in mm along each axis.

    Raises
    ------
    ValueError
        If lengths differ, a box has no area, a number is not finite, or a label does not occur.
    """

    def __init__(
        self,
        *,
        boxes: ArrayLike | None = None,
        points: ArrayLike | None = None,
        labels: ArrayLike | None = None,
        masks: MaskList | None = None,
        ids: Sequence[int] | None = None,
        classes: Sequence[str] | None = None,
        scores: ArrayLike | None = None,
        ignored: ArrayLike | None = None,
        decisions: ArrayLike | None = None,
        spacing: Sequence[float] | None = None,
    ) -> None:
        if sum(given is not None for given in (boxes, points, labels, masks)) != 1:
            message = "objects are given as boxes, as points, as a label map or as masks"
            raise ValueError(message)
        self.boxes_given = None if boxes is None else _rows(boxes, "boxes", even=True)
        self.points_given = None if points is None else _rows(points, "points", even=False)
        self.labels = None if labels is None else np.asarray(labels)
        self.masks = masks
        if self.boxes_given is not None:
            half = self.boxes_given.shape[1] // 2
            if (self.boxes_given[:, half:] <= self.boxes_given[:, :half]).any():
                message = "a box has its upper corner above its lower one along every axis"
                raise ValueError(message)
        self.ids = self._checked_ids(ids)
        self.size = len(self.ids)
        self.classes = None if classes is None else np.asarray(classes, dtype=object)
        self.scores = None if scores is None else np.asarray(scores, dtype=float)
        self.ignored = np.zeros(self.size, dtype=bool) if ignored is None else np.asarray(ignored, dtype=bool)
        self.decisions = None if decisions is None else np.asarray(decisions, dtype=bool)
        for name, values in (
            ("classes", self.classes),
            ("scores", self.scores),
            ("ignored", self.ignored),
            ("decisions", self.decisions),
        ):
            if values is not None and values.shape != (self.size,):
                message = f"{name}: one for each of {self.size} objects, not {values.shape}"
                raise ValueError(message)
        if self.scores is not None and not np.isfinite(self.scores).all():
            message = "scores have to be finite numbers"
            raise ValueError(message)
        self.memory: dict[object, tuple[Objects, object]] = {}
        """Cached results about these objects together with others, for the next metric."""
        self.spacing = (1.0,) * self.dimensions if spacing is None else tuple(float(size) for size in spacing)

    def __len__(self) -> int:
        return self.size

    @property
    def dimensions(self) -> int:
        """Number of axes."""
        if self.grid_shape is not None:
            return len(self.grid_shape)
        if self.boxes_given is not None:
            return int(self.boxes_given.shape[1]) // 2
        assert self.points_given is not None
        return int(self.points_given.shape[1])

    @property
    def grid_shape(self) -> tuple[int, ...] | None:
        """Shape of the image of a label map or masks; ``None`` for boxes and points."""
        if self.labels is not None:
            return self.labels.shape
        return None if self.masks is None else self.masks.shape

    @property
    def has_masks(self) -> bool:
        """True if the pixels of each object are known."""
        return self.grid_shape is not None

    @cached_property
    def covered(self) -> NDArray[np.bool_]:
        """Mask of the pixels that belong to an object."""
        if self.masks is not None:
            return self.masks.covered
        covered: NDArray[np.bool_] = self.index_map != 0
        return covered

    @property
    def has_extent(self) -> bool:
        """True if each object has an extent and is not only a point."""
        return self.points_given is None

    @cached_property
    def index_map(self) -> NDArray[np.int64]:
        """The label map with 0 for background and i + 1 for object i, contiguous."""
        assert self.labels is not None
        labels = np.ascontiguousarray(self.labels)
        length = _table_length(labels)
        if length is not None:
            table = np.zeros(length, dtype=np.int64)
            table[self.ids] = np.arange(1, self.size + 1)
            looked_up: NDArray[np.int64] = table[labels]
            return looked_up
        all_labels = np.concatenate([[0], self.ids])  # the background is what others are taken for
        order = np.argsort(all_labels)
        index = order[np.minimum(np.searchsorted(all_labels[order], labels), self.size)]
        mapped: NDArray[np.int64] = np.where(all_labels[index] == labels, index, 0)
        return mapped

    @cached_property
    def areas(self) -> NDArray[np.float64]:
        """Number of pixels, or the extent of the boxes."""
        if self.labels is not None:
            return np.bincount(self.index_map.ravel(order="K"))[1:].astype(float)
        return self.extents if self.masks is None else self.masks.areas

    @cached_property
    def extents(self) -> NDArray[np.float64]:
        """Extent of the bounding boxes."""
        half = self.dimensions
        extents: NDArray[np.float64] = np.prod(self.boxes[:, half:] - self.boxes[:, :half], axis=1)
        return extents

    @cached_property
    def slices(self) -> list[tuple[slice, ...]]:
        """Bounding slices of each object of a label map, or of each mask."""
        from scipy import ndimage

        if self.masks is not None:
            return self.masks.slices

        return [box for box in ndimage.find_objects(self.index_map, max_label=self.size) if box is not None]

    @cached_property
    def boxes(self) -> NDArray[np.float64]:
        """Bounding boxes, half open."""
        if self.boxes_given is not None:
            return self.boxes_given
        if not self.has_masks:
            message = "points have no boxes"
            raise ValueError(message)
        corners = [[*(s.start for s in box), *(s.stop for s in box)] for box in self.slices]
        return np.asarray(corners, dtype=float).reshape(self.size, 2 * self.dimensions)

    @cached_property
    def centres(self) -> NDArray[np.float64]:
        """The points, the centres of the boxes, or the centres of mass (which may be outside an object)."""
        if self.points_given is not None:
            return self.points_given
        if self.masks is not None:
            return self.masks.centres
        if self.labels is None:
            half = self.dimensions
            return (self.boxes[:, :half] + self.boxes[:, half:]) / 2
        flat = self.index_map.ravel()
        places = np.flatnonzero(flat)
        owner = flat[places]
        columns = [np.bincount(owner, weights=indices)[1:] for indices in np.unravel_index(places, self.labels.shape)]
        return np.stack(columns, axis=1) / self.areas[:, None] + 0.5

    @cached_property
    def order(self) -> NDArray[np.int64]:
        """Rank of each object by its place, then by its score: ties that do not depend on files or label numbers."""
        keys = self.centres if self.boxes_given is None else self.boxes
        ranks = np.empty(self.size, dtype=np.int64)
        scores = np.zeros(self.size) if self.scores is None else self.scores
        ranks[np.lexsort((-scores, *keys.T[::-1]))] = np.arange(self.size)
        return ranks

    def mask(self, index: int) -> tuple[NDArray[np.bool_], tuple[int, ...]]:
        """The pixels of one object inside its bounding box, and where the box starts."""
        if self.masks is not None:
            return self.masks.parts[index], self.masks.offsets[index]
        box = self.slices[index]
        return self.index_map[box] == index + 1, tuple(s.start for s in box)

    def select(self, chosen: ArrayLike) -> Objects:
        """Only some of the objects, by index or as a mask."""
        rows = np.arange(self.size)[np.asarray(chosen)]
        return Objects(
            boxes=None if self.boxes_given is None else self.boxes_given[rows],
            points=None if self.points_given is None else self.points_given[rows],
            labels=self.labels,
            masks=None if self.masks is None else self.masks.select(rows),
            ids=None if self.labels is None else self.ids[rows].tolist(),
            classes=None if self.classes is None else self.classes[rows].tolist(),
            scores=None if self.scores is None else self.scores[rows],
            ignored=self.ignored[rows],
            decisions=None if self.decisions is None else self.decisions[rows],
            spacing=self.spacing,
        )

    def with_spacing(self, spacing: Sequence[float]) -> Objects:
        """Return the same objects with another size of a pixel along each axis."""
        other = self.select(np.arange(self.size))
        other.spacing = tuple(float(size) for size in spacing)
        return other

    def _checked_ids(self, ids: Sequence[int] | None) -> NDArray[np.int64]:
        if self.masks is not None:
            return np.arange(self.masks.size)
        if self.labels is None:
            rows = self.boxes_given if self.boxes_given is not None else self.points_given
            assert rows is not None
            return np.arange(len(rows))
        if self.labels.ndim not in (2, 3) or self.labels.dtype.kind not in "ui":
            message = f"a label map has 2 or 3 dimensions of whole numbers, not {self.labels.dtype} {self.labels.shape}"
            raise ValueError(message)
        present = _present(self.labels)
        if ids is None:
            return present
        wanted = np.asarray(ids, dtype=np.int64)
        lacking = np.setdiff1d(wanted, present)
        if lacking.size or len(np.unique(wanted)) != len(wanted):
            message = f"the label {lacking[0]} has no pixel" if lacking.size else "a label stands there twice"
            raise ValueError(message)
        return wanted


def from_label_map(
    labels: ArrayLike, *, instance_connectivity: InstanceConnectivity = "as_submitted", **more: Any
) -> Objects:
    """Take the objects of a label map as they are, or the connected parts of its foreground.

    Parameters
    ----------
    labels
        Label map, 0 is background.
    instance_connectivity
        ``as_submitted``; or parts connected by faces (``face``: 4 neighbours in 2D, 6 in 3D) or also by corners
        (``full``: 8, 26).
    more
        Further arguments of `Objects`.
    """
    given = np.asarray(labels)
    if instance_connectivity == "as_submitted":
        return Objects(labels=given, **more)
    if instance_connectivity not in ("full", "face"):
        message = f"instance_connectivity is 'as_submitted', 'full' or 'face', not {instance_connectivity!r}"
        raise ValueError(message)
    from scipy import ndimage

    reach = given.ndim if instance_connectivity == "full" else 1
    parts, _ = ndimage.label(given != 0, structure=ndimage.generate_binary_structure(given.ndim, reach))
    return Objects(labels=parts, **more)


def _table_length(labels: NDArray[Any]) -> int | None:
    """Length of a table of all labels from 0 to the highest; ``None`` if the map is too small to be worth it."""
    length = int(labels.max(initial=0)) + 1
    return length if length <= 4 * labels.size + 65536 else None


def _present(labels: NDArray[Any]) -> NDArray[np.int64]:
    flat = labels.ravel(order="K")
    if flat.size and flat.min() < 0:
        message = "labels are whole numbers from 0 on"
        raise ValueError(message)
    if _table_length(flat) is not None:
        seen = np.flatnonzero(np.bincount(flat))
        return seen[seen > 0]
    distinct = np.unique(flat).astype(np.int64)
    return distinct[distinct > 0]


def _rows(values: ArrayLike, name: str, *, even: bool) -> NDArray[np.float64]:
    rows = np.asarray(values, dtype=float)
    if rows.size == 0:
        rows = rows.reshape(0, rows.shape[1] if rows.ndim == 2 and rows.shape[1] else (4 if even else 2))
    if rows.ndim != 2 or rows.shape[1] not in ((4, 6) if even else (2, 3)) or not np.isfinite(rows).all():
        message = f"{name}: one row of {'4 or 6' if even else '2 or 3'} finite numbers each"
        raise ValueError(message)
    return rows
