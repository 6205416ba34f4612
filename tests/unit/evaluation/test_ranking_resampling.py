"""Resamples, and their identity on all machines."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from evaluation.assessment import parse
from evaluation.ranking import digest, rank
from evaluation.ranking.evaluate import make_plan
from evaluation.ranking.hierarchy import unit_values, whole_units
from evaluation.ranking.resampling import Design, multiplicities
from evaluation.ranking.significance import wilcoxon_matrices

CASES = tuple(f"case {number}" for number in range(12))
PATIENTS = ["p1"] * 6 + ["p2"] * 4 + ["p3"] * 2
SITES = ["north"] * 10 + ["south"] * 2


def test_the_same_cases_and_seed_give_the_same_draws_for_ever():
    """These numbers are the algorithm: if they change, the version of the algorithm has to change."""
    drawn = Design(("a", "b", "c", "d", "e")).draw(3, seed=1)
    assert drawn.samples.tolist() == [0] * 5 + [1] * 5 + [2] * 5
    assert drawn.cases.tolist() == FIXED
    assert Design(("a", "b", "c", "d", "e")).draw(2, seed=1).cases.tolist() == FIXED[:10]
    assert Design(("a", "b", "c", "d", "e")).draw(3, seed=2).cases.tolist() != FIXED


FIXED = [1, 1, 0, 3, 2, 1, 4, 4, 1, 4, 3, 3, 4, 3, 3]


def test_every_sample_has_as_many_cases_as_there_are_and_each_is_as_likely():
    counts = multiplicities(Design(CASES).draw(20_000, seed=3), 12, 20_000)
    assert (counts.sum(axis=0) == 12).all()
    np.testing.assert_allclose(counts.mean(axis=1), 1.0, atol=0.04)
    np.testing.assert_allclose(counts.var(axis=1), 11 / 12, atol=0.05)


def test_a_drawn_patient_brings_all_of_its_cases():
    design = Design(CASES, ("patient",), {"patient": PATIENTS})
    counts = multiplicities(design.draw(500, seed=1), 12, 500)
    for start, stop in ((0, 6), (6, 10), (10, 12)):
        assert (counts[start:stop] == counts[start]).all()
    assert (counts[[0, 6, 10]].sum(axis=0) == 3).all()


def test_cases_are_drawn_within_each_drawn_patient():
    design = Design(CASES, ("patient", "case"), {"patient": PATIENTS})
    drawn = design.draw(300, seed=1)
    patient_of_copy = {}
    for case, copy in zip(drawn.cases, drawn.copies["patient"], strict=True):
        assert patient_of_copy.setdefault(copy, PATIENTS[case]) == PATIENTS[case]
    sizes = np.bincount(drawn.copies["patient"])
    wanted = {"p1": 6, "p2": 4, "p3": 2}
    assert [wanted[patient_of_copy[copy]] for copy in range(len(sizes))] == sizes.tolist()
    assert len(sizes) == 300 * 3


def test_draws_stay_within_their_strata():
    design = Design(CASES, ("case",), {"site": SITES}, strata=("site",))
    counts = multiplicities(design.draw(500, seed=1), 12, 500)
    assert (counts[:10].sum(axis=0) == 10).all()
    assert (counts[10:].sum(axis=0) == 2).all()


def test_what_is_drawn_is_what_is_left_out_in_turn():
    design = Design(CASES, ("patient",), {"patient": PATIENTS})
    counts = multiplicities(design.leave_one_out(), 12, design.clusters)
    assert counts.sum(axis=0).tolist() == [6, 8, 10]
    assert multiplicities(Design(CASES).leave_one_out(), 12, 12).sum() == 11 * 12


def hierarchical(
    values, patients, *, resample, scheme="aggregate_then_rank", bootstrap=200, levels=("case", "patient")
):
    document = {
        "problem": "table",
        "metrics": [{"id": "value", "direction": "higher"}],
        "aggregation": {"levels": list(levels)},
        "ranking": {"scheme": scheme},
        "uncertainty": {"resample": resample, "bootstrap": bootstrap},
    }
    rows = [
        (f"a{column}", f"c{row:03d}", values[row, column])
        for row in range(values.shape[0])
        for column in range(values.shape[1])
    ]
    cases = pd.DataFrame({"case": [f"c{row:03d}" for row in range(len(values))], "patient": patients})
    results = pd.DataFrame(rows, columns=["algorithm", "case", "value"])
    return rank(parse(document), results, cases=cases)["rankings"][0]


def test_the_mean_over_patients_is_not_the_mean_over_images():
    """The example of the metrics reference: eight images at 0.9 of one patient, 0.3 and 0.5 of another."""
    values = np.array([[0.9, 0.7]] * 8 + [[0.3, 0.7], [0.5, 0.7]])
    entry = hierarchical(values, ["p1"] * 8 + ["p2"] * 2, resample="patient")
    scores = {algorithm["name"]: algorithm["score"] for algorithm in entry["algorithms"]}
    assert scores == {"a0": 0.65, "a1": 0.7}
    flat = hierarchical(values, ["p1"] * 8 + ["p2"] * 2, resample="case", levels=("case",))
    assert flat["algorithms"][0]["name"] == "a0"
    assert flat["algorithms"][0]["score"] == 0.8


def by_loop(values, copies):
    """Mean of patient means, written as a loop over drawn copies."""
    return np.mean([values[cases].mean(axis=0) for cases in copies], axis=0)


def test_a_patient_drawn_twice_is_two_patients_with_their_own_cases():
    generator = np.random.default_rng(1)
    values = generator.random((12, 3)).round(3)
    entry = hierarchical(values, PATIENTS, resample=["patient", "case"], bootstrap=150)
    names = tuple(f"c{row:03d}" for row in range(12))
    drawn = Design(names, ("patient", "case"), {"patient": PATIENTS}).draw(150, seed=1)
    scores = []
    for sample in range(150):
        mine = drawn.samples == sample
        copies = [
            drawn.cases[mine & (drawn.copies["patient"] == copy)] for copy in sorted(set(drawn.copies["patient"][mine]))
        ]
        scores.append(by_loop(values, copies))
    low, high = np.percentile(np.array(scores), [2.5, 97.5], axis=0)
    for algorithm in entry["algorithms"]:
        column = int(algorithm["name"][1])
        assert algorithm["score_interval"] == pytest.approx([low[column], high[column]], abs=1e-9)


def test_clusters_widen_the_intervals_of_dependent_cases():
    generator = np.random.default_rng(2)
    patients = np.repeat([f"p{number}" for number in range(12)], 10)
    effect = np.repeat(generator.normal(0, 1, (12, 2)), 10, axis=0)
    values = (effect + generator.normal(0, 0.1, (120, 2))).round(4)
    widths = {}
    for resample in ("case", "patient"):
        entry = hierarchical(values, patients, resample=resample, levels=("case",), bootstrap=500)
        low, high = entry["algorithms"][0]["score_interval"]
        widths[resample] = high - low
    assert widths["patient"] > 2 * widths["case"]


def test_tests_compare_patients_where_patients_are_counted():
    generator = np.random.default_rng(5)
    patients = np.repeat([f"p{number}" for number in range(4)], 25)
    values = np.column_stack([generator.random(100), generator.random(100) - 0.3]).round(3)
    flat = hierarchical(values, patients, resample="case", levels=("case",), scheme="test_then_rank", bootstrap=20)
    by_patient = hierarchical(values, patients, resample="patient", scheme="test_then_rank", bootstrap=20)
    assert flat["tests"]["units"] == 100
    assert by_patient["tests"]["units"] == 4
    assert flat["p_values"][0][1] < 0.001
    assert by_patient["p_values"][0][1] == pytest.approx(0.0502, abs=1e-4)
    assert [a["rank"] for a in by_patient["algorithms"]] == [1, 1]


def test_patients_of_which_single_cases_are_drawn_are_compared_by_the_cases_drawn_of_them():
    """Cases are drawn and patients tested: what a patient's value is differs from draw to draw."""
    values = np.array([[0.9, 0.1], [0.8, 0.2]] * 6)
    entry = hierarchical(
        values, np.repeat([f"p{n}" for n in range(6)], 2), resample="case", scheme="test_then_rank", bootstrap=20
    )
    assert [algorithm["rank"] for algorithm in entry["algorithms"]] == [1, 2]
    assert [algorithm["score"] for algorithm in entry["algorithms"]] == [1, 0]


