"""Saving a field: states, history, and two people at once."""

import pytest
from django.core.exceptions import ValidationError
from django.db import DatabaseError, transaction

from core.audit.models import Entry as AuditEntry
from designs import services
from designs.models import FieldChange, FieldValue
from designs.queries import document_of
from designs.services import Conflict
from evaluation.designs.document import State
from evaluation.designs.document.sealing import commitment
from tests.unit.designs.world import design, person, save

pytestmark = pytest.mark.django_db


@pytest.fixture
def owner():
    return person("ada")


@pytest.fixture
def hippocampus(owner):
    return design(owner)


def test_every_save_is_kept_with_who_when_from_and_to(hippocampus, owner):
    save(hippocampus, "challenge_name", "First")
    save(hippocampus, "challenge_name", "Second")
    last, first = FieldChange.objects.filter(parameter="challenge_name")
    assert (first.before["state"], first.after["value"]) == ("missing", "First")
    assert (last.before["value"], last.after["value"], last.actor) == ("First", "Second", owner)
    assert FieldValue.objects.get(parameter="challenge_name").revision == 2


def test_a_save_is_in_the_audit_log_without_its_text(hippocampus):
    save(hippocampus, "challenge_name", "A name for later")
    entry = AuditEntry.objects.get(act="design_field_saved", facts__parameter="challenge_name")
    assert "A name for later" not in str(entry.facts)
    assert entry.facts["revision"] == 1


def test_saving_the_same_value_again_changes_nothing(hippocampus):
    save(hippocampus, "challenge_name", "Same")
    assert not save(hippocampus, "challenge_name", " Same ").changed
    assert FieldChange.objects.filter(parameter="challenge_name").count() == 1


def test_the_history_cannot_be_rewritten(hippocampus):
    save(hippocampus, "challenge_name", "First")
    with pytest.raises(DatabaseError), transaction.atomic():
        FieldChange.objects.filter(parameter="challenge_name").update(parameter="other")
    with pytest.raises(DatabaseError), transaction.atomic():
        FieldChange.objects.filter(parameter="challenge_name")._raw_delete("default")


def test_two_people_at_different_fields_do_not_disturb_each_other(hippocampus):
    save(hippocampus, "challenge_name", "Name", revision=0)
    save(hippocampus, "challenge_acronym", "ACR", revision=0)
    assert document_of(hippocampus).values().get("challenge_acronym") == "ACR"


def test_the_second_at_the_same_field_sees_what_changed_and_nothing_is_lost(hippocampus):
    save(hippocampus, "challenge_name", "Start", revision=0)
    save(hippocampus, "challenge_name", "Theirs", revision=1)
    with pytest.raises(Conflict) as caught:
        save(hippocampus, "challenge_name", "Mine", revision=1)
    conflict = caught.value
    assert (conflict.base.value, conflict.theirs.value, conflict.mine.value) == ("Start", "Theirs", "Mine")
    assert document_of(hippocampus).values().get("challenge_name") == "Theirs"
    save(hippocampus, "challenge_name", "Mine", revision=conflict.field.revision)
    assert document_of(hippocampus).values().get("challenge_name") == "Mine"


def test_both_writing_the_same_is_no_conflict(hippocampus):
    save(hippocampus, "challenge_name", "Agreed", revision=0)
    assert not save(hippocampus, "challenge_name", "Agreed", revision=0).changed


def test_none_declared_is_a_statement(hippocampus):
    save(hippocampus, "conflicts_of_interest", state=State.NONE_DECLARED)
    assert document_of(hippocampus).challenge["conflicts_of_interest"].is_filled


def test_not_applicable_needs_a_reason(hippocampus):
    with pytest.raises(ValidationError, match="why it does not apply"):
        save(hippocampus, "acquisition_subjects", state=State.NOT_APPLICABLE)
    save(hippocampus, "acquisition_subjects", state=State.NOT_APPLICABLE, reason="phantom data")


def test_what_follows_needs_a_date(hippocampus):
    with pytest.raises(ValidationError, match="day by which"):
        save(hippocampus, "ethics_approval_details", state=State.FOLLOWS)
    saved = save(hippocampus, "ethics_approval_details", state=State.FOLLOWS, until="2026-03-31")
    assert saved.field.until.isoformat() == "2026-03-31"
    assert not saved.field.entry.is_filled


def test_what_the_design_cannot_do_without_cannot_be_declared_away(hippocampus):
    with pytest.raises(ValidationError, match="cannot be left out"):
        save(hippocampus, "metrics", state=State.NOT_APPLICABLE, reason="later")


def test_an_embargo_stores_the_value_and_shows_a_salted_digest(hippocampus):
    saved = save(
        hippocampus, "challenge_cohort", "sigmoid resection", state=State.EMBARGOED, event="submission_deadline"
    )
    field = saved.field
    assert field.digest == commitment("sigmoid resection", field.nonce)
    assert save(hippocampus, "challenge_cohort", "sigmoid", state=State.EMBARGOED, event="x").field.nonce != field.nonce


def test_an_embargo_needs_value_and_event(hippocampus):
    with pytest.raises(ValidationError, match="value that is withheld"):
        save(hippocampus, "challenge_cohort", state=State.EMBARGOED, event="x")
    with pytest.raises(ValidationError, match="which event"):
        save(hippocampus, "challenge_cohort", "pigs", state=State.EMBARGOED)


def test_a_value_that_does_not_fit_is_refused(hippocampus):
    with pytest.raises(ValidationError, match="whole number"):
        save(hippocampus, "challenge_year", "2026.5")


def test_values_belong_to_the_challenge_or_to_a_task(hippocampus, owner):
    task = hippocampus.tasks.get()
    with pytest.raises(ValidationError, match="for each task"):
        services.save_field(actor=owner, design=hippocampus, parameter="metrics", value=[])
    with pytest.raises(ValidationError, match="once for the whole challenge"):
        services.save_field(actor=owner, design=hippocampus, parameter="challenge_name", value="x", task=task)
    with pytest.raises(ValidationError, match="no parameter"):
        services.save_field(actor=owner, design=hippocampus, parameter="shoe_size", value=44)


def test_a_task_may_replace_what_the_challenge_says_where_the_catalogue_allows_it(hippocampus, owner):
    services.save_field(actor=owner, design=hippocampus, parameter="max_submissions", value=5)
    services.save_field(
        actor=owner, design=hippocampus, parameter="max_submissions", value=1, task=hippocampus.tasks.get()
    )
    document = document_of(hippocampus)
    assert document.values().get("max_submissions") == 5
    assert document.values("task-1").get("max_submissions") == 1


def test_a_task_of_another_design_is_refused(hippocampus, owner):
    other = design(owner, title="Other")
    with pytest.raises(ValidationError, match="no such task"):
        services.save_field(actor=owner, design=hippocampus, parameter="task_name", value="x", task=other.tasks.get())
