"""Completeness counts the entries of a design and does not rate their quality."""

import pytest
from django.core.cache import cache

from designs import services
from designs.queries import drafts_beside
from designs.queries.findings import all_findings, gate_of
from designs.services.examples import example_document
from evaluation import problems
from evaluation.designs.catalogue import shipped
from evaluation.designs.completeness import Share, applies, completeness, description_share, is_required
from evaluation.designs.document import Entry, State, from_json
from tests.unit.designs.world import design, person, save


def measured(challenge=None, *tasks):
    document, _ = from_json({"challenge": challenge or {}, "tasks": list(tasks) or [{}]}, catalogue=shipped())
    return completeness(document)


def test_an_empty_design_reports_nothing_and_a_blank_does_not_count():
    empty = measured({"challenge_name": "  "})
    assert empty.lowest.design == Share(0, 50)
    assert empty.lowest.starred == Share(0, 40)
    assert not empty.passes()


@pytest.mark.parametrize(
    ("state", "counts", "at_gate"),
    [
        ({"state": "none_declared"}, 1, 1),
        ({"state": "not_applicable", "reason": "phantom"}, 1, 1),
        ({"state": "embargoed_until", "event": "x", "digest": "0"}, 1, 1),
        ({"state": "to_be_provided_by", "until": "2027-01-01"}, 0, 1),
        ({"state": "missing"}, 0, 0),
    ],
)
def test_declared_states_count_and_what_follows_counts_at_the_gate_only(state, counts, at_gate):
    before = measured().gate.filled
    after = measured({"ethics_status__state": state})
    assert after.lowest.design.filled == counts
    assert after.gate.filled - before == at_gate


def test_an_entry_counts_once_whichever_of_its_parameters_is_filled():
    assert measured({"data_license": "cc_by"}).lowest.design.filled == 1
    assert measured({"data_license": "cc_by", "data_usage_agreement": "Free."}).lowest.design.filled == 1


def test_the_challenge_is_as_complete_as_its_lowest_task():
    two = measured({}, {"target_cohort": "Adults", "task_category": ["segmentation"]}, {"task_category": ["detection"]})
    assert (two.lowest.task, two.lowest.design.filled) == ("task-2", 1)
    assert two.mean == pytest.approx(1.5 / 50)


def test_parameters_that_do_not_apply_are_not_asked_for():
    without = measured({}, {"number_training_cases": 0})
    with_training = measured({}, {"number_training_cases": 100})
    assert without.gate.total < with_training.gate.total


def test_regions_can_be_answered_for_every_kind_that_has_them_and_are_required_for_segmentation():
    regions = shipped()["regions"]
    with_regions = {
        category for kind in problems.all_problems() if kind.regions.are_allowed for category in kind.task_categories
    }
    assert set(regions.applies_when["value"]) == with_regions
    document, _ = from_json({"challenge": {}, "tasks": [{"task_category": ["detection"]}]}, catalogue=shipped())
    detection = document.values("task-1")
    assert (applies(regions, detection), is_required(regions, detection)) == (True, False)
    document, _ = from_json({"challenge": {}, "tasks": [{"task_category": ["segmentation"]}]}, catalogue=shipped())
    assert is_required(regions, document.values("task-1"))


def test_the_share_that_a_call_asks_for_decides():
    document, _ = from_json(example_document("robustmis"), catalogue=shipped())
    share = completeness(document)
    assert 0.7 < share.gate.value < 0.9
    assert share.passes(0.7)
    assert not share.passes(0.9)


def test_the_share_is_never_rounded_up_to_all():
    assert Share(299, 300).percent == 99
    assert Share(0, 0).percent == 100


def test_algorithm_descriptions_have_a_score_of_their_own():
    assert description_share({}).filled == 0
    assert description_share({"optimizer": Entry("Adam", "", State.PROVIDED)}).filled == 1


def test_the_gate_asks_for_the_share_and_for_no_error():
    complete, _ = from_json(example_document("hippocampus"), catalogue=shipped())
    assert gate_of(complete).is_open
    data = example_document("hippocampus")
    data["tasks"][0]["missing_data_handling"] = "ignored"
    gamed, _ = from_json(data, catalogue=shipped())
    gate = gate_of(gamed)
    assert gate.completeness.passes()
    assert not gate.is_open
    assert "missing_data_handling.ignored" in {finding.check.id for finding in gate.errors}


def test_what_cannot_be_compiled_is_an_error_beside_its_parameter_and_said_once():
    data = example_document("hippocampus")
    data["tasks"][0]["tie_handling"] = None
    data["tasks"][0]["regions"] = []
    document, _ = from_json(data, catalogue=shipped())
    errors = [finding for finding in all_findings(document) if finding.blocks]
    assert [finding.check.id for finding in errors] == ["regions.present", "compile.tie_handling"]
    assert {finding.task for finding in errors} == {"task-1"}


def test_what_is_only_not_executed_here_is_a_statement_and_no_error():
    data = example_document("hippocampus")
    data["tasks"][0]["tie_handling"] = "ordinal"
    document, _ = from_json(data, catalogue=shipped())
    found = all_findings(document)
    assert not [finding for finding in found if finding.blocks]
    assert found[-1].check.id == "elsewhere.tie_handling"
    assert found[-1].message.startswith("Registered here, evaluated elsewhere. ")


@pytest.mark.django_db
def test_other_designs_stand_beside_it_once_there_are_enough_in_two_queries(django_assert_num_queries):
    cache.clear()
    owner = person("ada")
    own = design(owner)
    for number in range(6):
        assert (drafts_beside(own) is None) == (number < 5)
        other = design(owner, title=f"Other {number}")
        save(other, "challenge_name", f"Other {number}")
        services.freeze_version(actor=owner, design=other, name="First")
        if number:
            save(other, "data_license", "cc_by")
            services.freeze_version(actor=owner, design=other, name="Second")
    services.freeze_version(actor=owner, design=own, name="First")
    cache.clear()
    with django_assert_num_queries(2):
        drafts = drafts_beside(own)
    # The last version of each counts: one with 2 % (its name), five with 4 %.
    assert drafts.document == {"number": 6, "low": 2, "first": 4, "median": 4, "third": 4, "high": 4}
    with django_assert_num_queries(1):
        assert drafts_beside(own) == drafts
