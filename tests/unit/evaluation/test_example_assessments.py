"""Assessments of current challenges in `examples/assessments`: each is complete, scores label images and ranks them."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import ndimage

from evaluation.assessment import parse
from evaluation.assessment.metrics import check_ignored_options
from evaluation.problems import kind_of
from evaluation.ranking import rank
from evaluation.readers import Geometry, LabelImage
from evaluation.scoring.assembling import assemble

FOLDER = Path("examples/assessments")
FILES = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(FOLDER.glob("*.json"))}
OF_MASKS = [
    "autopet_3",
    "brats_2023",
    "hecktor_2022",
    "hecktor_2025",
    "isles_2022",
    "isles_2024",
    "topcow_2024",
    "uls23",
]
SHAPE, SPACING = (18, 16, 12), (1.0, 1.0, 1.5)


def label_images(labels, cases=6, seed=1):
    """References of smooth parts; ``near`` moves them by a voxel, ``thin`` wears them, ``blind`` finds half of the labels."""
    rng = np.random.default_rng(seed)
    images = {"reference": {}, "near": {}, "thin": {}, "blind": {}}
    for index in range(cases):
        fields = np.stack([ndimage.gaussian_filter(rng.normal(size=SHAPE), 1.8) for _ in labels])
        values = np.array([0, *labels])
        foreground = fields.max(axis=0) > np.quantile(fields.max(axis=0), 0.7)
        truth = values[np.where(foreground, fields.argmax(axis=0) + 1, 0)].astype(np.uint8)
        worn = np.where(ndimage.binary_erosion(truth > 0), truth, 0)
        half = np.where(np.roll(truth, 2, axis=1) > np.median(labels), np.roll(truth, 2, axis=1), 0)
        half[0, 0, 0] = labels[0]
        for name, image in (("reference", truth), ("near", np.roll(truth, 1, axis=0)), ("thin", worn), ("blind", half)):
            images[name][f"case-{index}"] = LabelImage(np.ascontiguousarray(image), Geometry(SHAPE, SPACING))
    return images


def scored(assessment, images):
    """Results table and evidence of the three algorithms."""
    rows, blocks = [], {}
    evidence = None
    prepared = {case: kind_of(assessment).prepare(assessment, image) for case, image in images["reference"].items()}
    for algorithm in ("near", "thin", "blind"):
        pieces = {}
        for case, image in images[algorithm].items():
            prediction = kind_of(assessment).submitted(image, None)
            result = kind_of(assessment).score(assessment, case, prepared[case], prediction, algorithm=algorithm)
            rows += result.rows
            pieces[case] = result.pieces
        if assessment.is_pooled:
            pooled, evidence = assemble(assessment, pieces, shared={}, algorithm=algorithm)
            rows += pooled
            blocks |= evidence.blocks
    table = pd.DataFrame([row._asdict() for row in rows])
    return table, None if evidence is None else type(evidence)(evidence.header, blocks)


def test_all_challenges_are_there():
    assert set(OF_MASKS) <= set(FILES)
    listed = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert all(f"`{name}.json`" in listed for name in FILES)


@pytest.mark.parametrize("name", FILES)
def test_each_is_complete_and_names_its_sources(name):
    content = FILES[name]
    assert set(content) == {"title", "about", "citations", "differences", "assessment"}
    assert content["about"].endswith(".")
    assert all(text.endswith(".") for text in (*content["citations"], *content["differences"]))
    assert any("github.com" in citation or "arXiv" in citation for citation in content["citations"])
    assessment = parse(content["assessment"])
    assert parse(assessment.document) == assessment
    check_ignored_options(assessment)


@pytest.mark.parametrize("name", OF_MASKS)
def test_each_ranks_generated_label_images(name):
    assessment = parse(FILES[name]["assessment"])
    images = label_images(sorted(kind_of(assessment).allowed_labels(assessment)))
    table, evidence = scored(assessment, images)
    assert {str(outcome) for outcome in table["outcome"]} <= {"ok", "both_empty", "ref_empty", "pred_empty"}
    assert np.isfinite(table["value"].dropna().astype(float)).all()
    document = rank(assessment, table, evidence=evidence, bootstrap=20)
    overall = document["overall"] if isinstance(document["overall"], list) else [document["overall"]]
    assert len(overall) == (2 if name == "hecktor_2025" else 1)
    for combined in overall:
        placed = {entry["name"]: entry["rank"] for entry in combined["algorithms"]}
        assert set(placed) == {"near", "thin", "blind"}
        assert placed["near"] == 1
