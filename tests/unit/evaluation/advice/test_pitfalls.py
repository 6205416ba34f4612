"""Every trigger of a pitfall, once where it bites and once where it does not; and what happens when facts are missing."""

from __future__ import annotations

import json

import pytest

from evaluation.advice import parse_fingerprint
from evaluation.advice.knowledge import knowledge
from evaluation.advice.pitfalls import (
    DesignFacts,
    Facts,
    PredictionScan,
    ReferenceScan,
    RegionScan,
    about,
    check,
    pitfalls,
)
from evaluation.advice.pitfalls.registry import TRIGGERS
from evaluation.assessment import parse

SEM, INS, OBD, IMG = "semantic_segmentation", "instance_segmentation", "object_detection", "image_classification"
NSD = {"id": "nsd", "options": {"tolerance": 1.5}}


def metric(name, policy=None, **options):
    entry = {"id": name, "options": options} if options else {"id": name}
    return entry | ({"policy": policy} if policy else {})


def region(*, sizes=(500,) * 10, pieces=None, components=None, thickness=None, strays=(), empty=()):
    return RegionScan(
        "lesion",
        tuple(sizes),
        tuple(components or (1,) * len(sizes)),
        tuple(pieces or sizes),
        tuple(thickness or (20.0,) * len(sizes)),
        tuple(strays),
        tuple(empty),
    )


def scan(spacings=((1.0, 1.0, 1.0),), dimensions=3, groups=None, **more):
    return ReferenceScan(10, {"lesion": region(**more)}, {}, spacings, dimensions, (0.1,) * 10, groups or {})


def labels(**counts):
    return ReferenceScan(sum(counts.values()), {}, counts)


def facts(problem, metrics=None, answers=None, design=None, *, references=None, predictions=(), **assessment):
    named = {key.replace("_", "."): value for key, value in (answers or {}).items()}
    fingerprint = parse_fingerprint({"schema": 1, "problem": problem, "answers": named})
    parsed = None
    if metrics is not None:
        entries = [metric(entry) if isinstance(entry, str) else entry for entry in metrics]
        classes = assessment.pop("classes", ["lesion"])
        regions = [{"name": name, "labels": [number]} for number, name in enumerate(classes, start=1)]
        parsed = parse({"schema": 1, "problem": problem, "regions": regions, "metrics": entries, **assessment})
    return Facts(fingerprint, parsed, DesignFacts(**(design or {})), references, tuple(predictions))


def said(**answers):
    return answers


AP = metric("average_precision")
KAPPA = metric("weighted_cohens_kappa", {"missing": -1})
TWO = ["benign", "malignant"]
GAP = {"missing": "exclude", "allow_gaming": True}
EMPTY_GAP = {"pred_empty": "exclude", "allow_gaming": True}
PIECES = {"pieces": [20] * 10 + [2000] * 10, "components": [2] * 10}
RARE = labels(benign=195, malignant=5)
EVEN = labels(benign=100, malignant=100)
DRAWN = {"bootstrap": 0}

