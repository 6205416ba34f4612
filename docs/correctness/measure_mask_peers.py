"""Generator of `mask_peers.json`: what published evaluation programs give for the masks of `mask_cases`.

The programs are not among the requirements of the project, and some of them need older libraries. Their results are
therefore stored, with their versions. Clone the repositories of `PROGRAMS` at their commits into a folder, and run from
the top of the repository, once in each of two environments:

    pip install numpy==1.23.5 pandas==1.5.3 scipy==1.10.1 scikit-image==0.20.0 nibabel==5.3.3 SimpleITK==2.5.7
    pip install surface-distance-based-measures==0.1 connected-components-3d==3.12.6 medpy==0.4.0 gudhi==3.13.0
    pip install opencv-python-headless==4.7.0.72 matplotlib==3.7.1
    python -m docs.correctness.measure_mask_peers FOLDER
    pip install brats-evaluation==0.0.10 panoptica==2.1.7
    python -m docs.correctness.measure_mask_peers FOLDER --brats-2025
    python -m docs.correctness.measure_mask_peers FOLDER --isles-2024

Volumes only are given to programs that take volumes only.
"""
# ruff: noqa: INP001

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
import tempfile
from importlib import import_module, util
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from docs.correctness.mask_cases import MaskCase, mask_cases

if TYPE_CHECKING:
    from types import ModuleType

FILE = Path(__file__).with_name("mask_peers.json")
PROGRAMS = {
    "BraTS-2023-Metrics": "43c905242b2eecf421d4ab2da7af8ece9777d322",
    "BraTS-2024-Metrics": "f1131e340e155908553c226675644a6363b998b7",
    "autoPET": "468179b78ccbefde251bee0a152d9194fc64d5d3",
    "isles22": "31b7c8c29ab08180ed9f55c79a66c00e1ff3bdc0",
    "TopCoW_Eval_Metrics": "25ca8399e056e71e3ff6743ac4a47ce28624cb3d",
    "ULS23": "06a2bffc433418f72d04f7ecbb23b28694c81e6b",
    "hover_net": "67e2ce5e3f1a64a2ece77ad1c24233653a9e0901",
}
"""Repositories on GitHub with the commit that was run.

FeTA 2024 was run from a transcription of the function `compute_topological_features` of its `topology.py`, in the version
of 16 July 2024 by L. Li and P. de Dumast, and not from the original file.
"""


def loaded(path: Path) -> ModuleType:
    """Import a program from its file."""
    specification = util.spec_from_file_location(f"peer_{path.stem}_{abs(hash(path))}", path)
    assert specification is not None
    assert specification.loader is not None
    module = util.module_from_spec(specification)
    sys.path.insert(0, str(path.parent))
    try:
        specification.loader.exec_module(module)
    finally:
        sys.path.pop(0)
        forget("surface_distance")
    return module


def forget(package: str) -> None:
    """Make the next import of a package look for it again: programs bring copies of their own."""
    for name in [name for name in sys.modules if name.partition(".")[0] == package]:
        del sys.modules[name]


def plain(number: Any) -> float | str:
    """Return a number for JSON; a text for what is none."""
    number = float(number)
    return number if np.isfinite(number) else str(number)


def saved(case: MaskCase, folder: Path) -> tuple[str, str]:
    """Write both masks as NIfTI, an image as one slice; prediction first."""
    import nibabel

    paths = []
    for side in ("prediction", "reference"):
        mask = getattr(case, side)
        mask, spacing = (mask[..., None], (*case.spacing, 1.0)) if mask.ndim == 2 else (mask, case.spacing)
        image = nibabel.Nifti1Image(3 * mask.astype(np.uint8), np.diag([*spacing, 1.0]))
        image.header.set_zooms(spacing)
        paths.append(str(folder / f"{side}.nii.gz"))
        nibabel.save(image, paths[-1])
    return paths[0], paths[1]


