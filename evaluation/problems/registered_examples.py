"""Sample test sets of an assessment: references and predictions with its regions, classes, settings and case columns.

The first algorithm is good, the second mediocre. Files are in the layout of the contract.
"""

from __future__ import annotations

import csv
import json
import math
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from evaluation.assessment.columns import grouping_columns

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from evaluation.assessment.model import Assessment

CELL: Final = 10
"""Voxels along each axis for one object."""
_LARGEST_PNG: Final = 255
_SIZES: Final = (20.0, 50.0, 120.0)
"""Sides of boxes in pixels: one object of each size class of COCO."""


def names_of_cases(cases: int) -> list[str]:
    """Return the names of the sample cases.

    Examples
    --------
    >>> names_of_cases(2)
    ['case-00', 'case-01']
    """
    return [f"case-{number:02d}" for number in range(cases)]


def labels_of(assessment: Assessment) -> list[str]:
    """Return the labels or classes of all regions as text, without duplicates, in their order."""
    return list(dict.fromkeys(str(label) for region in assessment.regions for label in region.labels))


def write_rows(path: Path, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Write a CSV file."""
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(rows)


def make_folders(folder: Path, algorithms: Sequence[str]) -> None:
    """Create the folder of references and that of each algorithm."""
    for name in ("references", *(f"predictions/{name}" for name in algorithms)):
        (folder / name).mkdir(parents=True, exist_ok=True)


# Label images -----------------------------------------------------------------------------------------------------


def axes_of_images(assessment: Assessment) -> int:
    """Return the number of axes of sample images: that of a registered spacing or of a method for 2D, else 3.

    Examples
    --------
    >>> from evaluation.assessment import parse
    >>> axes_of_images(parse({"problem": "semantic_segmentation", "regions": [{"name": "a", "labels": [1]}],
    ...     "metrics": [{"id": "assd", "options": {"spacing": [1, 1]}}]}))
    2
    """
    spacings = [use.options.get("spacing") for use in assessment.computed]
    for_planes = any(use.options.get("skeleton_method") == "zhang" for use in assessment.computed)
    return next((len(each) for each in spacings if isinstance(each, (list, tuple))), 2 if for_planes else 3)


def write_blobs(
    assessment: Assessment, folder: Path, *, cases: int, seed: int, algorithms: Sequence[str], numbered: int = 0
) -> None:
    """Write label images with a blob for each label of the regions, moved a little by the algorithms.

    Parameters
    ----------
    numbered
        Number of objects that are numbered instead, of an instance segmentation.
    """
    random = np.random.default_rng(seed)
    make_folders(folder, algorithms)
    labels = list(range(1, numbered + 1)) if numbered else [int(label) for label in labels_of(assessment) if int(label)]
    ignored = [int(label) for label in assessment.settings.get("ignore_labels") or () if int(label) not in labels]
    axes = axes_of_images(assessment)
    # Few labels get two blobs each, so that lesion-wise metrics have something to count.
    placed = [*labels, *labels] if len(labels) <= 2 and not numbered else labels
    side = max(2, math.ceil((len(placed) + len(ignored)) ** (1 / axes)))
    for case in names_of_cases(cases):
        order = random.permutation(side**axes)[: len(placed) + len(ignored)]
        centres = np.array(np.unravel_index(order, (side,) * axes)).T * CELL + CELL // 2
        centres = centres + random.integers(-1, 2, centres.shape)
        truth = blobs([*placed, *ignored], centres, 3, (side * CELL,) * axes)
        write_labels(truth, folder / "references", case)
        moved = random.integers(0, 2, len(placed))
        for index, name in enumerate(algorithms):
            shifted = centres[: len(placed)].copy()
            shifted[:, 0] += moved + 2 * index
            write_labels(blobs(placed, shifted, 3 - 0.5 * index, truth.shape), folder / f"predictions/{name}", case)


def blobs(
    labels: Sequence[int], centres: NDArray[np.int64], radius: float, shape: tuple[int, ...]
) -> NDArray[np.int64]:
    """Return a label image with a ball for each label."""
    image = np.zeros(shape, dtype=np.int64)
    grid = np.indices(shape)
    for label, centre in zip(labels, centres, strict=True):
        distance = sum((axis - middle) ** 2 for axis, middle in zip(grid, centre, strict=True))
        image[distance <= radius**2] = label
    return image


def write_labels(image: NDArray[np.int64], folder: Path, case: str) -> Path:
    """Write a label image: NIfTI for volumes, else PNG or TIFF."""
    highest = int(image.max())
    if image.ndim == 2:
        from PIL import Image

        is_small = highest <= _LARGEST_PNG
        path = folder / f"{case}.{'png' if is_small else 'tif'}"
        Image.fromarray(image.astype(np.uint8 if is_small else np.uint16)).save(path)
        return path
    import nibabel

    kind = np.uint8 if highest <= _LARGEST_PNG else np.int32
    path = folder / f"{case}.nii.gz"
    nibabel.save(nibabel.Nifti1Image(image.astype(kind), np.diag([1.0, 1.0, 2.0, 1.0])), path)  # type: ignore[no-untyped-call]
    return path


def write_instances(assessment: Assessment, folder: Path, *, cases: int, seed: int, algorithms: Sequence[str]) -> None:
    """Write label maps with three objects per class, and the tables of their classes and scores."""
    classes = labels_of(assessment)
    number = max(3, len(classes) if len(classes) > 3 else 3 * len(classes))
    write_blobs(assessment, folder, cases=cases, seed=seed, algorithms=algorithms, numbered=number)
    random = np.random.default_rng(seed + 1)
    of_objects = [classes[index % len(classes)] if classes else "" for index in range(number)]
    named = ("class",) if classes else ()
    rows = [
        (case, index + 1, *([of_objects[index]] if classes else []))
        for case in names_of_cases(cases)
        for index in range(number)
    ]
    if classes:
        write_rows(folder / "references/instances.csv", ("case", "instance", *named), rows)
    for index, name in enumerate(algorithms):
        scores = random.uniform(0.6 - 0.2 * index, 1 - 0.1 * index, len(rows))
        write_rows(
            folder / f"predictions/{name}/instances.csv",
            ("case", "instance", *named, "score"),
            [(*row, f"{score:.4f}") for row, score in zip(rows, scores, strict=True)],
        )


def write_overlapping_masks(
    assessment: Assessment, folder: Path, *, cases: int, seed: int, algorithms: Sequence[str]
) -> None:
    """Write three objects per class in run-length encoding; each object overlaps the next one."""
    from evaluation.readers.run_lengths import encode

    random = np.random.default_rng(seed)
    make_folders(folder, algorithms)
    classes = labels_of(assessment) or [""]
    of_objects = [name for name in classes for _ in range(3)]
    width = CELL * (len(of_objects) + 1)
    columns, rows = np.indices((width, 2 * CELL))
    for case in names_of_cases(cases):
        centres = CELL * np.arange(1, len(of_objects) + 1) + random.integers(-1, 2, len(of_objects))
        scores = random.uniform(0.6, 1, len(of_objects))
        for index, subfolder in enumerate(("references", *(f"predictions/{name}" for name in algorithms))):
            objects: list[dict[str, Any]] = []
            for name, centre, score in zip(of_objects, centres, scores, strict=True):
                mask = (columns - centre - index) ** 2 + (rows - CELL) ** 2 <= (0.6 * CELL) ** 2
                entry: dict[str, Any] = {"segmentation": encode(mask.astype(np.uint8))}
                entry |= {"class": name} if name else {}
                objects.append(entry | ({"score": round(float(score), 4)} if index else {}))
            content = json.dumps({"size": [2 * CELL, width], "objects": objects})
            (folder / subfolder / f"{case}.json").write_text(content, encoding="utf-8")


def write_confidence_table(folder: Path, *, cases: int, seed: int, algorithms: Sequence[str]) -> None:
    """Write a confidence of each case."""
    random = np.random.default_rng(seed + 2)
    for index, name in enumerate(algorithms):
        sure = random.uniform(0.2, 1, cases) - 0.1 * index
        rows = [(case, f"{value:.4f}") for case, value in zip(names_of_cases(cases), sure, strict=True)]
        write_rows(folder / f"predictions/{name}/confidence.csv", ("case", "confidence"), rows)


# Objects and landmarks --------------------------------------------------------------------------------------------


def write_objects(
    assessment: Assessment,
    folder: Path,
    *,
    columns: Sequence[str],
    cases: int,
    seed: int,
    algorithms: Sequence[str],
) -> None:
    """Write boxes or points of every class; the good algorithm is closer than any registered hit criterion."""
    random = np.random.default_rng(seed)
    make_folders(folder, algorithms)
    classes = labels_of(assessment)
    places = [column for column in columns if column not in ("case", "class")]
    axes = len(places) // 2 if "x_min" in places else len(places)
    step = steps_of(assessment, axes)
    number = max(3, len(classes))
    any_score = assessment.settings.get("scores") == "any"
    truth: list[tuple[str, str, NDArray[np.float64], float]] = []
    for case in names_of_cases(cases):
        for index in range(number):
            corner = random.uniform(0, 20, axes)
            # Objects stand in a row, far from each other.
            corner[0] += 200.0 * index
            truth.append((case, classes[index % len(classes)] if classes else "", corner, _SIZES[index % 3]))
    named = ("class",) if classes else ()
    is_box = len(places) > axes

    def row(entry: tuple[str, str, NDArray[np.float64], float], move: Any, *score: str) -> list[Any]:
        case, name, corner, size = entry
        first = corner + move
        coordinates = [*first, *(first + size)] if is_box else list(first)
        return [case, *([name] if classes else []), *score, *(f"{value:.4f}" for value in coordinates)]

    write_rows(folder / "references/objects.csv", ("case", *named, *places), [row(entry, 0.0) for entry in truth])
    for index, name in enumerate(algorithms):
        rows = []
        for position, entry in enumerate(truth):
            if index and position % 3 == 1:
                continue
            score = float(random.uniform(0.6 - 0.1 * index, 0.99))
            rows.append(row(entry, random.uniform(-1, 1, axes) * step, _score(score, any_score=any_score)))
        for entry in truth[:: 4 if index else 7]:
            score = float(random.uniform(0.3, 0.7))
            rows.append(row(entry, np.full(axes, 75.0) * np.maximum(step, 1.0), _score(score, any_score=any_score)))
        write_rows(folder / f"predictions/{name}/objects.csv", ("case", *named, "score", *places), rows)


def _score(score: float, *, any_score: bool) -> str:
    return f"{20 * score - 10:.4f}" if any_score else f"{score:.4f}"


def steps_of(assessment: Assessment, axes: int) -> NDArray[np.float64]:
    """Return the error of a good prediction along each axis, in the unit of the coordinates."""
    from evaluation.problems.coordinates import DISTANCE, FROM_CASES

    limits = [1.5]
    for use in assessment.computed:
        criterion = use.options.get("localization_criterion")
        name = criterion.get("id") if isinstance(criterion, dict) else criterion
        if name == DISTANCE:
            limits.append(0.3 * float(use.options.get("localization_threshold") or 1.0))
        if "radius" in use.options:
            limits.append(0.3 * float(use.options["radius"]))
    spacing = assessment.settings.get("spacing")
    sizes = [0.5] * axes if spacing == FROM_CASES else list(spacing) if isinstance(spacing, (list, tuple)) else [1.0]
    scale = np.array((sizes * axes)[:axes] if len(sizes) < axes else sizes[:axes], dtype=float)
    steps: NDArray[np.float64] = np.minimum(min(limits) / math.sqrt(axes) / scale, 1.5)
    return steps


def write_landmarks(
    assessment: Assessment,
    folder: Path,
    *,
    columns: Sequence[str],
    cases: int,
    seed: int,
    algorithms: Sequence[str],
) -> None:
    """Write every landmark of the regions, or three where none is named."""
    random = np.random.default_rng(seed)
    make_folders(folder, algorithms)
    names = labels_of(assessment) or ["apex", "base", "centre"]
    axes = len(columns) - 2
    truth = random.uniform(0, 60, (cases, len(names), axes))
    step = steps_of(assessment, axes)

    def rows(points: NDArray[np.float64]) -> list[list[Any]]:
        return [
            [case, name, *(f"{value:.4f}" for value in points[number, index])]
            for number, case in enumerate(names_of_cases(cases))
            for index, name in enumerate(names)
        ]

    write_rows(folder / "references/landmarks.csv", columns, rows(truth))
    for index, name in enumerate(algorithms):
        moved = truth + random.uniform(-1, 1, truth.shape) * step * (1 + 4 * index)
        write_rows(folder / f"predictions/{name}/landmarks.csv", columns, rows(moved))


# Tables of cases --------------------------------------------------------------------------------------------------


def classes_of(assessment: Assessment) -> list[str]:
    """Return the classes of an image classification: those of the regions, completed to two."""
    named = labels_of(assessment)
    chosen = [use.options.get("positive_class") for use in assessment.computed]
    regions = {region.name for region in assessment.regions}
    named += [str(name) for name in dict.fromkeys(chosen) if name is not None and str(name) not in {*named, *regions}]
    if not labels_of(assessment):
        # Classes come from the references: enough of them for the registered number of guesses.
        guesses = max((int(use.options.get("k", 0)) for use in assessment.computed), default=0)
        named += [f"class {number}" for number in range(1, guesses + 2 - len(named))]
    if len(named) < 2:
        named = [name for name in ("absent", "other") if name not in named][: 2 - len(named)] + named
    return named


def write_classes(assessment: Assessment, folder: Path, *, cases: int, seed: int, algorithms: Sequence[str]) -> None:
    """Write a class of each case, and the scores of all classes."""
    random = np.random.default_rng(seed)
    make_folders(folder, algorithms)
    classes = classes_of(assessment)
    names = names_of_cases(cases)
    truth = [index % len(classes) for index in range(cases)]
    rows = [(case, classes[code]) for case, code in zip(names, truth, strict=True)]
    write_rows(folder / "references/labels.csv", ("case", "label"), rows)
    for index, name in enumerate(algorithms):
        raw = random.uniform(0, 1 + 0.6 * index, (cases, len(classes)))
        raw[np.arange(cases), truth] += 0.9
        scores = np.round(raw / raw.sum(axis=1, keepdims=True), 4)
        scores[:, -1] = 1 - scores[:, :-1].sum(axis=1)
        columns = ("case", *(f"p_{each}" for each in classes))
        lines = [(case, *(f"{value:.4f}" for value in row)) for case, row in zip(names, scores, strict=True)]
        write_rows(folder / f"predictions/{name}/labels.csv", columns, lines)


def write_findings(assessment: Assessment, folder: Path, *, cases: int, seed: int, algorithms: Sequence[str]) -> None:
    """Write which labels apply to each case, and a probability of each label."""
    random = np.random.default_rng(seed)
    make_folders(folder, algorithms)
    labels = labels_of(assessment) or ["nodule", "effusion"]
    names = names_of_cases(cases)
    truth = np.array([[(case + label) // (1 + label % 3) % 2 for label in range(len(labels))] for case in range(cases)])
    rows = [(case, *map(int, row)) for case, row in zip(names, truth, strict=True)]
    write_rows(folder / "references/labels.csv", ("case", *labels), rows)
    for index, name in enumerate(algorithms):
        scores = np.clip(0.3 + 0.4 * truth + random.normal(0, 0.12 + 0.25 * index, truth.shape), 0, 1)
        lines = [(case, *(f"{value:.4f}" for value in row)) for case, row in zip(names, scores, strict=True)]
        write_rows(folder / f"predictions/{name}/labels.csv", ("case", *(f"p_{each}" for each in labels)), lines)


def write_numbers(
    assessment: Assessment, folder: Path, *, columns: Sequence[str], cases: int, seed: int, algorithms: Sequence[str]
) -> None:
    """Write a number for each target, inside its registered range."""
    random = np.random.default_rng(seed)
    make_folders(folder, algorithms)
    declared = assessment.settings.get("targets") or {}
    ranges = [(declared.get(column) or {}).get("range") or (20.0, 80.0) for column in columns[1:]]
    low, high = np.array(ranges, dtype=float).T
    truth = low + (high - low) * random.uniform(0.1, 0.9, (cases, len(ranges)))
    names = names_of_cases(cases)

    def rows(values: NDArray[np.float64]) -> list[list[Any]]:
        return [[case, *(f"{value:.6g}" for value in row)] for case, row in zip(names, values, strict=True)]

    write_rows(folder / "references/values.csv", columns, rows(truth))
    for index, name in enumerate(algorithms):
        error = random.normal(0, 0.03 + 0.15 * index, truth.shape) * (high - low)
        write_rows(folder / f"predictions/{name}/values.csv", columns, rows(np.clip(truth + error, low, high)))


def write_survival(assessment: Assessment, folder: Path, *, cases: int, seed: int, algorithms: Sequence[str]) -> None:
    """Write times with events and censoring that reach beyond every registered time, risks and probabilities."""
    random = np.random.default_rng(seed)
    make_folders(folder, algorithms)
    times = [float(time) for time in assessment.settings.get("times") or ()]
    asked = [use.options.get(name) for use in assessment.computed for name in ("time", "tau")]
    last = max([*times, *(float(time) for time in asked if time is not None), 0.0]) or 12.0
    first = min([*times, *(float(time) for time in asked if time is not None), last])
    names = names_of_cases(cases)
    hazards = random.uniform(0.2, 1, cases)
    rows = []
    for index, case in enumerate(names):
        if index % 3 == 2:
            rows.append((case, f"{last * (1.5 + 0.05 * index):.6g}", 0))
        elif index % 6 == 4:
            rows.append((case, f"{0.7 * last * (1 + 0.01 * index):.6g}", 0))
        else:
            # The first event is before every registered time.
            rows.append((case, f"{first * 0.5 + (last - first * 0.5) * 0.9 * index / cases:.6g}", 1))
    write_rows(folder / "references/survival.csv", ("case", "time", "event"), rows)
    if assessment.settings.get("ipcw") == "training":
        others = [(f"training-{number:02d}", time, event) for number, (_, time, event) in enumerate(rows, start=1)]
        write_rows(folder / "references/censoring.csv", ("case", "time", "event"), others)
    probabilities = [f"s_{time:g}" for time in times]
    ended = np.array([float(row[1]) for row in rows])
    for index, name in enumerate(algorithms):
        risk = last / ended * np.exp(random.normal(0, 0.2 + index, cases))
        lines = [
            (case, f"{risk[number]:.6g}", *(f"{math.exp(-hazards[number] * time / last):.6f}" for time in times))
            for number, case in enumerate(names)
        ]
        write_rows(folder / f"predictions/{name}/survival.csv", ("case", "risk", *probabilities), lines)


def write_risks(folder: Path, *, cases: int, seed: int, algorithms: Sequence[str]) -> None:
    """Write a risk of each case, and confidences that fall with it more or less."""
    random = np.random.default_rng(seed)
    make_folders(folder, algorithms)
    names = names_of_cases(cases)
    risks = np.round(random.beta(2, 4, cases), 4)
    write_rows(
        folder / "references/risk.csv", ("case", "risk"), [(c, f"{r:.4f}") for c, r in zip(names, risks, strict=True)]
    )
    for index, name in enumerate(algorithms):
        sure = 1 - risks + random.normal(0, 0.05 + 0.4 * index, cases)
        rows = [(case, f"{value:.4f}") for case, value in zip(names, sure, strict=True)]
        write_rows(folder / f"predictions/{name}/confidence.csv", ("case", "confidence"), rows)


# Images and fields ------------------------------------------------------------------------------------------------

_SMALL_SIDE: Final = 24
_LARGE_SIDE: Final = 192
"""Pixels along each axis that five scales of MS-SSIM need, with their windows of 11 pixels."""


def write_intensities(
    assessment: Assessment, folder: Path, *, cases: int, seed: int, algorithms: Sequence[str]
) -> None:
    """Write smooth images inside the registered data range, and masks where regions are named."""
    random = np.random.default_rng(seed)
    make_folders(folder, algorithms)
    large = any(use.id == "ms_ssim" for use in assessment.computed)
    shape = (_LARGE_SIDE, _LARGE_SIDE) if large else (_SMALL_SIDE,) * 3
    given = assessment.settings.get("data_range")
    low, high = (
        (0.0, float(given))
        if isinstance(given, (int, float))
        else tuple(map(float, given))
        if isinstance(given, (list, tuple))
        else (0.0, 100.0)
    )
    labels = [int(label) for label in labels_of(assessment) if int(label)]
    if labels:
        (folder / "references/masks").mkdir()
    grid = np.indices(shape)
    for case in names_of_cases(cases):
        wave = sum(np.sin(axis / 5 + random.uniform(0, 6)) for axis in grid) / len(shape)
        truth = low + (high - low) * (0.5 + 0.35 * wave)
        _write_image(truth, folder / "references", case)
        if labels:
            band = np.minimum(grid[0] * (len(labels) + 1) // shape[0], len(labels))
            _write_image(np.array([0, *labels])[band], folder / "references/masks", case)
        for index, name in enumerate(algorithms):
            noise = random.normal(0, (high - low) * (0.02 + 0.06 * index), shape)
            _write_image(np.clip(truth + noise, low, high), folder / f"predictions/{name}", case)


def _write_image(image: NDArray[Any], folder: Path, case: str) -> None:
    import nibabel

    kind = np.int32 if image.dtype.kind == "i" else np.float32
    nibabel.save(nibabel.Nifti1Image(image.astype(kind), np.eye(4)), folder / f"{case}.nii.gz")  # type: ignore[no-untyped-call]


FIELD_SPACING: Final = (1.0, 1.5, 2.0)
"""Voxels of sample registrations in mm."""


def write_fields(assessment: Assessment, folder: Path, *, cases: int, seed: int, algorithms: Sequence[str]) -> None:
    """Write moved blobs with landmarks, and fields that go most or half of the way, in the registered convention.

    Where moved landmarks are submitted, these are written in place of fields.
    """
    import nibabel

    random = np.random.default_rng(seed)
    make_folders(folder, algorithms)
    labels = [int(label) for label in labels_of(assessment) if int(label)]
    axes = axes_of_images(assessment)
    side = max(2, math.ceil(len(labels) ** (1 / axes)))
    shape = (side * CELL + 4,) * axes
    affine = np.diag([*FIELD_SPACING, 1.0])
    for case in names_of_cases(cases):
        parts = folder / "references" / case
        parts.mkdir()
        order = random.permutation(side**axes)[: max(len(labels), 1)]
        centres = np.array(np.unravel_index(order, (side,) * axes)).T * CELL + CELL // 2
        shift = random.integers(1, 3, axes)
        for part, move in (("fixed", 0), ("moving", shift)):
            image = blobs(labels or [1], centres + move, 3, shape).astype(np.int32)
            nibabel.save(nibabel.Nifti1Image(image, affine), parts / f"{part}_labels.nii.gz")  # type: ignore[no-untyped-call]
            points = np.concatenate([centres, np.array([[6, 6, 6], [9, 6, 7], [6, 10, 8]])[:, :axes]]) + move
            placed = _in_convention(assessment, points.astype(float))
            _write_points(placed, parts / f"{part}_landmarks.csv")
        for index, name in enumerate(algorithms):
            if assessment.problem == "landmark_registration":
                moved = points + random.uniform(-1, 1, points.shape) * (0.5 + 1.5 * index)
                _write_points(_in_convention(assessment, moved), folder / f"predictions/{name}/{case}.csv")
                continue
            wave = 0.1 * np.sin(np.indices(shape)[0] / 3 + index)
            field = np.stack([wave + step * (0.9 - 0.4 * index) for step in shift], axis=-1)
            _write_field(assessment.settings["field"], field, affine, folder / f"predictions/{name}/{case}.nii.gz")


def _write_points(points: NDArray[np.float64], path: Path) -> None:
    rows = [(f"p{number}", *(f"{value:.6g}" for value in row)) for number, row in enumerate(points)]
    write_rows(path, ("landmark", *"xyz"[: points.shape[1]]), rows)


def _in_convention(assessment: Assessment, points: NDArray[np.float64]) -> NDArray[np.float64]:
    convention = assessment.settings["landmarks"]
    if convention == "voxel":
        return points
    return points * _to_mm(convention, points.shape[1])


def _to_mm(convention: str, axes: int) -> NDArray[np.float64]:
    """Return the factor of each axis from voxels to mm in a convention."""
    signs = (-1.0, -1.0, 1.0) if convention == "mm_lps" else (1.0, 1.0, 1.0)
    return np.array(FIELD_SPACING[:axes]) * signs[:axes]


def _write_field(convention: str, field: NDArray[np.float64], affine: NDArray[np.float64], path: Path) -> None:
    import nibabel

    axes = field.shape[-1]
    grid = (*field.shape[:-1], *(1,) * (3 - axes))
    if convention == "voxel":
        image = nibabel.Nifti1Image(field.reshape(*grid, axes).astype(np.float32), affine)  # type: ignore[no-untyped-call]
        nibabel.save(image, path)
        return
    vectors = (field * _to_mm(convention, axes)).reshape(*grid, 1, axes)
    image = nibabel.Nifti1Image(vectors.astype(np.float32), affine)  # type: ignore[no-untyped-call]
    image.header.set_intent(1007 if convention == "mm_lps" else 1006)  # type: ignore[no-untyped-call]
    nibabel.save(image, path)


# Characteristics of the cases -------------------------------------------------------------------------------------


def characteristics(assessment: Assessment, cases: int) -> dict[str, list[str]]:
    """Return the columns of ``cases.csv`` that the assessment reads, with a value for each sample case.

    Groups are nested: levels further out have fewer and larger groups.
    """
    from evaluation.assessment.exclusions import GRADES
    from evaluation.problems.coordinates import AREA_COLUMN, FROM_CASES, SPACINGS

    columns: dict[str, list[str]] = {}
    levels = [level for level in assessment.aggregation.levels if level != "case"]
    named = _named_values(assessment)
    for column in grouping_columns(assessment):
        if column == assessment.exclusions.grade_column:
            # One case of each grade, the others acceptable.
            columns[column] = [GRADES[index] if index < len(GRADES) else GRADES[0] for index in range(cases)]
            continue
        groups = max(2, cases // 2 ** (1 + levels.index(column))) if column in levels else 2
        values = named.get(column) or [f"{column}-{number}" for number in range(1, groups + 1)]
        columns[column] = [values[index * len(values) // cases] for index in range(cases)]
    if "patient" not in columns and any(use.options.get("scale") == "patient" for use in assessment.computed):
        columns["patient"] = [f"patient-{index // 2 + 1}" for index in range(cases)]
    if assessment.settings.get("spacing") == FROM_CASES:
        columns |= {column: ["0.5"] * cases for column in SPACINGS}
    if any(use.options.get("per") == "area" for use in assessment.computed):
        columns[AREA_COLUMN] = [f"{2 + index % 3}" for index in range(cases)]
    if assessment.settings.get("penalty") == "image_diagonal":
        columns["image_diagonal"] = ["120"] * cases
    for column, kind in assessment.columns.items():
        if kind == "number":
            values = [str(20 + 3 * index) for index in range(cases)]
        else:
            answers = ("yes", "no") if kind == "yes_no" else (f"{column}-1", f"{column}-2")
            values = [answers[index % 2] for index in range(cases)]
        columns.setdefault(column, values)
    return columns


def _named_values(assessment: Assessment) -> Mapping[str, list[str]]:
    """Values of columns that registered weights name."""
    named: dict[str, list[str]] = {}
    for scheme in assessment.rankings:
        for step in scheme.combine or ():
            for column, weights in (step.weights or {}).items():
                if not isinstance(weights, str):
                    named[column] = list(weights)
    return named


def write_characteristics(assessment: Assessment, folder: Path, cases: int) -> dict[str, dict[str, str]]:
    """Write ``cases.csv`` next to the references, and return the characteristics of each case."""
    columns = characteristics(assessment, cases)
    names = names_of_cases(cases)
    rows = [(case, *(values[index] for values in columns.values())) for index, case in enumerate(names)]
    write_rows(folder / "references/cases.csv", ("case", *columns), rows)
    return {case: {column: values[index] for column, values in columns.items()} for index, case in enumerate(names)}
