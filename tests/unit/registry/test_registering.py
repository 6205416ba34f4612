"""Registered versions are complete, public, without personal data, and immutable."""

import hashlib

import pytest
from django.core.exceptions import ValidationError
from django.db import DatabaseError, IntegrityError, transaction

from core.audit.models import Entry
from designs.services import freeze_version
from registry import queries
from registry.domain.public_documents import withheld
from registry.models import RegistrationVersion
from registry.services import add_version, register
from tests.unit.registry.world import ADDRESS, frozen, person, registered, save

pytestmark = pytest.mark.django_db


@pytest.fixture
def ada():
    return person("ada")


@pytest.fixture
def first(ada):
    return registered(ada)


def test_version_1_0_is_canonical_json_with_its_digest_and_an_entry_of_the_chain(first, ada):
    assert first.number == "1.0"
    assert hashlib.sha256(first.canonical.encode()).hexdigest() == first.digest
    entry = Entry.objects.get(act="registration_version_added")
    assert (entry.subject_id, entry.actor, entry.facts["digest"]) == (str(first.pk), ada, first.digest)
    registration = first.registration
    assert registration.identifier == f"podium-{registration.registered_at.year}-0001"
    assert registration.slug == "hippo-2026"
    assert registration.is_final
    assert queries.registration_of(registration.design) == registration


def test_no_address_and_no_withheld_value_stands_in_the_public_document(first):
    assert "@" not in first.canonical
    assert ADDRESS not in first.canonical
    assert "(at)" not in first.canonical
    assert "one volume" not in first.canonical
    assert "expected_participants" not in first.canonical
    assert "Ada Lovelace" in first.canonical
    assert first.document["challenge"]["challenge_abstract"].startswith("Find the hippocampus. Questions to [e-mail")
    (place,) = withheld(first.document)
    assert place.endswith("/case_definition")
    assert first.sealed[place]["value"] == "one volume"


def test_a_withheld_value_with_an_address_is_refused(ada):
    version = frozen(ada)
    save(version.design, "case_definition", f"ask {ADDRESS}", state="embargoed_until", event="training_data_release")
    with pytest.raises(ValidationError, match="opened word by word"):
        register(design_version=freeze_version(actor=ada, design=version.design, name="Again"), actor=ada)


def test_identifiers_count_on_within_the_year_and_names_stay_apart(first, ada):
    second = registered(ada)
    assert second.registration.number == first.registration.number + 1
    assert second.registration.slug == "hippo-2026-2"


def test_a_design_is_registered_once(first, ada):
    with pytest.raises(ValidationError, match="already"):
        register(design_version=first.design_version, actor=ada)


@pytest.mark.parametrize(("level", "number"), [("minor", "1.1"), ("major", "1.1"), ("critical", "2.0")])
def test_the_next_number_follows_from_the_class_of_the_change(first, ada, level, number):
    save(first.registration.design, "number_test_cases", 61)
    version = freeze_version(actor=ada, design=first.registration.design, name="Changed")
    second = add_version(
        registration=first.registration, actor=ada, level=level, note=f"Asked by {ADDRESS}.", design_version=version
    )
    assert second.note == "Asked by [e-mail address left out]."
    assert (second.number, second.previous) == (number, first)
    assert queries.current_version(first.registration) == second
    assert Entry.objects.filter(act="registration_version_added").last().facts["previous"] == first.digest


def test_a_version_can_be_made_from_the_present_document_and_keeps_what_is_sealed(first, ada):
    document = first.document
    document["tasks"][0]["number_test_cases"] = 61
    second = add_version(registration=first.registration, actor=ada, level="minor", note="One more.", document=document)
    assert second.sealed == first.sealed
    assert second.document["tasks"][0]["number_test_cases"] == 61


def test_nothing_new_is_no_version(first, ada):
    with pytest.raises(ValidationError, match="Nothing that is public differs"):
        add_version(registration=first.registration, actor=ada, level="minor", note="No.", document=first.document)


def test_a_withheld_value_without_its_proof_is_refused(first, ada):
    document = first.document
    document["tasks"][0]["case_definition__state"]["digest"] = "0" * 64
    with pytest.raises(ValidationError, match="does not fit its digest"):
        add_version(registration=first.registration, actor=ada, level="minor", note="No.", document=document)


@pytest.mark.parametrize("act", ["update", "delete"])
def test_the_database_refuses_to_change_or_delete_a_version(first, act):
    rows = RegistrationVersion.objects.filter(pk=first.pk)
    with pytest.raises(DatabaseError, match="immutable"), transaction.atomic():
        rows.update(note="forged") if act == "update" else rows._raw_delete(rows.db)


def test_two_people_cannot_both_add_the_next_version(first):
    facts = {
        field: getattr(first, field)
        for field in ("registration", "canonical", "digest", "schema", "catalogue", "registered_at")
    }
    RegistrationVersion.objects.create(previous=first, major=1, minor=1, level="minor", **facts)
    with pytest.raises(IntegrityError), transaction.atomic():
        RegistrationVersion.objects.create(previous=first, major=2, minor=0, level="critical", **facts)
    with pytest.raises(IntegrityError), transaction.atomic():
        RegistrationVersion.objects.create(previous=None, major=1, minor=0, **facts)
