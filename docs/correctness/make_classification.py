"""Generator of `classification.md` and its pictures from the results of the described code.

Run from the top of the repository:

    python -m docs.correctness.make_classification
"""
# ruff: noqa: INP001

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
from sklearn import metrics as sk

from evaluation import metrics
from evaluation.outcomes import Flag, Result

HERE = Path(__file__).parent
E3_SCORES = np.array([0.95, 0.90, 0.80, 0.70, 0.60, 0.60, 0.50, 0.40, 0.30, 0.10])
E3_LABELS = np.array([1, 1, 0, 1, 0, 0, 1, 0, 0, 0])
FEW_LABELS = np.array([1, 1] + [0] * 9)
FEW_SCORES = np.array([0.9] + [0.1] * 10)
CONFIDENCE = np.array([0.06, 0.13, 0.2, 0.2, 0.47, 0.54, 0.7, 0.77, 0.8, 0.93])
CORRECT = np.array([1, 0, 0, 0, 1, 0, 0, 1, 1, 1])
SIDE = 260


def shown(result: Result) -> str:
    """A value, or its outcome with its flag."""
    if result.value is not None:
        return f"**{result.value:.4f}**"
    return f"**{result.outcome}**" + (f" ({result.flag})" if result.flag is not Flag.NONE else "")


def theirs(function: Any, *data: Any, **options: Any) -> str:
    """Return the result of scikit-learn, and whether it warns."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        value = function(*data, **options)
    return f"{value:.4f}" + (" with a warning" if caught else "")


def table(head: list[str], rows: list[list[str]]) -> str:
    """A table in Markdown."""
    lines = ["| " + " | ".join(cells) + " |" for cells in [head, ["---"] * len(head), *rows]]
    return "\n".join(lines)


def picture(name: str, title: str, body: list[str]) -> str:
    """Write a picture on a unit square and name it in Markdown."""
    frame = f'<rect x="30" y="10" width="{SIDE}" height="{SIDE}" fill="none" stroke="#666"/>'
    labels = [
        f'<text x="30" y="{SIDE + 28}" font-size="12">0</text>',
        f'<text x="{SIDE + 24}" y="{SIDE + 28}" font-size="12">1</text>',
        f'<text x="14" y="{SIDE + 10}" font-size="12">0</text>',
        '<text x="14" y="20" font-size="12">1</text>',
    ]
    size = f'width="{SIDE + 45}" height="{SIDE + 40}" viewBox="0 0 {SIDE + 45} {SIDE + 40}"'
    text = "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" font-family="sans-serif">',
            f"<title>{title}</title>",
            f'<rect width="{SIDE + 45}" height="{SIDE + 40}" fill="#fff"/>',
            frame,
            *labels,
            *body,
            "</svg>",
        ]
    )
    (HERE / name).write_text(text + "\n", encoding="utf-8")
    return f"![{title}]({name})"


def place(x: float, y: float) -> tuple[float, float]:
    """From the unit square to the picture."""
    return round(30 + SIDE * x, 1), round(10 + SIDE * (1 - y), 1)


def path(points: list[tuple[float, float]], colour: str, dash: str = "") -> str:
    """A line through points of the unit square."""
    steps = " ".join(f"{x},{y}" for x, y in (place(*point) for point in points))
    dashed = f' stroke-dasharray="{dash}"' if dash else ""
    return f'<polyline points="{steps}" fill="none" stroke="{colour}" stroke-width="2"{dashed}/>'


def average_precision() -> str:
    """Steps, not straight lines; ties in one step."""
    recall, precision = curve(FEW_LABELS, FEW_SCORES)
    steps = [(0.0, float(precision[1]))]
    for before, after, height in zip(recall[:-1], recall[1:], precision[1:], strict=True):
        steps += [(float(before), float(height)), (float(after), float(height))]
    straight = list(zip(recall.tolist(), precision.tolist(), strict=True))
    drawn = picture(
        "average-precision.svg",
        "PPV against Sensitivity of the second example: steps (blue) and straight lines (orange, dashed)",
        [path(steps, "#1f5fbf"), path(straight, "#c45500", "6 4")],
    )
    ties = [0.9, 0.8, 0.8]
    both = [(E3_LABELS, E3_SCORES), (FEW_LABELS, FEW_SCORES)]
    rows = [
        ["ours", *(shown(metrics.average_precision(*data)) for data in both)],
        ["scikit-learn `average_precision_score`", *(theirs(sk.average_precision_score, *data) for data in both)],
        ["trapezoid, scikit-learn `auc` of the points", *(f"{sk.auc(*curve(*data)):.4f}" for data in both)],
    ]
    order = [
        [name, shown(metrics.average_precision(labels, ties)), shown(one_by_one(labels, ties))]
        for name, labels in (("the miss first", [1, 0, 1]), ("the hit first", [1, 1, 0]))
    ]
    return f"""## Average precision is a sum of steps