def brats_2023(program: ModuleType, case: MaskCase) -> dict[str, float | str]:
    """Lesion-wise Dice and HD95 of the enhancing tumour, for two of the settings of the challenge."""
    import pandas as pd

    # The program relies on what pandas no longer does: it appends tables, and replaces numbers beside columns of lists.
    pd.DataFrame.append = lambda self, other: pd.concat([self, other])
    pd.DataFrame.replace = lambda self, old, new, **_: self.apply(
        lambda column: column if column.dtype == object else column.where(column != old, new)
    )
    values = {}
    with tempfile.TemporaryDirectory() as folder:
        prediction, reference = saved(case, Path(folder))
        for challenge in ("BraTS-GLI", "BraTS-MET"):
            table = program.get_LesionWiseResults(prediction, reference, challenge).set_index("Labels")
            values[f"{challenge} dice"] = plain(table.loc["ET", "LesionWise_Score_Dice"])
            values[f"{challenge} hd95"] = plain(table.loc["ET", "LesionWise_Score_HD95"])
            values["legacy hd95"] = plain(table.loc["ET", "Legacy_HD95"])
    return values


def brats_2024(program: ModuleType, case: MaskCase) -> dict[str, float | str]:
    """Lesion-wise Dice and HD95 of the radiotherapy target of meningioma."""
    import nibabel

    here = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        paths = saved(case, Path(folder))
        for path in paths:
            image = nibabel.load(path)
            nibabel.save(nibabel.Nifti1Image(np.minimum(image.get_fdata(), 1), image.affine), path)
        os.chdir(folder)
        try:
            table = program.get_LesionWiseResults(*paths, "BraTS-MEN-RT")[0].set_index("Labels")
        finally:
            os.chdir(here)
    return {
        "dice": plain(table.loc["GTV", "LesionWise_Score_Dice"]),
        "hd95": plain(table.loc["GTV", "LesionWise_Score_HD95"]),
    }


def autopet(program: ModuleType, case: MaskCase) -> dict[str, float | str]:
    """Volumes of false-positive and false-negative lesions in ml."""
    millilitres = float(np.prod(case.spacing)) / 1000
    reference, prediction = case.reference.astype(np.uint8), case.prediction.astype(np.uint8)
    return {
        "false_pos_vol": plain(program.false_pos_pix(reference, prediction) * millilitres),
        "false_neg_vol": plain(program.false_neg_pix(reference, prediction) * millilitres),
    }


def isles(program: ModuleType, case: MaskCase) -> dict[str, float | str]:
    """Lesion-wise F1, difference of lesion counts and of volumes in ml."""
    sides = (case.reference, case.prediction)
    return {
        "f1": plain(program.compute_lesion_f1_score(*sides)),
        "count": plain(program.compute_absolute_lesion_difference(*sides)),
        "volume": plain(program.compute_absolute_volume_difference(*sides, np.float64(np.prod(case.spacing) / 1000))),
    }


def surfels(program: ModuleType, case: MaskCase) -> dict[str, float | str]:
    """Distances between surface elements."""
    if not (case.reference.any() and case.prediction.any()):
        return {}
    distances = program.compute_surface_distances(case.reference, case.prediction, case.spacing)
    return {
        "hd": plain(program.compute_robust_hausdorff(distances, 100)),
        "hd95": plain(program.compute_robust_hausdorff(distances, 95)),
        "masd": plain(np.mean(program.compute_average_surface_distance(distances))),
        "nsd1": plain(program.compute_surface_dice_at_tolerance(distances, 1.0)),
        "nsd2.3": plain(program.compute_surface_dice_at_tolerance(distances, 2.3)),
    }


