"""Script that writes the classification task: the modality of each image, and predictions of seven algorithms.

The algorithms are simple. Each classifies an image with what it learnt from the sixty other images. Run the script
from the top of the repository:

    PYTHONPATH=. python examples/nuclei-modality/derive.py
"""
# ruff: noqa: INP001

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
from PIL import Image

HERE = Path(__file__).parent
SOURCE = HERE.parent / "nuclei"
DIGITS = 6
NEIGHBOURS = 5

Array = np.ndarray


def features(path: Path) -> dict[str, list[float]]:
    """Numbers that describe an image, by what they look at."""
    colours = np.asarray(Image.open(path).convert("RGB"), dtype=float) / 255
    grey = colours.mean(axis=2)
    steps = np.hypot(*np.gradient(grey))
    red, green, blue = (colours[..., channel].mean() for channel in range(3))
    return {
        "brightness": [float(grey.mean())],
        "contrast": [float(grey.std()), float(np.percentile(grey, 95) - np.percentile(grey, 5))],
        "texture": [float(steps.mean()), float(steps.std()), float((steps > 0.05).mean())],
        "colour": [float(grey.mean()), float(red - green), float(blue - green), float(colours.std(axis=2).mean())],
    }


def gaussian(known: Array, labels: Array, seen: Array, classes: int) -> Array:
    """Probabilities of the classes, normal within each with one common variance of every feature."""
    means = np.stack([known[labels == each].mean(axis=0) for each in range(classes)])
    variance = ((known - means[labels]) ** 2).mean(axis=0) + 1e-4
    prior = np.bincount(labels, minlength=classes) / len(labels)
    logs = np.log(prior) - ((seen - means) ** 2 / (2 * variance)).sum(axis=1)
    odds = np.exp(logs - logs.max())
    return odds / odds.sum()


def neighbours(known: Array, labels: Array, seen: Array, classes: int) -> Array:
    """Return the class shares among the nearest images, with one additional tenth of a vote per class."""
    spread = known.std(axis=0) + 1e-9
    nearest = np.argsort((((known - seen) / spread) ** 2).sum(axis=1), kind="stable")[:NEIGHBOURS]
    votes = np.bincount(labels[nearest], minlength=classes) + 0.1
    return votes / votes.sum()


def prevalence(known: Array, labels: Array, seen: Array, classes: int) -> Array:  # noqa: ARG001 (looks at nothing)
    """Return the frequencies of the classes, independent of the image."""
    return np.bincount(labels, minlength=classes) / len(labels)


def sharpened(known: Array, labels: Array, seen: Array, classes: int) -> Array:
    """The probabilities of `gaussian`, exaggerated: the same order, far more confidence."""
    odds = gaussian(known, labels, seen, classes) ** 4
    return odds / odds.sum()


ALGORITHMS = {
    "prevalence": (("brightness",), prevalence),
    "brightness": (("brightness",), gaussian),
    "brightness-overconfident": (("brightness",), sharpened),
    "contrast": (("contrast",), gaussian),
    "texture": (("texture",), gaussian),
    "texture-neighbours": (("texture", "contrast"), neighbours),
    "colour": (("colour",), gaussian),
}


def derive() -> None:
    """Write the references, the characteristics that give nothing away, and the tables of all algorithms."""
    with (SOURCE / "cases.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    names = sorted({row["modality"] for row in rows})
    labels = np.array([names.index(row["modality"]) for row in rows])
    _write(HERE / "references/labels.csv", ["case", "label"], [[row["case"], row["modality"]] for row in rows])
    _write(
        HERE / "cases.csv", ["case", "height", "width"], [[row["case"], row["height"], row["width"]] for row in rows]
    )
    described = [features(SOURCE / f"images/{row['case']}.jpg") for row in rows]
    for algorithm, (wanted, classify) in ALGORITHMS.items():
        table = np.array([[number for name in wanted for number in one[name]] for one in described])
        answers = []
        for index, row in enumerate(rows):
            # A share that leaves the image itself out would be lowest for its own class: the order turned round.
            others = (np.arange(len(rows)) != index) | (classify is prevalence)
            scores = classify(table[others], labels[others], table[index], len(names))
            answers.append([row["case"], *_rounded(scores)])
        _write(HERE / f"predictions/{algorithm}/labels.csv", ["case", *(f"p_{name}" for name in names)], answers)


def _rounded(scores: Array) -> list[str]:
    """Digits that sum to one exactly: the largest takes what rounding left over."""
    whole = np.round(scores * 10**DIGITS).astype(int)
    whole[np.argmax(whole)] += 10**DIGITS - whole.sum()
    return [f"{number / 10**DIGITS:.{DIGITS}f}" for number in whole]


def _write(path: Path, head: list[str], rows: list[list[str]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(head)
        table.writerows(rows)


if __name__ == "__main__":
    derive()
