"""Shared helpers for tests of scorers: example cases, declarations, and broken scorers with their errors."""

import json
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from evaluation import problems
from evaluation.assessment import Assessment, parse
from evaluation.problems.label_merging import write
from evaluation.problems.shown import worse_labels
from evaluation.readers import LabelImage, read_label_image
from evaluation.running.identity import SCORER_INTERFACE
from evaluation.running.interface import LIMITS, Socket, interface_document
from evaluation.running.scorer_declared import declared_of, expected, interface_of
from evaluation.running.scorer_folders import references_in
from evaluation.running.scorer_rows import Declared, DeclaredMetric
from evaluation.running.scorer_trials import Answer, Presented, SelfTest, TrialCase, self_test
from tests.containers import own_scorer

EXAMPLE = Path(__file__).parents[2] / "examples" / "hippocampus"
PROGRAM = Path(own_scorer.__file__)
OVERDUE = "It was ended at its time limit."
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
"""Number of the check that rejects each broken scorer, and a part of its message."""


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
        worse = {kind: {FILE: path} for kind, path in worse_labels(reference, folder / name).items()}
        prediction = coarse(EXAMPLE / "predictions" / algorithm / f"{name}.nii.gz", folder / f"{name}-prediction")
        given = {"given": {FILE: prediction}}
        cases.append(TrialCase(name, {FILE: reference}, given | worse))
    return cases


def assessment() -> dict[str, Any]:
    """The example's, with the one metric that the scorer re-implements."""
    own: dict[str, Any] = json.loads((EXAMPLE / "challenge.json").read_text())["assessment"]
    return own | {"metrics": [{"id": "dsc"}]}


# --- Every kind of problem --------------------------------------------------------------------------------------------
KINDS = tuple(problem.id for problem in problems.all_problems() if problem.scorer_files.is_supported)
OWN = {"id": "own_agreement", "by": "scorer", "direction": "higher", "range": [0, 1]}
IMAGE = f"sha256:{'b' * 64}"
TEAM = "far"


def example(kind: str, folder: Path) -> Assessment:
    """Write the example of a kind to a folder and add a metric that the scorer computes."""
    written = problems.get(kind).samples.write_challenge(folder, cases=6)
    return parse(written | {"metrics": [*written["metrics"], OWN], "scorer": {"image": IMAGE, "case_seconds": 2}})


def cases_of(assessment: Assessment, folder: Path, made: Path) -> list[TrialCase]:
    """Three cases of an example as a scorer is shown them, with a given prediction and those that are made of the reference."""
    problem = problems.get(assessment.problem)
    references = references_in(assessment, folder / "references")
    given = references.predictions(folder / "predictions" / TEAM)
    names = sorted(problem.open_references(assessment, folder / "references").cases)[:3]
    shared = getattr(references, "references", None)
    cases = []
    for name in names:
        case_folder = made / name
        reference = references.shown(name, case_folder / "reference")
        perfect = problem.samples.perfect_prediction(
            reference, {} if shared is None else shared.shared, case_folder / "perfect"
        )
        worse = problem.samples.worse_predictions(perfect, case_folder / "worse")
        cases.append(
            TrialCase(name, reference, {"given": given.shown(name, case_folder / "given"), **worse}, dict(perfect))
        )
    return cases


def answered(root: Path, document: dict[str, Any], presented: Sequence[Presented], mode: str) -> Answer:
    """Run the program on cases in this process, as if in a container."""
    shutil.rmtree(root, ignore_errors=True)
    for presented_case in presented:
        for part, files in (("reference", presented_case.reference), ("prediction", presented_case.prediction)):
            (root / "input" / presented_case.name / part).mkdir(parents=True)
            for name, path in files.items():
                shutil.copy(path, root / "input" / presented_case.name / part / name)
    (root / "output").mkdir()
    (root / "input" / "interface.json").write_text(json.dumps(document))
    own_scorer.ROOT, own_scorer.MODE = root, mode
    try:
        own_scorer.main()
    except SystemExit as ended:
        return Answer(None, f"It ended with exit status {ended.code}.")
    except TimeoutError:
        return Answer(None, OVERDUE, is_over_limits=True)
    return Answer((root / "output" / "rows.jsonl").read_bytes())


def tried(assessment: Assessment, cases: list[TrialCase], folder: Path, mode: str = "") -> SelfTest:
    """Run the nine checks on the program, which breaks the rule selected by `mode`."""
    declared_there = declared_of(assessment)
    stems_and_kinds = problems.get(assessment.problem).scorer_files.stems_and_kinds
    broken = folder / "broken"
    broken.write_bytes(b"")

    def start(presented: Sequence[Presented]) -> Answer:
        files = sorted(
            {name for presented_case in presented for name in (*presented_case.reference, *presented_case.prediction)}
        )
        names = [presented_case.name for presented_case in presented]
        document = interface_of(
            declared_there, names, stems_and_kinds=stems_and_kinds, files=files, limits=dict.fromkeys(LIMITS, 1)
        )
        return answered(folder / "root", document, presented, mode)

    return self_test(expected(declared_there, []), cases, start, broken=broken)
