"""Warnings about blind spots of the ranked metrics before a run, and about likely wrong files in a dry run."""

import nibabel
import pytest

from designs.services.examples import example_document
from evaluation import problems
from evaluation.assessment import parse
from evaluation.designs.catalogue import shipped
from evaluation.designs.checks.compiling import all_findings
from evaluation.designs.document import from_json
from evaluation.problems import kind_of
from evaluation.scoring import score_folders
from tests.unit.evaluation.kinds.test_figures import table_of

WHOLE = [{"name": "whole", "labels": [1]}]
RANKINGS = {
    "image_to_image": ({"settings": {"data_range": 255}}, ["psnr", "ssim"], ["psnr", "image_mae"], "reward blur"),
    "registration": ({"settings": {"field": "voxel"}}, ["tre", "sdlogj"], ["sdlogj", "folding_fraction"], "sees folds"),
    "regression": ({}, ["pearson", "spearman"], ["pearson", "rmse"], "ignore scale"),
    "survival": ({"settings": {"times": [6, 12]}}, ["harrell_c"], ["harrell_c", "brier_at_time"], "calibration"),
    "semantic_segmentation": ({"regions": WHOLE}, ["absolute_volume_difference"], ["absolute_volume_difference", "dsc"], "place"),
    "instance_segmentation": ({}, ["aji"], ["aji", "panoptic_quality"], "more than once"),
    "failure_detection": ({}, ["aurc", "mae_quality"], ["aurc", "augrc"], "estimates of the quality"),
}  # fmt: skip


def said(kind, ids):
    more, *_ = RANKINGS[kind]
    metrics = [
        {"id": name, "policy": {"missing": 100}} if problems.get(kind).category and name == "tre" else {"id": name}
        for name in ids
    ]
    for metric in metrics:
        if metric["id"] == "brier_at_time":
            metric["options"] = {"time": 6}
        if metric["id"] == "mae_quality":
            metric["policy"] = {"missing": 1}
    assessment = parse({"problem": kind, "metrics": metrics, **more})
    return " ".join(kind_of(assessment).plausibility.cautions(assessment))


@pytest.mark.parametrize("kind", RANKINGS)
def test_each_kind_says_what_its_metrics_leave_unnoticed_and_nothing_where_something_notices_it(kind):
    _, alone, beside, words = RANKINGS[kind]
    assert words in said(kind, alone)
    assert words not in said(kind, beside)


@pytest.mark.parametrize(("more", "warns"), [([], True), (["mean_dose_error"], False)])
def test_a_pass_rate_alone_does_not_show_the_structure(more, warns):
    metrics = [{"id": name} for name in ("gamma_pass_rate", *more)]
    assessment = parse({"problem": "image_to_image", "settings": {"data_range": 80}, "metrics": metrics})
    assert ("in which structure" in " ".join(kind_of(assessment).plausibility.cautions(assessment))) is warns


def test_a_metric_that_is_only_reported_beside_helps_no_ranking():
    _, alone, beside, words = RANKINGS["regression"]
    document = {
        "problem": "regression",
        "metrics": [{"id": name} for name in beside],
        "ranking": {"metrics": alone[:1]},
    }
    assessment = parse(document)
    assert words in " ".join(kind_of(assessment).plausibility.cautions(assessment))


def test_confidences_that_are_told_to_be_estimates_are_taken_for_such():
    document = {"problem": "failure_detection", "metrics": [{"id": "mae_quality"}]}
    assessment = parse({**document, "settings": {"confidence_is_quality": True}})
    assert not kind_of(assessment).plausibility.cautions(assessment)
    risk = {"metric": {"id": "dsc"}}
    document_of_risk = {
        "problem": "failure_detection",
        "regions": WHOLE,
        "settings": {"risk": risk},
        "metrics": [{"id": "aurc"}],
    }
    assert "useless confidences win" in " ".join(
        kind_of(parse(document_of_risk)).plausibility.cautions(parse(document_of_risk))
    )


def test_the_form_of_a_design_warns():
    data = example_document("hippocampus")
    data["tasks"][0]["metrics"] = [
        {"metric": "absolute_volume_difference", "abbreviation": "AVD", "used_for_ranking": True}
    ]
    data["tasks"][0]["ranking_method"] = [
        {"name": "A", "scheme": "metric_based", "operator": "mean", "metric_aggregation": "single_metric"}
    ]
    findings = [
        finding
        for finding in all_findings(from_json(data, catalogue=shipped())[0])
        if finding.check.id == "metrics.cautions_of_kind"
    ]
    assert ["place" in finding.detail for finding in findings] == [True]


def test_a_field_that_points_the_other_way_is_doubted(tmp_path):
    document = problems.get("registration").samples.write_challenge(tmp_path, cases=4, algorithms=("near", "turned"))
    for path in (tmp_path / "predictions/turned").iterdir():
        field = nibabel.load(path)
        nibabel.save(nibabel.Nifti1Image(-field.get_fdata(), field.affine, field.header), path)
    assessment = parse(document)
    folders = {name: tmp_path / "predictions" / name for name in ("near", "turned")}
    results = table_of(score_folders(assessment, tmp_path / "references", folders), tmp_path)
    doubts = {
        name: list(kind_of(assessment).plausibility.doubts(assessment, rows))
        for name, rows in results.groupby("algorithm")
    }
    assert doubts["near"] == []
    assert len(doubts["turned"]) == 2, "the landmarks and the labels say so"
    assert all("the field may point the other way" in words for words in doubts["turned"])


def test_a_risk_the_wrong_way_round_is_doubted(tmp_path):
    document = problems.get("survival").samples.write_challenge(tmp_path, cases=30, algorithms=("near", "turned"))
    assessment = parse({**document, "metrics": [{"id": "harrell_c"}]})
    table = tmp_path / "predictions/turned/survival.csv"
    head, *rows = [line.split(",") for line in table.read_text().splitlines()]
    column = head.index("risk")
    turned = [[*row[:column], str(-float(row[column])), *row[column + 1 :]] for row in rows]
    table.write_text("\n".join(",".join(row) for row in [head, *turned]) + "\n")
    folders = {name: tmp_path / "predictions" / name for name in ("near", "turned")}
    results = table_of(score_folders(assessment, tmp_path / "references", folders), tmp_path)
    doubts = {
        name: list(kind_of(assessment).plausibility.doubts(assessment, rows))
        for name, rows in results.groupby("algorithm")
    }
    assert doubts["near"] == []
    assert ["the risk may be the wrong way round" in words for words in doubts["turned"]] == [True]
