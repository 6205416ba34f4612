"""Generator of `masks.md` and its pictures from the results of the described code.

Run from the top of the repository:

    python -m docs.correctness.make_masks
"""
# ruff: noqa: INP001

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import SimpleITK
from scipy import ndimage
from scipy.spatial.distance import directed_hausdorff

from evaluation.metrics.boundary import (
    assd,
    boundary_iou,
    hausdorff_distance,
    hausdorff_percentile,
    masd,
    nsd,
)
from evaluation.metrics.instance import mi_dsc
from evaluation.metrics.lesions import lesion_count_difference, lesion_f1, lesionwise_dsc
from evaluation.metrics.masks import Mask
from evaluation.metrics.overlap import cldice, dsc, iou
from evaluation.metrics.pooled_overlap import aggregated_dsc, dsc_of_counts, overlap_counts
from evaluation.metrics.skeletons import skeleton_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from evaluation.outcomes import Result

HERE = Path(__file__).parent
PEERS = json.loads((HERE / "peers.json").read_text()) if (HERE / "peers.json").is_file() else {}
"""Results of other libraries, as recorded by `python -m docs.correctness.measure_peers`."""
PIXEL = 18
COLOURS = {"reference": "#0072b2", "prediction": "#e69f00", "both": "#009e73", "marked": "#222222"}


def shown(result: Result) -> str:
    """A value, or its outcome."""
    return f"**{result.outcome}**" if result.value is None else f"**{result.value:.4f}**"


def peer(library: str, case: str, name: str = "") -> str:
    """Return the result of another library, or the error that it raised."""
    value = PEERS[library][case]
    value = value[name] if name else value
    return f"{value:.4f}" if isinstance(value, float) else f"`{value}`"


def table(head: list[str], rows: list[list[str]]) -> str:
    """A table in Markdown."""
    return "\n".join("| " + " | ".join(cells) + " |" for cells in [head, ["---"] * len(head), *rows])


def picture(name: str, title: str, panels: list[tuple[NDArray[Any], NDArray[Any], NDArray[Any] | None]]) -> str:
    """Write masks side by side: reference blue, prediction orange, both green; marked pixels have a dot."""
    parts, left = [], 10
    for reference, prediction, marked in panels:
        for row, column in np.ndindex(reference.shape):
            here = (bool(reference[row, column]), bool(prediction[row, column]))
            fill = {(1, 1): COLOURS["both"], (1, 0): COLOURS["reference"], (0, 1): COLOURS["prediction"]}.get(
                here, "#f2f2f2"
            )
            x, y = left + PIXEL * column, 10 + PIXEL * row
            parts.append(f'<rect x="{x}" y="{y}" width="{PIXEL - 1}" height="{PIXEL - 1}" fill="{fill}"/>')
            if marked is not None and marked[row, column]:
                parts.append(f'<circle cx="{x + PIXEL / 2 - 0.5}" cy="{y + PIXEL / 2 - 0.5}" r="3.5" fill="#fff"/>')
        left += PIXEL * reference.shape[1] + 20
    height = 20 + PIXEL * max(panel[0].shape[0] for panel in panels)
    size = f'width="{left}" height="{height}" viewBox="0 0 {left} {height}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img"><title>{title}</title>'
    background = f'<rect width="{left}" height="{height}" fill="#fff"/>'
    (HERE / name).write_text("\n".join([head, background, *parts, "</svg>"]) + "\n", encoding="utf-8")
    return f"![{title}]({name})"


def peers_named(*libraries: str) -> str:
    """Return the names of libraries with the tested versions."""
    return " and ".join(f"{name} {PEERS['versions'][name]}" for name in libraries)


def e4() -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """A square of 6 × 6, predicted with a column missing and a stray pixel."""
    reference, prediction = np.zeros((2, 12, 12), dtype=bool)
    reference[3:9, 3:9] = prediction[3:9, 3:8] = prediction[0, 11] = True
    return reference, prediction


