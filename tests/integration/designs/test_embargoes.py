"""An embargoed value opens on its event, with the proof that it is the one that was promised."""

from datetime import timedelta

import pytest
from django.core.exceptions import ValidationError
from django.db import DatabaseError, transaction
from django.urls import reverse
from django.utils import timezone

from designs import services, tasks
from designs.models import Collaborator, DesignVersion, FieldChange, FieldValue, OpenedEmbargo
from designs.queries import document_of, opening_day
from designs.services.embargoes import open_embargo
from evaluation.designs.document.sealing import commitment
from tests.unit.designs.world import design, person, save

pytestmark = pytest.mark.django_db
SECRET = "Sigmoid resections of one hospital"


@pytest.fixture
def owner():
    return person("ada")


@pytest.fixture
def sealed(owner):
    stored = design(owner)
    stored.is_public = True
    stored.save()
    save(stored, "challenge_cohort", SECRET, state="embargoed_until", event="submission_deadline")
    services.freeze_version(actor=owner, design=stored, name="Registered")
    return stored


def schedule(stored, days, event="submission_deadline"):
    day = (timezone.now() + timedelta(days=days)).date().isoformat()
    save(stored, "challenge_schedule", [{"event": event, "date": day}])


def test_it_opens_on_its_event_and_not_before(client, sealed):
    page = reverse("designs:task_section", args=[sealed.slug, "data_sets", "task-1"])
    export = reverse("designs:export_json", args=[sealed.slug])
    promised = FieldValue.objects.get(parameter="challenge_cohort").digest
    for days in (None, 1):
        if days:
            schedule(sealed, days)
        tasks.sweep()
        assert not OpenedEmbargo.objects.exists()
        assert SECRET.encode() not in client.get(page).content + client.get(export).content
    schedule(sealed, 0)
    tasks.sweep()
    tasks.sweep()
    proof = OpenedEmbargo.objects.get()
    assert proof.digest == promised == commitment(SECRET, proof.nonce)
    assert SECRET.encode() in client.get(export).content
    assert proof.nonce.encode() in client.get(reverse("designs:versions", args=[sealed.slug])).content
    # The frozen version says what it said; its digest is that of its document.
    assert SECRET not in str(DesignVersion.objects.get().document)


def test_of_several_dates_the_last_day_of_the_last_counts_and_own_words_have_none(sealed):
    rows = [{"event": "submission_deadline", "date": "2027-02"}, {"event": "submission_deadline", "date": "2026-05-01"}]
    save(sealed, "challenge_schedule", rows)
    document = document_of(sealed)
    assert opening_day(document, "submission_deadline").isoformat() == "2027-02-28"
    assert opening_day(document, "Submission deadline").isoformat() == "2027-02-28"
    assert opening_day(document, "when the moon is full") is None


def test_who_opens_it_by_hand_leaves_the_same_proof_and_another_value_leaves_none(sealed):
    save(sealed, "challenge_cohort", SECRET)
    assert OpenedEmbargo.objects.get().value == SECRET
    save(sealed, "award_policy", "A prize", state="embargoed_until", event="results_release")
    save(sealed, "award_policy", "No prize")
    assert OpenedEmbargo.objects.count() == 1
    with pytest.raises(ValidationError):
        open_embargo(actor=None, field=FieldValue.objects.get(parameter="award_policy"))


def test_an_owner_says_that_an_event_in_own_words_has_come(client, sealed, owner):
    save(sealed, "award_policy", "A prize", state="embargoed_until", event="when the moon is full")
    page = reverse("designs:versions", args=[sealed.slug])
    field = FieldValue.objects.get(parameter="award_policy")
    address = reverse("designs:open_embargo", args=[sealed.slug, field.pk])
    text = client.get(page).content.decode()
    assert "when the moon is full" in text
    assert "when an owner publishes it" in text
    assert address not in text
    assert client.post(address).status_code == 302  # to the sign-in page
    for role, status in (("reader", 403), ("editor", 403)):
        Collaborator.objects.create(design=sealed, user=person(role), role=role)
        client.force_login(sealed.collaborators.get(role=role).user)
        assert client.post(address).status_code == status
    assert not OpenedEmbargo.objects.exists()
    client.force_login(owner)
    assert address in client.get(page).content.decode()
    assert client.get(address).url == page
    client.post(address)
    proof = OpenedEmbargo.objects.get()
    assert (proof.value, proof.digest) == ("A prize", commitment("A prize", proof.nonce))
    assert address not in client.get(page).content.decode()
    client.post(address)
    assert OpenedEmbargo.objects.count() == 1


def test_the_database_refuses_to_change_versions_history_and_proofs(sealed):
    save(sealed, "challenge_cohort", SECRET)
    for row, change in (
        (DesignVersion.objects.get(), {"name": "Another"}),
        (FieldChange.objects.first(), {"revision": 9}),
        (OpenedEmbargo.objects.get(), {"nonce": "0"}),
    ):
        table = type(row).objects.filter(pk=row.pk)
        with pytest.raises(DatabaseError, match=r"immutable|append-only"), transaction.atomic():
            table.update(**change)
        with pytest.raises(DatabaseError, match=r"immutable|append-only"), transaction.atomic():
            table._raw_delete(table.db)
