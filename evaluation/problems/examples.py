"""Small challenges to try a kind of problem with: references and the predictions of two algorithms."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

SIDE: Final = 48
ALGORITHMS: Final = ("near", "far")
"""The first has an error of a pixel or so, the second a larger one."""


def write_label_images(folder: Path, *, cases: int, seed: int, numbered: bool) -> None:
    """Write discs with a core: labels 1 and 2, or a number for each disc."""
    from PIL import Image

    random = np.random.default_rng(seed)
    _make_folders(folder)
    for case in range(cases):
        centres = np.array([[14, 14], [32, 30]]) + random.integers(-2, 3, (2, 2))
        radii = random.integers(5, 8, 2)
        for name, shift in (
            ("references", 0),
            *((f"predictions/{name}", 1 + 2 * i) for i, name in enumerate(ALGORITHMS)),
        ):
            labels = _discs(centres + shift, radii, numbered=numbered)
            Image.fromarray(labels).save(folder / name / f"case-{case:02d}.png")


def _discs(centres: NDArray[np.int64], radii: NDArray[np.int64], *, numbered: bool) -> NDArray[np.uint8]:
    rows, columns = np.mgrid[:SIDE, :SIDE]
    labels = np.zeros((SIDE, SIDE), dtype=np.uint8)
    for number, (centre, radius) in enumerate(zip(centres, radii, strict=True), start=1):
        distance = np.hypot(rows - centre[0], columns - centre[1])
        labels[distance <= radius] = number if numbered else 1
        if not numbered:
            labels[distance <= radius / 2] = 2
    return labels


def write_boxes(folder: Path, *, cases: int, seed: int) -> None:
    """Write boxes of two classes: two a case, moved by the algorithms."""
    random = np.random.default_rng(seed)
    _make_folders(folder)
    truth = [
        (f"case-{case:02d}", ("lesion", "node")[number], corner)
        for case in range(cases)
        for number, corner in enumerate(random.integers(0, SIDE - 16, (2, 2)).tolist())
    ]
    columns = "case,class,x_min,y_min,x_max,y_max"
    _write(folder / "references/objects.csv", [columns, *(_box(entry, 0) for entry in truth)])
    for index, name in enumerate(ALGORITHMS):
        scores = random.uniform(0.5, 1, len(truth))
        lines = [f"{_box(entry, 1 + 3 * index)},{score:.4f}" for entry, score in zip(truth, scores, strict=True)]
        _write(folder / f"predictions/{name}/objects.csv", [f"{columns},score", *lines])
    _write(folder / "references/cases.csv", ["case", *(f"case-{case:02d}" for case in range(cases))])


def _box(entry: tuple[str, str, list[int]], shift: int) -> str:
    case, name, (x, y) = entry
    return f"{case},{name},{x + shift},{y + shift},{x + shift + 12},{y + shift + 12}"


def write_labels(folder: Path, *, cases: int, seed: int) -> None:
    """Write two classes, in turn, and scores that tell them apart more or less."""
    random = np.random.default_rng(seed)
    _make_folders(folder)
    truth = [(f"case-{case:02d}", case % 2) for case in range(cases)]
    names = ("benign", "malignant")
    _write(folder / "references/labels.csv", ["case,label", *(f"{case},{names[code]}" for case, code in truth)])
    for index, name in enumerate(ALGORITHMS):
        lines = ["case,p_malignant"]
        for case, code in truth:
            score = float(np.clip(0.3 + 0.4 * code + random.normal(0, 0.1 + 0.4 * index), 0, 1))
            lines.append(f"{case},{score:.4f}")
        _write(folder / f"predictions/{name}/labels.csv", lines)


def _make_folders(folder: Path) -> None:
    for name in ("references", *(f"predictions/{name}" for name in ALGORITHMS)):
        (folder / name).mkdir(parents=True, exist_ok=True)


def _write(path: Path, lines: list[Any]) -> None:
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
