"""Every worked example of the reference for failure detection, regression, survival, several labels and ordered classes."""

import json
from pathlib import Path

import numpy as np
import pytest

from evaluation import metrics, problems
from evaluation.assessment import parse
from evaluation.metrics.confidence_values import BY_CONFIDENCE, optimum
from evaluation.metrics.survival_values import censoring_survival, followed
from evaluation.outcomes import Flag, Outcome
from evaluation.scoring import score_folders

EXAMPLES = json.loads(Path(__file__).with_name("examples.json").read_text("utf-8"))
VECTORS = {vector["id"]: vector for vector in EXAMPLES["vectors"]}
TIGHT = {"rel": 1e-9, "abs": 1e-12}


def vectors(kind):
    return [pytest.param(vector, id=vector["id"]) for vector in EXAMPLES["vectors"] if vector["kind"] == kind]


def write(path, header, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [",".join("" if cell is None else str(cell) for cell in row) for row in rows]
    path.write_text("\n".join([header, *lines]) + "\n")


def by_folders(folder, document, reference, prediction):
    """The one row of the whole data set that the kind gives for two tables."""
    write(folder / "references" / reference[0], *reference[1:])
    write(folder / "predictions" / prediction[0], *prediction[1:])
    scored = score_folders(parse({"schema": 1, **document}), folder / "references", {"a": folder / "predictions"})
    [row] = [row for row in scored.rows if row.case == ""]
    return row


def agrees(row, vector):
    if vector["value"] is None:
        assert (row.value, str(row.outcome)) == (None, vector["outcome"])
    else:
        assert row.value == pytest.approx(vector["value"], **TIGHT)
        assert row.outcome is Outcome.OK


def document_of(vector, **more):
    return {"problem": vector["kind"], "metrics": [{"id": vector["metric"], "options": vector["options"]}], **more}


def cases(count):
    return [f"p{number:02d}" for number in range(count)]


@pytest.mark.parametrize("vector", vectors("failure_detection"))
def test_failure_detection(vector, tmp_path):
    given = vector["input"]
    names = cases(len(given["risk"]))
    if "multiplicity" in given:
        risk, confidence = np.array(given["risk"]), np.array(given["confidence"])
        weights = np.array([given["multiplicity"], [1] * len(names)], dtype=float)
        values = BY_CONFIDENCE[vector["metric"]](risk, confidence, weights)
        agrees(values.result(0), vector)
        repeated = np.repeat(np.arange(len(names)), given["multiplicity"])
        agrees(getattr(metrics, vector["metric"])(risk[repeated], confidence[repeated]), vector)
        return
    row = by_folders(
        tmp_path,
        document_of(vector),
        ("risk.csv", "case,risk", zip(names, given["risk"], strict=True)),
        ("confidence.csv", "case,confidence", zip(names, given["confidence"], strict=True)),
    )
    agrees(row, vector)
    if vector["id"] in ("failure_detection-19", "failure_detection-21"):
        assert row.flag is Flag.REFERENCE


@pytest.mark.parametrize("vector", vectors("regression"))
def test_regression(vector, tmp_path):
    given = vector["input"]
    names = cases(len(given["reference"]))
    more = {"settings": vector["settings"]} if "settings" in vector else {}
    row = by_folders(
        tmp_path,
        document_of(vector, **more),
        ("values.csv", "case,t", zip(names, given["reference"], strict=True)),
        ("values.csv", "case,t", zip(names, given["prediction"], strict=True)),
    )
    agrees(row, vector)


@pytest.mark.parametrize("vector", [v for v in vectors("survival") if v.id != "survival-km"])
def test_survival(vector, tmp_path):
    given = vector["input"]
    names = cases(len(given["time"]))
    known = list(zip(names, given["time"], given["event"], strict=True))
    if "survival" in given:
        header = "case,risk," + ",".join(f"s_{time}" for time in given["times"])
        answers = [(name, 0, *values) for name, values in zip(names, given["survival"], strict=True)]
    else:
        header, answers = "case,risk", zip(names, given["risk"], strict=True)
    more = {"settings": {"times": given["times"]}} if "times" in given else {}
    row = by_folders(
        tmp_path,
        document_of(vector, **more),
        ("survival.csv", "case,time,event", known),
        ("survival.csv", header, answers),
    )
    agrees(row, vector)


def test_censoring_survival():
    vector = VECTORS["survival-km"]
    known = followed(list(zip(vector["input"]["time"], vector["input"]["event"], strict=True)))
    censoring = censoring_survival(known)
    for time, value in vector["value"]:
        assert float(censoring.at(time)) == pytest.approx(value, abs=1e-11)
    assert censoring.before([2.0, 3.0, 5.0]).tolist() == pytest.approx([1.0, 1.0, 5 / 6])


@pytest.mark.parametrize("vector", vectors("multilabel_classification"))
def test_several_labels(vector, tmp_path):
    given = vector["input"]
    names = cases(len(given["reference"]))
    row = by_folders(
        tmp_path,
        document_of(vector),
        ("labels.csv", "case,a,b,c", [(name, *row) for name, row in zip(names, given["reference"], strict=True)]),
        (
            "labels.csv",
            "case,p_a,p_b,p_c",
            [(name, *row) for name, row in zip(names, given["probability"], strict=True)],
        ),
    )
    agrees(row, vector)


@pytest.mark.parametrize("vector", vectors("image_classification"))
def test_ordered_classes_and_the_first_k(vector):
    given = vector["input"]
    if "scores" in given:
        result = metrics.top_k_accuracy(given["reference"], given["scores"], **vector["options"])
    else:
        function = getattr(metrics, vector["metric"])
        result = function(given["reference"], given["decision"], classes=range(given["classes"]))
    agrees(result, vector)


@pytest.mark.parametrize("name", sorted(EXAMPLES["hippocampus"]))
def test_confidences_of_the_hippocampus(name):
    """Risks from the stored quality of each algorithm, against the figures of the reference."""
    stored = json.loads(Path(__file__).with_name("hippocampus_risks.json").read_text("utf-8"))[name]
    expected = EXAMPLES["hippocampus"][name]
    risk = np.array(stored["risk"])
    confidence = np.array([-np.inf if value is None else value for value in stored["confidence"]])
    found = {
        "mean_risk": risk.mean(),
        "aurc": metrics.aurc(risk, confidence).value,
        "aurc_opt": optimum(risk, np.ones((1, len(risk)))).area[0],
        "e_aurc": metrics.e_aurc(risk, confidence).value,
        "n_aurc": metrics.n_aurc(risk, confidence).value,
        "augrc": metrics.augrc(risk, confidence).value,
        "aurc_trapezoid_flat": metrics.aurc(risk, confidence, rule="trapezoid_flat").value,
        "confidence_spearman": metrics.confidence_spearman(risk, confidence).value,
    }
    for key, value in found.items():
        assert value == (None if expected[key] is None else pytest.approx(expected[key], abs=1e-6)), key


def test_all_vectors_are_held():
    kinds = {vector["kind"] for vector in EXAMPLES["vectors"]}
    assert kinds == {
        "failure_detection", "regression", "survival", "multilabel_classification", "image_classification"
    }  # fmt: skip
    assert kinds <= {problem.id for problem in problems.all_problems()}
