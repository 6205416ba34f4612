"""Thirty manipulated messages: each is refused with its code. Only those that a registered key signed leave a row."""

import base64
import copy
import json
from datetime import UTC, datetime, timedelta

import pytest
from django.conf import settings
from django.db import transaction
from django.test import Client, override_settings

from accounts.notifications.models import Notification
from api.federation.views import SitesRate
from core.audit.models import Entry
from evaluation.canonical import canonical_json
from evaluation.federation.envelope import load_key, new_key, pre_authentication, sign
from federation.models import Enrolment, Refused, SignedMessage
from federation.queries.federations import KEY_DAYS
from federation.queries.refusals import unsigned_messages
from federation.services import federations, sites
from federation.services.refusals import FORGED_BEFORE_WARNING
from tests.integration.federation import world
from tests.integration.federation.sender import Sender

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def place(django_db_setup, django_db_blocker, tmp_path_factory):
    """North is ready with a result in its hands, south is registered and not confirmed; what a test does is undone."""
    folder = tmp_path_factory.mktemp("centre")
    private = {
        "BACKEND": "django.core.files.storage.FileSystemStorage",
        "OPTIONS": {"location": folder, "allow_overwrite": True},
    }
    with (
        override_settings(STORAGES=settings.STORAGES | {"private": private}, PODIUM_DATA=folder),
        django_db_blocker.unblock(),
        transaction.atomic(),
    ):
        centre = world.build(algorithms=("a", "b", "c"))
        federations.release_package(actor=centre.organizer, federation=centre.federation)
        north = Sender(centre, "north").ready()
        centre.invite("south")
        south = Sender(centre, "south")
        south.register(confirm=False)
        yield centre, north, south, folder, private
        transaction.set_rollback(True)


class Case:
    """The message that north is about to send, for manipulation by the tests."""

    def __init__(self, centre, north, south):
        self.centre, self.north, self.south = centre, north, south
        self.document = copy.deepcopy(north.document("result", **north.result()))
        self.pem = north.pem

    def signed(self, document=None, pem=None):
        return sign(self.document if document is None else document, load_key(pem or self.pem))

    def changed(self, *path, to):
        inner = self.document
        for key in path[:-1]:
            inner = inner[key]
        inner[path[-1]] = to
        return self.signed()


def in_envelope(change):
    """Change the envelope behind the signature."""

    def spoil(case):
        envelope = case.signed()
        found = change(envelope)
        return envelope if found is None else found

    return spoil