# pitfall: (facts that it bites, facts that are clear)
CASES = {
    "P-CAT-SEMSEG-FOR-OBJDET": (facts(SEM, ["dsc"], references=scan(**PIECES)), facts(SEM, ["dsc"], references=scan())),
    "P-CAT-SEMSEG-FOR-INSSEG": (facts(SEM, answers=said(FP3_5=True)), facts(INS, design={"reference_instances": True})),
    "P-CAT-IMLC-FOR-OBJDET": (
        facts(IMG, ["auroc"], design={"image_score_of_objects": True}),
        facts(IMG, ["auroc"], design={"image_score_of_objects": False}),
    ),
    "P-CAT-TN-UNDEFINED": (None, facts(OBD, [AP])),
    "P-CAT-TINY-AS-SEGMENTATION": (
        facts(SEM, ["dsc"], references=scan(pieces=[9] * 10)),
        facts(SEM, ["dsc"], references=scan()),
    ),
    "P-CAT-NO-MATCHING-CATEGORY": (
        facts(SEM, ["dsc"], design={"derived_quantity": True, "derived_quantity_scored": False}),
        facts(SEM, ["dsc"], design={"derived_quantity": False}),
    ),
    "P-SEL-POPULARITY": (
        facts(SEM, design={"rationale": "It is widely used."}),
        facts(SEM, design={"rationale": "Volume is read off the masks."}),
    ),
    "P-SEL-SINGLE-METRIC": (facts(SEM, ["dsc"]), facts(SEM, ["dsc", "assd"])),
    "P-DOM-BOUNDARY-UNAWARE": (facts(SEM, ["dsc"], said(FP2_1=True)), facts(SEM, ["dsc"], said(FP2_1=False))),
    "P-DOM-CENTER-UNAWARE": (facts(SEM, ["dsc"], said(FP2_3=True)), facts(SEM, ["cldice"], said(FP2_3=True))),
    "P-DOM-VOLUME-UNAWARE-BOUNDARY": (
        facts(SEM, ["assd"], said(FP2_2=True)),
        facts(SEM, ["assd", "dsc"], predictions=[PredictionScan("a", holes={"lesion": (0.0,)})]),
    ),
    "P-DOM-VOLUME-UNAWARE-BOUNDARY-IOU": (
        facts(SEM, [metric("boundary_iou", distance=12)], references=scan()),
        facts(SEM, [metric("boundary_iou", distance=2)], references=scan()),
    ),
    "P-DOM-UNEQUAL-CONFUSIONS": (
        facts(SEM, ["dsc"], said(FP2_5_2=True)),
        facts(SEM, [metric("fbeta", beta=2)], said(FP2_5_2=True)),
    ),
    "P-DOM-OVER-UNDERSEGMENTATION": (
        facts(SEM, ["dsc"], design={"size_direction_matters": True}),
        facts(SEM, ["dsc"], design={"size_direction_matters": False}),
    ),
    "P-DOM-ORDINAL-COUNTING": (
        facts(IMG, ["accuracy"], design={"ordinal": True}, classes=["0", "1", "2"]),
        facts(IMG, ["accuracy"], design={"ordinal": False}, classes=["0", "1", "2"]),
    ),
    "P-DOM-ORDINAL-CALIBRATION": (
        facts(IMG, ["brier_score"], design={"ordinal": True}),
        facts(IMG, ["auroc"], design={"ordinal": True}),
    ),
    "P-DOM-LABEL-SHIFT-ORDINAL": (
        facts(IMG, [KAPPA], design={"test_sets": 2}),
        facts(IMG, [KAPPA], design={"test_sets": 1}),
    ),
    "P-DOM-CALIBRATION-IGNORED": (
        facts(IMG, ["auroc"], said(FP5_1=True, FP2_7_1=True)),
        facts(IMG, ["auroc", "brier_score"], said(FP5_1=True, FP2_7_1=True)),
    ),
    "P-DOM-CALIBRATION-DEFINITION": (
        facts(IMG, ["ece"], classes=["a", "b", "c"]),
        facts(IMG, ["ece"], classes=TWO),
    ),
    "P-DOM-BENEFIT-COST": (
        facts(IMG, ["accuracy"], design={"exchange_rate": True}),
        facts(IMG, [metric("net_benefit", {"missing": -1}, threshold_probability=0.1)], design={"exchange_rate": True}),
    ),
    "P-DOM-VESSEL-OFFSET": (facts(SEM, ["cldice"], said(FP2_1=True)), facts(SEM, ["cldice", NSD], said(FP2_1=True))),
    "P-STR-SMALL-STRUCTURES": (
        facts(SEM, ["dsc"], references=scan(pieces=[12] * 10)),
        facts(SEM, ["dsc"], references=scan()),
    ),
    "P-STR-SIZE-VARIABILITY": (
        facts(SEM, ["dsc"], references=scan(**PIECES)),
        facts(SEM, ["dsc"], design={"stratify_by_size": True}, references=scan(**PIECES)),
    ),
    "P-STR-MASD-SMALL-PREDICTION": (
        facts(SEM, ["masd"], predictions=[PredictionScan("a", size_ratios={"lesion": (0.05,)})]),
        facts(SEM, ["masd"], predictions=[PredictionScan("a", size_ratios={"lesion": (0.9,)})]),
    ),
    "P-STR-SMALL-LOCALIZATION": (facts(OBD, [AP], said(FP3_2=True)), facts(OBD, [AP], said(FP3_2=False))),
    "P-STR-SHAPE-UNAWARE": (facts(SEM, ["dsc"], said(FP2_1=True)), facts(SEM, ["dsc", NSD], said(FP2_1=True))),
    "P-STR-COMPLEX-SHAPE-CENTERLINE": (facts(SEM, ["dsc"], said(FP3_3=True)), facts(SEM, ["dsc"], said(FP3_3=False))),
    "P-STR-MULTI-INSTANCE-BOUNDARY": (facts(SEM, ["assd"], said(FP3_5=True)), facts(SEM, ["assd"], references=scan())),
    "P-STR-NESTED-LABELS": (
        facts(SEM, design={"label_rules": True, "label_rules_checked": False}),
        facts(SEM, design={"label_rules": False}),
    ),
    "P-STR-BOX-ANNOTATION": (
        facts(OBD, [AP], said(FP3_6=True)),
        facts(OBD, [AP], said(FP3_6=False, FP3_3=False)),
    ),
    "P-RANK-RELATED-METRICS": (facts(SEM, ["dsc", "iou"]), facts(SEM, ["dsc", "assd"])),
    "P-RANK-SYNONYMS": (facts(SEM, ["dsc", metric("fbeta", beta=1)]), facts(SEM, ["dsc", metric("fbeta", beta=2)])),
    "P-OUT-NO-CLASS-SCORES": (facts(IMG, ["auroc"], said(FP5_1=False)), facts(IMG, ["auroc"], said(FP5_1=True))),
    "P-OUT-SCORES-LOST": (facts(INS, [AP], said(FP5_1=False)), facts(INS, [AP], said(FP5_1=True))),
    "P-OUT-OVERLAPPING-PREDICTIONS": (
        facts(INS, [metric("fbeta", assignment="criterion_gt_half")], said(FP5_4=True)),
        facts(INS, [metric("fbeta", assignment="hungarian")], said(FP5_4=True)),
    ),
    "P-DATA-IMBALANCE-ACCURACY": (facts(IMG, ["accuracy"], references=RARE), facts(IMG, ["accuracy"], references=EVEN)),
    "P-DATA-IMBALANCE-BA": (
        facts(IMG, ["balanced_accuracy"], references=RARE),
        facts(IMG, ["balanced_accuracy"], references=EVEN),
    ),
    "P-DATA-IMBALANCE-AUROC": (facts(IMG, ["auroc"], references=RARE), facts(IMG, ["auroc"], references=EVEN)),
    "P-DATA-IMBALANCE-PREVALENCE-METRICS": (facts(IMG, ["mcc"], references=RARE), facts(IMG, ["mcc"], references=EVEN)),
    "P-DATA-SMALL-SAMPLE-AUROC": (
        facts(IMG, ["auroc"], references=labels(benign=3, malignant=3)),
        facts(IMG, ["auroc"], references=EVEN),
    ),
    "P-DATA-SMALL-SAMPLE-ECE": (
        facts(IMG, [metric("ece", n_bins=15)], references=EVEN),
        facts(IMG, [metric("ece", n_bins=5)], references=EVEN),
    ),
    "P-DATA-INTER-RATER": (facts(SEM, ["dsc"], said(FP4_3_1=True)), facts(SEM, ["dsc", NSD], said(FP4_3_1=True))),
    "P-DATA-REFERENCE-OUTLIERS": (
        facts(SEM, ["hausdorff_distance"], references=scan(strays=["case7"])),
        facts(SEM, ["hausdorff_distance"], references=scan()),
    ),
    "P-DATA-EMPTY-REFERENCE": (
        facts(SEM, ["dsc"], references=scan(empty=["case7"])),
        facts(SEM, ["dsc"], references=scan()),
    ),
    "P-OUT-EMPTY-PREDICTION": (
        facts(SEM, [metric("dsc", EMPTY_GAP)]),
        facts(SEM, ["dsc"], predictions=[PredictionScan("a", empty={"lesion": ()})]),
    ),
    "P-AGG-NAN-BOUNDED": (facts(SEM, [metric("dsc", GAP)]), facts(SEM, ["dsc"])),
    "P-AGG-NAN-UNBOUNDED": (
        facts(SEM, ["assd"]),
        facts(SEM, ["assd"], ranking={"scheme": "rank_then_aggregate"}),
    ),
    "P-AGG-NAN-DETECTION": (
        facts(OBD, [metric("fbeta", scale="image")], said(FP4_6=True)),
        facts(OBD, ["fbeta"], said(FP4_6=True)),
    ),
    "P-AGG-OBJECT-SCALE": (
        facts(OBD, [metric("fbeta", scale="image"), "sensitivity"]),
        facts(OBD, ["fbeta", "sensitivity"]),
    ),
    "P-AGG-CLASS-HIERARCHY": (
        facts(IMG, design={"hierarchy_depth": 2, "all_levels_scored": False}),
        facts(IMG, design={"hierarchy_depth": 1}),
    ),
    "P-AGG-UNEQUAL-CLASS-IMPORTANCE": (
        facts(SEM, ["dsc"], said(FP2_5_1=True), classes=TWO),
        facts(SEM, ["dsc"], said(FP2_5_1=True), design={"class_weights": True}, classes=TWO),
    ),
    "P-AGG-PER-CLASS": (facts(SEM, [metric("dsc", include_background=True)]), facts(SEM, ["dsc"])),
    "P-AGG-NONINDEPENDENT-CASES": (
        facts(SEM, ["dsc"], references=scan(groups={"patient": {"p1": 8, "p2": 2}})),
        facts(SEM, ["dsc"], said(FP4_5=True), uncertainty={"resample": ["patient", "case"]}),
    ),
    "P-AGG-STRATIFICATION": (
        facts(SEM, ["dsc"], design={"metadata_columns": ("sex",), "strata": ()}),
        facts(SEM, ["dsc"], design={"metadata_columns": ("sex",), "strata": ("sex",)}),
    ),
    "P-AGG-IMAGE-COUNT-AP": (facts(OBD, [AP], said(FP4_6=True)), facts(OBD, [AP, "froc_score"], said(FP4_6=True))),
    "P-DOM-PREVALENCE-CORRECTION": (
        facts(IMG, ["ppv"], said(FP4_2=False)),
        facts(IMG, [metric("ppv", target_prevalence=0.01)], said(FP4_2=False)),
    ),
    "P-DOM-PREVALENCE-DEPENDENCY": (facts(IMG, ["mcc"], said(FP4_2=False)), facts(IMG, ["mcc"], said(FP4_2=True))),
    "P-DOM-MODEL-BIAS-RANK-METRICS": (
        facts(IMG, ["auroc"], design={"sites": 3}),
        facts(IMG, ["auroc", "brier_score"], design={"sites": 3}),
    ),
    "P-DOM-SEG-DECISION-THRESHOLD": (facts(SEM, design={"soft_masks": True}), facts(SEM, design={"soft_masks": False})),
    "P-RANK-VARIABILITY": (facts(SEM, ["dsc"], uncertainty=DRAWN), facts(SEM, ["dsc"])),
    "P-INT-RESOLUTION": (
        facts(SEM, ["dsc"], references=scan(spacings=((1.0, 1.0, 1.0), (2.0, 2.0, 2.0)))),
        facts(SEM, ["dsc"], references=scan()),
    ),
    "P-INT-DIMENSION": (
        facts(OBD, [AP], references=scan()),
        facts(OBD, [AP], references=scan(dimensions=2)),
    ),
    "P-INT-IRRELEVANT-DIFFERENCE": (
        facts(SEM, design={"relevance_margin": False}),
        facts(SEM, design={"relevance_margin": True}),
    ),
    "P-INT-NO-CEILING": (facts(SEM, design={"rater_score": False}), facts(SEM, design={"rater_score": True})),
    "P-IMPL-HYPERPARAMETERS": (
        facts(SEM, [metric("nsd", tolerance=1.0)], design={"rationale": ""}),
        facts(SEM, [NSD], design={"rationale": ""}),
    ),
    "P-IMPL-FROC-RANGE": (
        facts(OBD, [metric("froc_score") | {"name": "a"}, metric("froc_score", fppi_points=[1, 2]) | {"name": "b"}]),
        facts(OBD, ["froc_score"]),
    ),
    "P-IMPL-LOCALIZATION-CUTOFF": (
        facts(OBD, ["fbeta"]),
        facts(OBD, [metric("fbeta", localization_criterion="loc_point_in_box")]),
    ),
    "P-IMPL-LOOSE-IOU": (facts(OBD, [metric("fbeta", localization_threshold=0.05)]), facts(OBD, ["fbeta"])),
    "P-IMPL-BOX-TUBULAR": (facts(OBD, [AP], said(FP3_3=True)), facts(OBD, [AP], said(FP3_3=False))),
    "P-IMPL-GLOBAL-THRESHOLD": (
        facts(IMG, ["auroc"], classes=["a", "b", "c"]),
        facts(IMG, ["auroc"], classes=TWO),
    ),
    "P-IMPL-CALIBRATION-BINS": (facts(IMG, ["ece"]), facts(IMG, ["ece", "ece_kde"])),
    "P-IMPL-POSITIVE-CLASS": (
        facts(IMG, ["ppv"], classes=TWO),
        facts(IMG, [metric("ppv", positive_class="malignant")], classes=TWO),
    ),
    "P-IMPL-PQ-ENTANGLED": (
        facts(INS, ["panoptic_quality"]),
        facts(INS, ["panoptic_quality", "segmentation_quality", "detection_quality"]),
    ),
    "P-IMPL-AP-SCORE-MAGNITUDE": (
        facts(OBD, [AP], said(FP5_1=True, FP2_7_1=True)),
        facts(OBD, [AP], said(FP5_1=True, FP2_7_1=False)),
    ),
    "P-IMPL-AP-TAIL-FP": (
        facts(OBD, [AP], design={"detections_capped": False}),
        facts(OBD, [AP], design={"detections_capped": True}),
    ),
    "P-IMPL-CENTER-COVER": (facts(OBD, [metric("fbeta", localization_criterion="loc_center_cover")]), facts(OBD, [AP])),
    "P-IMPL-CENTER-DISTANCE": (
        facts(
            OBD,
            [metric("fbeta", localization_criterion="loc_center_distance", localization_threshold=10)],
            references=scan(),
        ),
        facts(
            OBD,
            [metric("fbeta", localization_criterion="loc_center_distance", localization_threshold=2)],
            references=scan(),
        ),
    ),
    "P-IMPL-CENTER-HIT": (
        facts(OBD, [metric("fbeta", localization_criterion="loc_center_hit")], said(FP3_2=True)),
        facts(OBD, [AP], said(FP3_2=True)),
    ),
    "P-IMPL-CENTER-TUBULAR": (
        facts(OBD, [metric("fbeta", localization_criterion="loc_center_hit")], said(FP3_3=True)),
        facts(OBD, [AP], said(FP3_3=True)),
    ),
    "P-IMPL-ASSIGNMENT-STRATEGY": (
        facts(OBD, ["fbeta", metric("sensitivity", assignment="hungarian")]),
        facts(OBD, [AP]),
    ),
    "P-IMPL-NON-SPLIT": (facts(OBD, [AP], said(FP3_5=True)), facts(OBD, [AP], said(FP3_5=False))),
    "P-REP-NONDETERMINISM": (facts(SEM, design={"runs_per_team": 1}), facts(SEM, design={"runs_per_team": 3})),
    "P-REP-VISUALIZATION": (facts(SEM, design={"case_plots": False}), facts(SEM, design={"case_plots": True})),
    "P-REP-CARDINALITIES": (
        facts(IMG, ["ppv"], design={"cardinalities": False}),
        facts(IMG, ["ppv"], design={"cardinalities": True}),
    ),
    "P-REP-NO-RANDOM-BASELINE": (facts(IMG, design={"baselines": False}), facts(IMG, design={"baselines": True})),
    "P-PQ-SMALL-OBJECT-SHIFT": (
        facts(INS, ["panoptic_quality"], said(FP3_1=True)),
        facts(INS, ["panoptic_quality"], said(FP3_1=False)),
    ),
    "P-PQ-HARD-IOU-CUTOFF": (facts(INS, ["panoptic_quality"]), facts(INS, ["dsc"])),
    "P-PQ-MISCLASSIFIED": (facts(INS, ["panoptic_quality"], classes=TWO), facts(INS, ["panoptic_quality"])),
    "P-CHAL-EVALUATION-BUG": (None, facts(SEM, ["dsc"])),
    "P-CHAL-NO-RAW-PREDICTIONS": (
        facts(SEM, design={"predictions_released": False}),
        facts(SEM, design={"predictions_released": True}),
    ),
    "P-CHAL-SELECTION-BIAS": (
        facts(SEM, design={"predictions_released": True, "all_released": False}),
        facts(SEM, design={"predictions_released": False}),
    ),
    "P-CHAL-OVERLAPPING-REFERENCE": (
        facts(INS, design={"reference_overlaps": True}),
        facts(INS, design={"reference_overlaps": False}),
    ),
    "P-CHAL-RASTERIZATION-LOSS": (
        facts(SEM, design={"reference_polygons": True}),
        facts(SEM, design={"reference_polygons": False}),
    ),
    "P-CHAL-IGNORE-REGIONS": (
        facts(SEM, design={"ignore_regions": True, "ignore_rule": False}),
        facts(SEM, design={"ignore_regions": True, "ignore_rule": True}),
    ),
    "P-CHAL-NO-SIGNIFICANCE": (facts(SEM, ["dsc"], uncertainty=DRAWN), facts(SEM, ["dsc"])),
    "P-CHAL-SCORES-NOT-RELEASED": (facts(OBD, answers=said(FP5_1=False)), facts(OBD, answers=said(FP5_1=True))),
    "P-CHAL-METRIC-LOCK-IN": (
        facts(SEM, design={"rationale": "As in the previous challenge."}),
        facts(SEM, design={"rationale": "Volume is read off the masks."}),
    ),
}
NEVER_REACHED = {"P-CAT-TN-UNDEFINED", "P-CHAL-EVALUATION-BUG"}
"""An assessment refuses the metrics of the first; the second needs a metric of another package."""


