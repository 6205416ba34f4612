"""Demonstrations: our own metrics give the numbers that the worked examples of the field print or imply."""

from __future__ import annotations

import math
from xml.etree import ElementTree as ET

import pytest

from evaluation.advice.pitfalls import demonstrations, demonstrations_of, picture, pitfalls

PUBLISHED = {
    "small-structures": {("dsc", 0): 0.985915, ("dsc", 1): 0.8, ("dsc", 2): 0.5},
    "tiny-prediction": {("masd", 0): 2.081539, ("assd", 0): 3.996555},
    "shapes": {("dsc", k): 0.8 for k in range(5)},
    "tree": {("dsc", 0): 0.298182, ("dsc", 1): 0.298182, ("cldice", 1): 1.0},
    "wrong-place": {("dsc", 1): 0.0, ("hausdorff_distance", 0): 5.0, ("assd", 1): 18.405161},
    "off-centre": {("dsc", 0): 0.529412, ("dsc", 1): 0.529412},
    "hollow": {("dsc", 0): 0.898876, ("assd", 0): 0.2, ("nsd", 0): 1.0},
    "hollow-rim": {("boundary_iou", 0): 1.0, ("iou", 0): 0.888889},
    "two-experts": {("dsc", 0): 0.684211, ("nsd", 0): 1.0},
    "stray-pixel": {("hausdorff_distance", 0): 19.79899, ("hausdorff_percentile", 0): 0.0, ("dsc", 0): 0.992248},
    "layers": {("dsc", 0): 0.615385, ("dsc", 1): 0.72, ("hausdorff_distance", 0): 1.414214},
    "merged": {("dsc", 0): 1.0, ("dsc", 1): 0.511628, ("dsc", 2): 1.0},
    "one-of-three": {("dsc", 0): 0.972973, ("dsc", 1): 0.8125},
    "outside-its-organ": {("dsc", 0): 0.666667, ("dsc", 1): 0.8},
    "anything-hits": {("iou", 0): 0.05},
    "not-split": {("iou", 0): 0.5, ("ior", 1): 1.0},
    "same-information": {("dsc", 0): 0.75, ("iou", 0): 0.6, ("fbeta", 0): 0.75},
    "always-no": {("accuracy", 0): 0.97, ("accuracy", 1): 0.97, ("balanced_accuracy", 1): 0.5},
    "false-alarms": {("balanced_accuracy", 0): 0.975048, ("mcc", 0): 0.043591, ("ppv", 0): 0.002},
    "prevalence": {("accuracy", 0): 0.85, ("accuracy", 1): 0.89, ("ppv", 1): 0.975904, ("npv", 1): 0.470588},
    "study-and-population": {("ppv", 0): 0.818182, ("ppv at 0.5 % prevalence", 0): 0.022113},
    "misses-or-alarms": {("ppv", 0): 1.0, ("sensitivity", 0): 0.2, ("ppv", 1): 0.25, ("sensitivity", 1): 1.0},
    "positive-class": {("fbeta", 0): 0.4, ("fbeta", 1): 0.914286, ("mcc", 0): 0.326732, ("mcc", 1): 0.326732},
    "benefit": {("accuracy", 0): 0.318182, ("net_benefit", 0): 0.242424, ("net_benefit", 1): 0.121212},
    "same-value": {("balanced_accuracy", k): 0.7 for k in range(3)},
    "sorted-not-calibrated": {("auroc", 0): 1.0, ("brier_score", 0): 0.24525},
    "rare-positives": {("auroc", 0): 0.515464, ("average_precision", 0): 0.04038},
    "bins": {("ece, 3 bins", 0): 0.062, ("ece, 5 bins", 0): 0.076, ("ece, 10 bins", 0): 0.374},
    "few-cases": {("auroc", 0): 0.888889, ("auroc", 1): 0.777778},
    "shifted-scores": {("auroc", 1): 1.0, ("sensitivity", 1): 0.0, ("brier_score", 1): 0.423321},
    "missing": {("mean", 0): 0.9, ("mean", 1): 0.6},
    "one-patient": {("mean", 0): 0.8, ("mean", 1): 0.59},
    "one-mean": {("mean", 0): 0.7, ("mean", 1): 0.555, ("mean", 2): 0.12},
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_the_numbers_are_those_of_the_worked_example(name):
    shown = demonstrations()[name]
    values = {(value.metric, value.scene): value.value for value in shown.values()}
    for (metric, scene), expected in PUBLISHED[name].items():
        assert values[metric, shown.scenes[scene].name] == pytest.approx(expected, abs=1e-6)


def test_every_demonstration_has_its_numbers_checked_or_its_outcomes():
    assert set(demonstrations()) - set(PUBLISHED) == {"empty", "wrong-object"}
    outcomes = {value.outcome for value in demonstrations()["empty"].values()}
    assert outcomes == {"ref_empty", "pred_empty", "both_empty"}
    near, far = (value.value for value in demonstrations()["wrong-object"].values() if value.metric == "assd")
    assert near < far


@pytest.mark.parametrize("name", demonstrations())
def test_a_picture_is_a_drawing_without_styles_that_says_what_it_shows(name):
    shown = demonstrations()[name]
    drawing = picture(shown)
    root = ET.fromstring(drawing)
    assert "style" not in drawing
    assert root.get("role") == "img"
    assert root.get("aria-label") == shown.words
    texts = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
    assert all(scene.name in texts for scene in shown.scenes)


def test_a_mask_is_drawn_pixel_by_pixel():
    shown = demonstrations()["merged"]
    root = ET.fromstring(picture(shown))
    group = root.findall("{http://www.w3.org/2000/svg}g")[1]
    size = 160 / 12
    area = {"advice-both": 0.0, "advice-reference": 0.0, "advice-prediction": 0.0}
    for shape in group.iter("{http://www.w3.org/2000/svg}rect"):
        if shape.get("class") in area:
            area[shape.get("class")] += float(shape.get("width")) * float(shape.get("height")) / size**2
    assert {kind: round(pixels) for kind, pixels in area.items()} == {
        "advice-both": 22,
        "advice-reference": 42,
        "advice-prediction": 0,
    }


def test_values_are_finite_numbers_and_pitfalls_are_known():
    for shown in demonstrations().values():
        assert all(value.value is None or math.isfinite(value.value) for value in shown.values())
        assert shown.pitfalls
        assert set(shown.pitfalls) <= set(pitfalls())
        assert all(shown in demonstrations_of(pitfall) for pitfall in shown.pitfalls)
