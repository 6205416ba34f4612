"""Participants get hosted files: by the agreement, in ranges, at addresses that end; others get nothing."""

import hashlib

import pytest
from django.core import signing
from django.test import Client
from django.utils import timezone

from accounts.models import User
from challenges.services.participation import set_terms
from core.audit.models import Entry
from datastore.datasets.models import Dataset, DatasetFile, Download
from datastore.datasets.services import downloading, offering
from tests.integration.datasets.conftest import AGREEMENT, agree, hosted

pytestmark = pytest.mark.django_db(transaction=True)
PAGE = "/challenges/blocks/data/"


def signed_in(person):
    client = Client()
    if person is not None:
        client.force_login(person)
    return client


def asked(client, file):
    return client.post(f"{PAGE}files/{file.pk}/")


def body(response):
    return b"".join(response.streaming_content)


def test_without_data_the_page_says_what_to_do_next(world):
    """People who can offer data are led to the form, all others to the page on which they can ask."""
    assert "Ask in the discussion" in signed_in(world.ada).get(PAGE).content.decode()
    page = signed_in(world.organizer).get(PAGE).content.decode()
    assert 'href="#offer"' in page
    assert 'id="offer"' in page


def test_the_agreement_is_asked_for_only_where_a_file_needs_it(world, workers, tmp_path, content):
    notice = "Files that need the data usage agreement"
    for name, access, is_asked_for in (("Open", "open", False), ("Closed", "agreement", True)):
        path = tmp_path / f"{access}.zip"
        path.write_bytes(content[:1000])
        set_terms(
            actor=world.organizer,
            challenge=world.challenge,
            agreement=AGREEMENT,
            requires_approval=False,
            team_size=None,
        )
        hosted(world, path, name=name, access=access)
        page = signed_in(None).get(PAGE).content.decode()
        assert name in page
        assert (notice in page) is is_asked_for


def test_who_has_agreed_gets_the_file_whole_and_from_any_byte_on(released, world, content):
    file = released.files.get()
    assert (file.state, file.sha256, file.size) == ("ready", hashlib.sha256(content).hexdigest(), len(content))
    address = asked(signed_in(world.ada), file)["Location"]
    whole = Client().get(address)
    assert (whole.status_code, body(whole)) == (200, content)
    assert whole["Accept-Ranges"] == "bytes"
    rest = Client().get(address, headers={"Range": "bytes=1000000-"})
    assert (rest.status_code, rest["Content-Range"]) == (206, f"bytes 1000000-{len(content) - 1}/{len(content)}")
    assert body(rest) == content[1_000_000:]
    last = Client().get(address, headers={"Range": "bytes=-10"})
    assert body(last) == content[-10:]
    beyond = Client().get(address, headers={"Range": f"bytes={len(content)}-"})
    assert (beyond.status_code, beyond["Content-Range"]) == (416, f"bytes */{len(content)}")
    other = Client().get(address, headers={"Range": "bytes=5-", "If-Range": '"of-another-file"'})
    assert other.status_code == 200
    other.close()


def test_the_log_says_who_got_what_on_which_agreement_and_how_much(released, world, content):
    file = released.files.get()
    address = asked(signed_in(world.ada), file)["Location"]
    body(Client().get(address, headers={"Range": "bytes=0-999"}))
    body(Client().get(address, headers={"Range": "bytes=1000-"}))
    entry = Download.objects.get()
    assert (entry.user, entry.requests, entry.bytes_sent) == (world.ada, 2, len(content))
    assert entry.agreement_digest
    assert Entry.objects.filter(act="data_address_given", actor=world.ada).count() == 1
    text = signed_in(world.organizer).get(f"{PAGE}downloads.csv").content.decode()
    assert f"training-images,1,images.zip,ada,2,{len(content)}," in text