{drawn}

{table(["", "ten scored cases", "two hits, one of them at 0.1 with nine misses"], rows)}

A straight line between two points promises values of PPV that no threshold has: in the second example far too high ones. The
steps are the definition. Equal scores are one step, because their order in the file says nothing:

{table(["scores .9 (hit), .8, .8", "equal scores together (ours)", "one by one"], order)}
"""


def curve(labels: np.ndarray, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Sensitivity and PPV at every threshold, from the highest on."""
    precision, recall, _ = sk.precision_recall_curve(labels, scores)
    return recall[::-1], precision[::-1]


def one_by_one(labels: list[int], scores: list[float]) -> Result:
    """Average precision with ties in the order of the file."""
    return metrics.average_precision(labels, scores, ties="sequential")


def bins() -> str:
    """The number of bins decides."""
    rows = []
    body = []
    for count, colour, shift in ((3, "#1f5fbf", -0.008), (5, "#2e7d32", 0.0), (10, "#c45500", 0.008)):
        value = metrics.ece(CORRECT, CONFIDENCE, n_bins=count, target="positive_class")
        rows.append([str(count), shown(value)])
        which = np.maximum(np.ceil(np.round(CONFIDENCE * count, 9)).astype(int) - 1, 0)
        for number in np.unique(which):
            inside = which == number
            confidence, share = float(CONFIDENCE[inside].mean()), float(CORRECT[inside].mean())
            body.append(path([(confidence + shift, confidence), (confidence + shift, share)], colour))
            x, y = place(confidence + shift, share)
            body.append(f'<circle cx="{x}" cy="{y}" r="4" fill="{colour}"/>')
    diagonal = path([(0, 0), (1, 1)], "#999", "2 3")
    drawn = picture(
        "calibration-bins.svg",
        "Share of hits against mean score of each bin: 3 bins (blue), 5 (green), 10 (orange); gaps to the diagonal",
        [diagonal, *body],
    )
    edge = metrics.ece([1, 0], [0.26, 0.28], n_bins=25, target="positive_class")
    naive = np.ceil(np.array([0.26, 0.28]) * 25).astype(int)
    return f"""## Calibration error depends on its bins

{drawn}

{table(["bins", "ECE of the same ten scores"], rows)}

Therefore the number of bins stands in the assessment. A score on the edge of a bin is rounded before it is placed: in
floating point 0.28 · 25 is {0.28 * 25!r}, so `ceil` puts 0.26 into bin {naive[0]} of 25 and 0.28, which ends that bin,
into bin {naive[1]}. With a hit at 0.26 and none at 0.28 the ECE is then {(0.74 + 0.28) / 2:.4f}; both belong into bin 7,
where it is {shown(edge)}. A score of 0 belongs to the first bin; code that takes bins as open on the left drops it.
"""


