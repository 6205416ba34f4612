"""Information in an archive of references besides its files: decoys, merging rules, declared characteristics."""

from types import SimpleNamespace

import pytest

from datastore.test_sets.queries.characteristics import kind_of
from datastore.test_sets.services import archive_parts as parts
from datastore.test_sets.services.archive_parts import ArchiveContent
from evaluation import problems

DECLARED = [
    {"name": "Smoke in view", "level": "image", "value_type": "binary"},
    {"name": "age", "level": "patient", "value_type": "numeric"},
    {"name": "size of lesion", "level": "object_instance", "value_type": "numeric"},
]


def design(monkeypatch, **values):
    said = SimpleNamespace(
        rows=lambda name: values.get(name, []), text=lambda name: values.get(name, ""), get=values.get
    )
    monkeypatch.setattr(parts, "registered", lambda phase: said)


def found(**columns) -> ArchiveContent:
    names = list(columns)
    records = [dict(zip(names, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    return ArchiveContent(records=records, columns=names)


def test_declared_characteristics_are_compared_with_the_table(monkeypatch):
    design(monkeypatch, image_characteristics=DECLARED)
    fine = found(case=["a", "b", "c"], smoke_in_view=["yes", "no", "yes"], Age=[60, 61.5, None])
    parts.check_characteristics(fine, None, ["a", "b", "c"])
    assert fine.problems == []
    wrong = found(case=["a", "b", "c"], age=["sixty", "61", "62"], smoke=["yes", "no", "perhaps"])
    parts.check_characteristics(wrong, None, ["a", "b", "c"])
    assert [line.partition(". ")[0] for line in wrong.problems] == [
        "cases.csv: the registered design declares the characteristic “Smoke in view” of test cases",
        "cases.csv: age is registered as numeric and has the value “sixty”",
    ]
    many = found(case=["a", "b", "c"], age=[1, 2, 3], smoke_in_view=["yes", "no", "perhaps"])
    parts.check_characteristics(many, None, ["a", "b", "c"])
    assert many.problems[0].startswith("cases.csv: smoke_in_view is registered as binary and has 3 values")
    # Decoys are not looked at.
    parts.check_characteristics(many, None, ["a", "b"])
    assert len(many.problems) == 1


def test_without_a_registration_or_a_table_nothing_is_asked(monkeypatch):
    monkeypatch.setattr(parts, "registered", lambda phase: None)
    nothing = ArchiveContent()
    parts.check_characteristics(nothing, None, ["a"])
    assert nothing.problems == []
    design(monkeypatch, image_characteristics=DECLARED[:1])
    parts.check_characteristics(nothing, None, ["a"])
    assert "Add a column smoke_in_view" in nothing.problems[0]


@pytest.mark.parametrize("said", ["yes", "TRUE", "1", True, 1, 1.0, " x "])
def test_a_decoy_is_declared_in_many_ways(said):
    table = found(case=["a", "b"], site=["n", "s"], decoy=[said, None])
    assert parts.take_decoys(table) == ["a"]
    assert (table.columns, table.records[0], table.problems) == (["case", "site"], {"case": "a", "site": "n"}, [])


@pytest.mark.parametrize("said", ["no", "False", "0", False, 0, 0.0, "", None])
def test_no_decoy_is_declared_in_many_ways(said):
    assert parts.take_decoys(found(case=["a"], decoy=[said])) == []


def of_kind(name):
    return SimpleNamespace(problem=name, kind=problems.get(name))


def test_the_registered_design_says_how_annotators_are_merged(monkeypatch):
    segmentation = of_kind("semantic_segmentation")
    two = {"1": {"a": "a.nii.gz"}, "2": {"a": "a.nii.gz"}}
    design(monkeypatch, annotation_aggregation_test="staple")
    assert parts.merge_rule(ArchiveContent(annotators=two), None, segmentation, "majority_vote") == "staple"
    for said, words in (("single_annotator", "“single_annotator”"), ("", "“nothing”")):
        design(monkeypatch, annotation_aggregation_test=said)
        archive = ArchiveContent(annotators=two)
        assert parts.merge_rule(archive, None, segmentation, "staple") == ""
        assert words in archive.problems[0]
        assert "Ask for a change" in archive.problems[0]
    design(monkeypatch, annotation_aggregation_test="majority_vote")
    archive = ArchiveContent(annotators=two)
    assert parts.merge_rule(archive, None, of_kind("instance_segmentation"), "") == "majority_vote"
    assert archive.problems == [
        "references/ is needed beside the annotators, since the rule is majority vote; sent merged."
    ]
    assert parts.merge_rule(ArchiveContent(), None, segmentation, "staple") == ""


def test_each_group_lies_in_one_group_above():
    assessment = SimpleNamespace(aggregation=SimpleNamespace(levels=["case", "patient", "site"]))
    table = found(case=["a", "b", "c"], patient=["007", "007", "008"], site=["north", "south", "south"])
    parts.check_hierarchy(table, assessment, ["a", "b", "c"])
    assert [line.partition(", but")[0] for line in table.problems] == [
        "cases.csv: patient 007 has the site north and south"
    ]
    parts.check_hierarchy(
        other := found(**{key: [row[key] for row in table.records] for key in table.columns}), assessment, ["a", "c"]
    )
    assert other.problems == []


def test_types_are_told_from_all_values():
    assert kind_of([1, 2.0, 3]) == "whole numbers"
    assert kind_of([True, 1]) == "names"
