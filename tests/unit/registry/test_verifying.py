"""Changes to stored records that bypass the triggers are detected."""

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from core.audit.models import Entry
from core.audit.services import digest
from registry import hooks, services
from registry.hooks import Ledger, Row
from registry.models import Verification
from registry.services.files import content_of, store_file, store_pdf
from registry.services.verifying import is_due, verify
from tests.unit.registry.world import person, registered

pytestmark = pytest.mark.django_db
PLACE = "task-1/case_definition"


@pytest.fixture
def storage(settings, tmp_path):
    private = {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": tmp_path}}
    settings.STORAGES = settings.STORAGES | {"default": private, "private": private}
    return tmp_path


@pytest.fixture
def ada():
    return person("ada")


@pytest.fixture
def first(ada):
    return registered(ada)


@pytest.fixture
def second(first, ada):
    document = first.document
    document["tasks"][0]["number_test_cases"] = 61
    return services.add_version(
        registration=first.registration, actor=ada, level="minor", note="One more.", document=document
    )


def past_the_triggers(table, sql, *parameters):
    """Execute SQL without the triggers, as only a database administrator could."""
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute(f"DROP TRIGGER {table}_no_update")
            cursor.execute(f"DROP TRIGGER {table}_no_delete")
        else:
            # Constraints that wait for the end of the transaction would keep the table from being altered.
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
            name = "audit_entry_no_change" if table == "audit_entry" else f"{table}_no_change"
            cursor.execute(f"ALTER TABLE {table} DISABLE TRIGGER {name}")
        cursor.execute(sql, parameters)


def problems():
    return verify().problems


def test_what_nobody_touched_holds(second, ada):
    services.open_value(version=second, field_path=PLACE, actor=ada)
    verification = verify(asked_by=ada)
    assert verification.holds
    assert verification.counts["registered versions"] == 2
    assert verification.counts["opened values"] == 1
    assert verification.head_sequence == Entry.objects.count()
    assert not is_due()


def test_a_changed_document_is_found(second):
    past_the_triggers(
        "registry_registrationversion",
        "UPDATE registry_registrationversion SET canonical = REPLACE(canonical, '61', '62') WHERE id = %s",
        second.pk,
    )
    (problem,) = problems()
    assert problem.startswith(f"{second}: what is stored does not have the digest {second.digest[:12]}")


def test_a_document_that_was_changed_with_its_digest_is_found_by_the_log(second):
    import hashlib

    forged = second.canonical.replace("61", "62")
    past_the_triggers(
        "registry_registrationversion",
        "UPDATE registry_registrationversion SET canonical = %s, digest = %s WHERE id = %s",
        forged,
        hashlib.sha256(forged.encode()).hexdigest(),
        second.pk,
    )
    assert problems() == [f"{second}: the audit log has another digest, {second.digest[:12]}…."]


def test_a_removed_version_is_found(second):
    from registry.models import Listing

    Listing.objects.update(version=second.previous)
    past_the_triggers(
        "registry_registrationversion", "DELETE FROM registry_registrationversion WHERE id = %s", second.pk
    )
    assert problems() == [f"Registered versions: number {second.pk} is gone; the audit log has {second.digest[:12]}…."]


def test_an_added_version_is_found(second):
    past_the_triggers(
        "registry_registrationversion",
        "INSERT INTO registry_registrationversion (registration_id, previous_id, major, minor, level, note, changes, "
        "is_late, is_deviation, canonical, digest, schema, catalogue, sealed, registered_at) "
        "SELECT registration_id, id, 2, 0, 'critical', note, changes, is_late, is_deviation, canonical, digest, schema, "
        "catalogue, sealed, registered_at FROM registry_registrationversion WHERE id = %s",
        second.pk,
    )
    assert any("the audit log does not know it" in problem for problem in problems())


def test_a_renumbered_version_is_found(second):
    past_the_triggers(
        "registry_registrationversion", "UPDATE registry_registrationversion SET minor = 7 WHERE id = %s", second.pk
    )
    assert [problem for problem in problems() if "it was registered as version 1.1" in problem]


def test_a_rewritten_log_is_found(second):
    entry = Entry.objects.get(act="registration_version_added", subject_id=str(second.pk))
    entry.facts["digest"] = "0" * 64
    past_the_triggers(
        "audit_entry",
        "UPDATE audit_entry SET facts = %s, digest = %s WHERE id = %s",
        __import__("json").dumps(entry.facts),
        digest(entry),
        entry.pk,
    )
    found = problems()
    assert f"The chain of the audit log does not hold at entry {entry.sequence}." in found
    assert f"{second}: the audit log has another digest, 000000000000…." in found


def test_another_opened_value_is_found(second, ada):
    opened = services.open_value(version=second, field_path=PLACE, actor=ada)
    past_the_triggers(
        "registry_disclosure", "UPDATE registry_disclosure SET value = %s WHERE id = %s", '"two volumes"', opened.pk
    )
    assert any(problem.startswith(f"{opened}: what is stored") for problem in problems())


def test_a_changed_and_a_lost_file_are_found(first, storage):
    stored = store_file(version=first, kind="pdf", content=b"%PDF-1.7 the design")
    assert content_of(stored) == b"%PDF-1.7 the design"
    assert store_pdf(version=first) == stored
    assert verify().holds
    (storage / stored.name).write_bytes(b"%PDF-1.7 another")
    assert any(problem.startswith(f"{stored}: what is stored") for problem in problems())
    (storage / stored.name).unlink()
    assert any(problem.startswith(f"{stored}: what is stored") for problem in problems())


def test_rows_of_other_apps_are_covered(first, monkeypatch):
    ledger = Ledger(
        "tests", "registry.registration", "tested", "digest", lambda: [Row("1", "Test 1", "a" * 64, "b" * 64)]
    )
    monkeypatch.setattr(hooks, "ledgers", [*hooks.ledgers, ledger])
    assert problems() == [
        "Test 1: what is stored does not have the digest aaaaaaaaaaaa….",
        "Test 1: the audit log does not know it.",
    ]


def test_test_sets_and_rankings_are_among_them():
    assert {"sealed test sets", "rankings"} <= {ledger.kind for ledger in hooks.ledgers}


def test_what_was_found_stands_in_the_log(second):
    past_the_triggers(
        "registry_registrationversion", "UPDATE registry_registrationversion SET digest = '' WHERE id = %s", second.pk
    )
    found = problems()
    assert Entry.objects.get(act="registry_verification_failed").facts["problems"] == found


def test_the_command_says_what_holds_and_fails_for_what_does_not(second, capsys):
    call_command("verify_registry")
    assert "2 registered versions" in capsys.readouterr().out
    past_the_triggers(
        "registry_registrationversion", "UPDATE registry_registrationversion SET digest = '' WHERE id = %s", second.pk
    )
    with pytest.raises(CommandError, match="things do not hold"):
        call_command("verify_registry")
    assert f"{second}" in capsys.readouterr().err
    assert Verification.objects.count() == 2