def state(known, pitfall):
    return next(finding for finding in check(known) if finding.pitfall.id == pitfall)


@pytest.mark.parametrize("pitfall", [name for name in CASES if name not in NEVER_REACHED])
def test_it_bites_where_it_should_and_says_why(pitfall):
    finding = state(CASES[pitfall][0], pitfall)
    assert finding.state == "bites", finding
    assert finding.because


@pytest.mark.parametrize("pitfall", CASES)
def test_it_is_silent_where_nothing_is_wrong(pitfall):
    known = CASES[pitfall][1]
    function = TRIGGERS[pitfall]
    assert function(known) is None


def test_every_trigger_is_tested_and_belongs_to_a_pitfall():
    assert set(CASES) == set(TRIGGERS)
    assert set(TRIGGERS) <= set(pitfalls())


def test_what_is_not_known_is_said_and_not_guessed():
    assert state(Facts(), "P-DOM-BOUNDARY-UNAWARE").missing == "fingerprint"
    assert state(facts(SEM), "P-DOM-BOUNDARY-UNAWARE").missing == "assessment"
    assert state(facts(SEM, ["dsc"]), "P-DOM-BOUNDARY-UNAWARE").missing == "fingerprint.FP2.1"
    assert state(facts(SEM, ["dsc"]), "P-INT-RESOLUTION").missing == "references"
    assert state(facts(SEM, ["masd"]), "P-STR-MASD-SMALL-PREDICTION").missing == "predictions"
    assert state(facts(SEM), "P-INT-NO-CEILING").missing == "design.rater_score"


