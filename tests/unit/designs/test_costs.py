"""A design whose metric table names costs of running the algorithms: what becomes of them, and what is missing before it can."""

from typing import Any

import pytest

from evaluation.assessment.costs import METRICS
from evaluation.designs.catalogue import shipped
from evaluation.designs.checks import findings
from evaluation.designs.compilation import compile_values, pseudo_code, worked_example
from evaluation.designs.document import Document, from_json
from evaluation.designs.executing import statements

RUN = {"case_seconds": 20, "start_seconds": 10, "memory_mib": 512, "cpus": 2, "exclusive": True}
TIME = {"cost": "run_wall_time", "name": {"other": "Wall time"}, "used_for_ranking": True}
MEMORY = {"cost": "run_peak_memory", "name": {"other": "Peak memory"}}
SEAM = {
    "name": {"other": "seam"}, "definition": "height of the step", "orientation": "lower", "unit": "mm", "range_min": 0,
    "worst_value": 50, "used_for_ranking": True,
}  # fmt: skip
DSC = {"metric": "dsc", "used_for_ranking": True, "worst_value": 0}
ROW = {"name": "R", "scheme": "metric_based", "operator": "mean", "metric_aggregation": "mean_rank"}
TASK: dict[str, Any] = {
    "task_category": ["segmentation"],
    "regions": [{"name": "liver", "labels": ["1"]}],
    "metrics": [DSC, TIME, MEMORY],
    "ranking_type": "single_ranking",
    "ranking_method": [ROW],
    "tie_handling": "standard_competition",
    "missing_data_handling": "worst_value",
    "submission_method": ["docker_container"],
    "algorithm_execution": RUN,
}


def made(**changes: Any) -> Document:
    document, _ = from_json({"challenge": {}, "tasks": [{**TASK, **changes}]}, catalogue=shipped())
    return document


def compiled(**changes: Any) -> Any:
    [values] = made(**changes).each_task()
    return compile_values(values)


def test_a_cost_is_ranked_beside_metrics_with_the_registered_limit_as_its_worst_value() -> None:
    assessment = compiled().assessment

    assert assessment is not None
    assert [(use.name, use.is_by_run) for use in assessment.metrics] == [
        ("dsc", False),
        ("Wall time", True),
        ("Peak memory", True),
    ]
    assert assessment.rankings[0].metrics == ("dsc", "Wall time")
    assert (assessment.metric("Wall time").worst, assessment.metric("Peak memory").worst) == (30, 512)


def test_costs_may_have_a_ranking_of_their_own_and_a_name() -> None:
    rankings = [{**ROW, "name": "Quality", "metrics": ["DSC"]}, {**ROW, "name": "Speed", "metrics": ["seconds"]}]
    assessment = compiled(
        metrics=[DSC, {**TIME, "abbreviation": "seconds", "cost_step": 0.5}],
        ranking_type="multiple_rankings",
        ranking_method=rankings,
    ).assessment

    assert assessment is not None
    assert [(own.name, own.metrics) for own in assessment.rankings] == [("Quality", ("dsc",)), ("Speed", ("seconds",))]
    assert assessment.metric("seconds").options["step"] == 0.5


def test_a_row_may_call_the_cost_as_the_published_list_calls_another_metric() -> None:
    assessment = compiled(
        metrics=[DSC, {"cost": "run_wall_time", "name": "jaccard_index", "used_for_ranking": True}]
    ).assessment

    assert assessment is not None
    assert [use.name for use in assessment.by_run] == ["Wall time"]


def test_missing_cases_have_the_last_rank_where_that_is_registered() -> None:
    assessment = compiled(
        missing_data_handling="worst_rank",
        ranking_method=[{**ROW, "scheme": "case_based"}],
    ).assessment

    assert assessment is not None
    assert assessment.metric("Wall time").policy.missing == "worst_rank"


def test_the_form_offers_the_costs_that_are_measured_and_bounded() -> None:
    rows = shipped()["metrics"].item_fields
    [offered] = [field.choices for field in rows if field.key == "cost"]

    assert [choice.value for choice in offered] == [own.id for own in METRICS if own.can_be_registered]


