"""Times of overlap and boundary metrics, compared with surface-distance and MONAI on the same masks.

The rows "surface elements" use the definition of surface-distance, and both sides must give the same five values. The other rows use
boundary voxels, which neither peer does, so that their values differ.

All run in the same process on one core. Masks are ellipsoids with a smooth, uneven outline. Spacing is 0.8 × 0.8 × 2.5,
tolerance 2 mm. Case A has 240 × 240 × 155 voxels, case B 512 × 512 × 300 with one large organ. Case C is case B with
two stray voxels at opposite corners, because a stranger chooses the difficulty. A peer that is not installed appears in
the table without a time.
"""

from __future__ import annotations

import importlib
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import nibabel
import numpy as np
from scipy import ndimage

from evaluation.assessment import parse
from evaluation.metrics.boundary import assd, hausdorff_distance, hausdorff_percentile, masd, nsd
from evaluation.metrics.masks import Mask
from evaluation.metrics.overlap import dsc
from evaluation.readers import Geometry, LabelImage
from evaluation.scoring import prepare_reference, score_case

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from evaluation.assessment import Assessment

SPACING = (0.8, 0.8, 2.5)
TOLERANCE = 2.0


class Timing(NamedTuple):
    """One row of the table: our seconds, those of a peer (``None`` if it is not there), and the bar that is set."""

    name: str
    seconds: float
    limit: float | None
    peer: str
    peer_seconds: float | None


def best(work: Callable[[], object], repeats: int) -> float:
    """Shortest of several runs: the others waited for something else."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def organ(shape: tuple[int, ...], radii: tuple[float, ...], seed: int, shift: float = 0.0) -> NDArray[np.bool_]:
    """An ellipsoid in the middle whose outline is uneven by a tenth, and smooth."""
    rng = np.random.default_rng(seed)
    axes = [(np.arange(n) - n / 2 - shift) / r for n, r in zip(shape, radii, strict=True)]
    reach = sum(np.square(axis).reshape([-1 if i == j else 1 for j in range(3)]) for i, axis in enumerate(axes))
    coarse = rng.normal(0, 0.1, (6, 6, 6))
    uneven = ndimage.zoom(coarse, [n / 6 for n in shape], order=1)
    return np.asarray(reach <= 1 + uneven)


def case_a() -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """88 thousand voxels of object."""
    shape, radii = (240, 240, 155), (38.0, 32.0, 17.0)
    return organ(shape, radii, 1), organ(shape, radii, 2, shift=1.5)


def case_b() -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """2.7 million voxels of object."""
    shape, radii = (512, 512, 300), (130.0, 100.0, 49.0)
    return organ(shape, radii, 1), organ(shape, radii, 2, shift=2.0)


def case_c(pair: tuple[NDArray[np.bool_], NDArray[np.bool_]]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return the same masks with two extra voxels that enlarge the bounding box."""
    reference, prediction = pair[0], pair[1].copy()
    prediction[0, 0, 0] = prediction[-1, -1, -1] = True
    return reference, prediction


def five_metrics(reference: Any, prediction: Any) -> list[float | None]:
    """DSC, HD, HD95, ASSD and NSD from arrays in memory."""
    one = reference if isinstance(reference, Mask) else Mask(reference, SPACING)
    other = Mask(prediction, SPACING)
    return [
        dsc(one, other).value,
        hausdorff_distance(one, other).value,
        hausdorff_percentile(one, other).value,
        assd(one, other).value,
        nsd(one, other, tolerance=TOLERANCE).value,
    ]


def five_of_elements(reference: Any, prediction: Any) -> list[float | None]:
    """DSC, HD, HD95, MASD and NSD of surface elements, from arrays in memory."""
    one, other = Mask(reference, SPACING), Mask(prediction, SPACING)
    return [
        dsc(one, other).value,
        hausdorff_distance(one, other, boundary="surfels").value,
        hausdorff_percentile(one, other, boundary="surfels").value,
        masd(one, other, boundary="surfels").value,
        nsd(one, other, tolerance=TOLERANCE, boundary="surfels").value,
    ]


def _of_elements(
    title: str, masks: tuple[NDArray[np.bool_], NDArray[np.bool_]], peer: Callable[[Any, Any], Any], repeats: int
) -> Timing:
    """Return the row of surface elements after both sides gave the same values."""
    dice, furthest, percentile, means, within = peer(*masks)
    values = five_of_elements(*masks)
    if not np.allclose(np.array(values, dtype=float), [dice, furthest, percentile, np.mean(means), within], rtol=1e-9):
        message = f"{title}: the values of both sides differ"
        raise RuntimeError(message)
    seconds = best(lambda: five_of_elements(*masks), 3)
    theirs = best(lambda: peer(*masks), repeats)
    return Timing(title, seconds, theirs, "surface-distance, equal values", theirs)


def _peer() -> Callable[[Any, Any], Any] | None:
    try:
        peer = importlib.import_module("surface_distance")
    except ImportError:
        return None

    def five(reference: Any, prediction: Any) -> object:
        distances = peer.compute_surface_distances(reference, prediction, SPACING)
        return (
            peer.compute_dice_coefficient(reference, prediction),
            peer.compute_robust_hausdorff(distances, 100),
            peer.compute_robust_hausdorff(distances, 95),
            peer.compute_average_surface_distance(distances),
            peer.compute_surface_dice_at_tolerance(distances, TOLERANCE),
        )

    return five


