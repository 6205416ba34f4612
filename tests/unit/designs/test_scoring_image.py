"""A design that is registered with a scoring image: what becomes its metrics, and what is missing before it can."""

from typing import Any

import pytest

from evaluation.designs.catalogue import shipped
from evaluation.designs.compilation import compile_values
from evaluation.designs.compilation.outside import is_measured_outside
from evaluation.designs.document import Document, from_json
from evaluation.designs.executing import statements

IMAGE = f"sha256:{'a' * 64}"
SEAM = {
    "name": {"other": "seam"}, "definition": "height of the step", "orientation": "lower", "unit": "mm", "range_min": 0,
    "worst_value": 50,
}  # fmt: skip
TASK: dict[str, Any] = {
    "task_category": ["segmentation"],
    "regions": [{"name": "liver", "labels": ["1"]}],
    "metrics": [{"metric": "dsc", "used_for_ranking": True}, {**SEAM, "used_for_ranking": True}],
    "ranking_type": "single_ranking",
    "ranking_method": [{"name": "R", "scheme": "metric_based", "operator": "mean", "metric_aggregation": "mean_rank"}],
    "tie_handling": "standard_competition",
    "missing_data_handling": "worst_value",
}


def made(**changes: Any) -> Document:
    document, _ = from_json({"challenge": {}, "tasks": [{**TASK, **changes}]}, catalogue=shipped())
    return document


def compiled(**changes: Any) -> Any:
    [values] = made(**changes).each_task()
    return compile_values(values)


def test_described_metrics_are_left_to_the_image_and_all_others_computed_here() -> None:
    assessment = compiled(scoring_image={"image": IMAGE, "memory_mib": 512}).assessment

    assert assessment is not None
    assert assessment.problem == "semantic_segmentation"
    assert [(use.name, use.is_by_scorer) for use in assessment.metrics] == [("dsc", False), ("seam", True)]
    assert (assessment.scorer["image"], assessment.scorer["memory_mib"]) == (IMAGE, 512)
    assert assessment.metric("seam").policy.missing == 50


def test_without_an_image_the_same_metrics_are_measured_outside() -> None:
    [with_image] = made(scoring_image={"image": IMAGE}).each_task()
    [without] = made().each_task()

    assert not is_measured_outside(with_image)
    assert is_measured_outside(without)


def test_a_described_metric_that_no_ranking_uses_is_reported() -> None:
    assessment = compiled(
        metrics=[{"metric": "dsc", "used_for_ranking": True}, SEAM], scoring_image={"image": IMAGE}
    ).assessment

    assert assessment is not None
    assert assessment.rankings[0].metrics == ("dsc",)
    assert [use.name for use in assessment.by_scorer] == ["seam"]


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"metrics": [{"metric": "dsc", "used_for_ranking": True}]}, "No metric is left to the scoring image"),
        ({"task_category": ["registration"]}, "for these kinds of problem only"),
        ({"scoring_image": {"image": "scorer:latest"}}, "the id of an image"),
    ],
)
def test_what_does_not_fit_is_said_at_its_parameter(changes: dict[str, Any], says: str) -> None:
    problems = compiled(**{"scoring_image": {"image": IMAGE}, **changes}).problems

    assert any(problem.parameter == "scoring_image" and says in str(problem) for problem in problems), problems


def test_the_design_says_that_the_image_computes_the_metric() -> None:
    said = {
        entry.choice: entry.note
        for entry in statements(made(scoring_image={"image": IMAGE}))
        if entry.parameter == "metrics"
    }

    assert said["seam"] == "Computed by the registered scoring image, and ranked by."
