"""Quality against cost: values on the axes, undominated algorithms, and statements about them."""

from typing import Any

import pandas as pd
import pytest

from evaluation.analyses import catalogue
from evaluation.analyses.costs import plane_of_entry, planes
from evaluation.analyses.sources import Sources
from evaluation.assessment import parse
from evaluation.assessment.costs import METRICS
from evaluation.claims.costs import FRONT, Plane
from evaluation.figures.publication import printed
from evaluation.ranking import rank

TIME = {"id": "run_wall_time", "by": "run", "worst": 60}
MEMORY = {"id": "run_peak_memory", "by": "run", "worst": 1024}
REGIONS = [{"name": "core", "labels": [2]}, {"name": "whole", "labels": [1, 2]}]
CASES = ("1", "2", "3", "4")
FIELD = {"good": (0.9, 30.0), "cheap": (0.6, 5.0), "both": (0.8, 10.0), "neither": (0.5, 40.0)}


def sources(field: dict[str, tuple[float | None, float | None]], *, costs: Any = (TIME,), **more: Any) -> Sources:
    """Return the sources of figures of a segmentation; case values are close to that of their algorithm."""
    assessment = parse(
        {
            "schema": 1,
            "problem": "semantic_segmentation",
            "regions": REGIONS,
            "metrics": [{"id": "dsc"}, *costs],
            "uncertainty": {"bootstrap": 50, "seed": 1},
            **more,
        }
    )
    rows = []
    for name, (quality, cost) in field.items():
        for number, case in enumerate(CASES):
            off = (number - 1.5) / 100
            good = None if quality is None else quality + off
            rows += [
                (name, case, region["name"], "dsc", good, "ok" if good is not None else "missing") for region in REGIONS
            ]
            spent = None if cost is None else cost + off
            outcome = "ok" if spent is not None else "missing"
            rows += [(name, case, "", use.name, spent, outcome) for use in assessment.by_run]
    results = pd.DataFrame(rows, columns=["algorithm", "case", "region", "metric", "value", "outcome"])
    results["value"] = results["value"].astype(float)
    return Sources(document=rank(assessment, results), assessment=assessment, results=results, cases=None)


def points(figure: dict[str, Any]) -> dict[str, tuple[float, float]]:
    return {trace["name"]: (trace["x"][0], trace["y"][0]) for trace in figure["data"]}


def drawn_for(made: Sources) -> dict[tuple[str, str], dict[str, Any]]:
    return {(entry["region"], cost.id): figure for entry, cost, figure in planes(made)}


def test_each_team_is_a_point_at_its_scores_with_their_units_and_ranges() -> None:
    figure = drawn_for(sources(FIELD))["whole", "run_wall_time"]

    assert points(figure) == {name: pytest.approx((cost, quality)) for name, (quality, cost) in FIELD.items()}
    assert figure["layout"]["xaxis"]["title"]["text"] == "Mean of Wall time (s), cheaper to the left"
    assert figure["layout"]["yaxis"]["title"]["text"] == "Mean of DSC whole, better on top"
    [good] = [trace for trace in figure["data"] if trace["name"] == "good"]
    assert good["error_x"]["array"][0] > 0
    assert good["error_y"]["arrayminus"][0] > 0


def test_who_is_beaten_by_nobody_is_filled_and_named() -> None:
    figure = drawn_for(sources(FIELD))["whole", "run_wall_time"]

    filled = {trace["name"] for trace in figure["data"] if not trace["marker"]["symbol"].endswith("-open")}
    assert filled == {"good", "cheap", "both"}
    assert figure["remarks"][0] == (
        "good, both and cheap are beaten by none; the other algorithm is beaten by one of these, which is at least as good by both, "
        "and better by at least one."
    )


def test_there_is_a_figure_for_each_region_and_each_cost() -> None:
    assert sorted(drawn_for(sources(FIELD, costs=(TIME, MEMORY)))) == [
        ("core", "run_peak_memory"),
        ("core", "run_wall_time"),
        ("whole", "run_peak_memory"),
        ("whole", "run_wall_time"),
    ]


@pytest.mark.parametrize("scheme", ["rank_then_aggregate", "test_then_rank"])
def test_where_ranks_of_cases_or_tests_decide_the_axes_have_means_of_the_values(scheme: str) -> None:
    figure = drawn_for(sources(FIELD, ranking={"scheme": scheme}))["whole", "run_wall_time"]

    assert points(figure) == {name: pytest.approx((cost, quality)) for name, (quality, cost) in FIELD.items()}
    assert "(s)" in figure["layout"]["xaxis"]["title"]["text"]
    assert figure["data"][0]["error_x"].get("array")


def test_other_operators_are_named_on_the_axis() -> None:
    figure = drawn_for(sources(FIELD, ranking={"scheme": "aggregate_then_rank", "operator": "median"}))[
        "whole", "run_wall_time"
    ]

    assert figure["layout"]["xaxis"]["title"]["text"].startswith("Median of Wall time (s)")


