"""Data of a walk per kind of problem: the task of a design, the reference archive, and three submissions.

Everything comes from the `samples.write_challenge` of the kind, so an additional kind needs no code here.
"""

import copy
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

from evaluation import catalogue, problems
from evaluation.designs.compilation.metrics import usual_level

THREE = {
    "classification": "image_classification",
    "detection": "object_detection",
    "segmentation": "semantic_segmentation",
}
"""Names and kinds of the three challenges whose sentences are read.

The segmentation has two tasks with separate images.
"""
CASES = [f"case_{number:03d}" for number in range(1, 7)]
Files = dict[str, bytes]


class Handed(NamedTuple):
    """The archive of the references of a task, and what each of three teams hands in."""

    references: Files
    of_teams: list[Files]


def names() -> list[str]:
    """Every walk: one a kind of problem that a design can have."""
    others = [problem.id for problem in problems.scored_problems() if problem.id not in THREE.values()]
    return [*THREE, *(kind.replace("_", "-") for kind in others), "external"]


def problem_of(name: str) -> str:
    """The kind of problem of a walk."""
    return THREE.get(name, name.replace("-", "_"))


def design_of(name: str, challenge: dict[str, Any]) -> dict[str, Any]:
    """The design document of a walk."""
    # Here, as the names above are also asked for outside an installation, where no settings are.
    from tests.integration.challenges.world import document
    from tests.integration.measurements import outside

    if name == "segmentation":
        made = document(challenge)
        made["tasks"].append({**copy.deepcopy(made["tasks"][0]), "task_name": "Segmentation of young patients"})
        return made
    if name == "external":
        return document({**challenge, **outside.OPEN}, task_name="Stitching", **outside.STITCHING)
    return document(challenge, task_name=name.replace("-", " ").capitalize(), **_task(name))


def _task(name: str) -> dict[str, Any]:
    """Return the assessment of the example of a kind as the parameters of a task."""
    problem = problems.get(problem_of(name))
    with tempfile.TemporaryDirectory() as folder:
        scored = problem.samples.write_challenge(Path(folder) / "example", cases=12)
    levels = {usual_level(catalogue.get(metric["id"]), problem.id) for metric in scored["metrics"]}
    scheme = "data_set_score" if levels == {"dataset"} and name != "detection" else "metric_based"
    return {
        "task_category": [problem.task_categories[0]],
        "problem_settings": {"kind": problem.id, "settings": scored.get("settings")},
        "regions": [
            {"name": region["name"], "labels": [str(label) for label in region.get("labels", ())]}
            for region in scored.get("regions", ())
        ]
        or None,
        "metrics": [
            {"metric": metric["id"], "options": metric.get("options"), "used_for_ranking": True}
            for metric in scored["metrics"]
        ],
        "ranking_method": [
            {"name": "Mean rank", "scheme": scheme, "operator": "mean", "metric_aggregation": "mean_rank"}
        ],
        "missing_data_handling": "worst_value",
        "missing_data_handling__details": None,
        "submission_format": "As the page says.",
    }


def handed(name: str, task: int) -> Handed:
    """References and predictions: the third team lacks a case where that is possible, and is the first again elsewhere."""
    if name == "segmentation":
        return _two_tasks(task)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "example"
        problems.get(problem_of(name)).samples.write_challenge(place, cases=12)
        references = {f"references/{inner}": content for inner, content in _read(place / "references").items()}
        near, far = (_read(place / "predictions" / team) for team in ("near", "far"))
    listed = references.pop("references/cases.csv", b"")
    tables = [content for path, content in references.items() if path.count("/") == 1 and path.endswith(".csv")]
    if not listed and len(tables) == 1:
        rows = tables[0].decode().split("\n")[1:]
        listed = "\n".join(["case", *dict.fromkeys(row.split(",")[0] for row in rows if row)]).encode()
    if listed:
        references["cases.csv"] = listed
    return Handed(references, [near, far, near if name == "detection" else _lacking(near)])


def _two_tasks(task: int) -> Handed:
    from tests.integration.submissions.world import labels, nifti

    cases = CASES[: 6 - 2 * task]
    shifts = [[number % 2 for number, _ in enumerate(cases)], [1] * len(cases), [2] * (len(cases) - 1)]
    return Handed(
        {f"references/{case}.nii.gz": nifti(labels(0, case=case)) for case in cases},
        [
            {f"{case}.nii.gz": nifti(labels(shift, case=case)) for case, shift in zip(cases, of_team, strict=False)}
            for of_team in shifts
        ],
    )


def _read(folder: Path) -> Files:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()
    }


def _lacking(files: Files) -> Files:
    """The same without its last case: its file, or its rows in the only table."""
    *rest, last = sorted(files, key=lambda path: path.endswith(".csv"), reverse=True)
    if rest:
        return {path: files[path] for path in rest}
    rows = files[last].decode().strip().split("\n")
    case = rows[-1].split(",")[0]
    return {last: "\n".join(row for row in rows if row.split(",")[0] != case).encode() + b"\n"}
