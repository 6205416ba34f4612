"""Every field of every model is sealed, derived, or free for a stated reason."""

import uuid
from contextlib import suppress

import pytest
from django.apps import apps
from django.core.management import CommandError, call_command
from django.db import connection, transaction
from django.db.models import Value
from django.db.models.functions import Concat

from accounts.models import User
from accounts.notifications.models import Unsubscribed
from core.audit import hooks
from core.audit.domain.values import LENGTH, field_digest, plain
from core.audit.models import Entry, Sealing
from core.audit.services import record
from core.audit.services.proving import prove
from core.audit.services.sealing import adopt_new
from core.audit.transactions import unit

MODELS = apps.get_models(include_auto_created=True)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model._meta.label)
def test_every_field_of_every_model_is_sealed_or_has_a_reason(model):
    sealed = hooks.sealed_fields(model._meta.label_lower)
    for field in model._meta.concrete_fields:
        is_key = field.primary_key
        reason = hooks.reason_for(model, field.name)
        assert is_key or (field.attname in sealed) != bool(reason), f"{model._meta.label}.{field.name}"


def test_every_reason_names_a_field_that_exists_and_says_something():
    for (label, name), reason in hooks.declared_free().items():
        model = apps.get_model(label)
        assert name == hooks.EVERY_FIELD or model._meta.get_field(name), f"{label}.{name}"
        assert len(reason.split()) >= 4, f"{label}.{name}: {reason}"


def test_few_models_are_left_free():
    """A model that pages show is not declared free as a whole to silence the verification."""
    whole = {label for label, name in hooks.declared_free() if name == hooks.EVERY_FIELD}
    assert whole == {
        "admin.logentry",
        "audit.entry",
        "audit.head",
        "audit.sealing",
        "audit.sealinghead",
        "auth.permission",
        "contenttypes.contenttype",
        "designs.linkanswer",
        "executions.runhost",
        "operations.heartbeat",
        "sessions.session",
        "submissions.chunk",
    }


def test_a_digest_depends_on_model_row_field_and_value():
    digests = {
        field_digest(*place, value)
        for place in (("a.b", "1", "x"), ("a.c", "1", "x"), ("a.b", "2", "x"), ("a.b", "1", "y"))
        for value in ("1", 1, None, {"x": 1}, ["x", 1], True, 1.5)
    }
    assert len(digests) == 4 * 7
    assert {len(digest) for digest in digests} == {LENGTH}


def test_values_are_equal_however_a_database_returns_them():
    number = uuid.uuid4()
    assert plain({"b": 1.0, "a": (1, number)}) == {"b": 1, "a": [1, str(number)]}


def change(assignments, user):
    """Change a row by SQL."""
    with connection.cursor() as cursor:
        cursor.execute(f"UPDATE accounts_user SET {assignments} WHERE id = %s", [user.pk])


