"""Samples of a task, and the cases, units, levels and exclusions of a table with its ranks."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from evaluation.aggregation import ResultsError, build_tables, check_results
from evaluation.assessment import parse
from evaluation.ranking.evaluate import FEW_IN_STRATUM, cases_of_data_set, evaluate, make_plan, unit_level
from evaluation.ranking.plans import Evaluated
from evaluation.ranking.schemes import Ranked

CASES = list("123456")
SITES = pd.DataFrame(
    {
        "case": CASES,
        "patient": ["p", "p", "q", "r", "r", "r"],
        "site": ["x", "x", "x", "y", "y", "y"],
        "year": [2020, 2020, 2021, 2020, 2021, 2021],
    }
)
RANDOM_PATIENT = {"name": "patient", "role": "random"}
FIXED_SITE = {"name": "site", "role": "fixed"}


def assessment(levels=("case",), combine=None, **uncertainty):
    return parse(
        {
            "problem": "table",
            "metrics": [{"id": "value", "direction": "higher"}],
            "aggregation": {"levels": list(levels)},
            "ranking": {"combine": combine},
            "uncertainty": uncertainty,
        }
    )


def plan(read=None, cases=CASES, metadata=SITES, *, bootstrap=5, **more):
    return make_plan(read or assessment(), cases, metadata, bootstrap=bootstrap, seed=3, **more)


def test_samples_are_the_full_data_the_bootstrap_and_each_case_left_out():
    its_plan = plan()
    assert (its_plan.bootstrap, its_plan.left_out, its_plan.number, its_plan.requested, its_plan.seed) == (
        5,
        6,
        12,
        5,
        3,
    )
    counts = its_plan.samples.counts
    assert counts.shape == (6, 12)
    assert counts[:, 0].tolist() == [1.0] * 6
    assert counts[:, 1:6].sum(axis=0).tolist() == [6.0] * 5
    assert counts[:, 6:].tolist() == (1.0 - np.eye(6)).tolist()
    assert its_plan.full.counts.tolist() == [[1.0]] * 6
    assert its_plan.samples.number == 12


def test_nothing_is_left_out_where_that_is_not_asked_for_and_nothing_drawn_of_one_case():
    assert (plan(leave_one_out=False).number, plan(leave_one_out=False).left_out) == (6, 0)
    assert (plan(bootstrap=0).number, plan(bootstrap=0).bootstrap) == (7, 0)
    one = plan(cases=["1"])
    assert (one.number, one.bootstrap, one.left_out, one.requested) == (1, 0, 0, 5)
    assert plan(cases=["1", "2"]).number == 8


def test_flips_are_of_the_units_and_the_requested_number():
    patients = plan(assessment(["case", "patient"]))
    assert patients.signs.shape == (8, 3)
    many = [f"c{number:02d}" for number in range(11)]
    assert plan(cases=many, metadata=None, bootstrap=1200).signs.shape == (1200, 11)
    other = make_plan(assessment(), many, None, bootstrap=1200, seed=4)
    assert (other.signs != plan(cases=many, metadata=None, bootstrap=1200).signs).any()


def test_which_cases_a_sample_lacks_is_told_by_their_unit():
    patients = plan(assessment(["case", "patient"]))
    assert patients.left_out == 3
    assert [patients.left_out_cases(sample) for sample in range(3)] == [["1", "2"], ["3"], ["4", "5", "6"]]
    assert patients.samples.counts[:, 6:].T.tolist() == [
        [0, 0, 1, 1, 1, 1],
        [1, 1, 0, 1, 1, 1],
        [1, 1, 1, 0, 0, 0],
    ]


# Some of the cases


INSIDE = np.array([False, True, True, False, True, False])


def test_some_cases_are_numbered_anew_with_their_groups():
    its_plan = plan(assessment(["case", "patient"]))
    some = its_plan.full_of(INSIDE)
    assert some.counts.tolist() == [[1.0]] * 3
    assert sorted(some.drawn.cases.tolist()) == [0, 1, 2]
    assert set(some.drawn.samples.tolist()) == {0}
    assert all(len(copy) == 3 for copy in some.drawn.copies.values())
    assert its_plan.full_of(None) is its_plan.full
    groups = its_plan.hierarchy.groups["patient"]
    assert its_plan.hierarchy_of(INSIDE).groups["patient"].tolist() == groups[INSIDE].tolist()
    assert its_plan.hierarchy_of(None) is its_plan.hierarchy
    assert plan().hierarchy_of(INSIDE) is None


# Levels


def test_a_group_of_an_inner_level_lies_within_one_of_each_outer_one():
    """Patient p of two sites would be two patients."""
    metadata = SITES.assign(site=["x", "y", "x", "y", "y", "y"])
    its_plan = plan(assessment(["case", "patient", "site"], resample=["site", "patient"]), metadata=metadata)
    assert its_plan.hierarchy.levels == ("patient", "site")
    assert its_plan.hierarchy.groups["site"].tolist() == [0, 1, 0, 1, 1, 1]
    # In order of site and patient: x p, x q, y p, y r.
    assert its_plan.hierarchy.groups["patient"].tolist() == [0, 2, 1, 3, 3, 3]


@pytest.mark.parametrize(
    ("levels", "resample", "copied"),
    [
        (["case", "patient"], None, {"patient": "patient"}),
        (["case", "patient", {"name": "site", "role": "random"}], None, {"patient": "patient", "site": "site"}),
        (["case", "patient"], ["site", "case"], {"patient": "site"}),
        (["case", "patient"], ["case"], {"patient": None}),
        (["case", "patient", "site"], ["site", "case"], {"patient": "site", "site": "site"}),
        (["case", "site"], ["site", "patient", "case"], {"site": "site"}),
        (["case", "patient"], ["year", "site", "case"], {"patient": "site"}),
    ],
)
def test_a_group_is_copied_with_the_innermost_that_is_drawn_around_it(levels, resample, copied):
    read = assessment(levels, **({} if resample is None else {"resample": resample}))
    assert plan(read).hierarchy.copied_by == copied


@pytest.mark.parametrize(
    ("levels", "resample", "unit"),
    [
        (["case"], None, "case"),
        (["case", "patient"], None, "patient"),
        (["case", "patient", FIXED_SITE], None, "patient"),
        (["case", FIXED_SITE], None, "case"),
        (["case", "patient"], ["site", "case"], "site"),
        (["case", "patient"], ["case"], "patient"),
    ],
)
def test_what_is_a_sample_is_the_outermost_random_level_or_what_is_drawn_outermost(levels, resample, unit):
    assert unit_level(assessment(levels, **({} if resample is None else {"resample": resample}))) == unit


def test_units_lie_in_one_stratum_and_those_in_two_are_named():
    its_plan = plan(assessment(["case", "patient", FIXED_SITE]))
    assert its_plan.units.unit_of_case.tolist() == [0, 0, 1, 2, 2, 2]
    assert its_plan.units.stratum_of_unit.tolist() == [0, 0, 1]
    split = SITES.assign(site=["x", "y", "x", "y", "y", "y"])
    with pytest.raises(ResultsError, match="patient 'p' occurs in x and y of site: a patient that is"):
        plan(assessment(["case", "patient", FIXED_SITE]), metadata=split)
    assert plan(assessment(["case", FIXED_SITE]), metadata=split).units.number == 6, "cases cannot lie in two"
    three = SITES.assign(patient=["p", "p", "p", "r", "r", "r"], site=["z", "y", "x", "x", "x", "x"])
    with pytest.raises(ResultsError, match="patient 'p' occurs in x and y of site: "):
        plan(assessment(["case", "patient", FIXED_SITE]), metadata=three)


def test_columns_are_those_that_are_named_and_none_where_no_case_is_known():
    combined = plan(assessment(combine={"over": ["year"]}))
    assert list(combined.columns) == ["year"]
    assert list(plan(assessment(["case", "patient"], strata=["site"])).columns) == ["patient", "site"]
    assert list(plan().columns) == []
    nobody = make_plan(assessment(combine={"over": ["year"]}), (), None, bootstrap=0, seed=1)
    assert (nobody.cases, len(nobody.columns["year"]), nobody.number) == ((), 0, 1)


# Warnings


def codes(own):
    return [dict(warning) for warning in own.warnings]


PATIENTS, SITES_OF_UNITS = (
    {"code": "possible_clusters", "column": "patient", "clusters": 3, "cases": 6},
    {"code": "possible_clusters", "column": "site", "clusters": 2, "cases": 6},
)


def test_columns_that_may_be_clusters_are_named():
    assert codes(plan()) == [PATIENTS, SITES_OF_UNITS]
    assert codes(plan(metadata=SITES.assign(patient=CASES).drop(columns="site"))) == [], "each case is a patient"
    assert codes(plan(metadata=SITES[["case", "year"]])) == []
    assert codes(plan(metadata=None)) == []
    assert codes(plan(metadata=SITES.drop(columns="case"))) == [], "rows that nobody can tell"
    assert codes(plan(cases=[])) == []


@pytest.mark.parametrize(
    "name", ["Patient", "PATIENT_ID", "patient-id", "patient id", "PatientID", "patientId", "subject", "participant_id"]
)
def test_the_name_of_a_column_of_clusters_may_be_spelled_in_any_way(name):
    metadata = SITES.rename(columns={"patient": name}).drop(columns="site")
    assert codes(plan(metadata=metadata)) == [{**PATIENTS, "column": name}]


@pytest.mark.parametrize("name", ["Site", "site_id", "Centre", "center", "HospitalID", "institution", "clinic"])
def test_places_are_clusters_of_units_too(name):
    metadata = SITES.rename(columns={"site": name}).drop(columns="patient")
    assert codes(plan(metadata=metadata)) == [{**SITES_OF_UNITS, "column": name}]


@pytest.mark.parametrize("name", ["year", "id", "patient_age", "outpatient", "visit", "sites"])
def test_other_columns_with_repeated_values_are_no_clusters(name):
    metadata = SITES.rename(columns={"patient": name})[["case", name]]
    assert codes(plan(metadata=metadata)) == []


def test_a_column_is_declared_by_a_level_a_resample_a_stratum_a_combination_or_as_irrelevant():
    patients_of_sites = assessment(["case", "patient"])
    assert codes(plan(patients_of_sites)) == [SITES_OF_UNITS], "patients are units, and sites gather them"
    assert codes(plan(assessment(["case", "patient", {"name": "site", "role": "random"}]))) == []
    assert codes(plan(assessment(resample=["patient", "case"]))) == [SITES_OF_UNITS]
    assert codes(plan(assessment(resample=["site", "patient", "case"]))) == []
    assert SITES_OF_UNITS not in codes(plan(assessment(strata=["site"])))
    assert PATIENTS in codes(plan(assessment(strata=["site"])))
    assert SITES_OF_UNITS not in codes(plan(assessment(combine={"over": ["site"]})))
    assert codes(plan(assessment(independent_of=["site"]))) == [PATIENTS]
    assert codes(plan(assessment(independent_of=["patient", "site"]))) == []


def test_a_column_that_divides_units_is_no_cluster_of_them():
    """Patient p was at two sites: sites do not gather patients."""
    divided = SITES.assign(site=["x", "y", "x", "y", "y", "y"])
    assert codes(plan(assessment(["case", "patient"]), metadata=divided)) == []


def test_one_place_for_all_is_no_cluster_but_one_person_is():
    assert codes(plan(metadata=SITES.assign(site="x").drop(columns="patient"))) == []
    one = {"code": "possible_clusters", "column": "patient", "clusters": 1, "cases": 6}
    assert codes(plan(metadata=SITES.assign(patient="p").drop(columns="site"))) == [one]


def test_only_rows_of_the_cases_at_hand_are_looked_at():
    some = plan(cases=["3", "4"])
    assert codes(some) == []
    assert codes(plan(cases=["4", "5"])) == [
        {"code": "possible_clusters", "column": "patient", "clusters": 1, "cases": 2}
    ]
    assert codes(plan(cases=["2", "3", "4", "5"])) == [
        {"code": "possible_clusters", "column": "patient", "clusters": 3, "cases": 4},
        {"code": "possible_clusters", "column": "site", "clusters": 2, "cases": 4},
    ]


def test_strata_of_fewer_than_ten_units_are_named_where_there_are_several():
    assert FEW_IN_STRATUM == 10
    cases = [f"c{number:02d}" for number in range(19)]
    metadata = pd.DataFrame({"case": cases, "site": ["x"] * 10 + ["y"] * 9})
    its_plan = plan(assessment(["case", FIXED_SITE]), cases=cases, metadata=metadata)
    assert codes(its_plan) == [{"code": "stratum_few", "stratum": "y", "units": 9}]
    one = metadata.assign(site="x")
    assert codes(plan(assessment(["case", FIXED_SITE]), cases=cases[:5], metadata=one)) == []


# A table with its ranks


def evaluated(read=None, values=((0.9, 0.2), (0.5, 0.4), (0.7, 0.6)), **more):
    read = read or assessment()
    cases = list("123")
    rows = [
        (name, case, row[position])
        for case, row in zip(cases, values, strict=True)
        for position, name in enumerate("ab")
    ]
    results = check_results(pd.DataFrame(rows, columns=["algorithm", "case", "value"]))
    own = make_plan(read, cases, None, bootstrap=4, seed=1, **more)
    (table,) = build_tables(read, results)
    return evaluate(table, own, read.rankings[0], read)


def test_the_spread_of_draws_is_around_the_median_of_all_algorithms():
    item = evaluated()
    deviations = item.ranked.scores[1:5] - item.ranked.scores[0]
    middle = (deviations[:, 0] + deviations[:, 1]) / 2
    expected = [np.mean((deviations[:, j] - middle) ** 2) for j in range(2)]
    assert item.spread_of_draws == pytest.approx(expected)
    assert expected[0] > 0


def test_a_table_counts_its_cases_or_those_of_its_plan_or_of_its_data_set():
    item = evaluated()
    assert item.cases == 3
    whole = replace(item, table=SimpleNamespace(per_dataset=True, cases=("",)))
    assert whole.cases == 3
    some = replace(item, inside=np.array([True, False, True]))
    assert (some.cases, some.units.number, item.units.number) == (2, 2, 3)
    assert item.units is item.plan.units


def test_a_table_is_resampled_that_has_draws():
    item = evaluated()
    assert item.resampled
    once = replace(item, plan=replace(item.plan, bootstrap=1))
    two_rows = replace(once, ranked=Ranked(item.ranked.scores[:2], item.ranked.ranks[:2], True))
    assert two_rows.resampled
    without = replace(item, plan=replace(item.plan, bootstrap=0))
    assert not without.resampled
    one_row = replace(item, ranked=Ranked(item.ranked.scores[:1], item.ranked.ranks[:1], True))
    assert not one_row.resampled


def test_a_table_may_tell_nothing_of_where_its_uncertainty_is_from():
    item = Evaluated(None, None, None, (0,))
    assert (item.tells_missing, item.inside, item.drawn_by) == (True, None, "")


def test_cases_of_a_data_set_are_those_of_its_column(monkeypatch):
    table = SimpleNamespace(per_dataset=True, region="in")
    cohorts = SimpleNamespace(columns={"cohort": np.array(["in", "out", "in"], dtype=object)})
    by_cohort = SimpleNamespace(data_set_columns=lambda _: ("cohort",))
    apart = SimpleNamespace(settings={})
    monkeypatch.setattr("evaluation.ranking.evaluate.kind_of", lambda _: SimpleNamespace(evidence=by_cohort))
    assert cases_of_data_set(table, cohorts, apart).tolist() == [True, False, True]
    table.region = "elsewhere"
    assert cases_of_data_set(table, cohorts, apart) is None
    table.region = None
    assert cases_of_data_set(table, cohorts, apart) is None
    table.region, table.per_dataset = "in", False
    assert cases_of_data_set(table, cohorts, apart) is None
    table.per_dataset, by_cohort.data_set_columns = True, lambda _: ()
    assert cases_of_data_set(table, cohorts, apart) is None
