"""Signing in: what is counted, what strangers can find out, and what a known device is spared."""

import re
import time

import pytest
from allauth.account.models import EmailAddress
from allauth.core.internal import ratelimit
from django.contrib.auth import hashers
from django.core import mail
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts import devices
from accounts.models import User
from accounts.notifications.models import Email
from accounts.queries import account_named
from accounts.tasks import write_about_new_password

pytestmark = pytest.mark.django_db

PASSWORD = "a long enough password"
TOO_MANY = "Too many failed login attempts"


def person(name, **fields):
    user = User.objects.create_user(name, f"{name}@example.org", PASSWORD, **fields)
    EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)
    return user


@pytest.fixture
def ada():
    return person("ada")


def sign_in(client, login="ada", password=PASSWORD, **headers):
    return client.post(reverse("account_login"), {"login": login, "password": password}, **headers)


class Work:
    """Work that a request caused in the web process."""

    def __init__(self, monkeypatch):
        self.hashes = 0
        hasher = hashers.get_hasher()
        encode = type(hasher).encode

        def counted(hasher, *arguments, **named):
            self.hashes += 1
            return encode(hasher, *arguments, **named)

        monkeypatch.setattr(type(hasher), "encode", counted)

    def of(self, view, **fields):
        self.hashes = 0
        mail.outbox.clear()
        client = Client()
        client.get(reverse("account_login"))
        with CaptureQueriesContext(connection) as queries:
            answer = client.post(reverse(view), fields)
        statements = [query["sql"].split()[0] for query in queries]
        counted = [word for word in statements if word not in {"SAVEPOINT", "RELEASE", "ROLLBACK"}]
        assert mail.outbox == []
        return {
            "hashes": self.hashes,
            "queries": len(counted),
            "status": answer.status_code,
            "to": answer.headers.get("Location"),
            "cookies": sorted(answer.cookies),
            "session": sorted(client.session.keys()),
        }


@pytest.fixture
def work(monkeypatch):
    return Work(monkeypatch)


@pytest.mark.parametrize(("known", "unknown"), [("ada", "eve"), ("ada@example.org", "eve@example.org")])
def test_a_wrong_password_is_as_much_work_for_a_known_account_as_for_an_unknown_one(ada, work, known, unknown):
    assert work.of("account_login", login=known, password="wrong") == work.of(
        "account_login", login=unknown, password="wrong"
    )
    assert work.hashes == 1


def test_an_account_that_is_closed_or_has_no_password_is_as_much_work(ada, work):
    unknown = work.of("account_login", login="eve", password="wrong")
    person("bo", is_active=False)
    cy = person("cy")
    cy.set_unusable_password()
    cy.save()
    for name in ("bo", "cy"):
        assert work.of("account_login", login=name, password="wrong") == unknown


def sign_up(work, name, email):
    return work.of("account_signup", username=name, email=email, password1=PASSWORD, password2=PASSWORD)


def test_signing_up_with_a_known_address_is_as_much_work_as_with_an_unknown_one(ada, work):
    unknown = sign_up(work, "zoe", "zoe@example.org")
    known = sign_up(work, "yan", "ada@example.org")
    assert known == unknown
    assert known["hashes"] == 1
    assert list(User.objects.values_list("username", flat=True).order_by("pk")) == ["ada", "zoe"]
    letters = dict(Email.objects.values_list("to", "text"))
    assert "confirm" in letters["zoe@example.org"]
    assert "already exists" in letters["ada@example.org"]


def test_asking_for_a_new_password_looks_nothing_up_and_a_worker_writes_the_letter(ada, work):
    known = work.of("account_reset_password", email="ada@example.org")
    assert known == work.of("account_reset_password", email="eve@example.org")
    assert known["queries"] == 0
    assert known["status"] == 302
    for address in ("ada@example.org", "eve@example.org"):
        write_about_new_password(address)
    letters = dict(Email.objects.values_list("to", "text"))
    assert "/accounts/password/reset/key/" in letters["ada@example.org"]
    assert "No account has this address." in letters["eve@example.org"]


def test_letters_lead_to_the_address_of_the_settings_whatever_host_a_request_names(ada, settings, client):
    settings.ALLOWED_HOSTS = ["*"]
    settings.PODIUM_ADDRESS = "https://podium.example.org"
    fields = {"username": "zoe", "email": "zoe@example.org", "password1": PASSWORD, "password2": PASSWORD}
    client.post(reverse("account_signup"), fields, headers={"host": "evil.example.net"})
    fields |= {"username": "yan", "email": "ada@example.org"}
    client.post(reverse("account_signup"), fields, headers={"host": "evil.example.net"})
    write_about_new_password("ada@example.org")
    texts = list(Email.objects.values_list("text", flat=True))
    assert len(texts) == 3
    for text in texts:
        assert set(re.findall(r"https?://[^/\s]+", text)) == {"https://podium.example.org"}


def test_the_link_of_a_letter_opens_the_page_for_a_new_password(ada, client):
    write_about_new_password("ada@example.org")
    path = re.search(r"/accounts/password/reset/key/\S+", Email.objects.get().text)[0]
    page = client.get(path, follow=True)
    assert "Choose a new password" in page.content.decode()


def test_one_address_gets_few_letters_of_a_kind_in_an_hour(ada):
    for _ in range(9):
        write_about_new_password("ada@example.org")
    assert Email.objects.count() == 5


