"""Described metrics compile to values measured outside; what is not described stays evaluated elsewhere."""

import pytest

from evaluation.designs.catalogue import shipped
from evaluation.designs.catalogue.states import Execution
from evaluation.designs.checks.compiling import all_findings
from evaluation.designs.compilation import compile_values
from evaluation.designs.document import from_json
from evaluation.designs.executing import is_ranked_from_outside, statements
from tests.unit.registry.test_every_category import SEAM, of_category

MEAN = {
    "name": "Seams",
    "metrics": ["SV"],
    "scheme": "metric_based",
    "operator": "mean",
    "metric_aggregation": "single_metric",
}


def document(category="stitching", scheme=MEAN, uncertainty=("bootstrapping",), **changed):
    data = of_category(category)
    data["tasks"][0]["uncertainty_handling"] = list(uncertainty)
    metric = {**SEAM, "level": "case", **changed}
    data["tasks"][0] |= {
        "metrics": [{key: value for key, value in metric.items() if value is not None}],
        "ranking_method": [scheme],
    }
    return from_json(data, catalogue=shipped())[0]


@pytest.mark.parametrize(
    "category", ["stitching", "tracking", "segmentation", {"other": "microscope autofocus"}], ids=str
)
def test_a_described_metric_compiles_whatever_the_category(category):
    compilation = compile_values(document(category).values("task-1"))
    assert compilation.problems == ()
    assert compilation.is_measured_outside
    [metric] = compilation.document["metrics"]
    assert (metric["id"], metric["label"], metric["direction"], metric["range"]) == ("sv", "SV", "lower", [0, None])
    assert metric["policy"]["missing"] == 100


@pytest.mark.parametrize(("uncertainty", "without"), [(("bootstrapping",), False), (("none",), True)])
def test_one_value_of_the_whole_data_set_needs_its_uncertainty_unless_the_design_states_none(uncertainty, without):
    of_all = {**MEAN, "scheme": "data_set_score", "operator": None}
    found = document(scheme=of_all, uncertainty=uncertainty, level="data_set")
    compilation = compile_values(found.values("task-1"))
    assert compilation.problems == ()
    assert is_ranked_from_outside(found)
    [metric] = compilation.document["metrics"]
    assert (metric["level"], metric.get("without_uncertainty", False)) == ("dataset", without)


@pytest.mark.parametrize(
    "changed",
    [{"orientation": None}, {"level": "instance"}, {"worst_value": None}],
    ids=lambda changed: next(iter(changed)),
)
def test_what_is_not_described_stays_registered_here_and_evaluated_elsewhere(changed):
    compilation = compile_values(document(**changed).values("task-1"))
    assert compilation.assessment is None
    assert compilation.elsewhere
    assert not is_ranked_from_outside(document(**changed))


def test_a_scheme_that_is_not_executed_keeps_it_elsewhere():
    compilation = compile_values(
        document(scheme={**MEAN, "scheme": "test_based", "statistical_test": "t test", "alpha": 0.05}).values("task-1")
    )
    assert compilation.assessment is None
    assert {problem.parameter for problem in compilation.elsewhere} == {"ranking_method"}


def test_form_and_record_say_that_values_are_measured_outside_and_the_ranking_is_executed():
    design = document()
    said = [finding.message for finding in all_findings(design) if finding.check.id == "elsewhere.measured"]
    assert said == [
        "Ranked here from values measured outside. The platform does not compute its metrics; organizers bring the values as tables."
    ]
    states = {entry.parameter: entry.execution for entry in statements(design)}
    assert states["metrics"] is Execution.STATED
    assert states["task_category"] is Execution.STATED
    assert states["tie_handling"] is Execution.EXECUTED


def test_what_the_platform_computes_is_never_taken_from_outside():
    data = of_category("segmentation")
    data["tasks"][0]["metrics"] = [{"metric": "dsc", "abbreviation": "SV", "used_for_ranking": True}]
    data["tasks"][0]["ranking_method"] = [MEAN]
    compilation = compile_values(from_json(data, catalogue=shipped())[0].values("task-1"))
    assert compilation.parts["problem"] == "semantic_segmentation"
