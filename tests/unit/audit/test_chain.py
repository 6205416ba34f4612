"""The audit log is a chain that shows every change."""

from types import SimpleNamespace

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection, transaction

from accounts.models import User
from core.audit import services
from core.audit.models import Entry, Head
from core.audit.services import GENESIS, broken_links, record

pytestmark = pytest.mark.django_db


@pytest.fixture
def ada():
    return User.objects.create(username="ada", email="ada@example.org")


@pytest.fixture
def chain(ada):
    return [record(actor=ada, act="tried", subject=ada, facts={"n": n}) for n in range(3)]


def without_triggers(sql, parameters):
    """Execute SQL without the triggers, as only a database administrator could."""
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("DROP TRIGGER audit_entry_no_update")
            cursor.execute("DROP TRIGGER audit_entry_no_delete")
        else:
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
            cursor.execute("ALTER TABLE audit_entry DISABLE TRIGGER audit_entry_no_change")
        cursor.execute(sql, parameters)


def test_each_entry_carries_the_digest_of_the_one_before(chain):
    assert [entry.sequence for entry in chain] == [1, 2, 3]
    assert [entry.previous for entry in chain] == [GENESIS, chain[0].digest, chain[1].digest]
    assert broken_links() == []


def test_the_digest_survives_the_database(chain):
    assert [entry.digest for entry in Entry.objects.all()] == [entry.digest for entry in chain]


@pytest.mark.parametrize("act", ["update", "delete"])
def test_the_database_refuses_to_change_or_delete_an_entry(chain, act):
    rows = Entry.objects.filter(sequence=2)
    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
        rows.update(act="nothing") if act == "update" else rows._raw_delete(rows.db)
    assert broken_links() == []


def test_a_changed_entry_is_named(chain):
    without_triggers("UPDATE audit_entry SET act = %s WHERE sequence = 2", ["forged"])
    assert broken_links() == [2]


def test_a_removed_entry_is_named(chain):
    without_triggers("DELETE FROM audit_entry WHERE sequence = %s", [2])
    assert broken_links() == [3]


def test_a_cut_off_end_is_named(chain):
    without_triggers("DELETE FROM audit_entry WHERE sequence = %s", [3])
    assert broken_links() == [3]


def test_the_command_names_the_broken_entry(chain, capsys):
    call_command("verify_audit")
    assert "3 entries, chain intact" in capsys.readouterr().out
    without_triggers("UPDATE audit_entry SET scope = %s WHERE sequence = 1", ["forged"])
    with pytest.raises(CommandError, match="entries 1"):
        call_command("verify_audit")


def test_an_act_that_fails_leaves_no_entry(ada):
    def failing_act():
        with transaction.atomic():
            record(actor=ada, act="tried", subject=ada)
            raise RuntimeError("the act failed")

    with pytest.raises(RuntimeError, match="the act failed"):
        failing_act()
    assert not Entry.objects.exists()
    assert not Head.objects.filter(sequence__gt=0).exists()


def test_an_entry_outside_of_a_transaction_is_refused(ada, monkeypatch):
    outside = SimpleNamespace(get_connection=lambda: SimpleNamespace(in_atomic_block=False))
    monkeypatch.setattr(services, "transaction", outside)
    with pytest.raises(RuntimeError, match="in the transaction of its act"):
        record(actor=ada, act="tried", subject=ada)
