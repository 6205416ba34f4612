"""Values of the whole data set that are 0 or 1: exact bounds in place of resamples that are all equal."""

import math

import numpy as np
import pandas as pd
import pytest

from evaluation import report
from evaluation.assessment import parse
from evaluation.boards import board, build
from evaluation.ranking import rank
from evaluation.ranking.uncertainty.score_intervals import interval_of_extreme
from evaluation.scoring.classification_evidence import PART, make_block, regions_of, value_of
from evaluation.scoring.evidence import make_evidence

METRICS = ("auroc", "sensitivity", "specificity", "ppv", "npv", "balanced_accuracy", "accuracy", "mcc")
POSITIVE, NEGATIVE = 12, 18


def classified(positive, negative, metrics=METRICS, *, noise=(0.0, 0.6), reverse=False, **document):
    """Two teams, of which the first errs nowhere, or everywhere with `reverse`."""
    uses = [{"id": name} if isinstance(name, str) else name for name in metrics]
    assessment = parse(
        {
            "problem": "image_classification",
            "metrics": uses,
            "ranking": {"scheme": "one_score", "combine": None},
            "uncertainty": {"bootstrap": 100},
            **document,
        }
    )
    generator, labels = np.random.default_rng(3), np.repeat([1, 0], [positive, negative])
    cases = [f"case {number:03d}" for number in range(len(labels))]
    blocks = []
    for name, spread in zip(("unet", "vnet"), noise, strict=True):
        right = labels if not (reverse and name == "unet") else 1 - labels
        score = np.clip(0.2 + 0.6 * right + generator.normal(0, spread, len(labels)), 0, 1)
        decided, scores = (score > 0.5).astype(np.int64), np.stack([1 - score, score], axis=1)
        everyone = np.ones(len(labels), dtype=bool)
        blocks.append(make_block(name, cases, labels, decision=decided, scores=scores, answered=everyone))
    shared = {"classes": ["benign", "malignant"], "regions": {}}
    evidence = make_evidence(assessment, blocks, parts={use.name: PART for use in assessment.metrics}, shared=shared)
    rows = [
        (name, "", region, use.name, value_of(use, evidence.select(use.name, name, region)).value, "ok")
        for name in ("unet", "vnet")
        for use in assessment.metrics
        for region in regions_of(use, shared)
    ]
    results = pd.DataFrame(rows, columns=["algorithm", "case", "region", "metric", "value", "outcome"])
    return assessment, results, evidence, cases


def first_rows(document, name="unet"):
    return {
        entry["metric"]: next(row for row in entry["algorithms"] if row["name"] == name)
        for entry in document["rankings"]
    }


def test_each_metric_has_the_bound_of_its_independent_trials():
    assessment, results, evidence, _ = classified(POSITIVE, NEGATIVE)
    rows = first_rows(rank(assessment, results, evidence=evidence))
    trials = {
        "auroc": POSITIVE, "sensitivity": POSITIVE, "ppv": POSITIVE, "specificity": NEGATIVE, "npv": NEGATIVE,
        "balanced_accuracy": 2 * POSITIVE, "accuracy": POSITIVE + NEGATIVE,
    }  # fmt: skip
    for metric, number in trials.items():
        assert rows[metric]["score"] == 1
        assert rows[metric]["score_interval"] == [1, 1]
        known = rows[metric]["score_confidence_interval"]
        assert known["interval"] == pytest.approx([0.05 ** (1 / number), 1.0]), metric
        assert (known["method"], known["level"]) == ("exact_one_sided", 0.95)
    assert rows["mcc"]["score_confidence_interval"] is None
    assert all(
        row["score_confidence_interval"] is None
        for row in first_rows(rank(assessment, results, evidence=evidence), "vnet").values()
    )


def test_the_page_shows_the_bound_beside_ranges_of_resamples():
    assessment, results, evidence, _ = classified(POSITIVE, NEGATIVE, ("auroc", "accuracy"))
    table = build(rank(assessment, results, evidence=evidence), assessment)
    shown = board(table, by=table["orders"][0]["key"])
    place = next(place for place, column in enumerate(shown.columns) if column.key.startswith("auroc"))
    cells = {row.team: row.cells[place] for row in shown.rows}
    bound = 0.05 ** (1 / POSITIVE)
    assert cells["unet"].interval == f"at least {math.floor(1000 * bound) / 1000:.3f}"
    assert not cells["vnet"].is_bound
    assert any(line.claim == "legend.bounds" for line in shown.legend(200, failures=False))
    order = next(order for order in table["orders"] if order["metric"] == "auroc")
    assert order["score_bound"] == [pytest.approx(bound, abs=1e-6), None]
    for order in table["orders"]:
        del order["score_bound"]  # as stored by earlier versions
    assert not any(cell.is_bound for row in board(table).rows for cell in row.cells)