def test_an_account_without_the_agreement_gets_nothing(released, world):
    file = released.files.get()
    stranger = User.objects.create_user("stella", "stella@example.org", "a long password")
    administrator = User.objects.create_superuser("root", "root@example.org", "a long password")
    for person in (None, stranger, world.bo, administrator):
        response = asked(signed_in(person), file)
        assert response.status_code == 403, person
        assert f"{PAGE}files/{file.pk}/" not in signed_in(person).get(PAGE).content.decode()
    assert not Download.objects.exists()
    agree(world, world.bo)
    assert asked(signed_in(world.bo), file).status_code == 302


def test_an_address_ends_with_its_time_its_agreement_and_its_version(released, world, settings):
    file = released.files.get()
    address = asked(signed_in(world.ada), file)["Location"]
    set_terms(
        actor=world.organizer, challenge=world.challenge, agreement="New.", requires_approval=False, team_size=None
    )
    changed = Client().get(address)
    assert (changed.status_code, "has changed" in changed.content.decode()) == (403, True)
    agree(world, world.ada)
    Client().get(address).close()
    offering.withdraw_version(actor=world.organizer, version=released, reason="A patient withdrew consent.")
    withdrawn = Client().get(address)
    assert (withdrawn.status_code, "A patient withdrew consent." in withdrawn.content.decode()) == (403, True)
    settings.PODIUM_DATA_ADDRESS_SECONDS = 0
    assert "expired" in Client().get(address).content.decode()
    forged = signing.dumps({"download": Download.objects.get().pk}, salt="another purpose")
    assert Client().get(f"{PAGE}download/{forged}/").status_code == 403


def test_files_are_there_for_participants_from_the_registered_moment_on(world, workers, tmp_path, released):
    path = tmp_path / "test-images.zip"
    path.write_bytes(b"images")
    version = hosted(world, path, name="Test images")
    type(version).objects.filter(pk=version.pk).update(available_from=timezone.now() + timezone.timedelta(hours=1))
    file = version.files.get()
    refused = asked(signed_in(world.ada), file)
    assert refused.status_code == 403
    assert asked(signed_in(world.organizer), file).status_code == 302
    type(version).objects.filter(pk=version.pk).update(available_from=timezone.now())
    assert asked(signed_in(world.ada), file).status_code == 302


def test_open_data_need_no_account(world, workers, tmp_path, released):
    path = tmp_path / "sample.zip"
    path.write_bytes(b"sample")
    file = hosted(world, path, name="Sample", access=Dataset.Access.OPEN).files.get()
    assert body(Client().get(asked(Client(), file)["Location"])) == b"sample"
    assert Download.objects.get(file=file).user is None


def test_a_released_version_never_changes(released, world, tmp_path):
    from django.core.exceptions import ValidationError

    file = released.files.get()
    with pytest.raises(ValidationError, match="never changes"):
        offering.remove_file(actor=world.organizer, file=file)
    path = tmp_path / "more.zip"
    path.write_bytes(b"x")
    from datastore.datasets.services import hosting
    from datastore.uploads.services.refusals import UploadError

    with pytest.raises(UploadError, match="never changes"):
        hosting.host_file(actor=world.organizer, version=released, path=path)
    assert released.digest == offering.manifest_digest(released)
    second = offering.begin_version(actor=world.organizer, dataset=released.dataset)
    hosting.host_file(actor=world.organizer, version=second, path=path)
    assert second.number == 2


def test_limits_hold_for_a_file_and_for_a_challenge(released, world, tmp_path, settings):
    from datastore.datasets.services import hosting
    from datastore.uploads.services import refusals

    version = offering.begin_version(actor=world.organizer, dataset=released.dataset)
    settings.PODIUM_DATA_FILE_BYTES = 100
    with pytest.raises(refusals.TooLargeError):
        hosting.begin(user=world.organizer, version=version, name="a.zip", size=101)
    settings.PODIUM_DATA_CHALLENGE_BYTES = 3_000_050
    hosting.begin(user=world.organizer, version=version, name="a.zip", size=50)
    with pytest.raises(refusals.QuotaExceededError, match="this challenge take 3,000,050 bytes"):
        hosting.begin(user=world.organizer, version=version, name="b.zip", size=1)
    for name in ("../../etc/passwd/..", "CON.zip", "a\nb"):
        with pytest.raises(refusals.UploadError, match="cannot be the name"):
            hosting.begin(user=world.organizer, version=version, name=name, size=10)