def test_a_fact_that_decides_alone_is_enough():
    assert state(facts(SEM, ["dsc", "assd"]), "P-DOM-BOUNDARY-UNAWARE").state == "clear"


def test_pitfalls_of_other_problems_and_of_results_are_set_aside():
    assert state(facts(IMG), "P-STR-SMALL-STRUCTURES").state == "elsewhere"
    assert state(facts(SEM), "P-IMPL-NONSTANDARD-IMPLEMENTATION").state == "results"


def test_what_bites_comes_first_and_the_document_is_json():
    findings = check(facts(SEM, ["dsc", "iou"], said(FP2_1=True)))
    states = [finding.state for finding in findings]
    assert states[0] == "bites"
    assert len(findings) == len(pitfalls()) == 111
    assert states == sorted(states, key=["bites", "unknown", "clear", "results", "elsewhere"].index)
    json.dumps([finding.document for finding in findings], allow_nan=False)


@pytest.mark.parametrize(("role", "bites"), [("fixed", True), ("random", False)])
def test_patients_that_count_as_one_bite_unless_a_level_of_the_plan_is_a_sample(role, bites):
    levels = {"levels": ["case", {"name": "site", "role": role}]}
    plan = facts(SEM, ["dsc"], aggregation=levels, references=scan(groups={"patient": {"p1": 8, "p2": 2}}))
    found = {finding.pitfall.id for finding in check(plan) if finding.state == "bites"}
    assert ("P-AGG-NONINDEPENDENT-CASES" in found) == bites


def test_an_answer_of_one_class_is_enough_to_bite():
    document = {"schema": 1, "problem": SEM, "answers": {"FP2.1": False}, "classes": {"a": {"FP2.1": True}, "b": {}}}
    known = Facts(parse_fingerprint(document), facts(SEM, ["dsc"]).assessment)
    assert state(known, "P-DOM-BOUNDARY-UNAWARE").state == "bites"


def test_the_trees_of_the_recommender_refer_to_pitfalls_that_exist():
    topics = {topic for item in knowledge().items.values() for topic in item.pitfalls}
    assert topics
    for topic in topics:
        assert about(topic), topic


def test_every_pitfall_says_what_happens_and_what_to_do():
    for pitfall in pitfalls().values():
        assert pitfall.title
        assert pitfall.effect.endswith(".")
        assert pitfall.remedy.endswith(".")
        assert pitfall.categories
        assert pitfall.metrics