@pytest.mark.parametrize(
    ("changes", "parameter", "says"),
    [
        ({"algorithm_execution": None}, "algorithm_execution", "state how they are run"),
        ({"algorithm_execution": {**RUN, "exclusive": False}}, "algorithm_execution", "State “A machine of its own"),
        (
            {"metrics": [DSC, {"cost": "run_gpu_time", "used_for_ranking": True}]},
            "algorithm_execution",
            "needs a registered limit on the number of GPUs",
        ),
        ({"algorithm_execution": {**RUN, "input_socket": "My Image"}}, "algorithm_execution", "My Image"),
        ({"metrics": [TIME]}, "metrics", "By costs alone, an algorithm that answers anything at once is first"),
        ({"metrics": [{**DSC, "used_for_ranking": False}, TIME]}, "metrics", "By costs alone"),
        ({"metrics": [{**DSC, "cost": "run_wall_time"}]}, "metrics", "or a cost of running, not both"),
        ({"metrics": [DSC, {**TIME, "cost_step": 30}]}, "metrics", "from 0 to below 30"),
        (
            {
                "regions": [{"name": name, "labels": [label]} for name, label in (("core", "1"), ("rim", "2"))],
                "ranking_method": [{**ROW, "region_aggregation": "separate_rankings"}],
            },
            "ranking_method",
            "Wall time has one value over all regions, and would be ranked alone",
        ),
        ({"metrics": [SEAM, TIME]}, "metrics", "here it ranks values that are measured elsewhere"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_said_at_its_parameter(changes: dict[str, Any], parameter: str, says: str) -> None:
    found = compiled(**changes)

    assert found.assessment is None
    assert any(problem.parameter == parameter and says in str(problem) for problem in found.gaps), found.problems


def test_a_cost_stands_beside_metrics_of_the_whole_data_set_too() -> None:
    auroc = {"metric": "auroc", "used_for_ranking": True}
    assessment = compiled(task_category=["classification"], regions=[], metrics=[auroc, TIME]).assessment

    assert assessment is not None
    assert [(use.name, use.level) for use in assessment.metrics] == [("auroc", "dataset"), ("Wall time", "case")]


def test_memory_needs_no_machine_of_its_own() -> None:
    found = compiled(
        metrics=[DSC, {**MEMORY, "used_for_ranking": True}], algorithm_execution={**RUN, "exclusive": False}
    )

    assert found.assessment is not None


def test_several_cases_a_start_share_what_it_cost_and_that_is_warned_of() -> None:
    def warned(**changes: Any) -> list[str]:
        found = findings(made(**changes), phase="draft")
        return [finding.detail for finding in found if finding.check.id == "metrics.costs_of_cases"]

    assert warned() == []
    assert warned(metrics=[DSC], algorithm_execution={**RUN, "batch_cases": 5}) == []
    [said] = warned(algorithm_execution={**RUN, "batch_cases": 5})
    assert said == "5 cases share a start."


def test_no_definition_and_no_worst_value_is_asked_for_of_a_cost() -> None:
    open_points = {finding.check.id for finding in findings(made(), phase="draft")}

    assert not open_points & {"metrics.own_definition", "metrics.worst_value"}


def test_the_design_says_where_a_cost_is_measured() -> None:
    said = {entry.choice: entry.note for entry in statements(made()) if entry.parameter == "metrics"}

    assert said["Wall time"] == "Wall time is measured where the platform runs the algorithms, and ranked by."
    assert said["Peak memory"].endswith("reported without a rank.")
    without = {
        entry.choice: entry.note for entry in statements(made(algorithm_execution=None)) if entry.parameter == "metrics"
    }
    assert without["Wall time"] == "The platform measures it only where it runs the algorithms."


def test_the_compiled_rule_is_shown_back_with_its_unit_and_what_a_failed_case_counts_as() -> None:
    assessment = compiled(metrics=[DSC, {**TIME, "cost_step": 0.5}, MEMORY]).assessment

    lines = pseudo_code(assessment)
    assert "    Wall time ← what was measured of the run, in s, in steps of 0.5" in lines
    assert "      if the run gave no valid output: Wall time ← 30 (worst)" in lines
    example = worked_example(assessment)
    assert example.columns[:3] == ("Team", "mean DSC", "mean Wall time")