ROLES = ("anonymous", "stranger", "agreed", "member", "organizer", "administrator")
MATRIX = {
    ("get", "data/"): (200, 200, 200, 200, 200, 200),
    ("get", "data/checksums.txt"): (200, 200, 200, 200, 200, 200),
    ("get", "data/downloads.csv"): (302, 404, 404, 404, 200, 200),
    ("post", "data/files/{file}/"): (403, 403, 302, 403, 302, 403),
    ("post", "data/files/{file}/remove/"): (302, 404, 404, 404, 302, 302),
    ("post", "data/offer/"): (302, 404, 404, 404, 422, 422),
    ("post", "data/training-images/begin/"): (302, 404, 404, 404, 302, 302),
    ("post", "data/training-images/1/release/"): (302, 404, 404, 404, 302, 302),
    ("post", "data/training-images/1/withdraw/"): (302, 404, 404, 404, 302, 302),
    ("get", "data/download/forged/"): (403, 403, 403, 403, 403, 403),
}


def test_every_role_at_every_address(released, world):
    people = {
        "anonymous": None,
        "stranger": User.objects.create_user("stella", "stella@example.org", "a long password"),
        "agreed": world.ada,
        "member": world.bo,
        "organizer": world.organizer,
        "administrator": User.objects.create_superuser("root", "root@example.org", "a long password"),
    }
    file = released.files.get().pk
    found = {
        place: tuple(
            getattr(signed_in(people[role]), place[0])(f"/challenges/blocks/{place[1].format(file=file)}").status_code
            for role in ROLES
        )
        for place in MATRIX
    }
    assert found == MATRIX
    world.challenge.is_public = False
    world.challenge.save()
    assert signed_in(world.ada).get(PAGE).status_code == 404
    assert asked(signed_in(world.ada), released.files.get()).status_code == 404


def test_the_page_costs_the_same_for_one_data_set_and_for_three(released, world, workers, tmp_path):
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    client = signed_in(world.ada)

    def cost():
        client.get(PAGE)
        with CaptureQueriesContext(connection) as queries:
            client.get(PAGE)
        return len(queries)

    for_one = cost()
    for name in ("second", "third"):
        path = tmp_path / f"{name}.zip"
        path.write_bytes(b"x")
        hosted(world, path, name=name)
    assert cost() == for_one


def test_a_file_whose_bytes_are_gone_is_said_to_be_unreadable(world, workers, tmp_path, released):
    from datastore.datasets.services import digesting
    from datastore.uploads.storage import private

    file = released.files.get()
    DatasetFile.objects.filter(pk=file.pk).update(state="waiting", sha256="", lease_until=None)
    private().delete(file.stored)
    for _ in range(4):
        DatasetFile.objects.filter(pk=file.pk).update(due_at=None)
        digesting.digest_file(file_id=file.pk)
    file.refresh_from_db()
    assert file.state == DatasetFile.State.FAILED
    assert AGREEMENT  # the agreement says nothing of it


def test_what_is_sent_is_counted_on_a_broken_line_too(released, world):
    file = released.files.get()
    downloading.hand_out_address(user=world.ada, file=file)
    entry = Download.objects.get()
    from datastore.datasets.domain.ranges import requested_part

    stream = downloading.sent(entry, requested_part(None, file.size))
    first = next(stream)
    stream.close()
    entry.refresh_from_db()
    assert (entry.requests, entry.bytes_sent) == (1, 0)
    assert len(first) == downloading.BLOCK
