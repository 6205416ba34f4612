"""The ends of the audit chains are signed by a third party, so that a rewritten history is detected."""

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, transaction

from accounts.models import User
from core.audit.models import Entry, Head
from core.audit.services import GENESIS, broken_links, digest, record
from core.audit.services.proving import prove
from core.audit.services.sealing import append, part
from core.audit.transactions import unit
from operations.services.doctor import CHECKS
from registry.domain.certificate_order import sorted_certificates
from registry.models import Timestamp
from registry.services import timestamps
from registry.services.timestamps import TimestampError, stamp, timestamp_problems
from registry.services.verifying import verify
from tests.integration.registry.authority import Authority

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def authority(tmp_path_factory):
    made = Authority(tmp_path_factory.mktemp("tsa") / "one")
    with made.served():
        yield made


@pytest.fixture(autouse=True)
def configured(settings, authority):
    settings.PODIUM_TIMESTAMP_URL = authority.url
    settings.PODIUM_TIMESTAMP_CA = str(authority.root)
    settings.PODIUM_TIMESTAMP_PRIVATE = True


@pytest.fixture
def history():
    with unit("test"):
        ada = User.objects.create(username="ada")
        for number in range(3):
            with transaction.atomic():
                record(actor=ada, act="tried", subject=ada, facts={"n": number})
    return ada


def past_triggers(table: str, statement: str, *parameters: object) -> None:
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = %s", [table])
            for (name,) in cursor.fetchall():
                cursor.execute(f"DROP TRIGGER {name}")
        else:
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
            cursor.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
        cursor.execute(statement, parameters)


def delete_entries(condition: str) -> None:
    """Delete entries of the audit log with their sealings."""
    chosen = f"(SELECT id FROM audit_entry WHERE {condition})"
    past_triggers("audit_sealing", f"DELETE FROM audit_sealing WHERE entry_id IN {chosen}")
    past_triggers("audit_entry", f"DELETE FROM audit_entry WHERE {condition}")


def rewrite_history() -> None:
    """Change the first entry and compute the whole chain again, as the administrator of the database can."""
    previous = GENESIS
    for entry in Entry.objects.order_by("sequence"):
        if entry.sequence == 1:
            entry.facts = {"n": 99}
        entry.previous = previous
        entry.digest = previous = digest(entry)
        past_triggers(
            "audit_entry",
            "UPDATE audit_entry SET facts = %s, previous = %s, digest = %s WHERE id = %s",
            Entry._meta.get_field("facts").get_db_prep_save(entry.facts, connection),
            entry.previous,
            entry.digest,
            entry.pk,
        )
    Head.objects.update(digest=previous)


def test_a_timestamp_is_stored_and_verified_without_the_network(history, authority, settings):
    with unit("test"):
        row = stamp()
    assert row.entry_sequence == 3
    assert row.sealing_digest
    settings.PODIUM_TIMESTAMP_URL = "http://127.0.0.1:9/"
    assert timestamp_problems() == []
    assert prove().problems == []
    assert not timestamps.is_due()


def test_a_response_with_the_root_certificate_is_valid_in_the_order_of_openssl(history, tmp_path, settings):
    other = Authority(tmp_path / "other", includes_root=True)
    settings.PODIUM_TIMESTAMP_CA = str(other.root)
    with other.served():
        settings.PODIUM_TIMESTAMP_URL = other.url
        with unit("test"):
            row = stamp()
    assert timestamp_problems() == []
    # The stored response is the one that was received, and its signature still covers all that counts.
    response = bytes(row.response)
    assert sorted_certificates(response) != response
    assert sorted(sorted_certificates(response)) == sorted(response)
    past_triggers("registry_timestamp", "UPDATE registry_timestamp SET entry_sequence = 2 WHERE id = %s", row.pk)
    assert "Mismatch between messages" in timestamp_problems()[0]


@pytest.mark.parametrize("damage", [b"", b"\x30", b"\x30\x80", b"\x30\x84\xff", b"\x30\x03\x30\x01\x00", b"\x00" * 60])
def test_a_response_that_cannot_be_read_is_left_as_it_is(damage):
    assert sorted_certificates(damage) == damage


def test_a_history_that_is_computed_again_is_detected_by_the_timestamp_only(history):
    with unit("test"):
        row = stamp()
    rewrite_history()
    assert broken_links() == []
    (problem,) = timestamp_problems()
    assert f"entry 3 had the digest {row.entry_digest} then" in problem
    assert problem in verify(records=True).problems
    with pytest.raises(CommandError):
        call_command("verify_records")


