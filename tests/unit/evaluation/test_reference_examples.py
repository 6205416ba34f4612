"""Worked examples of the metrics reference outside the families: aggregation, rankings, and others.

Those of the families are in `classification/test_worked_examples.py`, `metrics/test_masks_worked_examples.py`,
`metrics/test_detection.py`, `metrics/test_instance.py` and `matching/`. docs/correctness/README.md lists all of them.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import ndimage
from scipy.spatial.distance import pdist
from scipy.stats import wilcoxon

from evaluation import metrics
from evaluation.aggregation import build_tables, check_results
from evaluation.assessment import parse
from evaluation.matching import Objects
from evaluation.metrics import detection
from evaluation.metrics.masks import Mask
from evaluation.ranking import rank
from evaluation.ranking.compare import footrule, kendall_tau_b
from evaluation.ranking.significance import smallest_p

from .classification.fixtures import E7_SCORES


def four_digits(value):
    return pytest.approx(value, abs=0.5e-4)


def test_section_2_3_a_block_at_the_edge():
    block = np.ones((6, 3), dtype=bool)
    assert Mask(np.pad(block, ((3, 3), (0, 9)))).surface().size == 14
    # In an image as high as the block, an erosion that takes the outside for foreground leaves one side as boundary.
    image = np.pad(block, ((0, 0), (0, 9)))
    assert Mask(image).surface().size == 14
    assert np.count_nonzero(image & ~ndimage.binary_erosion(image, border_value=1)) == 6


@pytest.mark.parametrize(
    ("shape", "diagonal"), [((240, 240, 155), 373.1287), ((12, 12), 16.9706)], ids=["brain", "square"]
)
def test_section_3_the_worst_distance_is_the_diagonal_of_the_image(shape, diagonal):
    assert Mask(np.zeros(shape, dtype=bool)).diagonal == four_digits(diagonal)


def results(**teams):
    rows = [(name, f"c{n}", value) for name, values in teams.items() for n, value in enumerate(values)]
    return pd.DataFrame([row for row in rows if row[2] is not None], columns=["algorithm", "case", "value"])


def table_assessment(policy, **ranking):
    return parse(
        {
            "problem": "table",
            "metrics": [{"id": "value", "direction": "higher", "policy": {"missing": policy}}],
            "ranking": {"scheme": "aggregate_then_rank", "combine": None, **ranking},
            "uncertainty": {"bootstrap": 0},
        }
    )


def test_section_3_3_what_a_missing_case_counts_decides_the_mean():
    rows = check_results(results(a=[0.9, 0.9, None], other=[1, 1, 1]))
    [table] = build_tables(table_assessment(0), rows)
    counted = table.values[:, 0]  # noqa: PD011  (no data frame)
    assert np.mean(counted) == pytest.approx(0.6)
    assert np.nanmean(np.where(counted == 0, np.nan, counted)) == pytest.approx(0.9)


def test_section_4_patients_count_alike():
    cases = pd.DataFrame({"case": [f"c{n}" for n in range(10)], "patient": ["p"] * 8 + ["q"] * 2})
    values = np.array([0.9] * 8 + [0.3, 0.5])
    assert values.mean() == pytest.approx(0.8)
    frame = results(a=values.tolist(), b=[0.7] * 10)
    nested = {"levels": ["case", "patient"], "operator": "mean"}
    document = parse({**table_assessment(0).document, "aggregation": nested, "uncertainty": {"bootstrap": 0}})
    found = {entry["name"]: entry["score"] for entry in rank(document, frame, cases=cases)["rankings"][0]["algorithms"]}
    assert found == pytest.approx({"a": 0.65, "b": 0.7})


def test_section_7_3_classes_without_objects_take_no_part_in_the_mean():
    """E5 for the first class, one hit of two for the second, nothing in the reference for the third."""

    def box(place, shift=0.0):
        return [10.0 * place + shift, 0, 10.0 * place + shift + 8, 8]

    truth = {1: [0, 1], 2: [0, 1], 3: [0], 4: []}
    guess = {
        1: [(0.95, 0), (0.85, 7), (0.55, 1)],
        2: [(0.90, 0), (0.70, 7)],
        3: [(0.80, 0), (0.40, 7)],
        4: [(0.60, 7)],
    }
    ours, theirs = [], []
    for image, places in truth.items():
        more = [box(5)] * (image == 1) + [box(6)] * (image == 1)
        boxes = [box(place) for place in places] + more
        ours.append(Objects(boxes=np.reshape(boxes, (-1, 4)), classes=["a"] * len(places) + ["b"] * len(more)))
        found = [(score, box(place), "a") for score, place in guess[image]]
        found += [(0.5, box(5), "b")] * (image == 1) + [(0.3, box(9), "c")] * (image == 2)
        scores, boxes, classes = zip(*found, strict=True)
        theirs.append(Objects(boxes=boxes, scores=scores, classes=classes))
    of_class = [
        detection.average_precision(
            [objects.select(objects.classes == name) for objects in ours],
            [objects.select(objects.classes == name) for objects in theirs],
        )
        for name in "abc"
    ]
    assert [result.value for result in of_class[:2]] == [four_digits(0.6643), 0.5]
    assert of_class[2].value is None
    assert detection.mean_average_precision(ours, theirs).value == four_digits(0.5821)


def test_section_12_4_the_clip_is_the_worst_likelihood():
    assert metrics.nll([1, 1], [0.0, 0.0]).value == four_digits(34.5388)


def test_section_12_9_the_bandwidth_is_the_median_distance():
    assert np.median(pdist(E7_SCORES)) == four_digits(0.4899)


def test_section_13_4_five_cases_in_one_direction():
    """The reference uses exact counts; rankings use the normal approximation of the field's toolkit.

    docs/ranking.md describes this.
    """
    assert [wilcoxon(np.arange(1.0, n + 1), alternative="greater").pvalue for n in (5, 6)] == [0.03125, 0.015625]
    assert (smallest_p(5), smallest_p(6)) == (four_digits(0.0295), four_digits(0.0180))


def test_section_13_6_two_rankings_that_swap_their_middle():
    one, other = [1, 2, 3, 4], [1, 3, 2, 4]
    assert kendall_tau_b(one, [other])[0] == four_digits(0.6667)
    assert footrule(one, other) == 2


TEAMS = {"A": [0.90, 0.85, 0.80, 0.20], "B": [0.84, 0.83, 0.82, 0.81], "C": [0.91, 0.70, 0.81, 0.10]}
GAP = {**TEAMS, "A": [0.90, 0.85, 0.80, None]}
BY_CASE = {"scheme": "rank_then_aggregate"}
SCHEMES = [
    (TEAMS, 0, {"operator": "mean"}, [0.6875, 0.8250, 0.6300], [2, 1, 3]),
    (TEAMS, 0, {"operator": "median"}, [0.8250, 0.8250, 0.7550], [1, 1, 3]),
    (TEAMS, 0, {"operator": {"percentile": 5}}, [0.2900, 0.8115, 0.1900], [2, 1, 3]),
    (TEAMS, "worst_rank", BY_CASE, [2.0, 1.75, 2.25], [2, 1, 3]),
    (GAP, "exclude", {"operator": "mean"}, [0.8500, 0.8250, 0.6300], [1, 2, 3]),
    (GAP, 0, {"operator": "mean"}, [0.6375, 0.8250, 0.6300], [2, 1, 3]),
    (GAP, "worst_rank", {**BY_CASE, "missing_rank": "last"}, [2.25, 1.75, 2.0], [3, 1, 2]),
]


@pytest.mark.parametrize(("teams", "policy", "ranking", "scores", "ranks"), SCHEMES)
def test_section_13_7_three_teams_by_every_scheme(teams, policy, ranking, scores, ranks):
    document = table_assessment(0, **ranking).document
    document["metrics"][0]["policy"] = {"missing": policy} | ({"allow_gaming": True} if policy == "exclude" else {})
    found = rank(parse(document), results(**teams))["rankings"][0]["algorithms"]
    by_name = {entry["name"]: entry for entry in found}
    assert [by_name[name]["score"] for name in "ABC"] == [four_digits(score) for score in scores]
    assert [by_name[name]["rank"] for name in "ABC"] == ranks


def test_section_13_7_the_ranking_by_tests():
    a = np.array([0.80, 0.82, 0.85, 0.78, 0.90, 0.88, 0.83, 0.79, 0.86, 0.84])
    b = a - [0.010, 0.020, 0.015, 0.030, 0.005, 0.012, 0.022, 0.018, 0.025, 0.008]
    c = a - [0.012, 0.018, 0.014, 0.035, 0.004, 0.013, 0.021, 0.019, 0.024, 0.009]
    frame = results(A=a.round(6).tolist(), B=b.round(6).tolist(), C=c.round(6).tolist())
    [found] = rank(table_assessment(0, scheme="test_then_rank"), frame)["rankings"]
    exact = {"AB": 0.0010, "AC": 0.0010, "BA": 1.0, "BC": 0.4033, "CA": 1.0, "CB": 0.6650}
    teams = {"A": a, "B": b, "C": c}
    for (one, other), p in exact.items():
        assert wilcoxon((teams[one] - teams[other]).round(6), alternative="greater").pvalue == four_digits(p)
    # By the normal approximation, as `scipy` has it on request; the decisions are the same.
    names = [entry["name"] for entry in found["algorithms"]]
    for one, other in exact:
        p = found["p_values"][names.index(one)][names.index(other)]
        difference = (teams[one] - teams[other]).round(6)
        asked = {"alternative": "greater", "method": "approx", "correction": True}
        assert p == pytest.approx(wilcoxon(difference, **asked).pvalue)
    assert {entry["name"]: entry["rank"] for entry in found["algorithms"]} == {"A": 1, "B": 2, "C": 2}
