"""Run costs in an assessment: permitted declarations, errors, and metrics excluded from scoring here."""

from typing import Any

import pandas as pd
import pytest

from evaluation import problems
from evaluation.assessment import AssessmentError, parse
from evaluation.assessment.scorers import left_out_words
from evaluation.claims.costs import measured
from evaluation.federation import FederationError
from evaluation.federation.scheme import site_schemes
from evaluation.ranking import describe, rank

TIME = {"id": "run_wall_time", "by": "run", "worst": 60}
MEMORY = {"id": "run_peak_memory", "by": "run", "worst": 1024}
REGIONS = [{"name": "core", "labels": [2]}, {"name": "whole", "labels": [1, 2]}]


def document(*metrics: dict[str, Any], **more: Any) -> dict[str, Any]:
    own = {"schema": 1, "problem": "semantic_segmentation", "regions": REGIONS, "metrics": list(metrics)}
    return own | more


def results(assessment: Any, **costs: dict[str, float | None]) -> pd.DataFrame:
    """Three cases: equal quality for all, and of each algorithm one cost for every case by the metric's name."""
    rows = []
    for algorithm, own in costs.items():
        for case in ("1", "2", "3"):
            rows += [(algorithm, case, region["name"], "dsc", 0.8, "ok") for region in REGIONS]
            rows += [
                (algorithm, case, "", name, value, "ok" if value is not None else "missing")
                for name, value in own.items()
            ]
    return pd.DataFrame(rows, columns=["algorithm", "case", "region", "metric", "value", "outcome"])


def test_a_declared_cost_is_complete_and_the_same_after_parsing_again() -> None:
    assessment = parse(document({"id": "dsc"}, TIME, {**MEMORY, "label": "RAM", "step": 64}))

    assert parse(assessment.document) == assessment
    assert [use.name for use in assessment.computed] == ["dsc"]
    time, memory = assessment.by_run
    assert (time.name, time.unit, time.direction, time.best, time.worst) == ("Wall time", "s", "lower", 0, 60)
    assert (memory.name, memory.unit, memory.options["step"], memory.policy.missing) == ("RAM", "MiB", 64, "worst")


@pytest.mark.parametrize(
    ("written", "says"),
    [
        (document({"id": "dsc"}, {**TIME, "id": "run_speed"}), "run_wall_time"),
        (document({"id": "dsc"}, {"id": "run_wall_time", "by": "run"}), "the registered limit"),
        (document({"id": "dsc"}, {**TIME, "worst": 0}), "the registered limit"),
        (document({"id": "dsc"}, {**TIME, "step": 60}), "from 0 to below 60"),
        (document({"id": "dsc"}, {**TIME, "policy": {"missing": 59}}), "cheaper than a slow one"),
        (document({"id": "dsc"}, {**TIME, "policy": {"missing": "perfect"}}), "cheaper than a slow one"),
        (document({"id": "dsc"}, {**TIME, "policy": {"missing": "exclude", "allow_gaming": True}}), "allow_gaming"),
        (document({"id": "dsc"}, {**TIME, "policy": {"missing": "exclude"}}), "cheaper than a slow one"),
        (document({"id": "dsc"}, {**TIME, "policy": {"pred_empty": 0}}), "pred_empty"),
        (document({"id": "dsc"}, {**TIME, "policy": {"missing": "worst_rank"}}), "cheaper than a slow one"),
        (document({"id": "dsc"}, TIME, {**TIME, "label": "again"}), "stand there once"),
        (document(TIME, MEMORY), "also a metric of the output"),
        (document({"id": "dsc"}, TIME, interaction_weights={"fully_automatic": 1}), "interaction_weights"),
        (
            document(
                {"id": "dsc"},
                TIME,
                ranking={"combine": {"over": ["region"], "weights": {"region": {"core": 1, "whole": 2}}}},
            ),
            "has one value over all",
        ),
        (document({"id": "dsc"}, TIME, ranking={"combine": {"over": ["metric"]}}), "and would be ranked alone"),
    ],
)
def test_what_would_make_a_cost_mean_something_else_is_refused(written: dict[str, Any], says: str) -> None:
    with pytest.raises(AssessmentError, match=says):
        parse(written)


