"""The minimum number of units for a winner, known from the assessment alone and equal in the ranking document."""

import pandas as pd
import pytest

from evaluation import rank
from evaluation.assessment import parse
from evaluation.claims.beforehand import limits, too_few
from evaluation.ranking.uncertainty.needed import units_needed

REGIONS = [{"name": "a", "labels": [1]}, {"name": "b", "labels": [2]}]
METRICS = [{"id": "dsc"}, {"id": "nsd", "options": {"tolerance": 1.0}}]
BOTH = {"over": ["metric", "region"], "operator": "mean", "rerank": True}
LEVELS = ["case", {"name": "patient", "role": "random"}]


def assessment(**changes) -> dict:
    return {
        "problem": "semantic_segmentation",
        "regions": REGIONS[:1],
        "metrics": METRICS[:1],
        "ranking": {"scheme": "aggregate_then_rank"},
        "uncertainty": {"bootstrap": 200},
    } | changes


def results(document: dict, algorithms: int) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {
                "algorithm": f"team-{team}",
                "case": f"case-{case:02d}",
                "region": region["name"],
                "metric": metric["id"],
                "value": 0.9 - 0.05 * team + 0.001 * ((case * 7 + team * 3) % 5),
                "outcome": "ok",
                "image_diagonal": 50.0,
            }
            for team in range(algorithms)
            for case in range(24)
            for region in document["regions"]
            for metric in document["metrics"]
        ]
    )


FORMS = {
    "a mean": {},
    "ninety percent": {"uncertainty": {"bootstrap": 200, "interval": 0.9}},
    "a strict winner": {"uncertainty": {"bootstrap": 200, "winner_alpha": 0.001}},
    "a median": {"ranking": {"scheme": "aggregate_then_rank", "operator": "median"}},
    "a percentile": {"ranking": {"scheme": "aggregate_then_rank", "operator": {"percentile": 5}}},
    "ranks of cases": {"ranking": {"scheme": "rank_then_aggregate"}},
    "tests": {"ranking": {"scheme": "test_then_rank", "alpha": 0.05}},
    "two metrics": {"metrics": METRICS, "ranking": {"scheme": "aggregate_then_rank", "combine": BOTH}},
    "one metric combined with itself": {"ranking": {"scheme": "aggregate_then_rank", "combine": BOTH}},
    "patients": {"aggregation": {"levels": LEVELS}},
    "medians of patients": {"aggregation": {"levels": LEVELS, "operator": "median"}},
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("algorithms", [2, 3, 4])
def test_assessment_and_ranking_document_say_the_same_number(form, algorithms):
    document = assessment(**FORMS[form])
    cases = pd.DataFrame({"case": [f"case-{n:02d}" for n in range(24)], "patient": [f"p{n // 2}" for n in range(24)]})
    ranked = rank(document, results(document, algorithms), cases=cases)
    entry = ranked["overall"] or ranked["rankings"][0]
    (needed,) = units_needed(parse(document), algorithms=algorithms)
    assert {"winner": needed.winner, "sets": needed.sets} == entry["sets"]["units_needed"]
    assert needed.unit == ranked["resampling"]["unit"]


@pytest.mark.parametrize("operator", ["min", "max", {"percentile": 0}, {"percentile": 100}], ids=str)
@pytest.mark.parametrize("scheme", ["aggregate_then_rank", "rank_then_aggregate"])
def test_no_number_of_cases_makes_an_extreme_sure(scheme, operator):
    (needed,) = units_needed(parse(assessment(ranking={"scheme": scheme, "operator": operator})))
    assert (needed.winner, needed.sets) == (None, None)


def test_extremes_never_name_a_winner_and_that_is_said():
    document = parse(assessment(ranking={"scheme": "aggregate_then_rank", "operator": "min"}))
    assert limits(document) == ["No winner can be named, however many cases there are."]
    by_ranks = {"scheme": "rank_then_aggregate", "operator": "median"}
    assert limits(parse(assessment(ranking=by_ranks, uncertainty={"bootstrap": 20}))) == [
        "No winner can be named: that takes 200 resamples or more."
    ]
    assert limits(parse(assessment(uncertainty={"bootstrap": 0}))) == [
        "No winner can be named, because the ranking is not resampled."
    ]


def test_a_condition_that_holds_for_several_rankings_is_said_once():
    schemes = (
        {"scheme": "aggregate_then_rank", "operator": "mean"},
        {"scheme": "aggregate_then_rank", "operator": "min"},
    )
    two = [{"name": name, **schemes[0]} for name in ("outlines", "trust")]
    end = "with fewer than 6 cases; in practice it takes more, the closer the results are."
    assert limits(parse(assessment(ranking=two))) == [f"No winner can be named by either ranking {end}"]
    three = [*two, {"name": "both", **schemes[0]}]
    assert limits(parse(assessment(ranking=three))) == [f"No winner can be named by any of the 3 rankings {end}"]
    mixed = [*two, {"name": "worst", **schemes[1]}]
    assert limits(parse(assessment(ranking=mixed))) == [
        f"No winner can be named by the rankings “outlines” or “trust” {end}",
        "No winner can be named by the ranking “worst”, however many cases there are.",
    ]


def test_at_99_percent_two_algorithms_need_fewer_cases_than_three():
    document = parse(assessment(uncertainty={"interval": 0.99}))
    assert units_needed(document)[0].winner == 9
    assert units_needed(document, algorithms=2)[0].winner == 8
    assert limits(document) == [
        "No winner can be named with fewer than 9 cases (8 for two teams); in practice it takes more, the closer the results are."
    ]
    assert too_few(document, 7) == [
        "With 7 test cases no winner can be named, whatever the results are; two teams need 8 cases, more teams 9."
    ]
    assert too_few(document, 8) == [
        "With 8 test cases a winner can be named between two teams at most; three or more need 9 cases."
    ]
    assert too_few(document, 9) == []


def test_a_limit_names_the_rankings_that_it_holds_for():
    named = [
        {"name": "mean", "scheme": "aggregate_then_rank", "operator": "mean"},
        {"name": "median", "scheme": "aggregate_then_rank", "operator": "median"},
    ]
    document = parse(assessment(ranking=named))
    assert too_few(document, 6) == [
        "With 6 test cases no winner can be named by the ranking “median”, whatever the results are; 7 cases are the least."
    ]


def test_one_region_is_a_mean_of_cases_and_several_that_are_combined_are_not():
    def winner(**scheme: object) -> int | None:
        ranking = {"scheme": "aggregate_then_rank", "combine": BOTH, **scheme}
        return units_needed(parse(assessment(regions=REGIONS, ranking=ranking)))[0].winner

    # The order of one mean turns with signs, 6 cases are enough; ranks in two regions are drawn, which takes 7.
    assert winner(regions=["a"]) == 6
    assert winner(regions=["a", "b"]) == 7
    assert winner() == 7