def _monai() -> Callable[[Any, Any], object] | None:
    """The same five metrics by MONAI on one thread; its tensors are made before the clock runs."""
    try:
        torch = importlib.import_module("torch")
        metrics = importlib.import_module("monai.metrics")
    except ImportError:
        return None
    torch.set_num_threads(1)

    def five(reference: Any, prediction: Any) -> object:
        one, other = (torch.from_numpy(mask[None, None]) for mask in (reference, prediction))
        spaced = {"include_background": True, "spacing": SPACING}
        return (
            metrics.compute_dice(other, one),
            metrics.compute_hausdorff_distance(other, one, **spaced),
            metrics.compute_hausdorff_distance(other, one, percentile=95, **spaced),
            metrics.compute_average_surface_distance(other, one, symmetric=True, **spaced),
            metrics.compute_surface_dice(other, one, class_thresholds=[TOLERANCE], **spaced),
        )

    return five


def benchmarks() -> Iterator[Timing]:
    """Measure."""
    peer = _peer()
    name = "surface-distance" if peer else "surface-distance (not installed)"
    b = case_b()
    sizes = (
        ("case A: five metrics, 240×240×155", case_a(), 2.5, 3),
        ("case B: five metrics, 512×512×300", b, 8.0, 1),
        ("case C: B and two stray voxels", case_c(b), None, 1),
    )
    ours: dict[str, float] = {}
    for title, pair, factor, repeats in sizes:
        reference, prediction = pair
        seconds = ours[title[:6]] = best(lambda r=reference, p=prediction: five_metrics(r, p), 5)  # type: ignore[misc]
        theirs = None if peer is None else best(lambda r=reference, p=prediction: peer(r, p), repeats)  # type: ignore[misc]
        limit = 3 * ours["case B"] if factor is None else theirs / factor if theirs else None
        yield Timing(title, seconds, limit, name, theirs)
    if peer is not None:
        yield _of_elements("case A: surface elements, 240×240×155", sizes[0][1], peer, 2)
        yield _of_elements("case B: surface elements, 512×512×300", b, peer, 1)
    monai = _monai()
    for (title, pair, _, _), factor in zip(sizes[:2], (15.0, 20.0), strict=True):
        theirs = None if monai is None else best(lambda p=pair: monai(*p), 1)  # type: ignore[misc]
        limit = theirs / factor if theirs else None
        yield Timing(title, ours[title[:6]], limit, "MONAI" if monai else "MONAI (not installed)", theirs)
    reference, prediction = b
    prepared = Mask(reference, SPACING)
    many = best(lambda: [five_metrics(prepared, prediction) for _ in range(10)], 1) / 10
    yield Timing("case B: a prediction of ten, prepared reference", many, None, "one pair alone", ours["case B"])
    images = [LabelImage(_thirds(mask), Geometry(mask.shape, SPACING)) for mask in (reference, prediction)]
    one, three = (best(lambda n=number: _scored(images, n), 3) for number in (1, 3))  # type: ignore[misc]
    yield Timing("case B: three regions of one pair", three, 2.5 * one, "one region", one)
    alone, often = _from_files(b)
    yield Timing("case B: a prediction of ten, from files", often, alone, "one pair, from files", alone)


def _from_files(masks: tuple[NDArray[np.bool_], NDArray[np.bool_]]) -> tuple[float, float]:
    """Seconds of one pair of compressed files, and of each of ten predictions whose reference was read once."""
    document = _assessment(1)
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / f"{name}.nii.gz" for name in ("reference", "prediction")]
        for path, mask in zip(paths, masks, strict=True):
            nibabel.save(nibabel.Nifti1Image(mask.astype(np.uint8), np.diag([*SPACING, 1.0])), path)

        def score(predictions: int) -> None:
            reference = prepare_reference(document, paths[0])
            for _ in range(predictions):
                score_case(document, "", reference, paths[1])

        return best(lambda: score(1), 3), best(lambda: score(10), 1) / 10


def _scored(images: list[LabelImage], regions: int) -> object:
    """Score one pair from label images in memory: the first of three nested regions, or all of them."""
    assessment = _assessment(regions)
    return score_case(assessment, "", prepare_reference(assessment, images[0]), images[1])


def _assessment(regions: int) -> Assessment:
    """The five metrics on the first of three nested regions, or on more of them."""
    return parse(
        {
            "schema": 1,
            "problem": "semantic_segmentation",
            "regions": [{"name": str(first), "labels": list(range(first, 4))} for first in range(1, regions + 1)],
            "metrics": [
                {"id": "dsc"},
                {"id": "hausdorff_distance"},
                {"id": "hausdorff_percentile"},
                {"id": "assd"},
                {"id": "nsd", "options": {"tolerance": TOLERANCE}},
            ],
            "ranking": {"scheme": "aggregate_then_rank", "combine": None},
        }
    )


def _thirds(mask: NDArray[np.bool_]) -> NDArray[np.uint8]:
    """Labels 1 to 3 along the first axis of a mask."""
    labels = mask.astype(np.uint8)
    bounds = np.linspace(*np.flatnonzero(mask.any(axis=(1, 2)))[[0, -1]], 4)[1:3].astype(int)
    for bound in bounds:
        labels[bound:] += mask[bound:]
    return labels
