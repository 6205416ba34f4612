"""Facts about one case of a test set: grid, labels, components, holes, volumes, intensities and digests."""

from __future__ import annotations

import hashlib
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from evaluation.readers import ReadError, align, read_label_image
from evaluation.readers.geometry import Geometry
from evaluation.readers.intensities import read_intensities
from evaluation.readers.labels import labels_present
from evaluation.readers.limits import DEFAULT, Limits
from evaluation.test_set_quality.folders import PICTURES, read_image

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

TINY: Final = 0.001
"""Size of a tiny component or hole, as a share of the label's volume."""
TINY_VOXELS: Final = 10
"""Size of a tiny component or hole in voxels, whichever of the two is smaller."""
PERCENTILES: Final = (0.0, 1.0, 50.0, 99.0, 100.0)


@dataclass(frozen=True)
class LabelFacts:
    """Facts about one label of a case.

    Attributes
    ----------
    voxels
        Number of voxels.
    volume
        Volume in mm³, area in mm² for an image of two axes, voxels if the format has no spacing.
    components, tiny_components
        Connected components (corners connect), and those that are tiny.
    tiny_holes
        Tiny components of the complement that do not touch the border of the image (faces connect).
    """

    voxels: int
    volume: float
    components: int
    tiny_components: int
    tiny_holes: int


@dataclass(frozen=True)
class CaseFacts:
    """Facts about one case.

    Attributes
    ----------
    case
        The case.
    geometry
        Grid of the reference, ``None`` if it is unreadable or missing.
    labels
        Facts by label, without the background.
    reference_digest, image_digest
        SHA-256 of shape and values; empty without the file. An empty reference has no digest.
    percentiles
        Intensities at `PERCENTILES`, ``None`` without a readable image.
    problems
        What could not be read or does not fit: ids of `evaluation.test_set_quality.findings.RULES` with the reader's message.
    """

    case: str
    geometry: Geometry | None = None
    labels: Mapping[int, LabelFacts] = field(default_factory=dict)
    reference_digest: str = ""
    image_digest: str = ""
    percentiles: tuple[float, ...] | None = None
    problems: tuple[tuple[str, str], ...] = ()

    @property
    def document(self) -> dict[str, Any]:
        """The facts as JSON values."""
        return {
            "case": self.case,
            "geometry": self.geometry.document if self.geometry is not None else None,
            "labels": {str(label): asdict(facts) for label, facts in self.labels.items()},
            "reference_digest": self.reference_digest,
            "image_digest": self.image_digest,
            "percentiles": list(self.percentiles) if self.percentiles is not None else None,
            "problems": [list(problem) for problem in self.problems],
        }

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> CaseFacts:
        """Return the facts that `document` describes.

        Raises
        ------
        KeyError, TypeError, ValueError
            If the values are not those of `document`.
        """
        percentiles = document["percentiles"]
        return cls(
            str(document["case"]),
            Geometry.of(document["geometry"]) if document["geometry"] is not None else None,
            {int(label): LabelFacts(**facts) for label, facts in document["labels"].items()},
            str(document["reference_digest"]),
            str(document["image_digest"]),
            tuple(float(value) for value in percentiles) if percentiles is not None else None,
            tuple((str(key), str(text)) for key, text in document["problems"]),
        )


def measure_case(
    case: str, reference: Path | None, image: Path | None, *, instances: bool = False, limits: Limits = DEFAULT
) -> CaseFacts:
    """Read the files of one case and measure them.

    Parameters
    ----------
    case
        The case.
    reference
        Its label image, ``None`` if it is missing.
    image
        Its image, ``None`` if there is none.
    instances
        Whether labels are numbers of objects. All objects then count as label 1.
    limits
        Limits on the resources that a file may require.

    Returns
    -------
    CaseFacts
        A file that cannot be read is among ``problems``, with the message of the reader.
    """
    problems: list[tuple[str, str]] = []
    geometry: Geometry | None = None
    labels: dict[int, LabelFacts] = {}
    reference_digest = image_digest = ""
    percentiles: tuple[float, ...] | None = None
    if reference is None:
        problems.append(("reference_missing", image.name if image else case))
    else:
        try:
            content = read_label_image(reference, limits=limits)
        except ReadError as error:
            problems.append(("unreadable", str(error)))
        else:
            geometry = content.geometry
            reference_digest = array_digest(content.labels) if content.labels.any() else ""
            values = (content.labels > 0).astype(np.uint8) if instances else content.labels
            labels = measure_labels(values, geometry)
    if image is not None:
        try:
            intensities, grid = _image(image, limits)
        except ReadError as error:
            problems.append(("unreadable", str(error)))
        else:
            image_digest = array_digest(intensities)
            percentiles = tuple(float(value) for value in np.percentile(intensities, PERCENTILES))
            if geometry is not None:
                try:
                    align(geometry, grid, file=image.name)
                except ReadError as error:
                    problems.append(("image_header", str(error)))
    return CaseFacts(case, geometry, labels, reference_digest, image_digest, percentiles, tuple(problems))


def _image(path: Path, limits: Limits) -> tuple[NDArray[Any], Geometry]:
    """Return the intensities and the grid of an image."""
    if path.suffix.lower() in PICTURES:
        values, _ = read_image(path, limits=limits)
        return values, Geometry(values.shape)
    image = read_intensities(path, limits=limits)
    return image.values, image.geometry


def measure_labels(labels: NDArray[Any], geometry: Geometry) -> dict[int, LabelFacts]:
    """Return the facts of all labels of an image except 0."""
    from scipy import ndimage

    cube = float(np.prod(geometry.spacing_or_unit))
    boxes = ndimage.find_objects(labels.astype(np.int64)) if labels.max() < 1 << 16 else []
    result = {}
    for label in labels_present(labels):
        if not label:
            continue
        box = boxes[label - 1] if boxes else (slice(None),) * labels.ndim
        # One voxel around, so that holes differ from what lies outside.
        mask = np.pad(labels[box] == label, 1)
        voxels = int(mask.sum())
        tiny = min(TINY_VOXELS, max(1, int(TINY * voxels)))
        parts, count = ndimage.label(mask, np.ones((3,) * mask.ndim))
        sizes = np.bincount(parts.ravel())[1:]
        gaps, _ = ndimage.label(~mask)
        gap_sizes = np.bincount(gaps.ravel())[2:]  # 1 is the outside, which contains the first voxel
        small = int((sizes <= tiny).sum()) if count > 1 else 0
        result[int(label)] = LabelFacts(voxels, voxels * cube, int(count), small, int((gap_sizes <= tiny).sum()))
    return result


def array_digest(values: NDArray[Any]) -> str:
    """Return the SHA-256 of shape and values, which does not depend on the type or order in memory.

    Examples
    --------
    >>> array_digest(np.array([[1, 2]], np.uint8)) == array_digest(np.array([[1.0, 2.0]]))
    True
    """
    digest = hashlib.sha256(repr(values.shape).encode())
    digest.update(np.ascontiguousarray(values, dtype="<f8").tobytes())
    return digest.hexdigest()