def filled_and_holed() -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """A square of 14 × 14, predicted with a hole of 4 × 4 in its middle."""
    hole = np.pad(np.ones((14, 14), dtype=bool), 1)
    holed = hole.copy()
    holed[6:10, 6:10] = False
    return hole, holed


def border(mask: NDArray[np.bool_], connectivity: Any = "face") -> NDArray[np.bool_]:
    """The boundary as a mask of the whole image."""
    marked = np.zeros_like(mask)
    marked[tuple(Mask(mask).surface(connectivity).indices.T)] = True
    return marked


def boundary() -> str:
    """Return the section on the definition of a boundary."""
    rows, columns = np.indices((11, 11))
    diamond = abs(rows - 5) + abs(columns - 5) <= 4
    edge = np.zeros((6, 8), dtype=bool)
    edge[:, :3] = True
    drawing = picture(
        "boundary.svg",
        "Boundary pixels (dots): of a diamond by the neighbours at faces, by all neighbours, and of a block at the image's edge",
        [(m, m, b) for m, b in ((diamond, border(diamond)), (diamond, border(diamond, "full")), (edge, border(edge)))],
    )
    inside = edge & ndimage.binary_erosion(edge, border_value=1)
    return f"""## What is a boundary?

{drawing}

A boundary is the foreground with a neighbour outside. The diamond has **{Mask(diamond).surface().size}** boundary pixels if
neighbours share a face, and **{Mask(diamond).surface("full").size}** if corners count too. We take faces unless
`boundary_connectivity` says otherwise: with corners the boundary of a slanted line is two pixels thick, and the share of
pixels within a tolerance rises for nothing. The block on the right touches the image's edge. We count the edge as outside:
**{Mask(edge).surface().size}** boundary pixels. Code that erodes with the edge as foreground finds
{int((edge & ~inside).sum())}, and a structure cut off by the field of view then has no boundary where it ends.
"""


def hausdorff() -> str:
    """Surfaces or solids, percentiles, means."""
    reference, prediction = e4()
    outside = (
        ndimage.distance_transform_edt(~prediction)[reference].max(),
        ndimage.distance_transform_edt(~reference)[prediction].max(),
    )
    filter_ = SimpleITK.HausdorffDistanceImageFilter()
    filter_.Execute(*(SimpleITK.GetImageFromArray(mask.astype(np.uint8)) for mask in (reference, prediction)))
    hole, holed = filled_and_holed()
    solid = ndimage.distance_transform_edt(~holed)[hole].max()
    drawing = picture(
        "distances.svg",
        "Left: a column missing and a stray pixel. Right: a hole",
        [(*e4(), border(prediction)), (hole, holed, None)],
    )
    pairs = np.argwhere(border(reference)), np.argwhere(border(prediction))
    scipy_value = max(directed_hausdorff(*pairs)[0], directed_hausdorff(*pairs[::-1])[0])
    rows = [
        [
            "Hausdorff distance",
            shown(hausdorff_distance(reference, prediction)),
            shown(hausdorff_distance(hole, holed)),
        ],
        ["SciPy `directed_hausdorff` of the boundaries, both ways", f"{scipy_value:.4f}", ""],
        ["surface-distance (borders between pixels)", *(peer("surface-distance", c, "hd") for c in ("e4", "hole"))],
        ["MedPy", *(peer("medpy", c, "hd") for c in ("e4", "hole"))],
        ["SimpleITK filter (solid sets)", f"{filter_.GetHausdorffDistance():.4f}", ""],
        ["greatest distance of any pixel to the other solid", f"{max(outside):.4f}", f"{solid:.4f}"],
        ["95th percentile, greater of both directions", shown(hausdorff_percentile(reference, prediction)), ""],
        [
            "95th percentile, both directions pooled",
            shown(hausdorff_percentile(reference, prediction, combine="pooled")),
            "",
        ],
        ["surface-distance, 95th percentile", *(peer("surface-distance", c, "hd95") for c in ("e4", "hole"))],
        ["MedPy `hd95`", *(peer("medpy", c, "hd95") for c in ("e4", "hole"))],
        ["average symmetric surface distance (ASSD)", shown(assd(reference, prediction)), shown(assd(hole, holed))],
        ["mean of both directed means (MASD)", shown(masd(reference, prediction)), shown(masd(hole, holed))],
        ["MedPy `assd`", *(peer("medpy", c, "assd") for c in ("e4", "hole"))],
        ["surface-distance, mean of both directions", *(peer("surface-distance", c, "masd") for c in ("e4", "hole"))],
    ]
    dot = np.zeros_like(reference)
    dot[3, 5] = True
    return f"""## Distances between what?

{drawing}

{table(["", "stray pixel", "hole"], rows)}

Between solid sets a hole counts from its middle to its rim, however far inside the object it lies. We measure between
boundaries: the rim of the hole is a boundary, and the nearest one of the other mask is the outline. Percentiles differ by a third here: pooling lets the direction without outliers
outvote the other, as MedPy does. The percentile of surface-distance is far off here because it measures from borders between
pixels and weighs them by length, and the stray pixel has four of them. Some libraries say ASSD and compute MASD (the reference
found it in an older MedPy; the present one does not); against a prediction of one pixel on the boundary MASD is
**{masd(reference, dot).value:.4f}** and ASSD **{assd(reference, dot).value:.4f}**, because MASD gives the single pixel, at
distance 0, half of the vote.
"""


