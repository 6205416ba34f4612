"""Small challenges to try a kind of problem with: references and the predictions of some algorithms, the best first."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

SIDE: Final = 48
_BLOCKS_SHAPE: Final = (20, 18, 16)
_BLOCKS_AFFINE: Final = np.diag([1.0, 1.5, 2.0, 1.0])


def write_label_images(folder: Path, *, cases: int, seed: int, numbered: bool, algorithms: Sequence[str]) -> None:
    """Write discs with a core: labels 1 and 2, or a number for each disc."""
    from PIL import Image

    random = np.random.default_rng(seed)
    _make_folders(folder, algorithms)
    for case in range(cases):
        centres = np.array([[14, 14], [32, 30]]) + random.integers(-2, 3, (2, 2))
        radii = random.integers(5, 8, 2)
        for name, shift in (
            ("references", 0),
            *((f"predictions/{name}", 1 + 2 * i) for i, name in enumerate(algorithms)),
        ):
            labels = _discs(centres + shift, radii, numbered=numbered)
            Image.fromarray(labels).save(folder / name / f"case-{case:02d}.png")


def write_overlapping_discs(folder: Path, *, cases: int, seed: int, algorithms: Sequence[str]) -> None:
    """Write pairs of discs that overlap, one mask per disc in run-length encoding."""
    from evaluation.readers.run_lengths import encode

    random = np.random.default_rng(seed)
    _make_folders(folder, algorithms)
    for case in range(cases):
        centres = np.array([[18, 18], [27, 24]]) + random.integers(-2, 3, (2, 2))
        radii = random.integers(7, 10, 2)
        for name, shift in (
            ("references", 0),
            *((f"predictions/{name}", 1 + 2 * i) for i, name in enumerate(algorithms)),
        ):
            objects: list[dict[str, Any]] = []
            for centre, radius in zip(centres + shift, radii, strict=True):
                disc = _discs(centre[None], np.array([radius]), numbered=True)
                objects.append({"segmentation": encode(disc.T), "class": "cell", "score": 0.9 - 0.1 * len(objects)})
            _write(folder / name / f"case-{case:02d}.json", [json.dumps({"size": [SIDE, SIDE], "objects": objects})])


def _discs(centres: NDArray[np.int64], radii: NDArray[np.int64], *, numbered: bool) -> NDArray[np.uint8]:
    rows, columns = np.mgrid[:SIDE, :SIDE]
    labels = np.zeros((SIDE, SIDE), dtype=np.uint8)
    for number, (centre, radius) in enumerate(zip(centres, radii, strict=True), start=1):
        distance = np.hypot(rows - centre[0], columns - centre[1])
        labels[distance <= radius] = number if numbered else 1
        if not numbered:
            labels[distance <= radius / 2] = 2
    return labels


def write_outlines_with_confidence(folder: Path, *, cases: int, seed: int, algorithms: Sequence[str]) -> None:
    """Write discs with a core, predictions, and confidences.

    Predictions are moved by a few pixels in some cases. The confidences indicate more or less which cases these are.
    """
    from PIL import Image

    random = np.random.default_rng(seed)
    _make_folders(folder, algorithms)
    names = [f"case-{case:02d}" for case in range(cases)]
    discs = [(np.array([[14, 14], [32, 30]]) + random.integers(-2, 3, (2, 2)), random.integers(5, 8, 2)) for _ in names]
    for case, (centres, radii) in zip(names, discs, strict=True):
        Image.fromarray(_discs(centres, radii, numbered=False)).save(folder / f"references/{case}.png")
    for index, name in enumerate(algorithms):
        moved = random.integers(0, 4 + index, cases)
        sure = 1 / (1 + moved) + random.normal(0, 0.02 + 0.3 * index, cases)
        for case, (centres, radii), shift in zip(names, discs, moved, strict=True):
            labels = _discs(centres + int(shift), radii, numbered=False)
            Image.fromarray(labels).save(folder / f"predictions/{name}/{case}.png")
        lines = [f"{case},{value:.4f}" for case, value in zip(names, sure, strict=True)]
        _write(folder / f"predictions/{name}/confidence.csv", ["case,confidence", *lines])


def write_boxes(folder: Path, *, cases: int, seed: int, algorithms: Sequence[str]) -> None:
    """Write boxes of two classes: two a case, moved by the algorithms."""
    random = np.random.default_rng(seed)
    _make_folders(folder, algorithms)
    truth = [
        (f"case-{case:02d}", ("lesion", "node")[number], corner)
        for case in range(cases)
        for number, corner in enumerate(random.integers(0, SIDE - 16, (2, 2)).tolist())
    ]
    columns = "case,class,x_min,y_min,x_max,y_max"
    _write(folder / "references/objects.csv", [columns, *(_box(entry, 0) for entry in truth)])
    for index, name in enumerate(algorithms):
        scores = random.uniform(0.5, 1, len(truth))
        lines = [f"{_box(entry, 1 + 3 * index)},{score:.4f}" for entry, score in zip(truth, scores, strict=True)]
        _write(folder / f"predictions/{name}/objects.csv", [f"{columns},score", *lines])
    _write(folder / "references/cases.csv", ["case", *(f"case-{case:02d}" for case in range(cases))])


def _box(entry: tuple[str, str, list[int]], shift: int) -> str:
    case, name, (x, y) = entry
    return f"{case},{name},{x + shift},{y + shift},{x + shift + 12},{y + shift + 12}"


def write_labels(folder: Path, *, cases: int, seed: int, algorithms: Sequence[str]) -> None:
    """Write cases of two alternating classes, and scores that separate them more or less well."""
    random = np.random.default_rng(seed)
    _make_folders(folder, algorithms)
    truth = [(f"case-{case:02d}", case % 2) for case in range(cases)]
    names = ("benign", "malignant")
    _write(folder / "references/labels.csv", ["case,label", *(f"{case},{names[code]}" for case, code in truth)])
    for index, name in enumerate(algorithms):
        lines = ["case,p_malignant"]
        for case, code in truth:
            score = float(np.clip(0.3 + 0.4 * code + random.normal(0, 0.1 + 0.4 * index), 0, 1))
            lines.append(f"{case},{score:.4f}")
        _write(folder / f"predictions/{name}/labels.csv", lines)


def write_landmarks(folder: Path, *, cases: int, seed: int, algorithms: Sequence[str]) -> None:
    """Write three landmarks a case, in mm, moved by the algorithms."""
    random = np.random.default_rng(seed)
    _make_folders(folder, algorithms)
    names = ("apex", "base", "centre")
    truth = random.uniform(0, 60, (cases, len(names), 3))

    def lines(points: NDArray[np.float64]) -> list[str]:
        rows = [
            f"case-{case:02d},{name}," + ",".join(f"{value:.3f}" for value in points[case, landmark])
            for case in range(cases)
            for landmark, name in enumerate(names)
        ]
        return ["case,landmark,x,y,z", *rows]

    _write(folder / "references/landmarks.csv", lines(truth))
    for index, name in enumerate(algorithms):
        moved = truth + random.normal(0, 0.8 + 3 * index, truth.shape)
        _write(folder / f"predictions/{name}/landmarks.csv", lines(moved))


def write_images(folder: Path, *, cases: int, seed: int, algorithms: Sequence[str]) -> None:
    """Write smooth grey images with a mask of their inner part, and noise on them by the algorithms."""
    from PIL import Image

    random = np.random.default_rng(seed)
    _make_folders(folder, algorithms)
    (folder / "references/masks").mkdir()
    rows, columns = np.mgrid[:SIDE, :SIDE]
    for case in range(cases):
        truth = 120 + 50 * np.sin(rows / 5 + random.uniform(0, 6)) + 40 * np.cos(columns / 7 + random.uniform(0, 6))
        inside = np.hypot(rows - SIDE / 2, columns - SIDE / 2) < SIDE / 2.5
        Image.fromarray(inside.astype(np.uint8)).save(folder / f"references/masks/case-{case:02d}.png")
        for name, noise in (("references", 0.0), *((f"predictions/{n}", 4 + 8 * i) for i, n in enumerate(algorithms))):
            pixels = np.clip(truth + random.normal(0, 1, truth.shape) * noise, 0, 255).round().astype(np.uint8)
            Image.fromarray(pixels).save(folder / name / f"case-{case:02d}.png")


def write_fields(folder: Path, *, cases: int, seed: int, algorithms: Sequence[str]) -> None:
    """Write a block and where it went, with landmarks at its corners, and fields that go most or half of the way."""
    import nibabel

    for name, _, shift in _write_moved_blocks(folder, cases=cases, seed=seed, algorithms=algorithms):
        for index, algorithm in enumerate(algorithms):
            wave = 0.1 * np.sin(np.indices(_BLOCKS_SHAPE)[0] / 3 + index)
            field = np.stack([wave + step * (0.9 - 0.4 * index) for step in shift], axis=-1).astype(np.float32)
            nibabel.save(
                nibabel.Nifti1Image(field, _BLOCKS_AFFINE),  # type: ignore[no-untyped-call]
                folder / f"predictions/{algorithm}/{name}.nii.gz",
            )


def write_moved_landmarks(folder: Path, *, cases: int, seed: int, algorithms: Sequence[str]) -> None:
    """Write the same blocks, and their landmarks moved most or half of the way, one table per case."""
    for name, points, shift in _write_moved_blocks(folder, cases=cases, seed=seed, algorithms=algorithms):
        for index, algorithm in enumerate(algorithms):
            moved = [point + shift * (0.9 - 0.4 * index) for point in points]
            lines = [f"p{number},{x:.4f},{y:.4f},{z:.4f}" for number, (x, y, z) in enumerate(moved)]
            _write(folder / f"predictions/{algorithm}/{name}.csv", ["landmark,x,y,z", *lines])


def _write_moved_blocks(
    folder: Path, *, cases: int, seed: int, algorithms: Sequence[str]
) -> Iterator[tuple[str, list[NDArray[Any]], NDArray[Any]]]:
    """Write references of registration; yield the case, the landmarks of the fixed image, and the displacement."""
    import nibabel

    random = np.random.default_rng(seed)
    _make_folders(folder, algorithms)
    for case in range(cases):
        name = f"case-{case:02d}"
        case_folder = folder / "references" / name
        case_folder.mkdir()
        shift, corner = random.integers(1, 4, 3), random.integers(4, 7, 3)
        steps = [np.array(step) for step in ((0, 0, 0), (5, 0, 0), (0, 5, 0), (0, 0, 5))]
        for part, origin in (("fixed", corner), ("moving", corner + shift)):
            labels = np.zeros(_BLOCKS_SHAPE, dtype=np.uint8)
            labels[tuple(slice(start, start + 6) for start in origin)] = 1
            nibabel.save(
                nibabel.Nifti1Image(labels, _BLOCKS_AFFINE),  # type: ignore[no-untyped-call]
                case_folder / f"{part}_labels.nii.gz",
            )
            lines = [f"p{number},{x},{y},{z}" for number, (x, y, z) in enumerate(origin + step for step in steps)]
            _write(case_folder / f"{part}_landmarks.csv", ["landmark,x,y,z", *lines])
        yield name, [corner + step for step in steps], shift


def _make_folders(folder: Path, algorithms: Sequence[str]) -> None:
    for name in ("references", *(f"predictions/{name}" for name in algorithms)):
        (folder / name).mkdir(parents=True, exist_ok=True)


def _write(path: Path, lines: list[Any]) -> None:
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def write_numbers(folder: Path, *, cases: int, seed: int, algorithms: Sequence[str]) -> None:
    """Write an age and a volume of each case, and answers that are off by more or less."""
    random = np.random.default_rng(seed)
    _make_folders(folder, algorithms)
    truth = [(f"case-{case:02d}", *random.uniform([30, 2], [90, 5])) for case in range(cases)]
    for name, spread in (
        ("references", 0.0),
        *((f"predictions/{name}", 2 + 8 * i) for i, name in enumerate(algorithms)),
    ):
        lines = [
            f"{case},{age + random.normal(0, 1) * spread:.3f},{volume + random.normal(0, 0.1) * spread:.4f}"
            for case, age, volume in truth
        ]
        _write(folder / name / "values.csv", ["case,age,volume_ml", *lines])


def write_survival(folder: Path, *, cases: int, seed: int, algorithms: Sequence[str]) -> None:
    """Write times to an event with censoring, and risks with probabilities of no event until 6 and 12 months."""
    random = np.random.default_rng(seed)
    _make_folders(folder, algorithms)
    hazards = np.exp(random.normal(-2.5, 0.8, cases))
    times = random.exponential(1 / hazards)
    censored = random.uniform(10, 40, cases)
    lines = [
        f"case-{case:02d},{max(min(times[case], censored[case]), 0.1):.1f},{int(times[case] <= censored[case])}"
        for case in range(cases)
    ]
    # Somebody is followed for longer than any time that is asked for.
    _write(folder / "references/survival.csv", ["case,time,event", *lines[:-1], f"case-{cases - 1:02d},48.0,0"])
    for index, name in enumerate(algorithms):
        guess = hazards * np.exp(random.normal(0, 0.2 + index, cases))
        _write(
            folder / f"predictions/{name}/survival.csv",
            [
                "case,risk,s_6,s_12",
                *(
                    f"case-{case:02d},{hazard:.5f},{np.exp(-6 * hazard):.5f},{np.exp(-12 * hazard):.5f}"
                    for case, hazard in enumerate(guess)
                ),
            ],
        )


def write_findings(folder: Path, *, cases: int, seed: int, algorithms: Sequence[str]) -> None:
    """Write two findings for each case, and scores that predict them more or less well."""
    random = np.random.default_rng(seed)
    _make_folders(folder, algorithms)
    truth = [(f"case-{case:02d}", case % 2, (case // 2) % 2) for case in range(cases)]
    _write(folder / "references/labels.csv", ["case,nodule,effusion", *(f"{case},{a},{b}" for case, a, b in truth)])
    for index, name in enumerate(algorithms):
        lines = ["case,p_nodule,p_effusion"]
        for case, *holds in truth:
            scores = np.clip(0.3 + 0.4 * np.array(holds) + random.normal(0, 0.1 + 0.3 * index, 2), 0, 1)
            lines.append(f"{case},{scores[0]:.4f},{scores[1]:.4f}")
        _write(folder / f"predictions/{name}/labels.csv", lines)


def write_confidences(folder: Path, *, cases: int, seed: int, algorithms: Sequence[str]) -> None:
    """Write risks, and confidences that fall with them more or less."""
    random = np.random.default_rng(seed)
    _make_folders(folder, algorithms)
    risks = random.beta(2, 6, cases)
    names = [f"case-{case:02d}" for case in range(cases)]
    lines = [f"{case},{risk:.4f}" for case, risk in zip(names, risks, strict=True)]
    _write(folder / "references/risk.csv", ["case,risk", *lines])
    for index, name in enumerate(algorithms):
        sure = 1 - risks + random.normal(0, 0.03 + 0.4 * index, cases)
        lines = [f"{case},{value:.4f}" for case, value in zip(names, sure, strict=True)]
        _write(folder / f"predictions/{name}/confidence.csv", ["case,confidence", *lines])
