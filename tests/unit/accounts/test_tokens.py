"""Access tokens: shown once, kept as a digest, one's own."""

import re

import pytest
from django.core.exceptions import ValidationError
from django.urls import reverse

from accounts.models import AccessToken, User
from accounts.services import TOKENS_AT_ONCE, issue_token, use_token
from core.audit.models import Entry

pytestmark = pytest.mark.django_db


@pytest.fixture
def ada():
    return User.objects.create_user("ada", "ada@example.org", "a long password")


def test_the_secret_is_shown_once_and_never_stored(client, ada):
    client.force_login(ada)
    answer = client.post(reverse("accounts:tokens"), {"name": "cluster", "scopes": ["read"], "days": "30"})
    secret = re.search(r"podium_[\w-]{43}", answer.content.decode()).group()
    assert "no-store" in answer["Cache-Control"]
    token = AccessToken.objects.get()
    assert use_token(secret).user == ada
    for row in [*AccessToken.objects.values(), *Entry.objects.values()]:
        assert secret not in str(row)
    page = client.get(reverse("accounts:tokens")).content.decode()
    assert secret not in page
    assert token.hint in page
    assert "never" not in page  # it has been used just now


def test_a_token_is_revoked_by_its_owner_alone(client, ada):
    token, secret = issue_token(user=ada, name="x", scopes=["read"], days=1)
    client.force_login(User.objects.create_user("bo", "bo@example.org", "a long password"))
    assert client.post(reverse("accounts:revoke_token", args=[token.pk])).status_code == 404
    assert use_token(secret)
    client.force_login(ada)
    assert client.get(reverse("accounts:revoke_token", args=[token.pk])).url == reverse("accounts:tokens")
    assert client.post(reverse("accounts:revoke_token", args=[token.pk])).status_code == 302
    assert use_token(secret) is None
    assert list(Entry.objects.values_list("act", flat=True)) == ["token_issued", "token_revoked"]


def test_the_pages_need_a_person(client):
    assert client.get(reverse("accounts:tokens")).status_code == 302


@pytest.mark.parametrize("scopes", [[], ["everything"], ["read", "root"]])
def test_only_known_scopes_are_given(ada, scopes):
    with pytest.raises(ValidationError):
        issue_token(user=ada, name="x", scopes=scopes, days=1)


def test_the_number_of_tokens_is_bounded(ada):
    for _ in range(TOKENS_AT_ONCE):
        issue_token(user=ada, name="x", scopes=["read"], days=1)
    with pytest.raises(ValidationError, match="Revoke one"):
        issue_token(user=ada, name="x", scopes=["read"], days=1)


@pytest.mark.parametrize("text", ["", "podium_", "podium_" + "x" * 500, "bearer", "podium_\x00"])
def test_other_texts_are_no_tokens(text):
    assert use_token(text) is None


@pytest.mark.parametrize(
    ("typed", "stored"), [("https://orcid.org/0000-0002-1825-0097", "0000-0002-1825-0097"), ("", "")]
)
def test_an_orcid_is_kept_in_its_plain_form(client, ada, typed, stored):
    client.force_login(ada)
    client.post(reverse("accounts:profile"), {"first_name": "Ada", "orcid": typed})
    ada.refresh_from_db()
    assert ada.orcid == stored


def test_a_wrong_orcid_is_refused(client, ada):
    client.force_login(ada)
    page = client.post(reverse("accounts:profile"), {"orcid": "0000-0002-1825-0098"}).content.decode()
    assert "check digit" in page
    ada.refresh_from_db()
    assert ada.orcid == ""
