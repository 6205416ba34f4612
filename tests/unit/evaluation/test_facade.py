"""Top-level names of the package, as used in notebooks."""

import importlib
import json
import subprocess
import sys

import pytest

import evaluation
from evaluation import metrics
from evaluation.catalogue import all_metrics

BUILT_IN = [metric for metric in all_metrics() if metric.source == "podium"]


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("score", "evaluation.scoring:score_folders"),
        ("report", "evaluation.reporting:build_report"),
        ("recommend", "evaluation.advice:recommend"),
        ("verify", "evaluation.bundle:verify"),
    ],
)
def test_a_name_of_the_facade_is_the_function_itself(name, place):
    module, _, function = place.partition(":")
    assert getattr(evaluation, name) is getattr(importlib.import_module(module), function)
    assert name in dir(evaluation)


def test_every_name_of_the_facade_is_a_documented_function():
    assert all(callable(getattr(evaluation, name)) and getattr(evaluation, name).__doc__ for name in evaluation.__all__)


def test_every_metric_is_there_by_its_id_with_its_documentation():
    assert set(metrics.__all__) == {metric.id for metric in BUILT_IN}
    for metric in BUILT_IN:
        function = getattr(metrics, metric.id)
        assert function is metric.compute
        assert function.__doc__
        assert "return" in function.__annotations__


@pytest.mark.parametrize("module", [evaluation, metrics])
def test_another_name_is_an_attribute_error(module):
    with pytest.raises(AttributeError, match="no attribute 'dice'"):
        module.dice  # noqa: B018


def test_importing_the_package_loads_no_array_library():
    program = "import sys, evaluation, evaluation.metrics; print({'numpy', 'pandas', 'scipy'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


def test_reading_an_assessment_loads_no_statistics():
    """Scoring reads one and ranks nothing: tables and tests would take longer to load than sixty small cases to score."""
    assessment = {
        "schema": 1,
        "problem": "semantic_segmentation",
        "regions": [{"name": "a", "labels": [1]}],
        "metrics": [{"id": "dsc"}],
        "ranking": {"scheme": "test_then_rank"},
    }
    program = (
        "import sys, json; import evaluation.scoring; from evaluation.assessment import parse; "
        "parse(json.loads(sys.argv[1])); print({'pandas', 'scipy.stats', 'statsmodels'} & set(sys.modules))"
    )
    arguments = [sys.executable, "-c", program, json.dumps(assessment)]
    assert subprocess.run(arguments, capture_output=True, text=True, check=True).stdout == "set()\n"