def test_a_cost_that_is_reported_without_a_rank_is_drawn_too() -> None:
    figure = drawn_for(sources(FIELD, ranking={"metrics": ["dsc"]}))["whole", "run_wall_time"]

    assert points(figure)["cheap"] == pytest.approx((5.0, 0.6))


def test_the_ranking_of_a_cost_shows_it_against_the_quality_that_is_ranked_first() -> None:
    rankings = [{"name": "quality", "metrics": ["dsc"]}, {"name": "speed", "metrics": ["Wall time", "Peak memory"]}]
    made = sources(FIELD, costs=(TIME, MEMORY), ranking=rankings)
    [by_time] = [entry for entry in made.document["rankings"] if entry["metric"] == "Wall time"]

    known = {cost.id: cost for cost in METRICS}
    drawn = plane_of_entry(made, by_time, known["run_wall_time"])
    assert drawn is not None
    assert drawn["layout"]["yaxis"]["title"]["text"] == "Mean of DSC core, better on top"
    assert plane_of_entry(made, by_time, known["run_peak_memory"]) is None, "peak memory stands with its own order"


@pytest.mark.parametrize("missing", ["worst", "worst_rank"])
def test_whoever_fails_is_never_drawn_as_cheap(missing: str) -> None:
    time = {**TIME, "policy": {"missing": missing}}
    made = sources({**FIELD, "fails": (None, None)}, costs=(time,), ranking={"scheme": "rank_then_aggregate"})

    assert points(drawn_for(made)["whole", "run_wall_time"])["fails"] == pytest.approx((60.0, 0.0))


def test_an_overall_order_has_no_such_figure_of_its_own() -> None:
    made = sources(FIELD)
    [picture] = [own for own in catalogue.PICTURES if own.cost == "run_wall_time"]
    order = {"key": "overall", "ranking": None, "metric": None, "region": None, "task": None}

    assert picture.draw(made, order, made.document["rankings"][0]) is None


def test_only_rankings_that_measure_a_cost_have_its_figure() -> None:
    def names(made: Sources) -> set[str]:
        return {picture.name for picture in catalogue.pictures_of(made.assessment) if picture.cost}

    assert names(sources(FIELD, costs=(TIME, MEMORY))) == {"quality-and-wall-time", "quality-and-peak-memory"}
    assert names(sources(FIELD, costs=(MEMORY,))) == {"quality-and-peak-memory"}
    assert not names(sources(FIELD, costs=()))
    assert not list(planes(sources(FIELD, costs=())))


def test_quality_that_is_better_when_lower_stands_on_its_head() -> None:
    better = Plane({"a": (1.0, 5.0), "b": (2.0, 6.0)}, higher=False)

    assert better.unbeaten == ["a"]


def test_many_teams_have_numbers_and_a_key() -> None:
    field = {f"team {number}": (0.5 + number / 100, float(number)) for number in range(1, 10)}
    figure = drawn_for(sources(field))["whole", "run_wall_time"]

    assert [trace["text"] for trace in figure["data"]] == [[str(number)] for number in range(1, 10)]
    assert figure["remarks"][-1].startswith("Numbers beside points: 1 team 1, 2 team 2")


def test_it_can_be_printed() -> None:
    drawn = printed(drawn_for(sources(FIELD))["whole", "run_wall_time"], description="Quality and cost.")

    assert b"<svg" in drawn.svg


@pytest.mark.parametrize(
    ("field", "says"),
    [
        ({"a": (0.9, 1.0)}, []),
        ({"a": (0.9, 1.0), "b": (0.9, 1.0)}, ["All algorithms have the same values by both."]),
        (
            {"a": (0.9, 1.0), "b": (0.9, 2.0)},
            ["a is at least as good as every other algorithm by both, and better by at least one."],
        ),
        (
            {"a": (0.9, 2.0), "b": (0.8, 1.0)},
            [
                "No algorithm is beaten by both: of two algorithms that differ, the one that is better by one is worse by the other."
            ],
        ),
        ({"a": (0.9, 2.0), "b": (None, 1.0)}, ["Without a point, since a value is missing: b."]),
    ],
)
def test_what_is_said_fits_the_field(field: dict[str, Any], says: list[str]) -> None:
    said = [
        str(sentence) for sentence in FRONT.all(Plane(field, higher=True)) if sentence.claim != "costs.as_they_stand"
    ]

    assert said == says


def test_names_stand_inside_the_picture_and_long_ones_have_numbers() -> None:
    figure = drawn_for(sources(FIELD))["whole", "run_wall_time"]
    sides = {trace["name"]: trace["textposition"].split()[1] for trace in figure["data"]}
    assert sides == {"good": "left", "cheap": "right", "both": "right", "neither": "left"}

    figure = drawn_for(sources({**FIELD, "a name of more characters than fit": (0.7, 20.0)}))["whole", "run_wall_time"]
    assert {text for trace in figure["data"] for text in trace["text"]} == {"1", "2", "3", "4", "5"}
    assert "a name of more characters than fit" in figure["remarks"][-1]
