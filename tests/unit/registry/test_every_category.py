"""Filing never depends on execution: every category of tasks is filed, accepted and registered."""

from itertools import pairwise

import pytest
from django.core.exceptions import ValidationError

from designs.services.designs import import_design
from designs.services.examples import example_document
from evaluation.designs.catalogue import shipped
from evaluation.designs.compilation import compile_values
from evaluation.designs.document import from_json
from evaluation.problems import of_task_category
from registry import services
from reviews.models import State, Transition
from reviews.services.filing import file_design
from tests.unit.registry.world import person
from tests.unit.reviews.world import make_call

pytestmark = pytest.mark.django_db
CATEGORIES = [*(choice.value for choice in shipped()["task_category"].choices), {"other": "microscope autofocus"}]
SEAM = {
    "name": {"other": "seam visibility"},
    "abbreviation": "SV",
    "definition": "Mean height of the step at the seam between two images of a case.",
    "orientation": "lower",
    "range_min": 0,
    "open_range": "above",
    "worst_value": 100,
    "unit": "grey values",
    "formula": "mean(|left - right|) along the seam",
    "level": "instance",
    "assessed_aim": "accuracy",
    "used_for_ranking": True,
    "empty_reference_rule": "does not occur",
}


def of_category(category):
    """The design of the hippocampus challenge for another kind of task, with a metric that the platform lacks."""
    data = example_document("hippocampus")
    data["tasks"][0] |= {
        "task_category": [category],
        "metrics": [SEAM],
        "regions": [{"name": "whole", "labels": ["1"]}],
    }
    data["tasks"][0]["ranking_method"] = [
        {"name": "Seams", "metrics": ["SV"], "scheme": "data_set_score", "metric_aggregation": "single_metric"}
    ]
    return data


def accepted(filing):
    before = filing.transitions.get()
    for old, new in pairwise((State.SUBMITTED, State.UNDER_REVIEW, State.ACCEPTED)):
        before = Transition.objects.create(filing=filing, predecessor=before, from_state=old, to_state=new)
    filing.__class__.objects.filter(pk=filing.pk).update(state=State.UNDER_REVIEW)
    filing.__class__.objects.filter(pk=filing.pk).update(state=State.ACCEPTED)


def test_the_catalogue_has_the_seventeen_categories():
    assert len(CATEGORIES) == 18


@pytest.mark.parametrize("category", CATEGORIES, ids=str)
def test_every_category_is_filed_and_registered(category):
    owner, chair = person("orla"), person("charlie")
    design, _ = import_design(actor=owner, title="Another kind of task", data=of_category(category))
    filing = file_design(actor=owner, call=make_call(chair), design=design)
    accepted(filing)
    version = services.register_design(design=design, actor=owner)
    said = version.document["tasks"][0]["task_category"]
    assert said == [category]


@pytest.mark.parametrize("category", CATEGORIES, ids=str)
def test_what_is_not_executed_is_a_statement_and_what_is_executed_the_registry_says(category):
    document, problems = from_json(of_category(category), catalogue=shipped())
    assert problems == []
    compilation = compile_values(document.values("task-1"))
    assert compilation.assessment is None
    assert compilation.gaps == ()
    expected = {"metrics"} | ({"task_category"} if of_task_category(category) is None else set())
    assert {problem.parameter for problem in compilation.elsewhere} == expected


def test_a_call_may_take_only_what_the_platform_executes():
    owner, chair = person("orla"), person("charlie")
    design, _ = import_design(actor=owner, title="Stitching", data=of_category("stitching"))
    with pytest.raises(ValidationError, match=r"takes only designs that the platform executes.*Stitching"):
        file_design(actor=owner, call=make_call(chair, takes_unexecuted=False), design=design)
    assert file_design(actor=owner, call=make_call(chair), design=design).state == State.SUBMITTED


def test_a_metric_of_ones_own_without_its_definition_is_not_filed():
    owner, chair = person("orla"), person("charlie")
    data = of_category("stitching")
    data["tasks"][0]["metrics"] = [{**SEAM, "unit": None, "formula": None}]
    design, _ = import_design(actor=owner, title="Stitching", data=data)
    with pytest.raises(ValidationError, match="needs its whole definition"):
        file_design(actor=owner, call=make_call(chair), design=design)
