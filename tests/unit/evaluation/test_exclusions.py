"""Excluded cases are excluded for all algorithms, including values of the whole data set.

Values that cannot exclude them are reported.
"""

import numpy as np
import pandas as pd
import pytest

from evaluation.aggregation import ResultsError
from evaluation.assessment import AssessmentError, parse
from evaluation.ranking import rank
from evaluation.ranking.counted import QUALITY, counted_results
from evaluation.scoring.classification_evidence import make_block
from evaluation.scoring.evidence import make_evidence, recompute_values

CLASSES = {"classes": ["benign", "malign"], "regions": {"benign": ["benign"], "malign": ["malign"]}}
NAMES = tuple(f"c{number:02d}" for number in range(12))
TRUTH = np.array([0, 1] * 6)


def assessment(metric="accuracy", **more):
    return parse(
        {
            "problem": "image_classification",
            "regions": [{"name": "benign"}, {"name": "malign"}],
            "metrics": [{"id": metric}],
            "uncertainty": {"bootstrap": 20, "seed": 1},
            **more,
        }
    )


def excluding(*cases):
    return {"exclusions": {"cases": [{"case": case, "reason": "reference_error"} for case in cases]}}


def world(rule, wrong):
    """Results and evidence of two algorithms that are wrong on the cases given, over all cases."""
    blocks, rows = [], []
    for name, places in wrong.items():
        decision = TRUTH.copy()
        decision[list(places)] = 1 - decision[list(places)]
        answered = np.ones(len(NAMES), dtype=bool)
        blocks.append(make_block(name, NAMES, TRUTH, decision=decision, scores=None, answered=answered))
    evidence = make_evidence(rule, blocks, parts={"accuracy": "answers"}, shared=CLASSES)
    for name in wrong:
        value = recompute_values(rule.metrics[0], evidence.select("accuracy", name), np.ones((1, len(NAMES))))
        rows.append(
            {"algorithm": name, "case": "", "region": "", "metric": "accuracy"}
            | {"value": value.result().value, "outcome": "ok"}
        )
    return pd.DataFrame(rows), evidence


def test_a_value_of_the_whole_data_set_is_computed_anew_without_the_excluded_cases():
    rule = assessment(**excluding("c00", "c01"))
    results, evidence = world(rule, {"a": (0, 1, 2), "b": (5, 6)})
    document = rank(rule, results, evidence=evidence)
    scores = {entry["name"]: entry["score"] for entry in document["rankings"][0]["algorithms"]}
    assert scores == {"a": pytest.approx(9 / 10), "b": pytest.approx(8 / 10)}
    assert [entry["case"] for entry in document["excluded"]] == ["c00", "c01"]
    with_all = rank(assessment(), results, evidence=evidence)
    first = {entry["name"]: entry["rank"] for entry in with_all["rankings"][0]["algorithms"]}
    assert first == {"a": 2, "b": 1}


def test_it_is_the_ranking_that_the_remaining_cases_alone_have():
    rng = np.random.default_rng(2)
    table = pd.DataFrame(
        [(name, case, "value", rng.random()) for name in "abc" for case in NAMES],
        columns=["algorithm", "case", "metric", "value"],
    )
    base = {"problem": "table", "metrics": [{"id": "value", "direction": "higher"}], "uncertainty": {"bootstrap": 50}}
    document = rank(parse(base | excluding("c03", "c07")), table)
    alone = rank(parse(base), table[~table["case"].isin(["c03", "c07"])])
    assert document["rankings"] == alone["rankings"]
    assert document["overall"] == alone["overall"]


def test_without_evidence_it_is_refused_and_not_guessed():
    rule = assessment(**excluding("c00"))
    results, evidence = world(rule, {"a": (0,), "b": (5,)})
    known = pd.concat([results, results.assign(case="c00"), results.assign(case="c01")], ignore_index=True)
    with pytest.raises(ResultsError, match="give the evidence"):
        counted_results(rule, known)
    assert counted_results(rule, results, evidence=evidence).excluded == {"c00": "reference_error"}


def test_grades_decide_by_the_registered_rule_and_an_unknown_grade_is_named():
    base = {"problem": "table", "metrics": [{"id": "value", "direction": "higher"}]}
    rule = parse(base | {"exclusions": {"quality": {"column": "quality", "excluded": ["insufficient"]}}})
    table = pd.DataFrame({"algorithm": ["a"] * 3 + ["b"] * 3, "case": list("123") * 2, "value": range(6)})
    cases = pd.DataFrame({"case": list("123"), "quality": ["acceptable", "borderline", "insufficient"]})
    assert counted_results(rule, table, cases=cases).excluded == {"3": QUALITY}
    with pytest.raises(ResultsError, match="'awful' for case '2'"):
        counted_results(rule, table, cases=cases.assign(quality=["acceptable", "awful", "insufficient"]))
    with pytest.raises(ResultsError, match="nothing is left"):
        counted_results(parse(base | excluding("1", "2", "3")), table)


@pytest.mark.parametrize(
    ("exclusions", "place"),
    [
        ({"cases": [{"case": "1", "reason": "team asked for it"}]}, r"exclusions.cases\[0\].reason"),
        ({"cases": [{"case": "1", "reason": "duplicate"}] * 2}, r"exclusions.cases\[1\]"),
        ({"cases": [{"case": " ", "reason": "duplicate"}]}, r"exclusions.cases\[0\].case"),
        ({"quality": {"column": "case"}}, "exclusions.quality.column"),
        ({"quality": {"column": "q", "excluded": ["poor"]}}, r"exclusions.quality.excluded\[0\]"),
        ({"teams": []}, "exclusions.teams"),
    ],
)
def test_what_is_no_registered_exclusion_is_refused_by_its_place(exclusions, place):
    with pytest.raises(AssessmentError, match=place):
        assessment(exclusions=exclusions)
    with pytest.raises(AssessmentError, match=r"columns\.age"):
        assessment(columns={"age": "count"})