def one_byte(envelope):
    body = bytearray(base64.b64decode(envelope["payload"]))
    body[len(body) // 3] ^= 1
    envelope["payload"] = base64.b64encode(bytes(body)).decode()


def without_type(envelope, pem):
    body = base64.b64decode(envelope["payload"])
    envelope["signatures"][0]["sig"] = base64.b64encode(load_key(pem).sign(body)).decode()
    return envelope


def signed_again(envelope, pem, body):
    envelope["payload"] = base64.b64encode(body).decode()
    signature = load_key(pem).sign(pre_authentication(envelope["payloadType"], body))
    envelope["signatures"][0]["sig"] = base64.b64encode(signature).decode()
    return envelope


def reformatted(case):
    envelope = case.signed()
    return signed_again(
        envelope, case.pem, json.dumps(json.loads(base64.b64decode(envelope["payload"])), indent=1).encode()
    )


def ahead(minutes):
    return f"{datetime.now(UTC) + timedelta(minutes=minutes):%Y-%m-%dT%H:%M:%SZ}"


def expired(case):
    Enrolment.objects.update(key_since=datetime.now(UTC) - timedelta(days=KEY_DAYS + 1))
    return case.signed()


def revoked(case):
    sites.invite_again(actor=case.centre.organizer, site=Enrolment.objects.get(site__name="north").site)
    return case.signed()


def new_package(case):
    federations.name_algorithm(actor=case.centre.organizer, federation=case.centre.federation, name="later")
    federations.release_package(actor=case.centre.organizer, federation=case.centre.federation)
    return case.signed()


def registration(case, **changed):
    other = Sender(case.centre, "south")
    return sign(other.document("site-registration", **(other.registration() | changed)), load_key(other.pem))


def second_result(case):
    case.north.send("result", **case.north.result())
    return sign(case.north.document("result", **case.north.result()), load_key(case.pem))


def seal_after_result(case):
    case.north.send("result", **case.north.result())
    grades = {"acceptable": 19, "borderline": 0, "insufficient": 0}
    seal = case.north.document("manifest-seal", manifest="c" * 64, version=2, units=19, cases=19, grades=grades)
    return sign(seal, load_key(case.pem))


def fork(case):
    case.document["sequence"], case.document["previous"] = 2, case.document["previous"]
    return case.signed()


CELL = ("summary", "rankings", 0, "cells", 0)
RUN = ("runs", 0)
MANIPULATIONS = [
    ("one byte of the payload", in_envelope(one_byte), "bad_signature"),
    ("another type", in_envelope(lambda e: e.update(payloadType=e["payloadType"].replace("result", "manifest-seal"))), "bad_signature"),
    ("signed without its type", lambda c: without_type(c.signed(), c.pem), "bad_signature"),
    ("two signatures", in_envelope(lambda e: e["signatures"].append(e["signatures"][0])), "bad_signature"),
    ("truncated file", in_envelope(lambda e: canonical_json(e).encode()[:-50]), "malformed"),
    ("an archive", in_envelope(lambda e: b"PK\x03\x04" + canonical_json(e).encode()), "malformed"),
    ("a key that stands there twice", in_envelope(lambda e: b'{"payload":"",' + canonical_json(e).encode()[1:]), "malformed"),
    ("a note beside", in_envelope(lambda e: e.update(note="x")), "malformed"),
    ("other base64", in_envelope(lambda e: e.update(payload="-_" + e["payload"][2:])), "malformed"),
    ("not canonical", reformatted, "not_canonical"),
    ("a stranger's key", lambda c: c.signed(pem=new_key()[0]), "unknown_key"),
    ("another site's key", lambda c: c.signed(pem=c.south.pem), "unknown_key"),
    ("swapped site", lambda c: c.changed("site", to="south"), "unknown_key"),
    ("expired key", expired, "unknown_key"),
    ("revoked key", revoked, "unknown_key"),
    ("a key that nobody compared", lambda c: sign(c.south.document("site-withdrawal", reason="", results="keep"), load_key(c.south.pem)), "unconfirmed"),
    ("another federation", lambda c: c.changed("federation", to="f" * 64), "other_federation"),
    ("copied folder", fork, "fork"),
    ("gap", lambda c: c.changed("sequence", to=9), "gap"),
    ("another predecessor", lambda c: c.changed("previous", to="0" * 64), "gap"),
    ("clock ahead", lambda c: c.changed("sent_at", to=ahead(30)), "clock"),
    ("clock before the key", lambda c: c.changed("sent_at", to="1980-01-01T00:00:00Z"), "clock"),
    ("old package", new_package, "old_package"),
    ("old assessment", lambda c: c.changed("summary", "assessment", to="9" * 64), "old_assessment"),
    ("foreign image", lambda c: c.changed(*RUN, "image", to="sha256:" + "9" * 64), "foreign_image"),
    ("unknown algorithm", lambda c: c.changed(*RUN, "algorithm", to="net"), "foreign_image"),
    ("an algorithm left out", lambda c: (c.document["runs"].pop(), c.signed())[1], "implausible"),
    ("other cases than sealed", lambda c: c.changed("manifest", to="9" * 64), "other_manifest"),
    ("another site's summary", lambda c: c.changed("summary", "site", to="south"), "implausible"),
    ("too few cases", lambda c: c.changed("summary", "units", to=9), "implausible"),
    ("edited sum", lambda c: c.changed(*CELL, "sum", to=[21_000_000, 1, 1]), "implausible"),
    ("edited count", lambda c: c.changed(*CELL, "n", to=[25, 20, 20]), "implausible"),
    ("values of cases beside", lambda c: c.changed(*CELL, "values", to=[0.9, 0.8]), "invalid"),
    ("a weaker minimum", lambda c: c.changed("summary", "minimum", to=2), "test"),
    ("a second summary", second_result, "sent"),
    ("other cases after the result", seal_after_result, "other_manifest"),
    ("a used invitation", registration, "invitation"),
    ("an invented invitation", lambda c: registration(c, invitation="0" * 32), "invitation"),
    ("other terms", lambda c: (c.centre.invite("west"), _west(c))[1], "terms"),
]  # fmt: skip


def _west(case):
    other = Sender(case.centre, "west")
    return sign(
        other.document("site-registration", **(other.registration() | {"terms": "0" * 64})), load_key(other.pem)
    )


UNSIGNED = {
    "one byte of the payload",
    "another type",
    "signed without its type",
    "two signatures",
    "truncated file",
    "an archive",
    "a key that stands there twice",
    "a note beside",
    "other base64",
    "a stranger's key",
    "revoked key",
    "a used invitation",
    "an invented invitation",
    "other terms",
}
"""Manipulations that leave a message without a signature by a registered, unrevoked key."""


def test_there_are_thirty():
    assert len({name for name, _, _ in MANIPULATIONS}) >= 30


@pytest.mark.parametrize(("name", "change", "code"), MANIPULATIONS, ids=[row[0] for row in MANIPULATIONS])
def test_manipulation(place, name, change, code):
    centre, north, south, folder, private = place
    counted = north.sequence, north.previous
    with override_settings(STORAGES=settings.STORAGES | {"private": private}, PODIUM_DATA=folder), transaction.atomic():
        envelope = change(Case(centre, north, south))
        before, entries = SignedMessage.objects.count(), Entry.objects.count()
        content = envelope if isinstance(envelope, bytes) else canonical_json(envelope).encode()
        address = f"/api/v1/sites/{centre.federation.identifier}/messages/"
        answer = Client().post(address, content, content_type="application/json")
        assert answer.headers["Content-Type"] == "application/problem+json"
        assert answer.json()["code"] == code, answer.json()
        assert 400 <= answer.status_code < 500
        assert len(answer.json()["detail"]) > 20
        assert SignedMessage.objects.count() == before
        assert Client().post(address, content, content_type="application/json").json()["code"] == code
        kept = 0 if name in UNSIGNED else 1
        assert list(Refused.objects.values_list("code", flat=True)) == [code] * kept
        assert Entry.objects.filter(act="site_message_refused", facts__code=code).count() == kept
        assert Entry.objects.count() == entries + kept
        assert unsigned_messages(centre.federation) == (0 if kept else 2)
        transaction.set_rollback(True)
    north.sequence, north.previous = counted


def test_the_same_message_again_is_a_replay_with_the_first_receipt(place):
    centre, north, _, folder, private = place
    counted = north.sequence, north.previous
    with override_settings(STORAGES=settings.STORAGES | {"private": private}, PODIUM_DATA=folder), transaction.atomic():
        document = north.document("result", **north.result())
        content = north.envelope(document)
        address = f"/api/v1/sites/{centre.federation.identifier}/messages/"
        first, again = (Client().post(address, content, content_type="application/json") for _ in range(2))
        assert (first.status_code, again.status_code) == (201, 200)
        assert first.content == again.content
        assert SignedMessage.objects.filter(kind="result").count() == 1
        entries = Entry.objects.count()
        assert Client().post(address, content, content_type="application/json").content == first.content
        assert Entry.objects.count() == entries
        transaction.set_rollback(True)
    north.sequence, north.previous = counted


def test_forged_messages_warn_the_organizers_once_per_day_and_leave_no_other_row(place):
    centre, north, _, folder, private = place
    with override_settings(STORAGES=settings.STORAGES | {"private": private}, PODIUM_DATA=folder), transaction.atomic():
        forged = canonical_json(in_envelope(one_byte)(Case(centre, north, None))).encode()
        address = f"/api/v1/sites/{centre.federation.identifier}/messages/"
        entries = Entry.objects.count()
        warnings = Notification.objects.filter(kind="site_message_refused")
        for number in range(12):
            assert warnings.count() == (1 if number >= FORGED_BEFORE_WARNING else 0)
            spoofed = {"x-forwarded-for": f"203.0.113.{number}"}
            Client().post(address, forged, content_type="application/json", headers=spoofed)
        assert (Entry.objects.count(), Refused.objects.count()) == (entries, 0)
        page = Client()
        page.force_login(centre.organizer)
        shown = page.get("/challenges/hippo/organize/sites/").content.decode()
        assert "12 messages without a valid signature were refused since yesterday." in shown
        transaction.set_rollback(True)


def test_the_limit_of_messages_ignores_what_the_sender_writes_into_x_forwarded_for(place, monkeypatch):
    centre, *_ = place
    monkeypatch.setattr(SitesRate, "rate", "3/hour")
    address = f"/api/v1/sites/{centre.federation.identifier}/messages/"
    answers = [
        Client().post(
            address, b"{}", content_type="application/json", headers={"x-forwarded-for": f"203.0.113.{number}"}
        )
        for number in range(4)
    ]
    assert [answer.status_code for answer in answers] == [400, 400, 400, 429]
    assert answers[-1].headers["Content-Type"] == "application/problem+json"
    assert int(answers[-1].headers["Retry-After"]) > 0
