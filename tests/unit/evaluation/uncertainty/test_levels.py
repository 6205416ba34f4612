"""Levels are fixed or random: what is drawn, what is refused, what is warned about, and how tests are stratified."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

from evaluation import rank
from evaluation.assessment import AssessmentError, parse, undeclared_level
from evaluation.claims.certainty import headline
from evaluation.ranking import ResultsError
from evaluation.ranking.significance import stratified_matrix
from tests.unit.evaluation.uncertainty.boards import ranked

FIXED = {"name": "modality", "role": "fixed"}


def table_document(levels, **uncertainty):
    return {
        "problem": "table",
        "metrics": [{"id": "value", "direction": "higher", "policy": {"missing": 0}}],
        "aggregation": {"levels": levels},
        "uncertainty": uncertainty,
    }


def cases_of(sizes, **columns):
    modality = [name for name, size in sizes.items() for _ in range(size)]
    return pd.DataFrame({"case": [f"c{index:03d}" for index in range(len(modality))], "modality": modality, **columns})


@pytest.mark.parametrize(
    ("levels", "uncertainty", "resample", "strata"),
    [
        (["case"], {}, ("case",), ()),
        (["case", "patient"], {}, ("patient",), ()),
        (["case", FIXED], {}, ("case",), ("modality",)),
        (["case", "patient", FIXED], {}, ("patient",), ("modality",)),
        (["case", "patient", {"name": "site", "role": "random"}], {}, ("site", "patient"), ()),
        (["case", "modality"], {"resample": "case"}, ("case",), ("modality",)),
        (["case", "modality"], {"strata": ["modality"]}, ("case",), ("modality",)),
        (["case", "modality"], {"resample": ["modality", "case"]}, ("modality", "case"), ()),
    ],
)
def test_roles_decide_what_is_drawn(levels, uncertainty, resample, strata):
    assessment = parse(table_document(levels, **uncertainty))
    assert (assessment.uncertainty.resample, assessment.uncertainty.strata) == (resample, strata)
    assert parse(assessment.document) == assessment
    assert undeclared_level(assessment.aggregation) is None


@pytest.mark.parametrize(
    ("levels", "uncertainty", "words"),
    [
        (["case", FIXED], {"resample": ["modality", "case"]}, "aggregation.levels[1]"),
        (["case", {"name": "site", "role": "random"}], {"strata": ["site"]}, "aggregation.levels[1]"),
        (["case", FIXED, {"name": "site", "role": "random"}], {}, '"fixed" must be outermost: modality is fixed'),
        ([{"name": "case", "role": "fixed"}], {}, "test cases are a sample"),
        (["case", {"name": "site", "role": "both"}], {}, "aggregation.levels[1].role"),
        (["case"], {"winner_alpha": 0.1}, "uncertainty.winner_alpha"),
        (["case"], {"margin": -1}, "uncertainty.margin.value"),
        (["case"], {"margin": {"dsc": 1}}, "uncertainty.margin.dsc"),
        (["case"], {"unseen_failures": "some"}, "uncertainty.unseen_failures"),
    ],
)
def test_contradictions_are_refused_by_place(levels, uncertainty, words):
    with pytest.raises(AssessmentError) as refusal:
        parse(table_document(levels, **uncertainty))
    assert words in str(refusal.value)


def test_margin_in_ranks_is_refused():
    document = {
        "problem": "semantic_segmentation",
        "regions": [{"name": "all", "labels": [1]}],
        "metrics": [{"id": "dsc"}, {"id": "iou"}],
        "uncertainty": {"margin": 0.01},
    }
    with pytest.raises(AssessmentError, match="a margin in ranks has no meaning; give one per metric"):
        parse(document)
    assert parse({**document, "uncertainty": {"margin": {"dsc": 0.01}}}).uncertainty.margin == {"dsc": 0.01}
    with pytest.raises(AssessmentError, match="not means of values"):
        parse({**document, "ranking": {"operator": "median"}, "uncertainty": {"margin": {"dsc": 0.01}}})


def test_level_without_a_role_is_read_as_before_with_a_warning():
    generator = np.random.default_rng(1)
    document = table_document(["case", "modality"])
    assessment = parse(document)
    assert assessment.uncertainty.resample == ("modality",)
    assert '"modality": say whether it is "fixed"' in undeclared_level(assessment.aggregation)
    entry, _ = ranked(
        generator.random((12, 3)),
        ["A", "B", "C"],
        cases=cases_of({"x": 6, "y": 6}),
        aggregation=document["aggregation"],
    )
    assert {"code": "level_undeclared", "level": "modality"} in entry["warnings"]


def test_patient_in_two_strata_is_refused_by_name():
    cases = cases_of({"x": 6, "y": 6}, patient=["p1"] * 2 + ["p2"] * 4 + ["p1"] * 2 + ["p3"] * 4)
    with pytest.raises(ResultsError, match="patient 'p1' occurs in x and y of modality"):
        ranked(
            np.random.default_rng(1).random((12, 2)),
            ["A", "B"],
            cases=cases,
            aggregation={"levels": ["case", "patient", FIXED]},
        )


@pytest.mark.parametrize(
    ("smallest", "reason", "warned"),
    [(1, "stratum_too_small", True), (4, "stratum_too_small", True), (5, None, True), (10, None, False)],
)
def test_small_strata_are_warned_about_and_very_small_ones_allow_no_statement(smallest, reason, warned):
    generator = np.random.default_rng(2)
    values = generator.normal([0.8, 0.7, 0.6], 0.01, (20 + smallest, 3))
    cases = cases_of({"x": 20, "y": smallest})
    entry, document = ranked(values, ["A", "B", "C"], cases=cases, aggregation={"levels": ["case", FIXED]})
    assert entry["sets"]["reason"] == reason
    assert ({"code": "stratum_few", "stratum": "y", "units": smallest} in entry["warnings"]) == warned
    assert entry["winner"]["named"] == (reason is None)
    if reason:
        assert all(row["rank_set"] == [1, 3] for row in entry["algorithms"])
        noun = "case" if smallest == 1 else "cases"
        assert headline(entry, document) == (
            f"A ranks first, but y has only {smallest} {noun}: too few to say whether that is more than chance."
        )


def test_four_modalities_of_which_one_has_one_image_name_nobody():
    generator = np.random.default_rng(3)
    values = generator.normal([0.8, 0.7, 0.6], 0.01, (22, 3))
    cases = cases_of({"bright": 1, "fluorescence": 17, "pink": 2, "purple": 2})
    entry, _ = ranked(
        values,
        ["A", "B", "C"],
        cases=cases,
        aggregation={"levels": ["case", "modality"]},
        uncertainty={"resample": "case"},
    )
    assert entry["winner"]["reason"] == "stratum_too_small"
    assert entry["tests"]["units"] == 22
    assert entry["tests"]["stratified"] is True


def test_every_draw_holds_every_stratum():
    """Else half of the resamples would average over other modalities than the ranking."""
    values = np.array([[0.9, 0.8]] * 5 + [[0.1, 0.4]] * 5)
    entry, _ = ranked(values, ["A", "B"], cases=cases_of({"x": 5, "y": 5}), aggregation={"levels": ["case", FIXED]})
    for row in entry["algorithms"]:
        assert row["score_interval"] == [row["score"], row["score"]]


def test_columns_that_may_be_clusters_are_warned_about():
    cases = cases_of({"x": 12}, patient=[f"p{index // 3}" for index in range(12)])
    entry, _ = ranked(np.random.default_rng(4).random((12, 2)), ["A", "B"], cases=cases)
    assert {"code": "possible_clusters", "column": "patient", "clusters": 4, "cases": 12} in entry["warnings"]
    entry, _ = ranked(
        np.random.default_rng(4).random((12, 2)), ["A", "B"], cases=cases, aggregation={"levels": ["case", "patient"]}
    )
    assert not entry["warnings"]
    assert entry["sets"]["units"] == 4


def test_stratified_signed_rank_test_agrees_with_its_definition():
    generator = np.random.default_rng(5)
    values = generator.normal(0, 1, (15, 2)).round(2)
    strata = np.array([0] * 9 + [1] * 6)
    statistic, mean, variance, corrections = 0.0, 0.0, 0.0, []
    for stratum in (0, 1):
        difference = (values[:, 0] - values[:, 1])[strata == stratum]
        difference = difference[difference != 0]
        n = len(difference)
        ranks = np.argsort(np.argsort(np.abs(difference))) + 1.0
        statistic += ranks[difference > 0].sum() / (n + 1)
        mean += n / 4
        variance += n * (2 * n + 1) / 24 / (n + 1)
        corrections.append(0.5 / (n + 1))
    expected = norm.sf((statistic - mean - min(corrections)) / np.sqrt(variance))
    assert stratified_matrix(values, strata, higher_is_better=True)[0, 1] == pytest.approx(expected, abs=1e-12)


def test_failed_cases_are_counted_and_bounded_and_one_more_is_tried():
    rows = [(name, f"c{i:02d}", 0.9 - gap) for name, gap in (("A", 0.0), ("B", 0.01)) for i in range(20)]
    table = pd.DataFrame(rows, columns=["algorithm", "case", "value"])
    table = table[~((table["algorithm"] == "B") & (table["case"] == "c03"))]
    document = rank(table_document(["case"]), table)
    first, second = document["rankings"][0]["algorithms"]
    assert first["failure"]["failed"] == 0
    assert second["failure"] == {"failed": 1, "of": 20, "upper": pytest.approx(0.2161, abs=1e-4)}
    assert (first["rank_if_one_more_failed"], second["rank_if_one_more_failed"]) == (1, 2)


def test_ranking_by_tests_compares_cases_and_not_the_means_of_fixed_levels():
    generator = np.random.default_rng(7)
    values = generator.normal([0.8, 0.7, 0.6], 0.01, (20, 3))
    entry, _ = ranked(
        values,
        ["A", "B", "C"],
        cases=cases_of({"x": 10, "y": 10}),
        aggregation={"levels": ["case", FIXED]},
        ranking={"scheme": "test_then_rank", "adjust": "holm"},
    )
    assert [row["score"] for row in entry["algorithms"]] == [1, 0.5, 0]
    assert entry["winner"]["algorithm"] == "A"
