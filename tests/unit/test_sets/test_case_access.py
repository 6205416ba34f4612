"""Properties of the visibility policy that hold for every phase and every reader."""

from dataclasses import asdict, fields, replace
from itertools import product

import pytest

from datastore.test_sets.domain.case_access import EVERYTHING, NOTHING, PhaseFacts, Reader, access, without_consent

ALL_FACTS = [PhaseFacts(*values) for values in product((False, True), repeat=len(fields(PhaseFacts)))]
OTHERS = [reader for reader in Reader if reader is not Reader.ORGANIZER]


def allowed(reader: Reader, facts: PhaseFacts) -> set[str]:
    return {name for name, is_allowed in asdict(access(reader, facts)).items() if is_allowed}


@pytest.mark.parametrize("reader", OTHERS)
def test_of_an_algorithm_on_hidden_images_nothing_that_can_contain_the_image_is_visible(reader):
    for facts in ALL_FACTS:
        if facts.runs_algorithms and not facts.has_public_cases:
            assert "files" not in allowed(reader, facts)
            if not (facts.reveals_references and facts.is_released):
                assert not allowed(reader, facts) & {"pictures", "evidence", "notes", "references", "costs"}


@pytest.mark.parametrize("facts", ALL_FACTS)
def test_named_organizers_see_everything(facts):
    assert access(Reader.ORGANIZER, facts) == EVERYTHING


@pytest.mark.parametrize("reader", OTHERS)
def test_references_wait_for_a_registered_release_or_a_public_dry_run(reader):
    for facts in ALL_FACTS:
        is_registered = facts.has_public_cases or (facts.reveals_references and facts.is_released)
        assert ("references" in allowed(reader, facts)) is is_registered
        if reader is not Reader.PUBLICATION:
            assert "reference_files" not in allowed(reader, facts) or facts.has_public_cases


def test_nobody_outside_sees_a_case_before_the_release():
    for facts in ALL_FACTS:
        if not facts.is_released and not facts.has_public_cases:
            assert not allowed(Reader.PUBLIC, facts)
            assert not allowed(Reader.PUBLICATION, facts)
            assert allowed(Reader.PARTICIPANT, facts) <= {"names"}


@pytest.mark.parametrize("reader", Reader)
def test_a_release_takes_nothing_away(reader):
    for facts in ALL_FACTS:
        assert allowed(reader, facts) <= allowed(reader, replace(facts, is_released=True))


@pytest.mark.parametrize("reader", Reader)
def test_who_sees_a_value_or_a_picture_may_know_the_name(reader):
    for facts in ALL_FACTS:
        if allowed(reader, facts) & {"values", "pictures"}:
            assert "names" in allowed(reader, facts)


@pytest.mark.parametrize("facts", ALL_FACTS)
def test_after_consent_was_withdrawn_counted_values_are_all_that_remains(facts):
    for reader in OTHERS:
        remaining = without_consent(reader, access(reader, facts))
        assert not any((remaining.pictures, remaining.references, remaining.files, remaining.reference_files))
        assert remaining.values == (access(reader, facts).values and reader is not Reader.PUBLICATION)
    assert without_consent(Reader.PUBLICATION, access(Reader.PUBLICATION, facts)) == NOTHING
    assert without_consent(Reader.ORGANIZER, EVERYTHING) == EVERYTHING