@pytest.mark.django_db
class TestSealing:
    def test_all_ways_of_the_orm_to_write_are_sealed_in_a_unit(self):
        with unit("test"):
            ada, bo, cy = User.objects.bulk_create([User(username=name, email=f"{name}@x.org") for name in "abc"])
            User.objects.filter(pk=ada.pk).update(affiliation="Here")
            bo.affiliation = "There"
            bo.save()
            cy.affiliation = "Everywhere"
            User.objects.bulk_update([cy], ["affiliation"])
            User.objects.get_or_create(username="d")
            User.objects.filter(pk=cy.pk).delete()
            first = Unsubscribed(address="a@x.org", kind="x")
            Unsubscribed.objects.bulk_create([first], ignore_conflicts=True)
            Unsubscribed.objects.bulk_create([first, Unsubscribed(address="b@x.org", kind="x")], ignore_conflicts=True)
        assert prove().problems == []

    def test_an_act_seals_its_transaction_and_names_its_entry(self):
        with transaction.atomic():
            ada = User.objects.create(username="ada")
            entry = record(actor=ada, act="tried", subject=ada)
            ada.affiliation = "Here"  # after the entry
            ada.save(update_fields=["affiliation"])
        sealing = Sealing.objects.latest("sequence")
        assert (sealing.entry, sealing.origin) == (entry, "act tried")
        assert prove().problems == []

    def test_a_write_without_an_act_or_a_unit_is_reported(self):
        ada = User.objects.create(username="ada")
        assert prove().problems == [f"accounts.user {ada.pk}: the row was added without an act."]

    def test_an_act_seals_only_the_columns_that_it_writes(self):
        with unit("test"):
            ada = User.objects.create(username="ada")
        with connection.cursor() as cursor:
            cursor.execute("UPDATE accounts_user SET is_superuser = true WHERE id = %s", [ada.pk])
        with unit("test"):
            User.objects.filter(pk=ada.pk).update(affiliation="Here")
        (difference,) = prove().differences
        assert difference.columns == ("is_superuser",)

    def test_a_changed_value_that_a_bare_save_writes_again_is_still_reported(self):
        with unit("test"):
            ada = User.objects.create(username="ada", affiliation="Here")
        change("is_superuser = true, affiliation = 'There'", ada)
        with unit("test"):
            again = User.objects.get(pk=ada.pk)
            again.first_name = "Ada"
            again.save()
        (difference,) = prove().differences
        assert difference.columns == ("affiliation", "is_superuser")

    @pytest.mark.parametrize(
        "write",
        [
            lambda rows: rows.update(affiliation=Concat("affiliation", Value("!"))),
            lambda rows: rows.filter(access_tokens__isnull=True).update(affiliation="Elsewhere"),
            lambda rows: User.objects.bulk_update([User(pk=rows.get().pk, affiliation="Elsewhere")], ["affiliation"]),
        ],
        ids=["computed", "joined", "bulk"],
    )
    def test_a_changed_value_that_another_value_replaces_is_still_reported(self, write):
        with unit("test"):
            ada = User.objects.create(username="ada", affiliation="Here")
        sealed = Sealing.objects.latest("sequence").sequence
        change("affiliation = 'There'", ada)
        with unit("test"):
            write(User.objects.filter(pk=ada.pk))
            User.objects.filter(pk=ada.pk).update(affiliation="Here")
        (difference,) = prove().differences
        assert (difference.columns, difference.sealing) == (("affiliation",), sealed)
        assert f"sealing {sealed + 1} replaced it" in difference.problem
        call_command("verify_records", adopt="Written by hand.")
        assert prove().problems == []
        change("affiliation = 'Nowhere'", ada)
        with unit("test"):
            User.objects.filter(pk=ada.pk).update(affiliation="Here")
        assert len(prove().differences) == 1

    def test_values_that_a_transaction_writes_several_times_are_not_reported(self):
        with unit("test"):
            ada = User.objects.create(username="ada")
            with transaction.atomic():
                User.objects.filter(pk=ada.pk).update(affiliation="There")
                with suppress(ZeroDivisionError), transaction.atomic():
                    User.objects.filter(pk=ada.pk).update(affiliation="Lost", first_name="Lost")
                    raise ZeroDivisionError
                User.objects.filter(pk=ada.pk).update(affiliation="Here", last_name="Lovelace")
            User.objects.filter(affiliation="Here").update(affiliation="There")
        assert prove().problems == []

    def test_a_save_that_changes_no_value_adds_no_sealing(self):
        with unit("test"):
            ada = User.objects.create(username="ada")
            before = Sealing.objects.count()
            ada.save()
        assert Sealing.objects.count() == before

    def test_what_is_rolled_back_leaves_no_seal(self):
        before = Sealing.objects.count()
        with unit("test"), transaction.atomic():
            User.objects.create(username="ada")
            transaction.set_rollback(True)
        assert Sealing.objects.count() == before
        with unit("test"), transaction.atomic():
            with transaction.atomic():
                User.objects.create(username="ada")
                transaction.set_rollback(True)
            User.objects.create(username="bo")
        assert prove().problems == []

    def test_a_free_field_costs_no_sealing(self):
        with unit("test"):
            ada = User.objects.create(username="ada")
        before = Sealing.objects.count()
        with unit("test"):
            User.objects.filter(pk=ada.pk).update(last_login=None)
        assert Sealing.objects.count() == before

    def test_rows_of_an_older_installation_are_adopted_once(self):
        with connection.cursor() as cursor:
            if connection.vendor == "sqlite":
                cursor.execute("DROP TRIGGER audit_sealing_no_delete")
            else:
                cursor.execute("ALTER TABLE audit_sealing DISABLE TRIGGER USER")
            cursor.execute("DELETE FROM audit_sealing")
            cursor.execute("DELETE FROM audit_sealinghead")
        ada = User.objects.create(username="ada")
        assert prove().broken
        assert adopt_new() > 0
        assert adopt_new() == 0
        assert "adopted as found on" in Sealing.objects.latest("sequence").origin
        assert prove().problems == []
        User.objects.filter(pk=ada.pk).update(is_staff=True)
        assert len(prove().differences) == 1

    def test_a_changed_or_shortened_chain_of_sealings_is_reported(self):
        with unit("test"):
            User.objects.create(username="ada")
            User.objects.create(username="bo")
        last = Sealing.objects.latest("sequence")
        with connection.cursor() as cursor:
            if connection.vendor == "sqlite":
                cursor.execute("DROP TRIGGER audit_sealing_no_update")
                cursor.execute("DROP TRIGGER audit_sealing_no_delete")
            else:
                cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
                cursor.execute("ALTER TABLE audit_sealing DISABLE TRIGGER USER")
            cursor.execute("UPDATE audit_sealing SET origin = 'other' WHERE id = %s", [last.pk])
            assert prove().broken == [f"Sealing {last.sequence} was changed, or one before it."]
            cursor.execute("DELETE FROM audit_sealing WHERE id = %s", [last.pk])
        assert prove().broken == [f"The chain of sealings ends at {last.sequence - 1}; its end is missing."]

    def test_an_operator_adopts_differences_with_a_reason_that_remains(self):
        ada = User.objects.create(username="ada")
        with pytest.raises(CommandError):
            call_command("verify_records")
        call_command("verify_records", adopt="Restored by hand.")
        call_command("verify_records")
        entry = Entry.objects.latest("sequence")
        assert entry.act == "records_adopted"
        assert entry.facts["reason"] == "Restored by hand."
        assert f"accounts.user {ada.pk}" in entry.facts["differences"][0]
