"""Values and ranks of the gallery, computed a second time with NumPy and SciPy from the files of the sample data.

Nothing here imports `evaluation`. Each function returns values by team; ranks are formed from them in `Standing`.
"""

import csv
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

import nibabel
import numpy as np
from numpy.typing import NDArray
from scipy import ndimage, optimize, stats

Bool = NDArray[np.bool_]
FULL: Final = np.ones((3, 3, 3), bool)
EDGES: Final = ndimage.generate_binary_structure(3, 2)


# Files ------------------------------------------------------------------------------------------------------------
def table(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def image(folder: Path, case: str) -> NDArray[Any]:
    return np.asarray(nibabel.load(folder / f"{case}.nii.gz").dataobj)


def spacing(folder: Path, case: str) -> tuple[float, ...]:
    return tuple(float(size) for size in nibabel.load(folder / f"{case}.nii.gz").header.get_zooms()[:3])


# Ranks ------------------------------------------------------------------------------------------------------------
def ranks(values: Mapping[str, float], *, higher: bool) -> dict[str, float]:
    """Return standard competition ranks."""
    signed = [-value if higher else value for value in values.values()]
    return dict(zip(values, (float(rank) for rank in stats.rankdata(np.round(signed, 9), method="min")), strict=True))


def mean_ranks(parts: Iterable[Mapping[str, float]]) -> dict[str, float]:
    parts = list(parts)
    return {team: float(np.mean([part[team] for part in parts])) for team in parts[0]}


def case_ranks(values: Mapping[str, Sequence[float]], *, higher: bool) -> dict[str, float]:
    """Return the mean of the ranks of single cases."""
    number = len(next(iter(values.values())))
    return mean_ranks(
        ranks({team: own[index] for team, own in values.items()}, higher=higher) for index in range(number)
    )


# Classification and survival --------------------------------------------------------------------------------------
def balanced_accuracy(references: Path, predictions: Path, classes: Sequence[str]) -> float:
    truth = {row["case"]: row["label"] for row in table(references / "labels.csv")}
    chosen = {
        row["case"]: max(classes, key=lambda name: float(row[f"p_{name}"])) for row in table(predictions / "labels.csv")
    }
    return float(
        np.mean([np.mean([chosen[case] == name for case, own in truth.items() if own == name]) for name in classes])
    )


def auroc(references: Path, predictions: Path, positive: str) -> float:
    truth = {row["case"]: row["label"] == positive for row in table(references / "labels.csv")}
    score = {row["case"]: float(row[f"p_{positive}"]) for row in table(predictions / "labels.csv")}
    pairs = [(score[one], score[other]) for one in truth if truth[one] for other in truth if not truth[other]]
    return float(np.mean([1.0 if one > other else 0.5 if one == other else 0.0 for one, other in pairs]))


def concordance(references: Path, predictions: Path) -> float:
    risk = {row["case"]: float(row["risk"]) for row in table(predictions / "survival.csv")}
    rows = [(risk[row["case"]], float(row["time"]), row["event"] == "1") for row in table(references / "survival.csv")]
    hits: list[float] = []
    for risk_i, time_i, event_i in rows:
        for risk_j, time_j, event_j in rows:
            if event_i and (time_i < time_j or (time_i == time_j and not event_j)):
                hits.append(1.0 if risk_i > risk_j else 0.5 if risk_i == risk_j else 0.0)
    return float(np.mean(hits))


# Points -----------------------------------------------------------------------------------------------------------
def points_of(folder: Path, labels: Sequence[str]) -> dict[str, list[tuple[str, float, float, float]]]:
    found: dict[str, list[tuple[str, float, float, float]]] = {}
    for row in table(folder / "objects.csv"):
        if row["class"] in labels:
            score = float(row.get("score") or 1)
            found.setdefault(row["case"], []).append((row["class"], float(row["x"]), float(row["y"]), score))
    return found


def hits_of(truth: Sequence[Any], found: Sequence[Any], radius: float) -> list[tuple[float, bool]]:
    """Return score and success of each detection; by falling score, each takes the nearest free reference."""
    free, result = list(truth), []
    for label, x, y, score in sorted(found, key=lambda point: -point[3]):
        near = [
            (np.hypot(x - other[1], y - other[2]), index)
            for index, other in enumerate(free)
            if other[0] == label and np.hypot(x - other[1], y - other[2]) <= radius
        ]
        if near:
            free.pop(min(near)[1])
        result.append((score, bool(near)))
    return result


def pooled_f1(references: Path, predictions: Path, labels: Sequence[str], *, radius: float, threshold: float) -> float:
    truth, found = points_of(references, labels), points_of(predictions, labels)
    hits = [
        success
        for case in {*truth, *found}
        for _, success in hits_of(
            truth.get(case, []), [point for point in found.get(case, []) if point[3] >= threshold], radius
        )
    ]
    number = sum(len(points) for points in truth.values())
    return 2 * sum(hits) / (number + len(hits))


def froc(
    references: Path, predictions: Path, labels: Sequence[str], *, radius: float, area: float, at: Sequence[float]
) -> float:
    """Return the mean sensitivity at numbers of false positives per area."""
    truth, found = points_of(references, labels), points_of(predictions, labels)
    hits = [pair for case in {*truth, *found} for pair in hits_of(truth.get(case, []), found.get(case, []), radius)]
    number = sum(len(points) for points in truth.values())
    curve = [(0.0, 0.0)]
    for cut in sorted({score for score, _ in hits}, reverse=True):
        kept = [success for score, success in hits if score >= cut]
        curve.append(((len(kept) - sum(kept)) / area, sum(kept) / number))
    return float(np.mean([max(share for false, share in curve if false <= point) for point in at]))


# Lesions with scores ----------------------------------------------------------------------------------------------
def lesion_ap(references: Path, predictions: Path, cases: Sequence[str], *, overlap: float) -> float:
    """Return the average precision of candidates that are assigned once by their IoU; doubles are ignored."""
    scores = {(row["case"], int(row["instance"])): float(row["score"]) for row in table(predictions / "instances.csv")}
    pairs: list[tuple[float, bool]] = []
    number = 0
    for case in cases:
        truth, found = image(references, case), image(predictions, case)
        names, candidates = [n for n in np.unique(truth) if n], [n for n in np.unique(found) if n]
        number += len(names)
        iou = np.array(
            [
                [np.sum((truth == a) & (found == b)) / np.sum((truth == a) | (found == b)) for b in candidates]
                for a in names
            ]
        ).reshape(len(names), len(candidates))
        allowed = np.where(iou >= overlap, iou, -1e6)
        taken = {
            b
            for a, b in zip(*optimize.linear_sum_assignment(allowed, maximize=True), strict=True)
            if iou[a, b] >= overlap
        }
        for index, name in enumerate(candidates):
            if index in taken:
                pairs.append((scores[case, int(name)], True))
            elif not (iou[:, index] >= overlap).any():
                pairs.append((scores[case, int(name)], False))
    area, before = 0.0, 0.0
    for cut in sorted({score for score, _ in pairs}, reverse=True):
        kept = [success for score, success in pairs if score >= cut]
        area += (sum(kept) / number - before) * sum(kept) / len(kept)
        before = sum(kept) / number
    return area


# Masks ------------------------------------------------------------------------------------------------------------
def dice(truth: Bool, found: Bool) -> float:
    total = truth.sum() + found.sum()
    return 2 * float((truth & found).sum()) / float(total) if total else 1.0


def aggregated_dice(pairs: Sequence[tuple[Bool, Bool]]) -> float:
    return 2 * sum(float((a & b).sum()) for a, b in pairs) / sum(float(a.sum() + b.sum()) for a, b in pairs)


def aggregated_f1(pairs: Sequence[tuple[Bool, Bool]], *, smallest: float) -> float:
    """Return the F1 score of the parts of all pairs; the best free partner of at least the smallest IoU is a hit."""
    hits = parts = 0
    for truth, guess in pairs:
        (one, n), (other, m) = ndimage.label(truth, structure=FULL), ndimage.label(guess, structure=FULL)
        parts += n + m
        iou = {}
        for i in range(1, n + 1):
            for j in range(1, m + 1):
                common = float(((one == i) & (other == j)).sum())
                iou[i, j] = common / (float((one == i).sum()) + float((other == j).sum()) - common)
        while iou and max(iou.values()) >= smallest:
            best = max(iou, key=lambda key: iou[key])
            hits += 1
            iou = {key: value for key, value in iou.items() if key[0] != best[0] and key[1] != best[1]}
    return 2 * hits / parts


@cache
def _areas(size: tuple[float, ...]) -> NDArray[np.float64]:
    """Return the area of the surface through a cube of eight voxels, by the number that its voxels form."""
    from skimage.measure import marching_cubes, mesh_surface_area

    areas = np.zeros(256)
    for code in range(1, 255):
        cube = np.array([(code >> (7 - bit)) & 1 for bit in range(8)], float).reshape(2, 2, 2)
        vertices, faces, *_ = marching_cubes(cube, 0.5, spacing=size, method="lorensen")
        areas[code] = mesh_surface_area(vertices, faces)
    return areas


def surfels(mask: Bool, size: Sequence[float]) -> tuple[Bool, NDArray[np.float64]]:
    """Return where the surface passes between voxels, and its area there."""
    padded = np.pad(mask, 1).astype(int)
    code = np.zeros(tuple(n - 1 for n in padded.shape), int)
    for bit, (x, y, z) in enumerate(np.ndindex(2, 2, 2)):
        code += padded[x : x + code.shape[0], y : y + code.shape[1], z : z + code.shape[2]] << (7 - bit)
    return (code > 0) & (code < 255), _areas(tuple(size))[code]


def surfel_distances(truth: Bool, found: Bool, size: Sequence[float]) -> list[tuple[NDArray[Any], NDArray[Any]]]:
    """Return sorted distances with their areas, from the reference and from the prediction."""
    (at, weight), (other, other_weight) = surfels(truth, size), surfels(found, size)
    result = []
    for own, areas, target in ((at, weight, other), (other, other_weight, at)):
        far = ndimage.distance_transform_edt(~target, sampling=size)[own]
        order = np.argsort(far)
        result.append((far[order], areas[own][order]))
    return result


def surfel_hd95(truth: Bool, found: Bool, size: Sequence[float]) -> float:
    directed = []
    for far, areas in surfel_distances(truth, found, size):
        place = np.searchsorted(np.cumsum(areas) / areas.sum(), 0.95)
        directed.append(far[min(place, len(far) - 1)])
    return float(max(directed))


def surfel_dice(truth: Bool, found: Bool, size: Sequence[float], *, tolerance: float) -> float:
    parts = surfel_distances(truth, found, size)
    return float(sum(areas[far <= tolerance].sum() for far, areas in parts) / sum(areas.sum() for _, areas in parts))


def border(mask: Bool) -> Bool:
    return mask & ~ndimage.binary_erosion(mask)


def voxel_hd95(truth: Bool, found: Bool, size: Sequence[float]) -> float:
    one, other = border(truth), border(found)
    return max(
        float(np.percentile(ndimage.distance_transform_edt(~target, sampling=size)[own], 95))
        for own, target in ((one, other), (other, one))
    )


def by_lesion(truth: Bool, found: Bool, size: Sequence[float], score: Callable[..., float], penalty: float) -> float:
    """Return the mean score of lesions as BraTS 2023 forms them: dilation 3, cut-off 50 mm³, 26 neighbours."""
    volume = float(np.prod(size))
    near, _ = ndimage.label(ndimage.binary_dilation(truth, EDGES, iterations=3), FULL)
    candidates, _ = ndimage.label(found, FULL)
    scores: list[float] = []
    matched: set[int] = set()
    for name in range(1, near.max() + 1):
        lesion = truth & (near == name)
        own = {int(n) for n in np.unique(candidates[near == name]) if n}
        matched |= own
        if lesion.sum() * volume <= 50:
            continue
        scores.append(score(lesion, np.isin(candidates, list(own))) if own else penalty)
    false = (name for name in range(1, candidates.max() + 1) if name not in matched)
    scores += [penalty for name in false if (candidates == name).sum() * volume > 50]
    return float(np.mean(scores)) if scores else (1.0 if penalty == 0 else 0.0)


def lesions(mask: Bool) -> tuple[NDArray[np.int32], int]:
    labelled, number = ndimage.label(mask, FULL)
    return labelled, int(number)


def missed_volume(mask: Bool, other: Bool, size: Sequence[float]) -> float:
    """Return the volume (ml) of the lesions of a mask that the other does not touch."""
    labelled, number = lesions(mask)
    untouched = [name for name in range(1, number + 1) if not other[labelled == name].any()]
    return float(np.isin(labelled, untouched).sum() * np.prod(size) / 1000) if untouched else 0.0


def lesion_f1(truth: Bool, found: Bool) -> float:
    own, number = lesions(truth)
    other, candidates = lesions(found)
    hits = sum(bool(found[own == name].any()) for name in range(1, number + 1))
    false = sum(not truth[other == name].any() for name in range(1, candidates + 1))
    return 2 * hits / (2 * hits + (number - hits) + false) if number + false else 1.0


def axis_error(truth: Bool, found: Bool, size: Sequence[float], which: int) -> float:
    """Return the difference by the sum of the longest diameters in a slice (0), or of those across it (1)."""
    wanted, given = (_diameters(mask, size)[which] for mask in (truth, found))
    return abs(wanted - given) / (wanted + given) if wanted + given else 0.0


def _diameters(mask: Bool, size: Sequence[float]) -> tuple[float, float]:
    """Return the longest diameter of all slices, and the longest one across it in the fewest degrees off 90."""
    best, across = 0.0, 0.0
    for index in np.flatnonzero(mask.any(axis=(0, 1))):
        parts, number = ndimage.label(mask[:, :, index])
        largest = parts == 1 + int(np.argmax([(parts == name).sum() for name in range(1, number + 1)]))
        points = np.argwhere(border(largest)) * np.array(size[:2])
        one, other = np.triu_indices(len(points), 1)
        lines = points[other] - points[one]
        lengths = np.hypot(*lines.T)
        if not lengths.size or lengths.max() <= best:
            continue
        best = float(lengths.max())
        axis = lines[lengths.argmax()]
        angles = np.abs(np.degrees(np.arccos(np.clip(lines @ axis / (lengths * best), -1, 1))) - 90)
        across = float(lengths[np.floor(angles) == np.floor(angles).min()].max())
    return best, across


# Intensities ------------------------------------------------------------------------------------------------------
def ms_ssim(truth: NDArray[Any], found: NDArray[Any], body: Bool, *, low: float, high: float) -> float:
    """Return the similarity of windows of 7 voxels at five resolutions, with the moments of each window itself."""
    c1, c2 = (0.01 * (high - low)) ** 2, (0.03 * (high - low)) ** 2
    one, other = (np.where(body, np.clip(each, low, high) - low, 0.0) for each in (truth, found))
    value, axes = 1.0, tuple(range(-truth.ndim, 0))
    assert min(truth.shape) >= 97, "no padding is programmed"
    for weight in (0.0448, 0.2856, 0.3001, 0.2363, 0.1333):
        a, b = (np.lib.stride_tricks.sliding_window_view(each, (7,) * each.ndim) for each in (one, other))
        mean_a, mean_b = a.mean(axes), b.mean(axes)
        sd_a, sd_b = a.std(axes, ddof=1), b.std(axes, ddof=1)
        rest_a, rest_b = a - np.expand_dims(mean_a, axes), b - np.expand_dims(mean_b, axes)
        covariance = (rest_a * rest_b).sum(axes) / (7**truth.ndim - 1)
        luminance = (2 * mean_a * mean_b + c1) / (mean_a**2 + mean_b**2 + c1)
        contrast = (2 * sd_a * sd_b + c2) / (sd_a**2 + sd_b**2 + c2)
        structure = (covariance + c2 / 2) / (sd_a * sd_b + c2 / 2)
        scores = (luminance * contrast * np.maximum(structure, 0)) ** weight
        value *= float(scores[body[(slice(3, -3),) * truth.ndim]].mean())
        one, other = (_halved(each) for each in (one, other))
        body = body[(slice(None, None, 2),) * truth.ndim]
    return value


def _halved(values: NDArray[Any]) -> NDArray[Any]:
    """Return the mean of each second voxel and those before it; voxels outside are 0."""
    padded = np.pad(values, [(1, 0)] * values.ndim)
    pairs = np.lib.stride_tricks.sliding_window_view(padded, (2,) * values.ndim)
    return np.asarray(pairs.mean(tuple(range(-values.ndim, 0)))[(slice(None, None, 2),) * values.ndim])


# Boxes ------------------------------------------------------------------------------------------------------------
def coco_map(references: Path, predictions: Path, cases: Sequence[str]) -> float:
    """Return the mean average precision that pycocotools computes."""
    import contextlib
    import io

    from pycocotools.coco import COCO
    from pycocotools.cocoeval import COCOeval

    truth, found = table(references / "objects.csv"), table(predictions / "objects.csv")
    classes = {name: number for number, name in enumerate(sorted({row["class"] for row in truth}), 1)}
    images = {case: number for number, case in enumerate(cases, 1)}

    def box(row: Mapping[str, str]) -> list[float]:
        x, y = float(row["x_min"]), float(row["y_min"])
        return [x, y, float(row["x_max"]) - x, float(row["y_max"]) - y]

    annotations = [
        {"id": number, "image_id": images[row["case"]], "category_id": classes[row["class"]], "bbox": box(row), "area": box(row)[2] * box(row)[3], "iscrowd": 0}
        for number, row in enumerate(truth, 1)
    ]  # fmt: skip
    detections = [
        {"image_id": images[row["case"]], "category_id": classes[row["class"]], "bbox": box(row), "score": float(row["score"])}
        for row in found if row["class"] in classes
    ]  # fmt: skip
    with contextlib.redirect_stdout(io.StringIO()):
        data = COCO()
        data.dataset = {
            "images": [{"id": number} for number in images.values()],
            "annotations": annotations,
            "categories": [{"id": number} for number in classes.values()],
        }
        data.createIndex()
        evaluation = COCOeval(data, data.loadRes(detections), "bbox")
        evaluation.evaluate()
        evaluation.accumulate()
        evaluation.summarize()
    return float(evaluation.stats[0])
