"""Generator of `object_peers.json`: values of other programs on the cases of `object_cases`.

These programs are not among the requirements of the project, so that their values are stored with their versions. Run from the top of
the repository, in a separate environment, with the programs of SynthRAD2025 (commit 0beef65) and Learn2Reg (commit 5491b8c) in folders:

    pip install picai-eval==1.4.13 monai==1.6.1 scikit-survival==0.28.0 scikit-image==0.26.0 SimpleITK
    python -m docs.correctness.measure_object_peers SYNTHRAD/functions/image_metrics.py
"""
# ruff: noqa: INP001

from __future__ import annotations

import importlib.util
import json
import sys
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from docs.correctness import object_cases as cases

if TYPE_CHECKING:
    from types import ModuleType

HERE = Path(__file__).parent
PEERS = ("picai-eval", "monai", "scikit-survival", "scipy")
EVALUATED_AT = (10, 20, 50, 100, 200, 300)
"""False positives per mm² at which MONKEY reads Sensitivity."""


def picai(seed: int) -> dict[str, float]:
    """Average precision with candidates matched once, leaving out and counting further candidates on a lesion."""
    evaluate = import_module("picai_eval.eval").evaluate
    of = cases.lesions(seed)
    maps = []
    for labels, scores in zip(of.candidates, of.confidences, strict=True):
        detection = np.zeros(labels.shape, dtype=np.float32)
        for label, score in scores.items():
            detection[labels == label] = score
        maps.append(detection)
    values = {}
    for name, ignores in (("ignore", True), ("fp", False)):
        measured = evaluate(
            maps,
            [(labels > 0).astype(np.int32) for labels in of.truth],
            allow_unmatched_candidates_with_minimal_overlap=ignores,
            num_parallel_calls=1,
        )
        values[name] = measured.AP
    return cases.documented(**values)


def monkey(seed: int) -> dict[str, float]:
    """FROC per mm² as MONKEY computes it with MONAI, pooled over images."""
    froc = import_module("monai.metrics.froc")
    of = cases.cells(seed)
    scores, hits = np.concatenate(of.scores), np.concatenate(of.hits)
    total = sum(len(points) for points in of.truth)
    rates, sensitivity = froc.compute_froc_curve_data(scores[~hits], scores[hits], total, sum(of.areas))
    return cases.documented(froc=froc.compute_froc_score(rates, sensitivity, eval_thresholds=EVALUATED_AT))


def synthrad(program: ModuleType, seed: int) -> dict[str, float]:
    """MS-SSIM in the mask."""
    of = cases.scans(seed)
    return cases.documented(ms_ssim=program.ImageMetrics().ms_ssim(of.reference, of.prediction, of.mask)[1])


def learn2reg(seed: int) -> dict[str, float]:
    """Mean TRE as ``compute_tre`` of Learn2Reg samples fields: cubic splines of SciPy with its default border.

    Its field is in mm and ours in voxels, so that the displacement is multiplied with the spacing here.
    """
    sample = import_module("scipy.ndimage").map_coordinates
    of = cases.fields(seed)
    moved = np.stack([sample(of.field[..., axis], of.fixed.T) for axis in range(3)], axis=1)
    distances = np.linalg.norm((of.fixed + moved - of.moving) * of.spacing, axis=1)
    return cases.documented(tre=distances.mean())


def survival(seed: int) -> dict[str, float]:
    """Concordance of Harrell and Uno, and AUC(t)."""
    metrics, util = import_module("sksurv.metrics"), import_module("sksurv.util")
    of = cases.courses(seed)
    time, event = of.observed[:, 0], of.observed[:, 1] == 1
    known = util.Surv.from_arrays(event, time)
    return cases.documented(
        harrell_c=metrics.concordance_index_censored(event, time, of.risk)[0],
        uno_c=metrics.concordance_index_ipcw(known, known, of.risk, tau=of.time)[0],
        time_dependent_auc=metrics.cumulative_dynamic_auc(known, known, of.risk, [of.time])[0][0],
    )


def _program(path: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location("image_metrics", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def measure(path: str) -> dict[str, Any]:
    """All of it."""
    program = _program(path)
    seeds = range(cases.SETS)
    return {
        "versions": {name: version(name) for name in PEERS}
        | {"SynthRAD2025/metrics": "0beef65", "MDL-UzL/L2R": "5491b8c", "monkey-challenge": "39ac881"},
        "picai": [picai(seed) for seed in seeds],
        "monkey": [monkey(seed) for seed in seeds],
        "synthrad": [synthrad(program, seed) for seed in seeds],
        "learn2reg": [learn2reg(seed) for seed in seeds],
        "survival": [survival(seed) for seed in seeds],
    }


if __name__ == "__main__":
    text = json.dumps(measure(sys.argv[1]), indent=1).replace("NaN", "null") + "\n"
    (HERE / "object_peers.json").write_text(text, encoding="utf-8")