def test_one_case_or_one_algorithm_is_ranked_but_not_resampled():
    single = {"problem": "table", "metrics": [{"id": "value", "direction": "higher"}]}
    results = pd.DataFrame({"algorithm": ["a", "b"], "case": ["1", "1"], "value": [0.5, 0.6]})
    entry = rank(parse(single), results)["rankings"][0]
    assert (entry["algorithms"][0]["name"], entry["algorithms"][0]["rank_interval"], entry["resampled"]) == (
        "b",
        None,
        False,
    )
    alone = pd.DataFrame({"algorithm": ["a", "a"], "case": ["1", "2"], "value": [0.5, 0.6]})
    entry = rank(parse(single), alone)["rankings"][0]
    assert (entry["algorithms"][0]["rank"], entry["winner_stays"], entry["p_values"]) == (1, None, None)


def test_metrics_of_the_same_cases_share_their_draws():
    """A metric that repeats another one under a new name gets the very same samples."""
    generator = np.random.default_rng(8)
    rows = [
        (algorithm, f"c{case}", "r", metric, value, "ok")
        for case in range(20)
        for algorithm in "abc"
        for value in [round(float(generator.random()), 3)]
        for metric in ("dsc", "iou")
    ]
    results = pd.DataFrame(rows, columns=["algorithm", "case", "region", "metric", "value", "outcome"])
    document = {
        "problem": "semantic_segmentation",
        "regions": [{"name": "r", "labels": [1]}],
        "metrics": [{"id": "dsc"}, {"id": "iou"}],
    }
    found = rank(parse(document), results, bootstrap=100)
    first, second = (
        [[a["name"], a["rank_frequencies"], a["score_interval"]] for a in entry["algorithms"]]
        for entry in found["rankings"]
    )
    assert first == second
    overall = [a["rank_frequencies"] for a in found["overall"]["algorithms"]]
    assert overall == [row[1] for row in first]


