"""What the tests of scorers share: cases of the example, what is declared, broken scorers and what each is refused for."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from evaluation.problems.label_merging import write
from evaluation.readers import LabelImage, read_label_image
from evaluation.running.identity import SCORER_INTERFACE
from evaluation.running.interface import Socket, interface_document
from evaluation.running.scorer_rows import Declared, DeclaredMetric
from evaluation.running.scorer_trials import TrialCase, degraded

EXAMPLE = Path(__file__).parents[2] / "examples" / "hippocampus"
PROGRAM = Path(__file__).with_name("dice_scorer.py")
REGIONS = [{"name": "anterior", "labels": [1]}, {"name": "posterior", "labels": [2]}]
METRIC = {"id": "own-dice", "direction": "higher", "range": [0, 1], "perfect": 1, "unit": ""}
FILE = "labels.nii.gz"
BROKEN = {
    "random": (1, "is not what a second run"),
    "never perfect": (2, "the perfect value is 1"),
    "value for missing": (3, "it has to be missing"),
    "percent": (4, "above 1"),
    "better when worse": (4, "above 1"),
    "constant": (5, "does not look at them"),
    "drops bad cases": (6, "no row"),
    "not a number": (6, "no finite number"),
    "tells the team": (6, "team is not known"),
    "twice": (6, "stands twice"),
    "exit status": (6, "exit status 4"),
    "by its neighbours": (7, "is not what a run of the case alone"),
    "by its place": (1, "is not what a second run"),
    "hangs at noise": (8, "time limit"),
    "value for broken": (9, "missing or degenerate is expected"),
}
"""Check that refuses it, and words of the sentence."""


def declared(cases: list[str]) -> Declared:
    return Declared([DeclaredMetric.read(METRIC)], [own["name"] for own in REGIONS], cases)


def document(limits: dict[str, Any]) -> dict[str, Any]:
    """`interface.json` of the scorer."""
    return interface_document(
        [Socket("labels", "label_image", ".nii.gz")],
        [Socket("rows", "file", ".jsonl")],
        limits=limits,
        interface=SCORER_INTERFACE,
        more={"metrics": [METRIC], "regions": REGIONS},
    )


def case_names(count: int) -> list[str]:
    return [path.name.removesuffix(".nii.gz") for path in sorted((EXAMPLE / "references").glob("*.nii.gz"))[:count]]


def coarse(path: Path, target: Path) -> Path:
    """Every third voxel of a label image along each axis: a scorer in plain Python is slow."""
    own = read_label_image(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    labels = own.labels[::3, ::3, ::3]
    return write(LabelImage(labels, replace(own.geometry, shape=labels.shape)), target)


def trial_cases(folder: Path, *, count: int = 3, algorithm: str = "mean-atlas") -> list[TrialCase]:
    """Cases of the example with a given prediction and those that are made of the reference."""
    cases = []
    for name in case_names(count):
        reference = coarse(EXAMPLE / "references" / f"{name}.nii.gz", folder / f"{name}-reference")
        made = {kind: {FILE: path} for kind, path in degraded(reference, folder / name).items()}
        prediction = coarse(EXAMPLE / "predictions" / algorithm / f"{name}.nii.gz", folder / f"{name}-prediction")
        given = {"given": {FILE: prediction}}
        cases.append(TrialCase(name, {FILE: reference}, given | made))
    return cases


def assessment() -> dict[str, Any]:
    """The example's, with the one metric that the scorer re-implements."""
    own: dict[str, Any] = json.loads((EXAMPLE / "challenge.json").read_text())["assessment"]
    return own | {"metrics": [{"id": "dsc"}]}