def cubical(case: MaskCase) -> dict[str, float | str]:
    """Betti numbers of the cubical complex of the foreground, whose voxels are closed: they meet at corners, too."""
    import gudhi

    values: dict[str, float | str] = {}
    for side in ("reference", "prediction"):
        mask = np.pad(getattr(case, side), 1)
        complex_ = gudhi.CubicalComplex(top_dimensional_cells=np.where(mask, 0.0, 1.0))
        complex_.persistence(homology_coeff_field=2, min_persistence=-1)
        numbers = complex_.persistent_betti_numbers(from_value=0.0, to_value=0.5)
        for dimension in range(mask.ndim):
            values[f"{side} {dimension}"] = plain(numbers[dimension])
    return values


def feta_2024(program: ModuleType, case: MaskCase) -> dict[str, float | str]:
    """Betti numbers and Euler characteristic of both masks, with a margin as the program's example has it."""
    values: dict[str, float | str] = {}
    for side in ("reference", "prediction"):
        if not getattr(case, side).any():  # The program fails for an empty mask.
            continue
        numbers, euler = program.compute_topological_features(np.pad(getattr(case, side), 2).astype(int))
        values |= {f"{side} {dimension}": plain(number) for dimension, number in enumerate(numbers)}
        values[f"{side} euler"] = plain(euler)
    return values


def instances(program: ModuleType, case: MaskCase) -> dict[str, float | str]:
    """Aggregated Jaccard indices of the connected parts, numbered from 1."""
    from scipy import ndimage

    if not (case.reference.any() and case.prediction.any()):
        return {}
    sides = [ndimage.label(side)[0] for side in (case.reference, case.prediction)]
    return {"aji": plain(program.get_fast_aji(*sides)), "aji+": plain(program.get_fast_aji_plus(*sides))}


def topcow(program: ModuleType, case: MaskCase) -> dict[str, float | str]:
    """Error of the 0th Betti number."""
    import SimpleITK

    images = {}
    for side in ("reference", "prediction"):
        images[side] = SimpleITK.GetImageFromArray(getattr(case, side).astype(np.uint8))
    error = program.betti_number_error_single_label(gt=images["reference"], pred=images["prediction"], label=1)
    return {"b0": plain(error)}


def uls(program: ModuleType, case: MaskCase) -> dict[str, float | str]:
    """Symmetric percentage errors of the long and the short axis diameter in voxels."""
    sides = [program.long_and_short_axis_diameters(side) for side in (case.reference, case.prediction)]
    return {
        "long": plain(sides[0][0]),
        "short": plain(sides[0][1]),
        "long error": plain(program.sape(sides[0][0], sides[1][0])),
        "short error": plain(program.sape(sides[0][1], sides[1][1])),
    }


def brats_2025(case: MaskCase) -> dict[str, float | str]:
    """Lesion-wise values of brats-evaluation, command ``mets`` with volumes from 20 voxels on."""
    from panoptica import Panoptica_Evaluator

    package = Path(str(import_module("brats_evaluation").__file__)).parent
    parser = import_module("brats_evaluation.metrics_parser")
    evaluator = Panoptica_Evaluator.load_from_config(str(package / "configs" / "config_mets.yaml"))
    with tempfile.TemporaryDirectory() as folder:
        paths = saved(case, Path(folder))
        results = {name: result.to_dict(True) for name, result in evaluator.evaluate(*paths).items()}
        source, target = Path(folder) / "results.json", Path(folder) / "table.csv"
        source.write_text(json.dumps({"metrics": [{**results, "subject_name": "case"}], "missings": []}))
        parser.parse_mets_results(str(source), 20.0, 0.1, str(target))
        import pandas as pd

        row = pd.read_csv(target).iloc[0]
    return {
        "dice": plain(row["lesionwise_dsc_mean_et"]),
        "hd95": plain(row["lesionwise_hd95_mean_et"]),
        "f1": plain(row["all_instance_f1_et"]),
    }


