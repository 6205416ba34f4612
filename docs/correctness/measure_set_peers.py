"""Generator of `set_peers.json`: values of programs for the sets of `set_cases`, and V_x of the doses of `dose_cases`.

The programs are not among the requirements of the project. Their values are therefore stored, with their versions. Clone the
repositories of `PROGRAMS` at their commits into a folder, and run from the top of the repository, in a separate environment:

    pip install SimpleITK==2.5.7 torchmetrics==1.9.0 uncertainty-calibration==0.1.4 scipy==1.17.1
    pip install dicompyler-core==0.5.6
    python -m docs.correctness.measure_set_peers FOLDER

Programs that are notebooks, or import libraries that these values do not need, are read for their functions only. HECKTOR and
HNTS-MRG get an image as a volume of one slice that is 1 mm thick. Learn2Reg adds a displacement to landmarks: it gets the moved
landmarks with a displacement of 0. torchmetrics sums winning scores as 32-bit numbers, so that sets have 500 scores at most.
dicompyler-core gets histograms of doses with bins of 1 Gy, and gives volumes at their ends.
"""
# ruff: noqa: INP001

from __future__ import annotations

import ast
import json
import math
import sys
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from docs.correctness import dose_cases
from docs.correctness.set_cases import data_sets, landmark_sets, score_sets

if TYPE_CHECKING:
    from collections.abc import Sequence

    from docs.correctness.set_cases import DataSet, LandmarkSet, ScoreSet

FILE = Path(__file__).with_name("set_peers.json")
LIBRARIES = ("SimpleITK", "torchmetrics", "torch", "uncertainty-calibration", "dicompyler-core", "scipy", "numpy")
VOLUMES_AT = (32, 40, 50, 58)
"""Doses x of V_x in Gy."""
PROGRAMS = {
    "voreille/hecktor": "0117ff1304472a4ec29e66919793346066e5cebf",
    "kwahid/HNTSMRG_2024": "baaea528dc3f784fe199b4ac7a89e7ea021128fe",
    "MDL-UzL/L2R": "88475095e35442087a24439ff34ec09f54bc7dac",
    "Borda/BIRL": "f1648b293664e3bea50736280a19b846d60841f1",
}
"""Repositories on GitHub with the commit that was run; BIRL evaluated ANHIR."""
FILES = {
    "voreille/hecktor": "notebooks/evaluate_segmentation2022.ipynb",
    "kwahid/HNTSMRG_2024": "Evaluation_example/DSCagg_calculation.ipynb",
    "MDL-UzL/L2R": "evaluation/utils.py",
    "Borda/BIRL": "birl/utilities/evaluate.py",
}


def functions_of(path: Path, names: Sequence[str], given: dict[str, Any]) -> dict[str, Any]:
    """Return functions of a program or notebook, defined among the names that they use."""
    source = path.read_text(encoding="utf-8")
    if path.suffix == ".ipynb":
        cells = [cell["source"] for cell in json.loads(source)["cells"] if cell["cell_type"] == "code"]
        source = "\n".join("".join(cell) for cell in cells)
    tree = ast.parse(source)
    tree.body = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name in names]
    names_of_program: dict[str, Any] = {"np": np, **given}
    exec(compile(tree, str(path), "exec"), names_of_program)  # noqa: S102  (the program that is run)
    return {name: names_of_program[name] for name in names}


def plain(number: float) -> float | None:
    """Return a finite number as JSON stores it, and ``None`` for any other."""
    return float(number) if math.isfinite(float(number)) else None


def aggregated_dice(program: dict[str, Any], data_set: DataSet, *names: str) -> dict[str, float | None]:
    """Aggregated Dice of both labels and its mean."""
    sitk = import_module("SimpleITK")
    results = []
    for pair in data_set.pairs:
        images = []
        for side in (pair.reference, pair.prediction):
            spacing = pair.spacing if side.ndim == 3 else (1.0, *pair.spacing)
            images.append(sitk.GetImageFromArray(side if side.ndim == 3 else side[None]))
            images[-1].SetSpacing(spacing[::-1])
        results.append(program["get_intermediate_metrics"](*names, *images))
    with np.errstate(invalid="ignore"):
        values = program["compute_agg_dice"](results)["AggregatedDsc"]
    return {name: plain(value) for name, value in values.items()}


def learn2reg(program: dict[str, Any], landmarks: LandmarkSet) -> dict[str, float | None]:
    """Mean TRE in mm."""
    absent = 3 - landmarks.moving.shape[1]
    moved, moving = (np.pad(points, ((0, 0), (0, absent))) for points in (landmarks.moved, landmarks.moving))
    spacing = np.pad(landmarks.spacing, (0, absent), constant_values=1.0)
    return {"mean": plain(program["compute_tre"](moved, moving, np.zeros((4, 4, 4, 3)), spacing, spacing).mean())}


