"""The catalogue matches the reference, and its texts can be changed without deployment."""

import pytest

from designs import services
from designs.models import TextOverride
from designs.queries import texts
from evaluation.designs.catalogue import shipped
from evaluation.designs.catalogue.model import DATA_FILE, EXECUTION_FILE, _read
from tests.unit.designs.world import person

ADDED = {entry["id"] for entry in _read(EXECUTION_FILE)["parameters"]}


def test_the_published_list_is_complete_and_the_additions_are_told_apart():
    catalogue = shipped()
    published = [parameter for parameter in catalogue.parameters.values() if parameter.id not in ADDED]
    assert len(published) == 111
    assert len(catalogue.algorithm_parameters) == 41
    assert len(catalogue.outcome_parameters) == 24
    assert all(not catalogue.parameters[name].numbers and not catalogue.parameters[name].essential for name in ADDED)


def test_the_catalogue_states_its_number_of_checks():
    document = _read(DATA_FILE)
    sections = ("parameters", "algorithm_parameters", "outcome_parameters")
    checks = [check["id"] for name in sections for entry in document[name] for check in entry.get("checks", ())]
    twice = sorted(check for check in set(checks) if checks.count(check) > 1)
    assert not twice, f"these ids of checks occur more than once: {twice}"
    stated = document["meta"]["counts"]["checks"]
    assert stated == len(checks), f"set meta.counts.checks in {DATA_FILE} to {len(checks)}"


def test_every_entry_of_the_53_list_and_of_bias_is_reported_by_known_parameters():
    catalogue = shipped()
    assert len(catalogue.index_53) == 53
    assert sum(entry.starred for entry in catalogue.index_53) == 40
    assert len(catalogue.index_bias) == 79
    for entry in (*catalogue.index_53, *catalogue.index_bias):
        for parameter in entry.parameters:
            assert catalogue[parameter].id == parameter


def test_a_parameter_knows_how_often_it_was_left_out():
    assert shipped()["organizer_participation_policy"].left_out == 94
    assert shipped()["challenge_name"].left_out == 0
    assert shipped()["publication_policy"].left_out is None


def test_no_text_of_the_form_is_missing():
    for parameter in shipped().parameters.values():
        assert parameter.label
        assert parameter.help_text
        assert parameter.why_it_matters


@pytest.mark.django_db
def test_an_administrator_changes_a_text_and_returns_to_the_delivered_one(django_capture_on_commit_callbacks):
    admin = person("admin")
    with django_capture_on_commit_callbacks(execute=True):
        override = services.override_text(
            actor=admin, override=TextOverride(parameter="challenge_cohort", text_name="label", text="Who was imaged")
        )
    assert texts.catalogue()["challenge_cohort"].label == "Who was imaged"
    assert texts.catalogue()["target_cohort"].label == shipped()["target_cohort"].label
    with django_capture_on_commit_callbacks(execute=True):
        services.remove_text_override(actor=admin, override=override)
    assert texts.catalogue()["challenge_cohort"].label == shipped()["challenge_cohort"].label