@pytest.mark.parametrize("kind", problems.all_problems(), ids=lambda kind: kind.id)
def test_only_kinds_of_problem_whose_algorithms_are_run_take_costs(kind: Any, tmp_path: Any) -> None:
    written = kind.samples.write_challenge(tmp_path)
    costly = {**written, "metrics": [*written["metrics"], TIME]}

    if kind.takes_algorithms:
        assert [use.name for use in parse(costly).by_run] == ["Wall time"]
    else:
        with pytest.raises(AssessmentError, match=f"no algorithm is run for {kind.title}"):
            parse(costly)


def test_an_own_ranking_may_be_of_costs_alone() -> None:
    rankings = [
        {"name": "quality", "metrics": ["dsc"], "combine": {"over": ["region"]}},
        {"name": "cost", "metrics": ["Wall time"]},
    ]
    assessment = parse(document({"id": "dsc"}, TIME, ranking=rankings, uncertainty={"bootstrap": 50}))

    made = rank(assessment, results(assessment, quick={"Wall time": 3.0}, slow={"Wall time": 4.0}))

    cost = next(entry for entry in made["rankings"] if entry["metric"] == "Wall time")
    assert (cost["region"], cost["unit"], cost["direction"]) == (None, "s", "lower")
    assert [(own["name"], own["score"], own["rank"]) for own in cost["algorithms"]] == [
        ("quick", 3.0, 1),
        ("slow", 4.0, 2),
    ]


@pytest.mark.parametrize(
    "combine",
    [
        {"over": ["metric", "region"]},
        [{"over": ["region"]}, {"over": ["metric"]}],
        [{"over": ["metric"]}, {"over": ["region"]}],
    ],
    ids=["all at once", "regions first", "metrics first"],
)
@pytest.mark.parametrize("scheme", ["aggregate_then_rank", "rank_then_aggregate", "test_then_rank"])
def test_a_cost_is_combined_with_metrics_that_have_regions(combine: Any, scheme: str) -> None:
    ranking = {"scheme": scheme, "combine": combine}
    assessment = parse(document({"id": "dsc"}, TIME, ranking=ranking, uncertainty={"bootstrap": 20}))

    made = rank(
        assessment,
        results(assessment, quick={"Wall time": 3.0}, slow={"Wall time": 4.0}, fails={"Wall time": None}),
    )

    scores = {own["name"]: own["score"] for own in made["overall"]["algorithms"]}
    assert scores["quick"] <= scores["slow"] <= scores["fails"]
    assert made["costs"] == ["Wall time"]


def test_what_a_failed_case_counts_as_is_said_with_the_rule() -> None:
    said = describe(parse(document({"id": "dsc"}, TIME, MEMORY)))

    assert said[0].endswith(
        "Measured while the algorithm runs on a case: Wall time (lower is better, in s) and Peak memory (lower is better, in MiB)."
    )
    assert (
        "A missing or unreadable prediction counts as the worst value (0) for DSC, the worst value (60 s) for Wall time and "
        "the worst value (1024 MiB) for Peak memory."
    ) in said


def test_who_scores_files_is_told_which_costs_are_left_out() -> None:
    assert left_out_words(parse(document({"id": "dsc"}, TIME))) == (
        "Wall time is left out: it is measured where the platform runs the algorithm."
    )
    assert left_out_words(parse(document({"id": "dsc"}, TIME, MEMORY))) == (
        "Wall time and Peak memory are left out: they are measured where the platform runs the algorithm."
    )


def test_who_ranks_results_is_told_which_values_were_measured_and_not_computed_again() -> None:
    assert measured(parse(document({"id": "dsc"}))) == []
    [said] = measured(parse(document({"id": "dsc"}, TIME)))
    assert said.startswith("The values of Wall time were measured")


def test_sites_report_no_costs_of_runs() -> None:
    with pytest.raises(
        FederationError, match="'Wall time' is a cost of running an algorithm, which sites do not report"
    ):
        site_schemes(parse(document({"id": "dsc"}, TIME, uncertainty={"strata": ["site"]})), "site")