def test_a_cut_off_history_is_detected(history):
    with unit("test"):
        stamp()
    last = Entry.objects.get(sequence=2)
    delete_entries("sequence >= 3")
    Head.objects.update(sequence=2, digest=last.digest)
    assert broken_links() == []
    (problem,) = timestamp_problems()
    assert problem.endswith("and is missing now.")


def test_a_timestamp_of_another_authority_is_not_valid(history, tmp_path, settings):
    with unit("test"):
        stamp()
    other = Authority(tmp_path / "other")
    settings.PODIUM_TIMESTAMP_CA = str(other.root)
    (problem,) = timestamp_problems()
    assert "is not valid" in problem
    with pytest.raises(TimestampError, match="gave no valid timestamp"):
        stamp()


def test_a_changed_timestamp_is_not_valid(history):
    with unit("test"):
        row = stamp()
    past_triggers("registry_timestamp", "UPDATE registry_timestamp SET entry_sequence = 2 WHERE id = %s", row.pk)
    assert "Mismatch between messages" in timestamp_problems()[0]
    assert prove().differences[0].columns == ("entry_sequence",)


def test_addresses_of_the_own_network_are_refused(history, settings):
    settings.PODIUM_TIMESTAMP_PRIVATE = False
    with pytest.raises(TimestampError, match="private network"):
        stamp()
    assert not Timestamp.objects.exists()


def test_without_a_certificate_nothing_is_stamped(history, settings):
    settings.PODIUM_TIMESTAMP_CA = ""
    with pytest.raises(TimestampError, match="PODIUM_TIMESTAMP_CA is not set"):
        stamp()


def test_without_an_address_nothing_is_due_and_the_doctor_reports_it(settings):
    assert timestamps.is_due()
    settings.PODIUM_TIMESTAMP_URL = ""
    assert not timestamps.is_due()
    assert "No third party signs the audit log" in " ".join(finding.said for finding in CHECKS["timestamps"]())


def test_the_doctor_reports_a_missing_and_a_present_timestamp(history):
    (finding,) = CHECKS["timestamps"]()
    assert "no timestamp yet" in finding.said
    with unit("test"):
        stamp()
    (finding,) = CHECKS["timestamps"]()
    assert finding.said.startswith("1 timestamp of a third party, the last of")


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("condition", "gone"), [("id > 0", 3), ("entry_sequence = 4", 1)], ids=["all", "one"])
def test_deleted_timestamps_are_reported(history, client, capsys, tmp_path, condition, gone):
    for _ in range(3):
        with unit("test"):
            stamp()
    target = str(tmp_path / "backups")
    with unit("command backup"):
        call_command("backup", target)
    call_command("verify_records", backup=target)
    assert "3 timestamps of a third party, the last of" in capsys.readouterr().out
    assert "3 timestamps of a third party" in next(CHECKS["timestamps"]()).said
    assert b'<dd class="num">3</dd>' in client.get("/registry/integrity/").content
    with transaction.atomic():  # the triggers come back
        keys = [str(key) for key in Timestamp.objects.extra(where=[condition]).values_list("pk", flat=True)]
        past_triggers("registry_timestamp", f"DELETE FROM registry_timestamp WHERE {condition}")
        # With a sealing, as if an act had removed them.
        append("request POST x", [part(Timestamp, [], dict.fromkeys(keys))])
        assert len(keys) == gone
        problems = verify(records=True).problems
        for key in keys:
            assert any(f"registry.timestamp {key}: sealing" in problem for problem in problems)
            assert any(f"Timestamps of a third party: number {key} is gone" in problem for problem in problems)
        assert f"{gone} timestamps that the audit log names are missing" in next(CHECKS["timestamps"]()).said
        with pytest.raises(CommandError):
            call_command("verify_records")
        # A history that never named them differs from the backup alone.
        delete_entries("act = 'timestamp_obtained'")
        assert "has 3 timestamps" in next(CHECKS["timestamps"]()).said
        with pytest.raises(CommandError):
            call_command("verify_records", backup=target)
        printed = capsys.readouterr().err
        assert f"has 3 timestamps of a third party, and the database has {3 - gone}." in printed
        assert "The audit log was rewritten after the backup of" in printed
        transaction.set_rollback(True)