def test_the_digest_is_the_same_in_other_processes_and_with_other_thread_pools(tmp_path):
    import os
    import subprocess
    import sys

    program = (
        "import numpy as np, pandas as pd\n"
        "from evaluation.assessment import parse\n"
        "from evaluation.ranking import rank, digest\n"
        "g = np.random.default_rng(0); v = g.random((80, 9))\n"
        "t = pd.DataFrame([(f'a{j}', f'c{i:02d}', v[i, j]) for i in range(80) for j in range(9)],"
        " columns=['algorithm', 'case', 'value'])\n"
        "a = parse({'problem': 'table', 'metrics': [{'id': 'value', 'direction': 'higher'}]})\n"
        "print(digest(rank(a, t)))\n"
    )
    found = set()
    for threads in ("1", "2"):
        environment = {**os.environ, "OPENBLAS_NUM_THREADS": threads, "PYTHONPATH": os.pathsep.join(sys.path)}
        done = subprocess.run(
            [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
        )
        found.add(done.stdout.strip())
    assert len(found) == 1
    assert len(found.pop()) == 64


def test_versions_are_told_but_do_not_enter_the_digest():
    results = pd.DataFrame({"algorithm": list("aabb"), "case": list("1212"), "value": [0.9, 0.8, 0.5, 0.6]})
    document = rank(parse({"problem": "table", "metrics": [{"id": "value", "direction": "higher"}]}), results)
    assert set(document["versions"]) >= {"podium", "numpy", "scipy", "python"}
    other = {**document, "versions": {"podium": "9"}}
    assert digest(other) == digest(document)
    assert digest({**document, "seed": 2}) != digest(document)


def test_few_clusters_are_named_as_what_they_are():
    from evaluation.claims.ranking import sentences_of

    values = np.random.default_rng(0).random((12, 2)).round(3)
    entry = hierarchical(values, PATIENTS, resample="patient", levels=("case",), bootstrap=20)
    assert entry["drawn_units"] == 3
    document = {"resampling": {"resample": ["patient"]}, "rankings": [entry]}
    assert any("Only 3 patients could be drawn" in sentence for sentence in sentences_of(entry, document))


@pytest.mark.parametrize("resample", [["patient"], ["site", "patient"], ["site"]])
def test_groups_that_are_drawn_whole_are_tested_at_once_as_in_every_sample_for_itself(resample):
    generator = np.random.default_rng(7)
    patients = np.repeat([f"p{number}" for number in range(9)], [1, 2, 3, 2, 4, 1, 2, 3, 2])
    sites = np.repeat(["s1", "s2", "s3"], [6, 7, 7])
    values = generator.random((20, 4)).round(2)
    values[3, 1] = np.nan
    names = [f"c{row:03d}" for row in range(20)]
    document = {
        "problem": "table",
        "metrics": [{"id": "value", "direction": "higher"}],
        "aggregation": {"levels": ["case", "patient"]},
        "ranking": {"scheme": "test_then_rank"},
        "uncertainty": {"resample": resample},
    }
    cases = pd.DataFrame({"case": names, "patient": patients, "site": sites})
    plan = make_plan(parse(document), names, cases, bootstrap=40, seed=1)
    mean = parse(document).aggregation.operator
    whole, counts = whole_units(values, plan.samples, plan.hierarchy, mean, higher_is_better=True)
    together = wilcoxon_matrices(whole, counts, higher_is_better=True)
    for sample, block in enumerate(unit_values(values, plan.samples, plan.hierarchy, mean, higher_is_better=True)):
        alone = wilcoxon_matrices(block, np.ones((len(block), 1)), higher_is_better=True)[0]
        assert together[sample] == pytest.approx(alone, nan_ok=True)


@pytest.mark.parametrize("resample", [["patient", "case"], ["case"]])
def test_groups_that_are_drawn_in_part_are_not_taken_for_whole(resample):
    document = {
        "problem": "table",
        "metrics": [{"id": "value", "direction": "higher"}],
        "aggregation": {"levels": ["case", "patient"]},
        "uncertainty": {"resample": resample},
    }
    cases = pd.DataFrame({"case": CASES, "patient": PATIENTS})
    plan = make_plan(parse(document), CASES, cases, bootstrap=20, seed=1)
    values = np.random.default_rng(1).random((len(CASES), 3))
    mean = parse(document).aggregation.operator
    assert whole_units(values, plan.samples, plan.hierarchy, mean, higher_is_better=True) is None
