"""Generator of `dose_peers.json`: values of pymedphys and of the program of OpenKBP on the cases of `dose_cases`.

These programs are not among the requirements of the project, so that their values are stored with their versions. Run from the top
of the repository, in a separate environment, with the repository ababier/open-kbp (commit ce625e6) in a folder:

    pip install pymedphys==0.41.0 numpy==2.2.6 scipy==1.17.1 pandas tqdm more-itertools
    : > OPENKBP/provided_code/__init__.py  # it loads Keras otherwise
    PYTHONPATH=OPENKBP:. python -m docs.correctness.measure_dose_peers
"""
# ruff: noqa: INP001

from __future__ import annotations

import json
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace

import numpy as np
from pandas import DataFrame, MultiIndex

from docs.correctness import dose_cases as cases

HERE = Path(__file__).parent


def gamma(seed: int) -> dict[str, float]:
    """Return the pass rates of all points and of those in the structure."""
    of = cases.doses(seed)
    axes = tuple(np.arange(n) * size for n, size in zip(of.reference.shape, of.spacing, strict=True))
    values = import_module("pymedphys").gamma(
        axes,
        of.reference,
        axes,
        of.prediction,
        of.dose_percent,
        of.distance,
        lower_percent_dose_cutoff=of.cutoff_percent,
        local_gamma=of.is_local,
        max_gamma=1.1,
        interp_algo="scipy",
    )
    return {"all": _rate(values), "region": _rate(values[of.region])}


def histograms(seed: int) -> dict[str, float]:
    """Return the errors of points of the dose-volume histogram of the structure, from the evaluator of OpenKBP."""
    of = cases.doses(seed)
    program = import_module("provided_code.dose_evaluation_class")

    class Evaluator(program.DoseEvaluator):  # type: ignore[misc,name-defined]
        """The evaluator with one structure, in place of its files."""

        def __init__(self) -> None:
            self.all_dvh_metrics = {"structure": ["D_0.1_cc", "mean", "D_99", "D_95", "D_1"]}
            self.reference_data_loader = SimpleNamespace(full_roi_list=["structure"])
            self.reference_batch = SimpleNamespace(voxel_dimensions=of.spacing, patient_list=["case"])

        def get_roi_mask(self, _roi_name: str) -> np.ndarray:
            """Return the structure as one row."""
            return of.region.ravel()

    columns = [(name, "structure") for name in ("D_0.1_cc", "mean", "D_99", "D_95", "D_1")]
    values = [
        Evaluator()._calculate_dvh_metrics(  # noqa: SLF001
            DataFrame(index=["case"], columns=MultiIndex.from_tuples(columns)), dose.ravel()
        )
        for dose in (of.reference, of.prediction)
    ]
    return {
        column[0]: abs(float(values[0].loc["case", column]) - float(values[1].loc["case", column]))
        for column in columns
    }


def _rate(values: np.ndarray) -> float:
    counted = values[~np.isnan(values)]
    return float(np.count_nonzero(counted <= 1) / counted.size)


if __name__ == "__main__":
    document = {
        "versions": {name: version(name) for name in ("pymedphys", "numpy", "scipy")} | {"ababier/open-kbp": "ce625e6"},
        "histograms": [histograms(seed) for seed in range(cases.SETS)],
        "gamma": [gamma(seed) for seed in range(cases.SETS)],
    }
    (HERE / "dose_peers.json").write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
