"""Scores that are any finite numbers: the same curves as probabilities in the same order, and what needs probabilities is refused."""

import csv
import math

import pytest

from evaluation import problems
from evaluation.assessment import AssessmentError, parse
from evaluation.problems.files import FileProblem
from evaluation.problems.labels import is_answer
from evaluation.problems.registry import kind_of
from evaluation.readers import ReadError
from evaluation.readers.tables import read_predicted_labels
from evaluation.scoring.folders import score_folders
from evaluation.scoring.rows import Numbers

ANY = {"scores": "any"}
CURVES = [
    {"id": "auroc"},
    {"id": "auroc", "name": "partial", "options": {"max_fpr": 0.4}},
    {"id": "average_precision"},
    {"id": "sensitivity_at_specificity", "options": {"target_specificity": 0.5}},
    {"id": "ppv_at_sensitivity", "options": {"target_sensitivity": 0.7}},
]
KINDS = ("image_classification", "multilabel_classification")


def document_of(kind, metrics, **more):
    return {"schema": 1, "problem": kind, "metrics": metrics, **more}


def spread(score):
    """Map [0, 1] onto numbers of any size, in the same order."""
    return 40 * float(score) - 30


def altered(table, change):
    with table.open(newline="") as file:
        head, *rows = csv.reader(file)
    scores = [place for place, name in enumerate(head) if name.startswith("p_")]
    for row in rows:
        for place in scores:
            row[place] = str(change(row[place]))
    with table.open("w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([head, *rows])


def example(kind, folder):
    problems.get(kind).samples.write_challenge(folder, cases=16, seed=3)
    return min((folder / "predictions").iterdir())


def values_of(kind, folder, predictions, metrics, **settings):
    assessment = parse(document_of(kind, metrics, **settings))
    scored = score_folders(assessment, folder / "references", {"a": predictions})
    return {(row.metric, row.region): row.value for row in scored.rows}, scored


@pytest.mark.parametrize("kind", KINDS)
def test_curves_are_those_of_probabilities_in_the_same_order(tmp_path, kind):
    predictions = example(kind, tmp_path)
    before, _ = values_of(kind, tmp_path, predictions, CURVES)
    altered(predictions / "labels.csv", spread)
    after, scored = values_of(kind, tmp_path, predictions, CURVES, settings=ANY)
    assert before == after
    assert None not in after.values()
    assert not scored.reasons


@pytest.mark.parametrize("kind", KINDS)
def test_a_case_without_a_row_has_the_worst_score(tmp_path, kind):
    predictions = example(kind, tmp_path)
    table = predictions / "labels.csv"
    altered(table, spread)
    lines = table.read_text().splitlines()
    table.write_text("\n".join([lines[0], *lines[2:]]) + "\n")
    shifted, _ = values_of(kind, tmp_path, predictions, CURVES, settings=ANY)
    # A shift of all scores moves no case past another, so that the case without a row has to move with them.
    altered(table, lambda score: float(score) + 1000)
    again, _ = values_of(kind, tmp_path, predictions, CURVES, settings=ANY)
    assert shifted == again
    full = example(kind, tmp_path / "full")
    best, _ = values_of(kind, tmp_path / "full", full, CURVES)
    assert min(shifted["auroc", region] - best["auroc", region] for _, region in best if _ == "auroc") < 0


@pytest.mark.parametrize("kind", KINDS)
def test_metrics_of_decisions_need_decisions(tmp_path, kind):
    predictions = example(kind, tmp_path)
    table = predictions / "labels.csv"
    altered(table, spread)
    with table.open(newline="") as file:
        head, *rows = csv.reader(file)
    kept = [place for place, name in enumerate(head) if name == "case" or name.startswith("p_")]
    with table.open("w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([[row[place] for place in kept] for row in [head, *rows]])
    _, scored = values_of(kind, tmp_path, predictions, [*CURVES, {"id": "accuracy"}], settings=ANY)
    assert "accuracy need" in scored.reasons["a", ""].message
    _, scored = values_of(kind, tmp_path, predictions, CURVES, settings=ANY)
    assert ("a", "") not in scored.reasons


@pytest.mark.parametrize(
    ("kind", "metric"),
    [
        ("image_classification", {"id": "brier_score"}),
        (
            "image_classification",
            {"id": "net_benefit", "options": {"threshold_probability": 0.2}, "policy": {"missing": -1}},
        ),
        ("image_classification", {"id": "accuracy", "options": {"score_threshold": 0.3}}),
        ("multilabel_classification", {"id": "ece"}),
        ("multilabel_classification", {"id": "brier_score"}),
        ("instance_segmentation", {"id": "brier_score"}),
        ("instance_segmentation", {"id": "fbeta"}),
        ("object_detection", {"id": "fbeta"}),
    ],
)
def test_what_needs_probabilities_or_a_threshold_is_refused(kind, metric):
    regions = {"regions": [{"name": name, "labels": [name]} for name in "ab"]}
    parse(document_of(kind, [metric], **regions))
    with pytest.raises(AssessmentError, match=r"settings\.scores"):
        parse(document_of(kind, [metric], settings=ANY, **regions))


def test_overlapping_objects_refuse_the_same():
    regions = {"regions": [{"name": "a", "labels": ["a"]}]}
    settings = {"settings": {"overlap": True, **ANY}}
    parse(document_of("instance_segmentation", [{"id": "average_precision"}], **regions, **settings))
    with pytest.raises(AssessmentError, match=r"settings\.scores"):
        parse(document_of("instance_segmentation", [{"id": "fbeta"}], **regions, **settings))


def test_scores_of_several_classes_of_a_region_cannot_be_added():
    regions = {"regions": [{"name": "ill", "labels": ["a", "b"]}, {"name": "well", "labels": ["c"]}]}
    parse(document_of("image_classification", CURVES[:1], **regions))
    with pytest.raises(AssessmentError, match="one class"):
        parse(document_of("image_classification", CURVES[:1], settings=ANY, **regions))


@pytest.mark.parametrize("kind", ["image_classification", "multilabel_classification", "instance_segmentation"])
def test_documents_without_the_setting_keep_their_digest(kind):
    regions = {"regions": [{"name": "a", "labels": ["a"]}, {"name": "b", "labels": ["b"]}]}
    plain = parse(document_of(kind, [{"id": "average_precision"}], **regions))
    marked = parse(document_of(kind, [{"id": "average_precision"}], settings=ANY, **regions))
    assert "scores" not in plain.document.get("settings", {})
    assert parse(marked.document).digest == marked.digest != plain.digest
    assert not isinstance(kind_of(plain), FileProblem) or kind_of(marked).table_beside(marked).any_score


def test_three_classes_have_the_curves_of_probabilities_in_the_same_order(tmp_path):
    references = tmp_path / "references"
    references.mkdir()
    truth = ["a", "b", "c", "a", "b", "c", "a", "b"]
    rows = [f"{case},{name}" for case, name in enumerate(truth)]
    (references / "labels.csv").write_text("\n".join(["case,label", *rows]) + "\n")
    metrics = [
        {"id": "auroc", "options": {"class_average": "macro"}},
        {"id": "average_precision", "options": {"class_average": "macro"}},
        {"id": "top_k_accuracy", "options": {"k": 2}},
    ]
    values = []
    for change, settings in ((float, {}), (spread, {"settings": ANY})):
        folder = tmp_path / change.__name__
        folder.mkdir()
        scores = [(0.203 + 0.05 * case, 0.496 - 0.05 * case, 0.301) for case in range(len(truth))]
        lines = [",".join(map(str, (case, *map(change, each)))) for case, each in enumerate(scores)]
        (folder / "labels.csv").write_text("\n".join(["case,p_a,p_b,p_c", *lines]) + "\n")
        values.append(values_of("image_classification", tmp_path, folder, metrics, **settings)[0])
    assert values[0] == values[1]
    assert all(0 < value < 1 for value in values[0].values())


def test_one_column_of_two_classes_orders_both(tmp_path):
    table = tmp_path / "labels.csv"
    table.write_text("case,p_b\n1,-4\n2,3.5\n3,inf\n")
    read = read_predicted_labels(table, ["1", "2", "3"], ["a", "b"], any_score=True)
    assert read.scores[:2].tolist() == [[4.0, -4.0], [-3.5, 3.5]]
    assert read.answered.tolist() == [True, True, False]
    assert "'inf' as p_b, a score that is no finite number, in row 4" in read.invalid["3"].message
    with pytest.raises(ReadError, match="no column label, which accuracy need"):
        read_predicted_labels(table, ["1"], ["a", "b"], any_score=True, need_label=("accuracy",))


@pytest.mark.parametrize(("score", "possible"), [(-7.0, True), (math.inf, False), (math.nan, False)])
def test_a_child_reports_finite_numbers_only(score, possible):
    numbers = Numbers([0, 1], [score, 2.0])
    assert is_answer(numbers, 0, 2, any_score=True) is possible
    assert not is_answer(numbers, 0, 2)