def spacing() -> str:
    """Voxels that are no cubes, and ties."""
    reference, prediction = e4()
    rows = [
        [
            f"NSD, tolerance {tau} mm",
            *(shown(nsd(reference, prediction, tolerance=tau, spacing=s)) for s in ((1, 1), (1, 2.5))),
        ]
        for tau in (1, 2, 3)
    ]
    rows.insert(1, ["surface-distance, tolerance 1 mm", *(peer("surface-distance", c, "nsd1") for c in ("e4", "e4a"))])
    rows.append(["HD", *(shown(hausdorff_distance(reference, prediction, spacing=s)) for s in ((1, 1), (1, 2.5)))])
    one, other = np.zeros((2, 1, 12), dtype=bool)
    one[0, :4] = other[0, :7] = True
    stored = float(np.float32(0.8))
    strict = _nsd_without_slack(one, other, 3 * 0.8, stored)
    return f"""## Voxels that are no cubes, and distances that equal the tolerance

{table(["", "1 × 1 mm", "1 × 2.5 mm"], rows)}

Headers store spacing in 32 bits: 0.8 mm is read as {stored!r}. A step of three such voxels is then farther than a tolerance of
2.4 mm by a hair, and code without slack calls it wrong: {strict:.4f} in place of
{shown(nsd(one, other, tolerance=3 * 0.8, spacing=(1, stored)))}. We compare with a relative slack of 1e-6.
"""


def _nsd_without_slack(one: NDArray[np.bool_], other: NDArray[np.bool_], tolerance: float, size: float) -> float:
    first, second = border(one), border(other)
    distances = [
        ndimage.distance_transform_edt(~b, sampling=(1, size))[a] for a, b in ((first, second), (second, first))
    ]
    within = sum(int((d <= tolerance).sum()) for d in distances)
    return within / sum(len(d) for d in distances)


def bands() -> str:
    """Boundary IoU and what it cannot see."""
    full = np.pad(np.ones((10, 10), dtype=bool), 1)
    holed = full.copy()
    holed[4:8, 4:8] = False
    rows = [
        [
            f"{d}",
            shown(boundary_iou(full, holed, distance=d)),
            shown(boundary_iou(full, holed, distance=d, combine_with_mask_iou=True)),
        ]
        for d in (1, 2, 3, 5)
    ]
    return f"""## A hole that cannot be seen

A hole of 4 × 4 pixels in a square of 10 × 10; IoU of the masks {shown(iou(full, holed))}.

{table(["width of the band", "Boundary IoU", "combined with the IoU of the masks"], rows)}

At 3 pixels the bands of both masks cover everything that was predicted, and the hole lies in neither: a perfect value. With
`combine_with_mask_iou` it cannot go unseen.
"""


