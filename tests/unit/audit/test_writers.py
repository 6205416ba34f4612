"""Sealings belong to acts that write their values; what contradicts the declarations is reported."""

import re
from contextlib import suppress

import pytest
from django.apps import apps
from django.conf import settings
from django.db import connection, transaction

from accounts.models import User
from core.audit import hooks
from core.audit.models import Entry, Sealing
from core.audit.services import record
from core.audit.services.proving import prove
from core.audit.services.sealing import PIECE, append, seal_migrated
from core.audit.transactions import begin_migration, end_migration, unit
from operations.services.administrators import ADMINISTRATOR, give_role


def test_every_declaration_names_a_model_and_a_field_that_exist():
    declared = [*hooks.declared_writers().items(), *hooks.declared_unrecorded().items(), *hooks.declared_once().items()]
    for label, fields in declared:
        model = apps.get_model(label)
        for name in fields:
            assert name in (hooks.EVERY_FIELD, hooks.INSERTED, hooks.REMOVED) or model._meta.get_field(name)
    for label, fields in hooks.declared_unrecorded().items():
        for name, reason in fields.items():
            assert len(reason.split()) >= 4, f"{label}.{name}: {reason}"


def test_every_declared_act_is_an_act_of_the_platform():
    sources = "".join(path.read_text() for path in sorted((settings.ROOT / "platform").rglob("*.py")))
    sources = sources.replace((settings.ROOT / "platform/operations/contributions/writers.py").read_text(), "")
    acts = {act for fields in hooks.declared_writers().values() for names in fields.values() for act in names}
    # Acts whose names contain the state that a filing or registration moves to.
    composed = {act for act in acts if re.match(r"(filing|registration)_", act)}
    assert len(acts) >= 30
    assert {act for act in acts - composed if f'"{act}"' not in sources} == set()


@pytest.mark.django_db
def test_every_table_whose_rows_the_database_keeps_is_written_once():
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("SELECT tbl_name FROM sqlite_master WHERE type = 'trigger' AND name LIKE '%_no_update'")
        else:
            cursor.execute(
                "SELECT event_object_table FROM information_schema.triggers WHERE trigger_name LIKE '%_no_change'"
            )
        tables = {name for (name,) in cursor.fetchall()} - {"audit_entry", "audit_sealing"}
    once = {
        apps.get_model(label)._meta.db_table
        for label, fields in hooks.declared_once().items()
        if hooks.EVERY_FIELD in fields
    }
    assert len(tables) >= 10
    assert tables - once == set()


@pytest.mark.django_db
class TestActs:
    def test_an_act_that_writes_many_rows_seals_them_in_several_pieces(self):
        with unit("test"), transaction.atomic():
            users = User.objects.bulk_create(User(username=f"user{number}") for number in range(2 * PIECE + 1))
            record(actor=None, act="tried", subject=users[0])
        assert Sealing.objects.exclude(entry=None).count() == 3
        assert prove().problems == []

    def test_a_further_sealing_of_an_act_is_reported(self):
        with unit("test"), transaction.atomic():
            ada = User.objects.create(username="ada")
            entry = record(actor=None, act="tried", subject=ada)
        last = Sealing.objects.latest("sequence")
        append("act tried", last.rows, entry=entry)
        (difference,) = prove().differences
        assert f"names entry {entry.sequence} of the audit log, which was sealed before" in str(difference)

    def test_acts_of_one_transaction_seal_together(self):
        with unit("test"):
            ada = User.objects.create(username="ada")
        with transaction.atomic():
            give_role(user=ada, role=ADMINISTRATOR)
            record(actor=None, act="tried", subject=ada)
        assert prove().problems == []

    def test_a_right_that_is_given_without_an_act_is_reported(self):
        with unit("test"):
            ada = User.objects.create(username="ada")
            User.objects.filter(pk=ada.pk).update(is_staff=True)
        (difference,) = prove().differences
        assert difference.columns == ("is_staff",)
        assert "belongs to no act of the audit log" in difference.problem

    def test_an_entry_that_a_savepoint_took_back_is_not_named(self):
        with unit("test"), transaction.atomic():
            ada = User.objects.create(username="ada")
            with suppress(ZeroDivisionError), transaction.atomic():
                record(actor=None, act="tried", subject=ada)
                raise ZeroDivisionError
        assert Sealing.objects.latest("sequence").entry is None
        assert prove().problems == []

    def test_what_migrations_write_has_an_entry_in_the_audit_log(self):
        with unit("test"):
            ada = User.objects.create(username="ada")
        begin_migration()
        User.objects.filter(pk=ada.pk).update(is_superuser=True)
        seal_migrated(end_migration())
        assert Entry.objects.get(act="records_migrated").facts["rows"] == {"accounts.user": 1}
        assert prove().problems == []


@pytest.mark.django_db
def test_changes_in_the_administration_are_acts(admin_client):
    url = "/admin/accounts/user/"
    with unit("test"):
        ada, bo = User.objects.create(username="ada"), User.objects.create(username="bo")
    assert admin_client.get(f"{url}{ada.pk}/change/").status_code == 200
    data = {
        "username": "ada",
        "email": "ada@example.org",
        "is_staff": "on",
        "is_active": "on",
        "date_joined_0": "2026-01-01",
        "date_joined_1": "00:00:00",
        "_save": "Save",
    }
    assert admin_client.post(f"{url}{ada.pk}/change/", data).status_code == 302
    assert User.objects.get(pk=ada.pk).is_staff
    action = {"action": "delete_selected", "_selected_action": [bo.pk], "post": "yes"}
    assert admin_client.post(url, action).status_code == 302
    assert not User.objects.filter(pk=bo.pk).exists()
    acts = Entry.objects.filter(act__startswith="administration").values_list("act", "subject_id")
    assert list(acts) == [("administration_changed", str(ada.pk)), ("administration_deleted", str(bo.pk))]
    assert not [item for item in prove().differences if item.key == str(ada.pk)]
