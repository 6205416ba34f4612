"""The podium command where uploads go straight to the object store."""

import os

import pytest
import requests

from datastore.uploads.models import Upload
from submissions.models import Submission
from tests.integration.uploads.object_store import PART, bucket, store, stored

__all__ = ["bucket", "store", "stored"]

pytestmark = pytest.mark.django_db(transaction=True)


def test_parts_go_to_the_store_without_the_token_and_go_on_after_a_break(podium, folder, stored, monkeypatch):
    from podium_client import uploading

    monkeypatch.setattr(uploading, "PAUSES", (0,))
    (folder / "notes.bin").write_bytes(os.urandom(PART))
    send, sent, breaks = requests.Session.request, [], [False, True, True]

    def breaking(self, method, url, **more):
        if method == "PUT":
            sent.append("Authorization" in {**self.headers, **more["headers"]})
            if breaks and breaks.pop(0):
                raise requests.ConnectionError
        return send(self, method, url, **more)

    monkeypatch.setattr(requests.Session, "request", breaking)
    # One of two parts does not arrive, neither at the second try, and the command ends.
    code, _, err = podium("submit", "blocks", "first", folder, "--no-validate")
    assert (code, "start the same command again" in err) == (2, True)
    assert len(sent) == 3
    # Another process, later: only what is not there is sent.
    code, _, _ = podium("submit", "blocks", "first", folder, "--no-validate")
    assert (code, len(sent)) == (0, 4)
    assert not any(sent)
    assert Upload.objects.count() == 1
    assert Submission.objects.get().state == "scored"
    # The same file again: nothing is sent.
    code, _, err = podium("submit", "blocks", "first", folder, "--no-validate")
    assert (code, "You submitted this file before" in err, len(sent)) == (0, True, 4)


def test_parts_without_a_stated_digest_are_recognized(podium, folder, stored, monkeypatch):
    from podium_client import direct

    begin = direct.begin
    monkeypatch.setattr(
        direct, "begin", lambda at, slug, wanted, token: begin(at, slug, {**wanted, "sha256": ""}, token)
    )
    for _ in range(2):
        code, _, err = podium("submit", "blocks", "first", folder, "--no-validate")
        assert code == 0
    assert "You submitted this file before" in err
    submission = Submission.objects.get()
    assert submission.content_key.startswith("parts:")
    assert Upload.objects.exclude(submission=submission).get().repeats == submission.pk