def test_a_value_of_0_has_an_upper_bound():
    assessment, results, evidence, _ = classified(POSITIVE, NEGATIVE, ("auroc", "accuracy"), reverse=True)
    rows = first_rows(rank(assessment, results, evidence=evidence))
    assert rows["auroc"]["score_confidence_interval"]["interval"] == pytest.approx([0.0, 1 - 0.05 ** (1 / POSITIVE)])


@pytest.mark.parametrize(
    "use",
    [{"id": "auroc", "options": {"max_fpr": 0.2}}, {"id": "ppv", "options": {"target_prevalence": 0.1}}],
    ids=lambda use: use["id"],
)
def test_values_that_are_no_share_of_independent_trials_have_none(use):
    assessment, results, evidence, _ = classified(POSITIVE, NEGATIVE, [use])
    (row,) = first_rows(rank(assessment, results, evidence=evidence)).values()
    assert row["score"] == 1
    assert row["score_confidence_interval"] is None


def test_cases_of_one_patient_are_not_independent_trials():
    assessment, results, evidence, cases = classified(
        POSITIVE, NEGATIVE, ("auroc",), aggregation={"levels": ["case", "patient"]}
    )
    metadata = pd.DataFrame({"case": cases, "patient": [f"p{number // 2}" for number in range(len(cases))]})
    (row,) = first_rows(rank(assessment, results, evidence=evidence, cases=metadata)).values()
    assert row["score_confidence_interval"] is None


def test_bounds_of_auroc_cover_in_adverse_worlds():
    """One class is spread over two scores around the other, so that the true AUROC is just below the bound."""
    generator, missed, boards = np.random.default_rng(0), 0, 4000
    for positive, negative in ((5, 40), (12, 18)):
        bound = interval_of_extreme(1.0, min(positive, negative), 0.95).low
        true = bound - 0.005
        # A share of the smaller class lies below all of the other one, and the rest above it.
        below = generator.random((boards, min(positive, negative))) < 1 - true
        missed = max(missed, float((~below.any(axis=1)).mean()))
    assert missed <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / boards)


def test_no_report_or_board_shows_the_range_1_to_1():
    assessment, results, evidence, cases = classified(POSITIVE, NEGATIVE, ("auroc", "mcc"))
    metadata = pd.DataFrame({"case": cases, "scanner": ["A", "B"] * (len(cases) // 2)})
    page = report(assessment, results, evidence=evidence, cases=metadata, subgroups=["scanner"])
    assert "1–1<" not in page
    assert "(1.000 to 1.000)" not in page
    assert "at least 0.779 (exact, one-sided 95 %)" in page
    assert "which only assumes independent cases." in page
    assert "No interval of it can be given from these data." in page
    document = rank(assessment, results, evidence=evidence)
    for order in build(document, assessment)["orders"]:
        assert order["score_low"][0] is None
        assert order["score_high"][0] is None


def of_infinite_scores(noise):
    """Assessment, results and evidence of LR+, which is infinite without a false positive."""
    assessment, results, evidence, _ = classified(POSITIVE, NEGATIVE, ("lr_plus",), noise=noise)
    results = results.assign(outcome=np.where(results["value"].isna(), "degenerate", "ok"))
    results["flag"] = np.where(results["value"].isna(), "unbounded", "")
    return assessment, results, evidence


@pytest.mark.parametrize("noise", [(0.0, 0.6), (0.0, 0.0), (0.25, 0.25)])
def test_an_infinite_score_is_ranked_without_a_warning_and_shows_nothing(noise):
    """LR+ is infinite on all cases, or in some of the resamples only."""
    assessment, results, evidence = of_infinite_scores(noise)
    (entry,) = rank(assessment, results, evidence=evidence, bootstrap=300)["rankings"]
    assert [row["rank"] for row in entry["algorithms"]] == ([1, 1] if noise == (0.0, 0.0) else [1, 2])
    assert not entry["winner"]["named"]
    assert not np.array(entry["shown_better"]).any()
    assert all((row["difference_from_first"] or {}).get("interval") is None for row in entry["algorithms"])


def test_an_infinite_score_in_a_document_of_schema_2_is_compared_as_before():
    assessment, results, evidence = of_infinite_scores((0.0, 0.6))
    (entry,) = rank(assessment, results, evidence=evidence, bootstrap=300, schema=2)["rankings"]
    assert entry["shown_better"] == [[False, True], [False, False]]
    assert [row["rank_set"] for row in entry["algorithms"]] == [[1, 1], [2, 2]]
    assert entry["p_own"][0][1] == pytest.approx(1 / 301)