def centrelines() -> str:
    """Return the section on the effects of thinning."""
    bar, short, thin = np.zeros((3, 7, 24), dtype=bool)
    bar[2:5, 2:22] = short[2:5, 2:9] = thin[3, 2:22] = True
    drawing = picture(
        "centreline.svg",
        "A tube predicted thick but short, and thin but over its whole length; dots are the reference's centreline",
        [(bar, short, skeleton_of(bar)), (bar, thin, skeleton_of(bar))],
    )
    from skimage.morphology import skeletonize

    cube = np.pad(np.ones((2, 2, 2), dtype=bool), 1)
    rows = [
        ["clDice", shown(cldice(bar, short)), shown(cldice(bar, thin))],
        ["DSC", shown(dsc(bar, short)), shown(dsc(bar, thin))],
    ]
    return f"""## Centrelines

{drawing}

{table(["", "thick but short", "thin but whole"], rows)}

Thinning is not one method: we take Zhang and Suen in 2D and Lee in 3D, and the option `skeleton_method` says so. Lee's, in
scikit-image, leaves {int((skeletonize(cube) > 0).sum())} voxels of a cube of 2 × 2 × 2 and clDice of a small blob becomes 0/0. Ours keeps
the voxel nearest to the centre of every part that would vanish: {int(skeleton_of(cube).sum())} here.
"""


def lesions() -> str:
    """Return the section on values of lesions."""
    reference, prediction = np.zeros((2, 9, 26), dtype=bool)
    reference[2:7, 2:12] = reference[3:6, 18:21] = True
    prediction[2:7, 2:4] = prediction[2:7, 6:8] = prediction[2:7, 10:12] = prediction[0, 24] = True
    drawing = picture(
        "lesions.svg",
        "A large lesion found in three pieces, a small one missed, and a dot that is no lesion",
        [(reference, prediction, None)],
    )
    sides = (reference.astype(np.uint8), prediction.astype(np.uint8))
    rows = [
        ["DSC", shown(dsc(reference, prediction))],
        [
            "multi-instance Dice (`mi_dsc`), partners with IoU of 0.5",
            shown(mi_dsc(*sides, instance_connectivity="full")),
        ],
        ["lesion-wise Dice, BraTS 2023", shown(lesionwise_dsc(reference, prediction))],
        [
            "lesion-wise Dice, lesions up to 9 mm² not judged",
            shown(lesionwise_dsc(reference, prediction, min_volume=9)),
        ],
        ["lesion-wise Dice, pairs (BraTS 2025)", shown(lesionwise_dsc(reference, prediction, matching="one_to_one"))],
        ["F1 of lesions, one common pixel (ISLES)", shown(lesion_f1(reference, prediction))],
        ["difference of lesion counts (ISLES)", shown(lesion_count_difference(reference, prediction))],
    ]
    return f"""## What is a found lesion?

{drawing}

{table(["", "value"], rows)}

`mi_dsc` pairs one prediction with one lesion and needs an IoU of 0.5, so that a lesion in three pieces is missed and the pieces are
surplus. BraTS 2023 takes all pieces that touch a lesion together. BraTS 2025 pairs again, without a least overlap. ISLES asks for a
single common pixel. All are right answers to different questions; [masks](../metrics/masks.md#lesions) lists the options of each challenge.

| program | differs from ours where |
| --- | --- |
| BraTS 2024, meningioma radiotherapy | no lesion in the reference and some predicted: perfect there, `ref_empty` here |
| brats-evaluation 0.0.10 with panoptica 2.1.7 | voxels are no cubes: the spacing is applied to the axes in opposite order |
| autoPET | no lesion in the reference: a false-negative volume of 0 there, no value here |
| TopCoW 2024, clDice | a part vanishes by thinning: it has no centreline there, one voxel here |
| HECKTOR 2022, HNTS-MRG 2024 | voxels of patients differ in size: volumes are summed there, voxels here unless `size_unit` is `mm3` |
| HECKTOR 2022, HNTS-MRG 2024 | no reference contains a label: 0 there if a prediction contains it, else 0/0 and NaN; `ref_empty` and `both_empty` here |
"""