def undefined() -> str:
    """Return the section on undefined values."""
    rows = [
        [
            "PPV, nothing called positive",
            shown(metrics.ppv([1, 0, 0], [0, 0, 0])),
            theirs(sk.precision_score, [1, 0, 0], [0, 0, 0]),
        ],
        [
            "Sensitivity, nothing is positive",
            shown(metrics.sensitivity([0, 0, 0], [1, 0, 0])),
            theirs(sk.recall_score, [0, 0, 0], [1, 0, 0]),
        ],
        [
            "F1, nothing is positive, nothing called so",
            shown(metrics.fbeta([0, 0, 0], [0, 0, 0])),
            theirs(sk.f1_score, [0, 0, 0], [0, 0, 0]),
        ],
        [
            "MCC, every decision the same",
            shown(metrics.mcc([1, 1, 0], [1, 1, 1])),
            theirs(sk.matthews_corrcoef, [1, 1, 0], [1, 1, 1]),
        ],
        [
            "MCC, one class and all right",
            shown(metrics.mcc([1, 1, 1], [1, 1, 1])),
            theirs(sk.matthews_corrcoef, [1, 1, 1], [1, 1, 1]),
        ],
        [
            "AUROC, one class",
            shown(metrics.auroc([1, 1, 1], [0.1, 0.5, 0.9])),
            theirs(sk.roc_auc_score, [1, 1, 1], [0.1, 0.5, 0.9]),
        ],
        [
            "AP, nothing is positive",
            shown(metrics.average_precision([0, 0, 0], [0.1, 0.5, 0.9])),
            theirs(sk.average_precision_score, [0, 0, 0], [0.1, 0.5, 0.9]),
        ],
    ]
    return f"""## No value is not zero

{table(["case", "ours", "scikit-learn"], rows)}

A 0 for a class that does not occur punishes everyone for the choice of cases; a 0 for a class that was never called is a
decision about participants that a policy should make, in view of all. So the outcome is kept, with a flag that says whether
the reference alone is to blame, and becomes a number only when algorithms are ranked.
"""


def correlation() -> str:
    """The printed form of MCC is kappa."""
    matrix = np.array([[5, 1, 0], [2, 6, 1], [0, 1, 4]])
    rows, columns = np.indices(matrix.shape)
    reference, prediction = np.repeat(rows.ravel(), matrix.ravel()), np.repeat(columns.ravel(), matrix.ravel())
    total, chance = matrix.sum(), (matrix.sum(0) * matrix.sum(1)).sum()
    printed = (np.trace(matrix) * total - chance) / (total**2 - chance)
    cells = [
        ["ours", shown(metrics.mcc(reference, prediction)), shown(metrics.cohens_kappa(reference, prediction))],
        [
            "scikit-learn",
            theirs(sk.matthews_corrcoef, reference, prediction),
            theirs(sk.cohen_kappa_score, reference, prediction),
        ],
        ["printed without the root", f"{printed:.4f}", ""],
    ]
    return f"""## A correlation has a root

{table(["three classes, 20 cases", "MCC", "kappa"], cells)}

The multi-class formula is sometimes printed without the root in its denominator. That expression is kappa, to the last
digit.
"""


def omission() -> str:
    """Leaving out cases gains nothing."""
    labels, scores = np.array([1] * 9 + [0]), np.full(10, 0.7)
    kept = np.arange(10) >= 2
    rows = [
        ["all ten cases answered with 0.7", shown(metrics.ece(labels, scores, n_bins=2))],
        ["two left out and dropped", f"{metrics.ece(labels[kept], scores[kept], n_bins=2).value:.4f}"],
        ["two left out, in the bin of the others with score 1 and wrong", f"{_balanced(labels[kept]):.4f}"],
        ["two left out, ours: a bin of their own with the gap 1", f"**{_own_bin(labels[kept]):.4f}**"],
    ]
    return f"""## Leaving out cases is no remedy

Nine of ten cases are positive and all get the score 0.7: an under-confident model, with an ECE of 0.2.

{table(["what becomes of two missing answers", "ECE"], rows)}

Dropped cases make the error smaller, and even the worst possible answers would, since they make up for the under-confidence
of the others in their bin. In a bin of their own they cannot: no choice of cases makes ECE smaller, which a property test
confirms for all metrics that allow it.
"""


def _balanced(labels: np.ndarray) -> float:
    hits, scores = np.append(labels, [0, 0]), np.append(np.full(len(labels), 0.7), [1.0, 1.0])
    return abs(float((hits - scores).sum())) / len(hits)


def _own_bin(labels: np.ndarray) -> float:
    return (abs(float((labels - 0.7).sum())) + 2) / (len(labels) + 2)


def page() -> str:
    """The whole page."""
    parts = [average_precision(), bins(), undefined(), correlation(), omission()]
    return (
        "# Where implementations differ: classified images\n\n"
        "Made by `python -m docs.correctness.make_classification`; a test makes it again and compares. Our values are bold.\n\n"
        + "\n".join(parts)
    )


if __name__ == "__main__":
    (HERE / "classification.md").write_text(page(), encoding="utf-8")
