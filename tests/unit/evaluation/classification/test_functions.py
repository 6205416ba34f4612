"""The functions of image classification accept the options of the catalogue, with its defaults."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

from evaluation.catalogue import Metric, all_metrics
from evaluation.outcomes import Outcome, Result
from evaluation.problems.offered_metrics import kinds_with

METRICS = [
    metric
    for metric in all_metrics()
    if "image_classification" in kinds_with(metric) and not metric.is_criterion and metric.source == "podium"
]
OF_OBJECTS = {
    "localization_criterion", "localization_threshold", "localization_thresholds", "assignment", "double_assignment",
    "max_detections", "area", "matched",
}  # fmt: skip
OF_SCORING = {"level", "scale", "report"}
"""Options that select the counted units and written rows, applied before a function is called."""


def ids(metric: Metric) -> str:
    return metric.id


def test_there_are_thirty_seven() -> None:
    assert len(METRICS) == 37


@pytest.mark.parametrize("metric", METRICS, ids=ids)
def test_options_are_keywords_with_the_catalogues_defaults(metric: Metric) -> None:
    parameters = inspect.signature(metric.compute).parameters
    kinds = [parameter.kind for parameter in parameters.values()]
    assert kinds[:2] == [inspect.Parameter.POSITIONAL_OR_KEYWORD] * 2
    assert set(kinds[2:]) <= {inspect.Parameter.KEYWORD_ONLY}
    for option in metric.assessment_options:
        if option.name in OF_OBJECTS | OF_SCORING:
            continue
        parameter = parameters[option.name]
        if option.required:
            assert parameter.default is inspect.Parameter.empty
        else:
            assert parameter.default == option.default, option.name


@pytest.mark.parametrize("metric", METRICS, ids=ids)
def test_a_function_is_pure_and_gives_a_result(metric: Metric) -> None:
    labels, scores = np.array([0, 1, 1, 0, 1]), np.array([0.1, 0.8, 0.4, 0.6, 0.9])
    kept = labels.copy(), scores.copy()
    parameters = inspect.signature(metric.compute).parameters
    options = {name: 0.5 for name in parameters if parameters[name].default is inspect.Parameter.empty}
    options = {name: value for name, value in options.items() if name not in list(parameters)[:2]}
    if "k" in parameters:
        options["k"] = 1  # fewer than there are classes here
    first, second = (metric.compute(labels, scores, **options) for _ in range(2))
    assert isinstance(first, Result)
    assert (first, first.outcome) == (second, Outcome.OK)
    assert np.array_equal(labels, kept[0])
    assert np.array_equal(scores, kept[1])


@pytest.mark.parametrize("metric", METRICS, ids=ids)
def test_a_function_says_what_it_is(metric: Metric) -> None:
    words = inspect.getdoc(metric.compute)
    assert words
    assert ">>>" in words
