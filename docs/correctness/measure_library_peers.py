"""Generator of `library_peers.json`: what libraries give for the masks of `library_cases`.

The libraries are not among the requirements of the project. Their results are therefore stored, with their versions.
Run from the top of the repository, in an environment of its own:

    pip install medpy==0.5.2 SimpleITK==2.5.7 panoptica==2.1.7 scikit-image==0.26.0
    python -m docs.correctness.measure_library_peers

The instances of a mask are its parts that are connected by faces, edges or corners. panoptica matches from an overlap of 0.5 on, and
Podium above 0.5: the threshold is therefore given a little higher. clDice is of masks without the parts that thinning by
scikit-image removes, since Podium keeps a voxel of each.
"""
# ruff: noqa: INP001

from __future__ import annotations

import json
import math
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from docs.correctness.mask_cases import library_cases, parts, with_centrelines

if TYPE_CHECKING:
    from docs.correctness.mask_cases import MaskCase

FILE = Path(__file__).with_name("library_peers.json")


def plain(number: float) -> float | None:
    """Return a finite number as JSON stores it, and ``None`` for any other."""
    return float(number) if math.isfinite(float(number)) else None


def medpy(case: MaskCase) -> dict[str, float | None]:
    """Dice, Hausdorff distance and average symmetric surface distance."""
    from medpy.metric import binary

    pair = (case.prediction, case.reference)
    return {
        "dsc": plain(binary.dc(*pair)),
        "hd": plain(binary.hd(*pair, voxelspacing=case.spacing)),
        "assd": plain(binary.assd(*pair, voxelspacing=case.spacing)),
    }


def simple_itk(case: MaskCase) -> dict[str, float | None]:
    """Dice, Jaccard and volume similarity, which has a sign there."""
    import SimpleITK

    overlap = SimpleITK.LabelOverlapMeasuresImageFilter()
    overlap.Execute(*(SimpleITK.GetImageFromArray(mask.astype(np.uint8)) for mask in (case.reference, case.prediction)))
    return {
        "dsc": plain(overlap.GetDiceCoefficient()),
        "iou": plain(overlap.GetJaccardCoefficient()),
        "volume_similarity": plain(overlap.GetVolumeSimilarity()),
    }


def panoptica(case: MaskCase) -> dict[str, float | None]:
    """Panoptic quality of the parts, and clDice and centre distance of the masks."""
    from panoptica import InputType, Metric, NaiveThresholdMatching, Panoptica_Evaluator

    evaluator = Panoptica_Evaluator(
        expected_input=InputType.UNMATCHED_INSTANCE,
        instance_matcher=NaiveThresholdMatching(matching_metric=Metric.IOU, matching_threshold=0.5 + 1e-9),
        instance_metrics=[Metric.IOU, Metric.DSC],
        global_metrics=[],
    )
    [result] = evaluator.evaluate(parts(case.prediction), parts(case.reference), verbose=False).values()
    values = result.to_dict()
    masks = (case.reference.astype(np.uint8), case.prediction.astype(np.uint8))
    thick = [with_centrelines(mask).astype(np.uint8) for mask in (case.reference, case.prediction)]
    return {
        **{name: plain(values[name]) for name in ("pq", "sq", "rq")},
        "sq_dsc": plain(values["sq_dsc"]),
        "cldice": plain(Metric.clDSC(*thick)) if all(mask.any() for mask in thick) else None,
        "centre_distance": plain(Metric.CEDI(*masks, voxelspacing=case.spacing)),
    }


def measure() -> dict[str, Any]:
    """Run all libraries."""
    cases = library_cases()
    programs = {"medpy": medpy, "SimpleITK": simple_itk, "panoptica": panoptica}
    return {
        "versions": {name: version(name) for name in ("medpy", "SimpleITK", "panoptica", "scikit-image", "numpy")},
        **{name: {case.name: program(case) for case in cases} for name, program in programs.items()},
    }


if __name__ == "__main__":
    FILE.write_text(json.dumps(measure(), indent=1) + "\n", encoding="utf-8")