def birl(program: dict[str, Any], landmarks: LandmarkSet) -> dict[str, float | None]:
    """Mean, median and greatest TRE in mm."""
    points = (landmarks.moving * landmarks.spacing, landmarks.moved * landmarks.spacing)
    with np.errstate(invalid="ignore"):
        values = program["compute_target_regist_error_statistic"](*points)[1]
    return {name.lower(): plain(values[name]) for name in ("Mean", "Median", "Max")}


def torchmetrics(scores: ScoreSet) -> dict[str, float | None]:
    """Calibration errors of the positive class and of the winning class."""
    module = import_module("torchmetrics.functional.classification")
    binary, positive, every, classes = (import_module("torch").from_numpy(np.asarray(part)) for part in scores[:4])
    values = {}
    for name, norm in (("ece", "l1"), ("tce", "l2"), ("mce", "max")):
        options = {"n_bins": scores.bins, "norm": norm}
        values[f"{name} positive_class"] = plain(module.binary_calibration_error(binary, positive, **options))
        values[f"{name} top_label"] = plain(module.multiclass_calibration_error(every, classes, 4, **options))
    return values


def uncertainty_calibration(scores: ScoreSet) -> dict[str, float | None]:
    """Calibration errors with bins of equal width, without correction of bias."""
    program = import_module("calibration.utils")
    values = {}
    for name, power in (("ece", 1), ("tce", 2)):
        options = {
            "p": power,
            "debias": False,
            "num_bins": scores.bins,
            "binning_scheme": program.get_equal_prob_bins,
            "mode": "top-label",
        }
        pairs = {"positive_class": (scores.binary, scores.is_positive), "top_label": (scores.scores, scores.classes)}
        for target, pair in pairs.items():
            values[f"{name} {target}"] = plain(program.lower_bound_scaling_ce(*pair, **options))
    return values


def dicompyler(seed: int) -> dict[str, float | None]:
    """Absolute differences of V_x, the share of the structure with at least x Gy."""
    program = import_module("dicompylercore.dvh")
    of = dose_cases.doses(seed)
    shares = []
    for doses in (of.reference[of.region], of.prediction[of.region]):
        counts, ends = np.histogram(doses, np.arange(0, np.ceil(doses.max()) + 2))
        histogram = program.DVH(counts, ends, dvh_type="differential", dose_units="Gy").cumulative
        shares.append([histogram.volume_constraint(dose, "Gy").value / doses.size for dose in VOLUMES_AT])
    return {f"V_{dose}": plain(abs(guess - truth)) for dose, truth, guess in zip(VOLUMES_AT, *shares, strict=True)}


def measure(folder: Path) -> dict[str, Any]:
    """Run all programs."""
    sitk, ndimage, distance = (import_module(name) for name in ("SimpleITK", "scipy.ndimage", "scipy.spatial.distance"))
    dice = ("compute_volumes", "get_intermediate_metrics", "compute_agg_dice")
    wanted = {
        "voreille/hecktor": (dice, {"sitk": sitk}),
        "kwahid/HNTSMRG_2024": (dice, {"sitk": sitk}),
        "MDL-UzL/L2R": (("compute_tre",), {"map_coordinates": ndimage.map_coordinates}),
        "Borda/BIRL": (("compute_tre", "compute_target_regist_error_statistic"), {"distance": distance}),
    }
    programs = {
        name: functions_of(folder / name.partition("/")[2] / FILES[name], names, given)
        for name, (names, given) in wanted.items()
    }
    sets, landmarks, scores = data_sets(), landmark_sets(), score_sets()
    return {
        "versions": {name: version(name) for name in LIBRARIES},
        "commits": PROGRAMS,
        "HECKTOR 2022": {each.name: aggregated_dice(programs["voreille/hecktor"], each) for each in sets},
        "HNTS-MRG 2024": {
            each.name: aggregated_dice(programs["kwahid/HNTSMRG_2024"], each, each.name) for each in sets
        },
        "Learn2Reg": [learn2reg(programs["MDL-UzL/L2R"], each) for each in landmarks],
        "BIRL": [birl(programs["Borda/BIRL"], each) for each in landmarks],
        "torchmetrics": [torchmetrics(each) for each in scores],
        "uncertainty-calibration": [uncertainty_calibration(each) for each in scores],
        "dicompyler-core": [dicompyler(seed) for seed in range(dose_cases.SETS)],
    }


if __name__ == "__main__":
    FILE.write_text(json.dumps(measure(Path(sys.argv[1])), indent=1) + "\n", encoding="utf-8")