def test_wrong_passwords_are_counted_by_account_whichever_of_its_names_is_typed(ada, client):
    for login in ("ada", "ada@example.org", "ADA", "Ada@example.org", "ada"):
        assert TOO_MANY not in sign_in(client, login, "wrong").content.decode()
    assert TOO_MANY in sign_in(client, "ADA@EXAMPLE.ORG").content.decode()


def test_a_patient_guesser_has_a_hundred_tries_a_day_and_a_new_password_by_mail_ends_the_wait(ada, monkeypatch):
    now = time.time()
    monkeypatch.setattr(ratelimit.time, "time", lambda: now)
    for _ in range(20):
        now += 301
        for _ in range(5):
            assert TOO_MANY not in sign_in(Client(), password="wrong").content.decode()
    now += 301
    assert TOO_MANY in sign_in(Client()).content.decode()
    write_about_new_password("ada@example.org")
    path = re.search(r"/accounts/password/reset/key/\S+", Email.objects.get().text)[0]
    owner = Client()
    form = owner.get(path, follow=True).request["PATH_INFO"]
    owner.post(form, {"password1": f"{PASSWORD}!", "password2": f"{PASSWORD}!"})
    assert sign_in(owner, password=f"{PASSWORD}!").status_code == 302


def test_who_steals_a_session_changes_no_address_without_the_password(ada, client):
    client.force_login(ada)
    answer = client.post(reverse("account_email"), {"action_add": "", "email": "thief@example.net"})
    assert answer.url.startswith(reverse("account_reauthenticate"))
    assert not EmailAddress.objects.filter(email="thief@example.net").exists()


def test_a_known_device_is_not_shut_out_by_strangers_who_fail_at_the_account(ada):
    device, stranger = Client(), Client()
    assert sign_in(device).status_code == 302
    device.post(reverse("account_logout"))
    for _ in range(12):
        sign_in(stranger, password="wrong")
    assert TOO_MANY in sign_in(stranger).content.decode()
    assert sign_in(device).status_code == 302


def test_a_known_device_has_tries_of_its_own_and_no_more(ada):
    device = Client()
    sign_in(device)
    device.post(reverse("account_logout"))
    for _ in range(10):
        assert TOO_MANY not in sign_in(device, password="wrong").content.decode()
    assert TOO_MANY in sign_in(device).content.decode()


def test_a_device_is_known_to_the_account_that_signed_in_there_alone(ada):
    person("bo")
    device, stranger = Client(), Client()
    sign_in(device, "bo")
    device.post(reverse("account_logout"))
    for _ in range(5):
        sign_in(stranger, password="wrong")
    assert TOO_MANY in sign_in(device, "ada").content.decode()


def test_a_device_cookie_that_this_site_did_not_sign_is_worth_nothing(ada):
    forger, stranger = Client(), Client()
    forger.cookies[devices.COOKIE] = '{"1": "device"}'
    for _ in range(5):
        sign_in(stranger, password="wrong")
    assert TOO_MANY in sign_in(forger).content.decode()


def test_the_device_cookie_is_kept_from_scripts_other_sites_and_plain_http(ada, settings):
    settings.SESSION_COOKIE_SECURE = True
    cookie = sign_in(Client()).cookies[devices.COOKIE]
    assert (cookie["httponly"], cookie["samesite"], cookie["secure"]) == (True, "Lax", True)
    assert cookie["max-age"] == 180 * 24 * 3600


def test_behind_a_proxy_visitors_are_counted_apart(ada, settings):
    settings.PODIUM_TRUSTED_PROXIES = 1
    for number in range(12):
        sign_in(Client(), f"nobody-{number}", "wrong", headers={"x-forwarded-for": "203.0.113.7"})
    assert TOO_MANY in sign_in(Client(), headers={"x-forwarded-for": "203.0.113.7"}).content.decode()
    assert sign_in(Client(), headers={"x-forwarded-for": "198.51.100.9"}).status_code == 302


@pytest.mark.parametrize(("proxies", "header"), [(0, "{n}.0.0.1"), (1, "{n}.0.0.1, 203.0.113.7"), (3, "{n}.0.0.1")])
def test_nobody_invents_addresses_of_their_own_before_the_proxies(ada, settings, proxies, header):
    settings.PODIUM_TRUSTED_PROXIES = proxies
    for number in range(1, 12):
        forged = {"x-forwarded-for": header.format(n=number)}
        answer = sign_in(Client(), f"nobody-{number}", "wrong", headers=forged)
    assert TOO_MANY in answer.content.decode()


def test_nobody_takes_an_address_over_by_a_user_name(ada, client):
    fields = {"username": "bo@example.org", "email": "eve@example.net", "password1": PASSWORD, "password2": PASSWORD}
    assert "A user name has no @ in it" in client.post(reverse("account_signup"), fields).content.decode()
    bo = person("bo")
    User.objects.create_user("bo@example.org", "eve@example.net", PASSWORD)
    assert account_named("BO@example.org") == bo


def test_an_address_that_is_not_verified_names_nobody_but_the_account_whose_own_it_is(ada):
    eve = person("eve")
    EmailAddress.objects.create(user=eve, email="second@example.net", verified=False)
    EmailAddress.objects.create(user=eve, email="third@example.net", verified=True)
    assert account_named("second@example.net") is None
    assert account_named("third@example.net") == eve
    assert account_named("") is None


def test_after_sign_in_nobody_is_led_to_another_site(ada, client):
    for target in ("https://evil.example.net/", "//evil.example.net", "/\\evil.example.net", "javascript:alert(1)"):
        answer = client.post(reverse("account_login"), {"login": "ada", "password": PASSWORD, "next": target})
        assert answer.url == "/"
        client.logout()
