"""Generator of `objects.md` from the results of the described code.

Run from the top of the repository:

    python -m docs.correctness.make_objects
"""
# ruff: noqa: INP001

from __future__ import annotations

from pathlib import Path

import numpy as np

from docs.correctness.make_masks import COLOURS, peer, peers_named, picture, shown, table
from evaluation.matching import Objects, Rule, match_objects
from evaluation.matching import criterion_tables as c
from evaluation.metrics import detection, disentangled, instance
from evaluation.metrics.instance import PanopticCounts, panoptic_values

HERE = Path(__file__).parent


def conventions() -> str:
    """Sides of boxes."""
    one, other = Objects(boxes=[[0, 0, 10, 10]]), Objects(boxes=[[2, 0, 12, 10]])
    flat, solid = Objects(boxes=[[1, 1, 11, 11]]), Objects(boxes=[[1, 1, 1, 11, 11, 11]])
    rows = [
        ["sides are max - min (ours)", f"**{c.loc_box_iou(one, other)[0, 0]:.4f}**"],
        [
            "corners are pixels, sides are one longer",
            f"**{c.loc_box_iou(one, other, box_convention='inclusive_pixels')[0, 0]:.4f}**",
        ],
        ["one step off along every axis, 2D", f"**{c.loc_box_iou(one, flat)[0, 0]:.4f}**"],
        ["the same in 3D", f"**{c.loc_box_iou(Objects(boxes=[[0, 0, 0, 10, 10, 10]]), solid)[0, 0]:.4f}**"],
    ]
    drawing = boxes_picture(
        "boxes.svg",
        "Two boxes, corners (0, 0, 10, 10) and (2, 0, 12, 10)",
        [(COLOURS["reference"], (0, 0, 10, 10)), (COLOURS["prediction"], (2, 0, 12, 10))],
    )
    return f"""## What is the IoU of two boxes?

{drawing}

Boxes (0, 0, 10, 10) and (2, 0, 12, 10):

{table(["convention", "IoU"], rows)}

MetricsReloaded adds 1 to every side (the second row), which suits corners that are pixel indices and no other. The convention is an option
of the criterion. In 3D the same shift costs more, so that a cutoff should be lower there.
"""


def assignments() -> str:
    """Return the section on the assignment of predicted to reference objects."""
    reference = Objects(boxes=[[0, 0, 10, 1], [6, 0, 16, 1]])
    prediction = Objects(boxes=[[2, 0, 12, 1], [0, 0, 5.6, 1]], scores=[0.9, 0.7])
    overlap = c.loc_box_iou(reference, prediction)
    rows = []
    for assignment in ("greedy_by_score", "greedy_by_criterion", "hungarian"):
        found = match_objects(reference, prediction, Rule(threshold=0.4, assignment=assignment))
        rows.append([f"`{assignment}`", f"**{found.tp}**", f"**{found.fp}**", f"**{found.fn}**"])
    drawing = boxes_picture(
        "assignment.svg",
        "References blue, predictions orange: the upper one has the score 0.9, the lower one 0.7",
        [
            (COLOURS["reference"], (0, 0.6, 10, 2.6)),
            (COLOURS["reference"], (6, 0, 16, 2)),
            (COLOURS["prediction"], (2, 0.3, 12, 2.3)),
            (COLOURS["prediction"], (0, 0.9, 5.6, 2.9)),
        ],
    )
    return f"""## Who is matched to whom?

{drawing}

Two references and two predictions; IoU {overlap[0, 0]:.2f} and {overlap[1, 0]:.2f} of the first prediction (score 0.9) with both
references, {overlap[0, 1]:.2f} of the second (score 0.7) with the first; cutoff 0.4.

{table(["assignment", "TP", "FP", "FN"], rows)}

Pairs below the cutoff are taken away before the assignment: the best sum over all pairs may consist of pairs that then fail.
The best sum need not give the most matches either; ours finds the most matches first. Ties are broken by the criterion's value
and then by where objects lie, never by the order of a file or by label numbers, which a property test shuffles.
"""


def ties() -> str:
    """Average precision with equal scores."""
    truth = [Objects(boxes=[[0, 0, 1, 1], [2, 0, 3, 1]])]

    def found(places: list[int]) -> list[Objects]:
        return [Objects(boxes=[[p, 0, p + 1, 1] for p in places], scores=[0.9, 0.8, 0.8])]

    rows = [
        [
            name,
            shown(detection.average_precision(truth, found(order))),
            shown(detection.average_precision(truth, found(order), interpolation="coco_101", ties="sequential")),
            peer("pycocotools", case),
            peer("faster-coco-eval", case),
        ]
        for name, case, order in (
            ("the hit first in the file", "hit_first", [0, 2, 9]),
            ("the miss first in the file", "miss_first", [0, 9, 2]),
        )
    ]
    head = ["", "equal scores together (ours)", "one by one, 101 points", "pycocotools", "faster-coco-eval"]
    return f"""## Equal scores

A hit at 0.9, then a hit and a miss at 0.8; two references.

{table(head, rows)}

Taken one by one, the order of a file decides: both COCO tools give another value when the miss stands first. Equal scores are one
step here, so there is one value. (Even one by one, ours goes by the place of the objects and not by the file.)
"""


