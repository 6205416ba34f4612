"""Reading uploaded references and example predictions for what may go wrong with them."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from evaluation.problems.folders import find_cases
from evaluation.readers import ReadError, read_label_image

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from evaluation.assessment.model import Region

SOURCES: Final = frozenset(
    {"patient", "subject", "animal", "video", "sequence", "site", "centre", "center", "hospital"}
)
"""Names of metadata columns that identify the origin of a case."""
OBJECTS: Final = "objects"
"""Name of objects that no region names."""
_STRAY_VOXELS: Final = 5
_STRAY_DISTANCE: Final = 10.0


@dataclass(frozen=True)
class RegionScan:
    """One region over all references.

    Attributes
    ----------
    sizes
        Voxels on each case that has it.
    components
        Number of connected pieces on each of those cases.
    piece_sizes
        Voxels of every piece.
    thickness
        On each of those cases, twice the greatest distance to the background, in voxels.
    strays
        Cases with a piece of at most 5 voxels that is more than 10 voxels away from the largest piece.
    empty
        Cases without it.
    touching
        Cases in which two objects touch; only where objects have numbers of their own.
    """

    name: str
    sizes: tuple[int, ...]
    components: tuple[int, ...]
    piece_sizes: tuple[int, ...]
    thickness: tuple[float, ...]
    strays: tuple[str, ...]
    empty: tuple[str, ...]
    touching: tuple[str, ...] | None = None

    def quantile(self, attribute: str, share: float) -> float:
        """A quantile of sizes, components, piece_sizes or thickness; not a number if no case has the region."""
        values = getattr(self, attribute)
        return float(np.quantile(values, share)) if values else float("nan")


@dataclass(frozen=True)
class ReferenceScan:
    """Content of references.

    Attributes
    ----------
    cases
        Number of cases.
    regions
        Scans of regions by name; empty if references are class labels.
    classes
        Number of cases of each class, for image classification.
    spacings
        The different voxel sizes in mm.
    dimensions
        2 or 3 for images, else 0.
    foreground
        For each case the share of voxels that are not background.
    groups
        For each metadata column, the number of cases per value.
    """

    cases: int
    regions: Mapping[str, RegionScan] = field(default_factory=dict)
    classes: Mapping[str, int] = field(default_factory=dict)
    spacings: tuple[tuple[float, ...], ...] = ()
    dimensions: int = 0
    foreground: tuple[float, ...] = ()
    groups: Mapping[str, Mapping[str, int]] = field(default_factory=dict)

    @property
    def proposals(self) -> dict[str, Any]:
        """Answers of the fingerprint that the references suggest; to be confirmed by people.

        Examples
        --------
        >>> ReferenceScan(10, classes={"benign": 9, "malignant": 1}).proposals
        {'FP4.1': True, 'CTX.n_classes': 'binary'}
        """
        answers: dict[str, Any] = {}
        if self.classes:
            answers["FP4.1"] = max(self.classes.values()) >= 3 * min(self.classes.values())
            answers["CTX.n_classes"] = "binary" if len(self.classes) == 2 else "multi"
        if self.regions:
            scans = self.regions.values()
            answers["FP4.6"] = any(scan.empty for scan in scans)
            sized = [scan for scan in scans if scan.piece_sizes]
            if sized:
                answers["FP3.1"] = any(scan.quantile("piece_sizes", 0.95) < 30 for scan in sized)
                answers["FP3.2"] = any(
                    scan.quantile("piece_sizes", 0.95) >= 10 * scan.quantile("piece_sizes", 0.05) for scan in sized
                )
            masks = [scan for scan in sized if scan.thickness]
            if masks and all(scan.touching is None for scan in masks):
                answers["FP4.3.2"] = any(scan.strays for scan in masks)
            if any(scan.touching for scan in masks):
                answers["FP3.5"] = True
            # Regions of one image may lie in each other; only objects of a table belong to one class each.
            amounts = [] if masks else [sum(scan.components) for scan in scans]
            if len(amounts) > 1 and min(amounts):
                answers["FP4.1"] = max(amounts) >= 3 * min(amounts)
        sources = [counts for name, counts in self.groups.items() if name.lower() in SOURCES]
        if sources:
            answers["FP4.5"] = any(max(counts.values()) > 1 for counts in sources)
        return answers


@dataclass(frozen=True)
class PredictionScan:
    """Content of the predictions of one algorithm, compared with the references.

    Attributes
    ----------
    missing
        Cases without a readable prediction.
    empty
        By region, cases in which it is not predicted although the reference has it.
    size_ratios
        By region, predicted over reference size on each case that has it.
    holes
        By region, the share of the filled prediction that is holes, on each case that predicts it.
    """

    name: str
    missing: tuple[str, ...] = ()
    empty: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    size_ratios: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    holes: Mapping[str, tuple[float, ...]] = field(default_factory=dict)


def scan_references(
    folder: Path,
    regions: Sequence[Region],
    *,
    instances: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> ReferenceScan:
    """Scan the label images of a folder, and ``cases.csv`` in the same folder if present.

    Parameters
    ----------
    folder
        Folder with one label image per case.
    regions
        Regions of the assessment.
    instances
        Whether every object has a separate number in the label maps. Objects are then the pieces of one region,
        which has the name of the first.
    progress
        Called with the number of finished and of all cases.

    Raises
    ------
    evaluation.readers.ReadError
        If a file cannot be read, or no file exists.
    """
    cases = find_cases(folder, takes_folders=True)
    if not cases:
        raise ReadError("not_found", folder.name, "no label images in the folder")
    names = [region.name for region in regions]
    if instances:
        names = names[:1] or [OBJECTS]
    collected: dict[str, list[_CaseRegion]] = {name: [] for name in names}
    spacings: set[tuple[float, ...]] = set()
    foreground = []
    dimensions = 0
    for done, (case, path) in enumerate(cases.items(), start=1):
        image = read_label_image(path)
        array = np.squeeze(np.asarray(image.labels))
        dimensions = max(dimensions, array.ndim)
        spacings.add(tuple(round(size, 4) for size in image.geometry.spacing_or_unit))
        foreground.append(float(np.count_nonzero(array)) / array.size)
        if instances:
            collected[names[0]].append(_scan_instances(case, array))
        else:
            for region in regions:
                collected[region.name].append(_scan_case(case, np.isin(array, region.labels)))
        if progress is not None:
            progress(done, len(cases))
    return ReferenceScan(
        cases=len(cases),
        regions={name: _region(name, case_regions) for name, case_regions in collected.items()},
        spacings=tuple(sorted(spacings)),
        dimensions=dimensions,
        foreground=tuple(foreground),
        groups=_groups(folder / "cases.csv"),
    )


def scan_predictions(
    name: str, folder: Path, references: Path, regions: Sequence[Region], *, instances: bool = False
) -> PredictionScan:
    """Scan the predictions of one algorithm against the references; `instances` as for `scan_references`.

    Raises
    ------
    evaluation.readers.ReadError
        If a reference cannot be read; predictions that cannot be read count as missing.
    """
    files = find_cases(folder, takes_folders=True)
    missing: list[str] = []
    chosen: dict[str, Callable[[npt.NDArray[Any]], npt.NDArray[np.bool_]]] = {
        region.name: partial(np.isin, test_elements=region.labels) for region in regions
    }
    if instances:
        chosen = {regions[0].name if regions else OBJECTS: lambda array: array > 0}
    empty: dict[str, list[str]] = {name: [] for name in chosen}
    ratios: dict[str, list[float]] = {name: [] for name in chosen}
    holes: dict[str, list[float]] = {name: [] for name in chosen}
    for case, path in find_cases(references, takes_folders=True).items():
        predicted = _labels_or_none(files.get(case))
        if predicted is None:
            missing.append(case)
            continue
        truth = np.squeeze(np.asarray(read_label_image(path).labels))
        for region, member in chosen.items():
            mask = member(predicted)
            size = int(np.count_nonzero(mask))
            true_size = int(np.count_nonzero(member(truth)))
            if true_size:
                ratios[region].append(size / true_size)
                if not size:
                    empty[region].append(case)
            if size:
                holes[region].append(_holes(mask))
    return PredictionScan(
        name=name,
        missing=tuple(missing),
        empty={key: tuple(value) for key, value in empty.items()},
        size_ratios={key: tuple(value) for key, value in ratios.items()},
        holes={key: tuple(value) for key, value in holes.items()},
    )


@dataclass(frozen=True)
class _CaseRegion:
    case: str
    pieces: tuple[int, ...]
    thickness: float
    stray: bool
    touching: bool | None = None


def _scan_instances(case: str, array: npt.NDArray[Any]) -> _CaseRegion:
    """Each number is one object; whether two of them touch is seen between neighbouring voxels."""
    from scipy import ndimage

    pieces = np.unique(array[array > 0], return_counts=True)[1]
    if not len(pieces):
        return _CaseRegion(case, (), 0.0, stray=False, touching=False)
    borders = np.zeros(array.shape, dtype=bool)
    touching = False
    for axis in range(array.ndim):
        before = [slice(None)] * array.ndim
        after = [slice(None)] * array.ndim
        before[axis], after[axis] = slice(None, -1), slice(1, None)
        one, other = array[tuple(before)], array[tuple(after)]
        differs = (one != other) & (one > 0) & (other > 0)
        touching = touching or bool(differs.any())
        borders[tuple(before)] |= differs
    thickness = 2.0 * float(ndimage.distance_transform_edt(np.pad((array > 0) & ~borders, 1)).max())
    return _CaseRegion(case, tuple(int(size) for size in pieces), thickness, stray=False, touching=touching)


def _scan_case(case: str, mask: npt.NDArray[np.bool_]) -> _CaseRegion:
    from scipy import ndimage

    if not mask.any():
        return _CaseRegion(case, (), 0.0, stray=False)
    box = ndimage.find_objects(mask.astype(np.uint8))[0]
    crop = np.pad(mask[box], 1)
    labels, number = ndimage.label(crop, structure=np.ones((3,) * mask.ndim))
    pieces = np.bincount(labels.ravel())[1:]
    thickness = 2.0 * float(ndimage.distance_transform_edt(crop).max())
    stray = False
    small = np.flatnonzero(pieces <= _STRAY_VOXELS) + 1
    if number > 1 and len(small):
        away = ndimage.distance_transform_edt(labels != int(np.argmax(pieces)) + 1)
        nearest = ndimage.minimum(away, labels, small)
        stray = bool(np.any((np.asarray(nearest) > _STRAY_DISTANCE) & (pieces[small - 1] < pieces.max())))
    return _CaseRegion(case, tuple(int(size) for size in pieces), thickness, stray=stray)


def _region(name: str, case_regions: Iterable[_CaseRegion]) -> RegionScan:
    cases = list(case_regions)
    present = [entry for entry in cases if entry.pieces]
    return RegionScan(
        name=name,
        sizes=tuple(sum(entry.pieces) for entry in present),
        components=tuple(len(entry.pieces) for entry in present),
        piece_sizes=tuple(size for entry in present for size in entry.pieces),
        thickness=tuple(entry.thickness for entry in present),
        strays=tuple(entry.case for entry in present if entry.stray),
        empty=tuple(entry.case for entry in cases if not entry.pieces),
        touching=(
            tuple(entry.case for entry in cases if entry.touching)
            if any(entry.touching is not None for entry in cases)
            else None
        ),
    )


def _holes(mask: npt.NDArray[np.bool_]) -> float:
    from scipy import ndimage

    filled = int(np.count_nonzero(ndimage.binary_fill_holes(mask)))
    return 1.0 - int(np.count_nonzero(mask)) / filled


def _labels_or_none(path: Path | None) -> npt.NDArray[Any] | None:
    if path is None:
        return None
    try:
        return np.squeeze(np.asarray(read_label_image(path).labels))
    except ReadError:
        return None


def _groups(path: Path) -> dict[str, dict[str, int]]:
    """Sizes of the groups that case metadata make."""
    if not path.is_file():
        return {}
    import pandas as pd

    table = pd.read_csv(path, dtype=str)
    columns = [name for name in table.columns if name != "case"]
    return {name: {str(key): int(n) for key, n in table[name].value_counts().items()} for name in columns}
