"""Creation of the first administrator and the chairs."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from accounts.models import User
from accounts.notifications.models import Email
from accounts.tasks import write_about_new_password
from reviews.rules import may_found_calls

pytestmark = pytest.mark.django_db


def said(*words):
    out = StringIO()
    call_command(*words, stdout=out)
    return out.getvalue()


@pytest.fixture
def named(settings):
    settings.PODIUM_ADMIN_EMAIL, settings.PODIUM_ADMIN_NAME = "ada@example.org", "ada"


def test_the_first_start_makes_one_account_without_a_password(named):
    assert "/accounts/password/reset/" in said("first_administrator")
    user = User.objects.get(username="ada")

    assert user.is_superuser
    assert not user.has_usable_password()
    assert "already" in said("first_administrator")
    assert User.objects.count() == 1


def test_without_a_name_nobody_is_made():
    assert "no administrator is made" in said("first_administrator")
    assert not User.objects.exists()


def test_the_link_is_printed_only_when_asked_for_and_works(named, client):
    assert "password/reset/key" not in said("first_administrator")
    address = said("first_administrator", "--link").rpartition(" ")[2].strip()
    page = client.get(address.partition("127.0.0.1:8000")[2] or address, follow=True)

    assert page.status_code == 200
    assert b"password1" in page.content


def test_an_administrator_asks_for_a_password_by_mail(named):
    said("first_administrator")
    write_about_new_password("ada@example.org")

    assert "/accounts/password/reset/key/" in Email.objects.get(to="ada@example.org").text


def test_roles_are_given_and_taken(db):
    user = User.objects.create_user("bo", "bo@example.org", "a long password")
    said("role", "give", "chair", "bo@example.org")
    assert may_found_calls(User.objects.get(pk=user.pk))
    said("role", "take", "chair", "bo")
    assert not may_found_calls(User.objects.get(pk=user.pk))
    said("role", "give", "administrator", "bo")
    assert User.objects.get(pk=user.pk).is_superuser
    with pytest.raises(CommandError, match="There is no account"):
        said("role", "give", "chair", "nobody")