def boxes_picture(name: str, title: str, boxes: list[tuple[str, tuple[float, ...]]]) -> str:
    """Write boxes as outlines with the colour of their side."""
    scale, parts = 24, []
    width = 20 + scale * max(box[2] for _, box in boxes)
    height = 20 + scale * max(box[3] for _, box in boxes)
    for colour, (left, top, right, bottom) in boxes:
        place = f'x="{10 + scale * left:g}" y="{10 + scale * top:g}"'
        size = f'width="{scale * (right - left):g}" height="{scale * (bottom - top):g}"'
        parts.append(f'<rect {place} {size} fill="{colour}" fill-opacity="0.15" stroke="{colour}" stroke-width="2"/>')
    size = f'width="{width:g}" height="{height:g}" viewBox="0 0 {width:g} {height:g}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img"><title>{title}</title>'
    background = f'<rect width="{width:g}" height="{height:g}" fill="#fff"/>'
    (HERE / name).write_text("\n".join([head, background, *parts, "</svg>"]) + "\n", encoding="utf-8")
    return f"![{title}]({name})"


def one_pixel() -> str:
    """A nucleus predicted as two, and the pixel that decides."""
    truth = np.zeros((6, 12), dtype=int)
    truth[1:5, 1:11] = 1
    rows, panels = [], []
    for name, cut in (("the larger part has 21 of 40 pixels", 21), ("the larger part has 20 of 40 pixels", 20)):
        found = np.zeros_like(truth)
        inside = np.argwhere(truth.T > 0)[:, ::-1]
        for place, (row, column) in enumerate(inside):
            found[row, column] = 1 if place < cut else 2
        panels.append((truth > 0, found == 1, None))
        counts = instance.panoptic_counts(truth, found)
        objects = [Objects(labels=labels, classes=["nucleus"] * int(labels.max())) for labels in (truth, found)]
        centroid = disentangled.disentangle(*objects, ["nucleus"], matching="centroid").detection
        rows.append(
            [
                name,
                f"{counts.tp}, {counts.fp}, {counts.fn}",
                shown(instance.panoptic_quality(truth, found)),
                ", ".join(f"{float(number[0]):.0f}" for number in (centroid.tp, centroid.fp, centroid.fn)),
            ]
        )
    drawing = picture(
        "one-pixel.svg",
        "One nucleus predicted as two; green is the larger part, blue the other, one pixel apart",
        panels,
    )
    return f"""## One pixel between a hit and three errors

{drawing}

{table(["", "TP, FP, FN by IoU above 0.5", "panoptic quality", "TP, FP, FN by centre"], rows)}

IoU strictly above one half makes a match unique and is what panoptic quality asks for. One pixel of a nucleus that is predicted
as two then turns a hit and a false alarm into a miss and two false alarms. Looked at by centres (`centroid` of disentangled
evaluation), nothing changes. Neither rule is wrong: where they disagree, the ranking hangs on the drawing of a border.
"""


def panoptic() -> str:
    """Bugs that changed a leaderboard."""
    truth = np.zeros((8, 8), dtype=int)
    truth[:2, :2], truth[:2, 4:6], truth[5:7, :2] = 1, 2, 3
    renamed = np.where(truth > 0, truth + 3, 0)
    wrong = panoptic_values("panoptic_quality", PanopticCounts(3.0, 3, 3, 0)).result()
    rows = [
        [
            "three perfect objects, numbered 4, 5, 6 in place of 1, 2, 3",
            shown(instance.panoptic_quality(truth, renamed)),
            f"{wrong.value:.4f}",
        ],
        [
            "objects of a class that the reference lacks",
            f"**{instance.panoptic_quality(np.zeros((2, 2), int), np.ones((2, 2), int)).outcome}**, worst by policy",
            "left out",
        ],
        [
            "four perfect matches and two false ones",
            shown(panoptic_values("panoptic_quality", PanopticCounts(4.0, 4, 2, 0)).result()),
            "",
        ],
        [
            "four matches with IoU 0.8 and nothing false",
            shown(panoptic_values("panoptic_quality", PanopticCounts(3.2, 4, 0, 0)).result()),
            "",
        ],
    ]
    return f"""## Panoptic quality, and two mistakes that decided a leaderboard

{table(["", "ours", "code of a challenge"], rows)}

The first two mistakes are those that A. Foucart and colleagues found in the code of MoNuSAC 2020. The last two rows are no
mistake but a property: one number cannot tell a poor detector from poor outlines, so detection and segmentation quality are
given beside it, and disentangled evaluation keeps detection, classification and outlines apart.
"""


def missing() -> str:
    """Leaving out images."""
    truth = [Objects(boxes=[[0, 0, 1, 1]]), Objects(boxes=np.zeros((0, 4)))]
    found = [
        Objects(boxes=[[0, 0, 1, 1]], scores=[0.9]),
        Objects(boxes=[[5, 5, 6, 6], [8, 8, 9, 9]], scores=[0.9, 0.8]),
    ]
    rows = [
        ["both images answered", shown(detection.ppv(truth, found)), shown(detection.fppi(truth, found))],
        [
            "the second left out and dropped",
            f"{detection.ppv(truth[:1], found[:1]).value:.4f}",
            f"{detection.fppi(truth[:1], found[:1]).value:.4f}",
        ],
        ["the second left out, ours", "**missing**", "**missing**"],
    ]
    return f"""## Leaving out images is no remedy

{table(["", "PPV", "false positives per image"], rows)}

An image without an answer has no false positive. If it were dropped or counted as empty, silence would pay. A value of the
whole data set is therefore missing as soon as one image is.
"""


def page() -> str:
    """The whole page."""
    parts = [conventions(), assignments(), ties(), one_pixel(), panoptic(), missing()]
    return (
        "# Where implementations differ: objects and instances\n\n"
        "Made by `python -m docs.correctness.make_objects`; a test makes it again and compares. Our values are bold. Values of "
        f"{peers_named('pycocotools', 'faster-coco-eval')} are those of `measure_peers`.\n\n" + "\n".join(parts)
    )


if __name__ == "__main__":
    (HERE / "objects.md").write_text(page(), encoding="utf-8")
