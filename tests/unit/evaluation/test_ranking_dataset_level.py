"""A leaderboard of a metric over the whole data set is as honest about its uncertainty as one over cases."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from evaluation.aggregation import ResultsError
from evaluation.assessment import parse
from evaluation.metrics.values import Values
from evaluation.outcomes import Outcome
from evaluation.ranking import rank
from evaluation.ranking.resampling import Design
from evaluation.scoring.evidence import Block, Evidence, register_recomputer

ASSESSMENT = parse(
    {
        "problem": "image_classification",
        "metrics": [{"id": "accuracy"}],
        "ranking": {"scheme": "one_score"},
        "uncertainty": {"bootstrap": 300},
    }
)
CASES = tuple(f"image {number:02d}" for number in range(40))
COLUMNS = ["algorithm", "case", "region", "metric", "value", "outcome"]


def share_right(_metric, evidence, multiplicities):
    """Accuracy from one number a case, 1 for a right answer; undefined where only cases without an answer are drawn."""
    right = evidence.block.values  # noqa: PD011  (no data frame)
    answered = ~np.isnan(right)
    drawn = multiplicities @ answered
    with np.errstate(invalid="ignore", divide="ignore"):
        share = (multiplicities @ np.where(answered, right, 0.0)) / drawn
    return Values(share).undefine(drawn == 0, Outcome.DEGENERATE)


register_recomputer("answers of a test", ["accuracy"], share_right)


def answers(chances):
    generator = np.random.default_rng(7)
    return {name: (generator.random(len(CASES)) < chance).astype(float) for name, chance in chances.items()}


def evidence_of(right, cases=CASES):
    blocks = {
        ("accuracy", name, ""): Block.of_lists(
            "accuracy", name, "", cases, [[] for _ in cases], [[value] for value in values]
        )
        for name, values in right.items()
    }
    header = {"problem": "answers of a test", "metrics": {"accuracy": {"id": "accuracy"}}, "shared": {}}
    return Evidence(header, blocks)


def results_of(right):
    rows = [(name, "", "", "accuracy", float(values.mean()), "ok") for name, values in right.items()]
    return pd.DataFrame(rows, columns=COLUMNS)


@pytest.fixture(scope="module")
def right():
    return answers({"good": 0.95, "alike": 0.9, "weak": 0.3})


def test_without_evidence_it_is_ranked_but_nothing_is_claimed_about_uncertainty(right):
    entry = rank(ASSESSMENT, results_of(right))["rankings"][0]
    assert entry["algorithms"][-1]["name"] == "weak"
    assert entry["resampled"] is False
    assert entry["algorithms"][0]["rank_interval"] is None
    assert entry["winner_stays"] is None
    assert entry["p_values"] is None


def test_with_evidence_it_has_intervals_frequencies_and_leave_one_out(right):
    document = rank(ASSESSMENT, results_of(right), evidence=evidence_of(right))
    entry = document["rankings"][0]
    assert entry["cases"] == 40
    assert entry["resampled"]
    weak = entry["algorithms"][-1]
    assert (weak["name"], weak["rank_interval"], weak["share_first"]) == ("weak", [3, 3], 0.0)
    for algorithm in entry["algorithms"]:
        low, high = algorithm["score_interval"]
        assert low < algorithm["score"] <= high
        assert sum(algorithm["rank_frequencies"]) == 300
    assert entry["leave_one_out"]["winner_stays"] is not None
    assert document["overall"]["resampled"]
    assert document["overall"]["cases"] == 40


def test_every_sample_is_the_metric_of_the_drawn_cases(right):
    document = rank(ASSESSMENT, results_of(right), evidence=evidence_of(right), bootstrap=50)
    drawn = Design(CASES).draw(50, seed=1)
    scores = [right["weak"][drawn.cases[drawn.samples == sample]].mean() for sample in range(50)]
    expected = np.percentile(scores, [2.5, 97.5])
    assert document["rankings"][0]["algorithms"][-1]["score_interval"] == pytest.approx(expected, abs=1e-9)


def test_a_submission_that_is_missing_stays_last_in_every_sample(right):
    lost = pd.DataFrame([("lost", "", "", "accuracy", np.nan, "missing")], columns=COLUMNS)
    table = pd.concat([results_of(right), lost], ignore_index=True)
    entry = rank(ASSESSMENT, table, evidence=evidence_of(right))["rankings"][0]
    assert (entry["algorithms"][-1]["name"], entry["algorithms"][-1]["rank_interval"]) == ("lost", [4, 4])
    assert entry["algorithms"][-1]["missing"] == entry["cases"] == 40


def test_evidence_of_other_results_is_refused(right):
    wrong = results_of(right).assign(value=[0.1, 0.2, 0.3])
    with pytest.raises(ResultsError, match="do not belong together"):
        rank(ASSESSMENT, wrong, evidence=evidence_of(right))
    two = {name: values for name, values in right.items() if name != "weak"}
    with pytest.raises(ResultsError, match="no evidence of metric 'accuracy' for algorithm 'weak'"):
        rank(ASSESSMENT, results_of(right), evidence=evidence_of(two))


def test_evidence_of_other_metrics_leaves_a_ranking_as_it_is(right):
    other = evidence_of(right)
    header = {**other.header, "metrics": {}}
    entry = rank(ASSESSMENT, results_of(right), evidence=Evidence(header, other.blocks))["rankings"][0]
    assert entry["resampled"] is False
