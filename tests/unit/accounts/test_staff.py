"""Staff access: only through the account sign-in, with a second factor if the setting requires it."""

import time

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.totp.internal.auth import TOTP, format_hotp_value, generate_totp_secret, hotp_value
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts.models import User

pytestmark = pytest.mark.django_db

PASSWORD = "a long enough password"
ADMIN = "/admin/"


@pytest.fixture
def root():
    user = User.objects.create_superuser("root", "root@example.org", PASSWORD)
    EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)
    return user


@pytest.fixture
def secret(root):
    secret = generate_totp_secret()
    TOTP.activate(root, secret)
    return secret


def code(secret):
    return format_hotp_value(hotp_value(secret, int(time.time()) // 30))


def sign_in(client, **fields):
    return client.post(reverse("account_login"), {"login": "root", "password": PASSWORD, **fields})


def test_the_administration_has_no_sign_in_of_its_own(root, client):
    for answer in (
        client.get("/admin/login/"),
        client.post("/admin/login/", {"username": "root", "password": PASSWORD}),
    ):
        assert answer.status_code == 302
        assert answer.url.startswith("/accounts/login/?next=")
    assert "_auth_user_id" not in client.session


def test_a_password_alone_does_not_open_an_account_with_a_second_factor(root, secret, client):
    assert sign_in(client, next=ADMIN).url == reverse("mfa_authenticate")
    assert client.get(ADMIN).status_code == 302
    answer = client.post(reverse("mfa_authenticate"), {"code": code(secret)})
    assert answer.url == ADMIN
    assert client.get(ADMIN).status_code == 200


def test_where_the_setting_says_so_staff_without_a_second_factor_set_one_up_before_anything_else(
    root, client, settings
):
    settings.PODIUM_STAFF_SECOND_FACTOR = True
    sign_in(client)
    for page in (ADMIN, "/", "/challenges/", reverse("accounts:tokens")):
        assert client.get(page).url.startswith(reverse("mfa_activate_totp"))
    assert client.post("/designs/", {}).status_code == 403
    assert client.get("/api/v1/challenges/").status_code == 403
    client.post(reverse("account_reauthenticate"), {"password": PASSWORD})
    assert client.get(reverse("mfa_activate_totp")).status_code == 200


def test_staff_without_a_second_factor_make_no_access_token(root, client, settings):
    settings.PODIUM_STAFF_SECOND_FACTOR = True
    sign_in(client)
    answer = client.post(reverse("accounts:tokens"), {"name": "x", "scopes": ["read"], "days": "7"})
    assert answer.status_code == 403
    assert not root.access_tokens.exists()


@pytest.mark.django_db(transaction=True)  # the factor counts once it is stored
def test_a_session_that_sets_the_second_factor_up_goes_on_and_an_older_one_has_to_give_it(root, client, settings):
    settings.PODIUM_STAFF_SECOND_FACTOR = True
    older = Client()
    sign_in(older)
    sign_in(client)
    client.post(reverse("account_reauthenticate"), {"password": PASSWORD})
    page = client.get(reverse("mfa_activate_totp"))
    secret = page.context["form"].secret
    client.post(reverse("mfa_activate_totp"), {"code": code(secret)})
    assert client.get(ADMIN).status_code == 200
    assert older.get(ADMIN).url.startswith(reverse("mfa_reauthenticate"))


def test_the_second_factor_of_staff_costs_no_query_once_given(
    root, secret, client, settings, django_assert_num_queries
):
    settings.PODIUM_STAFF_SECOND_FACTOR = True
    sign_in(client)
    client.post(reverse("mfa_authenticate"), {"code": code(secret)})
    settings.PODIUM_STAFF_SECOND_FACTOR = False
    client.get("/challenges/")  # fills the caches of the process, whichever tests ran before
    with CaptureQueriesContext(connection) as without:
        client.get("/challenges/")
    settings.PODIUM_STAFF_SECOND_FACTOR = True
    with django_assert_num_queries(len(without)):
        assert client.get("/challenges/").status_code == 200


def test_people_who_are_no_staff_are_asked_for_nothing(client, settings):
    settings.PODIUM_STAFF_SECOND_FACTOR = True
    client.force_login(User.objects.create_user("ada", "ada@example.org", PASSWORD))
    assert client.get("/").status_code == 200
