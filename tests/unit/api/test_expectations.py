"""Requirements that the interface states: the client reads them back without loss."""

import pytest

from api.submissions.serializers import ExpectationSerializer
from api.submissions.views import _table
from evaluation.problems.case_tables import expected_of, instances_of, rules_of
from evaluation.problems.tables import ExpectedTable
from evaluation.readers.instance_tables import InstanceRules

PLAIN = {"problem": "x", "suffixes": [], "labels": None, "incomplete_allowed": True, "missing_case": "", "cases": []}


def shown(**more):
    return ExpectationSerializer(PLAIN | {"table": None, "beside": None, "instances": None} | more).data


@pytest.mark.parametrize(("scores", "need_labels"), [("", ()), ("any", ()), ("any", ("accuracy",))])
def test_a_table(scores, need_labels):
    table = ExpectedTable(
        "image_classification", ("labels.csv",), ("a", "b"), ("auroc",), scores=scores, need_labels=need_labels
    )
    document = shown(table=_table(table))["table"]
    assert expected_of("image_classification", document) == table
    assert ("scores" in document, "need_labels" in document) == (bool(scores), bool(need_labels))


def test_ids_of_coco_results():
    ids = {"image_ids": ((0, "a 1"), ("b", "b")), "category_ids": ((1, "lesion"),)}
    table = ExpectedTable("object_detection", ("objects.json",), ("lesion",), (), **ids)
    document = shown(table=_table(table))["table"]
    assert expected_of("object_detection", document) == table
    assert document["image_ids"] == [{"id": 0, "name": "a 1"}, {"id": "b", "name": "b"}]


@pytest.mark.parametrize("any_score", [False, True])
def test_a_table_of_instances(any_score):
    rules = InstanceRules(("a",), need_scores=("ap",), any_score=any_score)
    document = shown(instances=instances_of(rules))
    assert rules_of(document) == rules
    assert ("scores" in document["instances"]) == any_score