def isles_2024(case: MaskCase) -> dict[str, float | str]:
    """Lesion-wise F1 and lesion count difference as eval_utils.py of isles24 (commit 34c6637) gets them from panoptica.

    The program was written for an older panoptica; names of its results are those of version 2.1.7 here.
    """
    import panoptica

    evaluator = panoptica.Panoptica_Evaluator(
        expected_input=panoptica.InputType.SEMANTIC,
        instance_approximator=panoptica.ConnectedComponentsInstanceApproximator(),
        instance_matcher=panoptica.NaiveThresholdMatching(),
    )
    sides = (case.prediction.astype(np.uint8), case.reference.astype(np.uint8))
    result = evaluator.evaluate(*sides, verbose=False)["ungrouped"]
    count = abs(result.n_ref_instances - result.n_pred_instances)
    is_empty = not (result.n_ref_instances or result.n_pred_instances)
    return {"f1": 1.0 if is_empty else plain(result.rq), "count": float(count)}


def measure(folder: Path) -> dict[str, Any]:
    """Run all programs but that of BraTS 2025."""
    for name, kind in (("bool", np.bool_), ("float", float)):  # The programs use names that NumPy removed.
        setattr(np, name, kind)
    distances = import_module("surface_distance.metrics")
    topology = folder / "TopCoW_Eval_Metrics"
    sys.path.insert(0, str(topology))
    topcow_program = import_module("topcow24_eval.metrics.seg_metrics.cls_avg_b0")
    forget("surface_distance")
    programs = {
        "BraTS 2023": (brats_2023, loaded(folder / "BraTS-2023-Metrics" / "metrics.py")),
        "BraTS 2024": (brats_2024, loaded(folder / "BraTS-2024-Metrics" / "metrics_MEN_RT.py")),
        "autoPET": (autopet, loaded(folder / "autoPET" / "val_script.py")),
        "ISLES": (isles, loaded(folder / "isles22" / "utils" / "eval_utils.py")),
        "TopCoW 2024": (topcow, topcow_program),
        "FeTA 2024": (feta_2024, loaded(folder / "FeTA" / "topology.py")),
        "hover_net": (instances, loaded(folder / "hover_net" / "metrics" / "stats_utils.py")),
        "ULS23": (uls, loaded(folder / "ULS23" / "evaluation" / "misc.py")),
    }
    values: dict[str, dict[str, Any]] = {name: {} for name in (*programs, "surface-distance", "gudhi")}
    for case in mask_cases():
        with contextlib.redirect_stdout(io.StringIO()), np.errstate(all="ignore"):
            values["surface-distance"][case.name] = surfels(distances, case)
            values["gudhi"][case.name] = cubical(case)
            for name, (measured, program) in programs.items():
                if case.reference.ndim == 3 or name.startswith(("BraTS", "hover_net")):
                    values[name][case.name] = measured(program, case)  # type: ignore[operator]
    libraries = (
        "numpy",
        "scipy",
        "scikit-image",
        "surface-distance-based-measures",
        "connected-components-3d",
        "gudhi",
    )
    return {"versions": {name: version(name) for name in libraries}, "commits": PROGRAMS, **values}


def main(arguments: list[str]) -> None:
    """Write the file, or add the values of BraTS 2025 or ISLES 2024 to it."""
    stored = json.loads(FILE.read_text(encoding="utf-8")) if FILE.is_file() else {}
    if "--brats-2025" in arguments:
        stored["brats-evaluation"] = {
            "versions": {name: version(name) for name in ("brats-evaluation", "panoptica")},
            **{case.name: brats_2025(case) for case in mask_cases() if case.reference.ndim == 3},
        }
    elif "--isles-2024" in arguments:
        stored["ISLES 2024"] = {
            "versions": {name: version(name) for name in ("panoptica", "connected-components-3d")},
            **{case.name: isles_2024(case) for case in mask_cases() if case.reference.ndim == 3},
        }
    else:
        kept = {name: stored[name] for name in ("brats-evaluation", "ISLES 2024") if name in stored}
        stored = measure(Path(arguments[0])) | kept
    FILE.write_text(json.dumps(stored, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
