"""Profiles: each person can edit only their own."""

import pytest
from django.db import IntegrityError, transaction

from accounts.models import User
from core.audit.models import Entry

pytestmark = pytest.mark.django_db
URL = "/accounts/profile/"


@pytest.fixture
def ada():
    return User.objects.create_user("ada", "ada@example.org", "a-long-password")


def test_a_visitor_is_asked_to_sign_in(client):
    assert client.get(URL).status_code == 302


def test_a_profile_is_stored_and_the_log_names_fields_not_content(client, ada):
    client.force_login(ada)
    client.post(URL, {"first_name": "Ada", "last_name": "L", "affiliation": "Engine works"})
    ada.refresh_from_db()
    assert ada.display_name == "Ada L"
    entry = Entry.objects.get(act="profile_updated")
    assert entry.facts == {"changed": ["first_name", "last_name", "affiliation"]}


def test_saving_without_a_change_leaves_no_entry(client, ada):
    client.force_login(ada)
    client.post(URL, {"first_name": "", "last_name": "", "affiliation": ""})
    assert not Entry.objects.exists()


def test_two_people_cannot_share_an_address_whatever_its_case(ada):
    with pytest.raises(IntegrityError), transaction.atomic():
        User.objects.create_user("eve", "ADA@example.org", "a-long-password")


def test_sign_up_can_be_closed(client, settings):
    settings.PODIUM_SIGNUP_OPEN = False
    page = client.get("/accounts/signup/").content.decode()
    assert "password1" not in page
