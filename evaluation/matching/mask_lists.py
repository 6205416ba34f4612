"""Masks of objects that may overlap, each stored inside its bounding box."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray
    from scipy.sparse import csr_array


@dataclass(frozen=True)
class MaskList:
    """Masks of the objects of one image.

    Attributes
    ----------
    shape
        Shape of the image.
    parts
        Mask of each object inside its bounding box.
    offsets
        First pixel of each bounding box.
    """

    shape: tuple[int, ...]
    parts: tuple[NDArray[np.bool_], ...]
    offsets: tuple[tuple[int, ...], ...]

    @classmethod
    def of(cls, masks: Sequence[ArrayLike], shape: Sequence[int]) -> MaskList:
        """Cut masks of the whole image to their bounding boxes.

        Raises
        ------
        ValueError
            If a mask has another shape, or no pixel.

        Examples
        --------
        >>> MaskList.of([[[0, 1], [0, 1]]], (2, 2)).offsets
        ((0, 1),)
        """
        parts, offsets = [], []
        for index, mask in enumerate(masks):
            array = np.asarray(mask) != 0
            if array.shape != tuple(shape):
                message = f"a mask of shape {array.shape} in an image of shape {tuple(shape)}"
                raise ValueError(message)
            box = bounding_box(array)
            if box is None:
                message = f"the mask of object {index} has no pixel"
                raise ValueError(message)
            parts.append(array[box].copy())
            offsets.append(tuple(int(each.start) for each in box))
        return cls(tuple(int(length) for length in shape), tuple(parts), tuple(offsets))

    @property
    def size(self) -> int:
        """Number of objects."""
        return len(self.parts)

    @property
    def slices(self) -> list[tuple[slice, ...]]:
        """Bounding box of each object."""
        return [
            tuple(slice(start, start + length) for start, length in zip(offset, part.shape, strict=True))
            for part, offset in zip(self.parts, self.offsets, strict=True)
        ]

    def select(self, rows: NDArray[np.int64]) -> MaskList:
        """Return some of the masks."""
        chosen = rows.tolist()
        return MaskList(self.shape, tuple(self.parts[i] for i in chosen), tuple(self.offsets[i] for i in chosen))

    @property
    def centres(self) -> NDArray[np.float64]:
        """Centres of mass."""
        centres = [
            np.argwhere(part).mean(axis=0) + offset + 0.5 for part, offset in zip(self.parts, self.offsets, strict=True)
        ]
        return np.array(centres, dtype=float).reshape(self.size, len(self.shape))

    @property
    def areas(self) -> NDArray[np.float64]:
        """Number of pixels of each object."""
        return np.array([np.count_nonzero(part) for part in self.parts], dtype=float)

    @property
    def covered(self) -> NDArray[np.bool_]:
        """Mask of the pixels that belong to an object."""
        covered = np.zeros(self.shape, dtype=bool)
        for part, box in zip(self.parts, self.slices, strict=True):
            covered[box] |= part
        return covered

    @property
    def incidence(self) -> csr_array[Any, Any]:
        """Matrix of objects by pixels, with 1 where the pixel belongs to the object."""
        from scipy.sparse import csr_array

        pixels = [self._pixels(index) for index in range(self.size)]
        ends = np.cumsum([0, *(len(each) for each in pixels)])
        indices = np.concatenate([np.zeros(0, dtype=np.int64), *pixels])
        shape = (self.size, int(np.prod(self.shape)))
        return csr_array((np.ones(len(indices), dtype=np.int64), indices, ends), shape=shape)

    def _pixels(self, index: int) -> NDArray[np.int64]:
        places = np.nonzero(self.parts[index])
        moved = tuple(axis + start for axis, start in zip(places, self.offsets[index], strict=True))
        pixels: NDArray[np.int64] = np.asarray(np.ravel_multi_index(moved, self.shape), dtype=np.int64)
        return pixels


def bounding_box(mask: NDArray[np.bool_]) -> tuple[slice, ...] | None:
    """Return the smallest box that contains all pixels of a mask; ``None`` if it has none."""
    slices = []
    for axis in range(mask.ndim):
        filled = np.flatnonzero(mask.any(axis=tuple(other for other in range(mask.ndim) if other != axis)))
        if not filled.size:
            return None
        slices.append(slice(int(filled[0]), int(filled[-1]) + 1))
    return tuple(slices)
