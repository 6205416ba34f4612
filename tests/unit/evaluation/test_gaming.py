"""Four ways to raise a score by the choice of submitted files, and the reasons why none of them works.

They are the rules under section 3.3 of the metrics reference. No case is dropped because of what a participant
submitted. All algorithms are averaged over the same cases. Many healthy cases do not hide the others. An omitted image
lowers nothing.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.advice.fingerprint import parse_fingerprint
from evaluation.advice.pitfalls import Facts, check
from evaluation.aggregation import build_tables, check_results
from evaluation.assessment import parse
from evaluation.matching import Objects
from evaluation.outcomes import Outcome
from evaluation.problems.object_detection import PROBLEM as DETECTOR
from evaluation.readers import Geometry, LabelImage
from evaluation.scoring import prepare_reference, score_case
from evaluation.scoring.assembling import assemble
from evaluation.scoring.objects import shared_evidence

METRICS = [
    *({"id": name} for name in ("dsc", "iou", "cldice", "boundary_iou", "hausdorff_distance", "assd", "masd")),
    {"id": "nsd", "options": {"tolerance": 1}},
    {"id": "fbeta", "options": {"beta": 2}},
    {"id": "hausdorff_percentile"},
]


def assessment(**policy):
    return parse(
        {
            "schema": 1,
            "problem": "semantic_segmentation",
            "regions": [{"name": "organ", "labels": [1]}],
            "metrics": [{**metric, "policy": policy} for metric in METRICS],
            "ranking": {"scheme": "aggregate_then_rank", "combine": None},
        }
    )


def squares(case, shift):
    """A square that is found more or less, and in every third case nothing to be found."""
    labels = np.zeros((12, 12), dtype=np.uint8)
    if case % 3:
        labels[3 + shift : 7 + shift, 3:7] = 1
    return labels


GRID = Geometry((12, 12), (1.0, 1.0))
CASES = range(6)


def values(answers, document):
    """Return the value that each case counts in each metric, for an algorithm with these answers."""
    rows = []
    for case, answer in zip(CASES, answers, strict=True):
        reference = prepare_reference(document, LabelImage(squares(case, 0), GRID))
        prediction = None if answer is None else LabelImage(answer, GRID)
        rows += score_case(document, f"c{case}", reference, prediction, algorithm="team")
    tables = build_tables(document, check_results(pd.DataFrame(rows)))
    return {table.metric.name: table.values[:, 0] for table in tables}  # noqa: PD011  (no data frame)


HONEST = [squares(case, 1) for case in CASES]
NOTHING = np.zeros((12, 12), dtype=np.uint8)
ALL = np.ones((12, 12), dtype=np.uint8)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.sampled_from(["honest", "left out", "nothing", "everything"]), min_size=6, max_size=6))
def test_rule_1_no_case_is_dropped_for_what_was_sent(tricks):
    document = assessment()
    sent = {"left out": None, "nothing": NOTHING, "everything": ALL}
    answers = [HONEST[case] if trick == "honest" else sent[trick] for case, trick in enumerate(tricks)]
    found, honest = values(answers, document), values(HONEST, document)
    for use in document.metrics:
        mine, fair = found[use.name], honest[use.name]
        assert not np.isnan(mine).any(), use.name
        sign = 1 if use.higher_is_better else -1
        left_out = np.array([trick == "left out" for trick in tricks])
        assert (sign * mine[left_out] <= sign * fair[left_out] + 1e-12).all(), use.name


@pytest.mark.parametrize("sent", [NOTHING, ALL, None])
def test_rule_2_all_teams_are_averaged_over_the_same_cases(sent):
    together = assessment(both_empty="exclude", ref_empty="exclude")
    honest = values(HONEST, together)
    found = values([sent] * 6, together)
    for name in honest:
        if sent is not None:  # of a missing prediction nothing can be excluded
            assert np.array_equal(np.isnan(found[name]), np.isnan(honest[name])), name


def test_rule_2_an_exclusion_that_depends_on_the_team_is_pointed_out():
    fingerprint = parse_fingerprint({"schema": 1, "problem": "semantic_segmentation", "answers": {}})

    def warning(**policy):
        found = {entry.pitfall.id: entry for entry in check(Facts(fingerprint, assessment(**policy)))}
        return found["P-DATA-EMPTY-REFERENCE"].because

    assert "depends on what a team predicts there" in warning(both_empty="exclude")
    assert not warning(both_empty="exclude", ref_empty="exclude")
    assert not warning()


# Rule 3, on healthy cases that hide the others: the value over the others stands beside the mean on the page of a result,
# see tests/unit/submissions/test_results.py.


def boxes(*places, scored=True):
    corners = np.array([[x, 0, x + 4, 4] for x in places], dtype=float).reshape(-1, 4)
    return Objects(boxes=corners, scores=np.full(len(places), 0.9) if scored else None)


DETECTION = parse(
    {
        "schema": 1,
        "problem": "object_detection",
        "regions": [{"name": "nodule", "labels": ["nodule"]}],
        "metrics": [{"id": "ppv"}, {"id": "average_precision"}, {"id": "fppi", "policy": {"missing": 100}}],
        "ranking": {"scheme": "aggregate_then_rank", "combine": None},
    }
)


def test_rule_4_an_image_that_is_left_out_makes_the_whole_value_missing():
    truth = {"c0": boxes(0, 10, scored=False), "c1": boxes(scored=False)}
    sent = {"c0": boxes(0, 10), "c1": boxes(30, 40, 50)}

    def rows(answers):
        pieces = {case: DETECTOR.score(DETECTION, case, truth[case], answers[case]).pieces for case in truth}
        return {row.metric: row for row in assemble(DETECTION, pieces, shared=shared_evidence(DETECTION))[0]}

    honest = rows(sent)
    assert honest["ppv"].value == pytest.approx(2 / 5)
    assert honest["fppi"].value == pytest.approx(3 / 2)
    # Without its false alarms the second image would make every value perfect.
    gamed = rows({**sent, "c1": None})
    assert {row.outcome for row in gamed.values()} == {Outcome.MISSING}