def voxel_sizes() -> str:
    """Return the section on pooled overlap of images with voxels of different sizes."""
    fine, coarse = np.zeros((2, 2, 8, 8), dtype=bool)
    fine[:, 1:7, 1:7] = coarse[0, 3:5, 2:6] = coarse[1, 3:5, 5:8] = True
    drawing = picture(
        "voxel-sizes.svg",
        "A patient with pixels of 1 mm² that is segmented perfectly, and one with pixels of 9 mm² that is mostly missed",
        [(*fine, None), (*coarse, None)],
    )
    counts = np.array([overlap_counts(*fine), overlap_counts(*coarse)], dtype=float)
    rows = [
        ["DSC of each patient", f"{shown(dsc(*fine))}, {shown(dsc(*coarse))}"],
        ["`aggregated_dsc`: pixels are summed", shown(aggregated_dsc([fine[0], coarse[0]], [fine[1], coarse[1]]))],
        [
            "programs of HECKTOR 2022 and HNTS-MRG 2024: areas are summed",
            f"{dsc_of_counts(counts, np.array([[1.0, 9.0]])).numbers[0]:.4f}",
        ],
    ]
    return f"""## Voxels of different sizes

{drawing}

{table(["pixels of 1 mm² and of 9 mm²", "value"], rows)}

The published formula, 2 Σ abs(A ∩ B) / Σ (abs(A) + abs(B)), does not state a unit. `aggregated_dsc` sums voxels by default, and the programs sum mm³. With `size_unit` `mm3`, it gives their values.
Both give the same value if all voxels have one size. Otherwise, patients with large voxels weigh more in the programs.
"""


def nothing() -> str:
    """Empty masks."""
    empty, full = np.zeros((4, 4), dtype=bool), np.ones((4, 4), dtype=bool)
    cases = {"both empty": (empty, empty), "reference empty": (empty, full), "prediction empty": (full, empty)}
    metrics = {"DSC": dsc, "HD": hausdorff_distance, "NSD": lambda a, b: nsd(a, b, tolerance=1)}
    rows = [[name, *(shown(metric(*pair)) for metric in metrics.values())] for name, pair in cases.items()]
    others = [
        [
            f"{library}, {name}",
            *(
                peer(library, name.replace("reference", "ref").replace("prediction", "pred").replace(" ", "_"), m)
                for m in names
            ),
        ]
        for library, names in (("surface-distance", ("dsc", "hd", "nsd1")), ("medpy", ("dsc", "hd")))
        for name in cases
    ]
    others = [row + [""] * (4 - len(row)) for row in others]
    return f"""## Nothing is not zero

{table(["", *metrics], rows + others)}

Other libraries return a number, NaN, infinity or raise an exception, different ones for metrics of one call (the exceptions of
surface-distance come from names that NumPy 2 no longer has). A number would hide a decision about participants, so the outcome is stored and a policy turns it into a number when algorithms are
ranked. By default both empty is perfect, and one empty is the worst value: 0, or the image's diagonal for a distance. What a
participant causes is never left out.
"""


def page() -> str:
    """The whole page."""
    parts = [boundary(), hausdorff(), spacing(), bands(), centrelines(), lesions(), voxel_sizes(), nothing()]
    return (
        "# Where implementations differ: masks\n\n"
        "Made by `python -m docs.correctness.make_masks`; a test makes it again and compares. Our values are bold. Values of "
        f"{peers_named('surface-distance-based-measures', 'medpy')} are those of `measure_peers`.\n\n"
        + "\n".join(parts)
    )


if __name__ == "__main__":
    (HERE / "masks.md").write_text(page(), encoding="utf-8")
