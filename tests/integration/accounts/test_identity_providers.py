"""Sign-in at a real OpenID Connect provider: new accounts, linking, taken addresses, second factor, ORCID iD."""

from urllib.parse import parse_qs, urlsplit

import pytest
import requests
from allauth.account.models import EmailAddress
from allauth.socialaccount.models import SocialAccount
from django.core.exceptions import ImproperlyConfigured
from django.urls import reverse

from accounts.models import User
from accounts.notifications.models import Email
from config.settings.sign_in import provider_applications, sign_in_providers
from core.audit.models import Entry
from tests import oidc

pytestmark = [pytest.mark.django_db, pytest.mark.any_database("Sign-in reads single rows by key.")]
PASSWORD = "a-long-password"
ORCID = "0000-0002-1825-0097"
MFA = "https://refeds.org/profile/mfa"


@pytest.fixture(scope="module")
def provider():
    with oidc.running() as running:
        yield running


@pytest.fixture
def configure(settings, provider):
    """Configure the provider of the tests with further keys."""

    def configured(**more):
        entries = sign_in_providers([oidc.entry(provider, **more)])
        settings.PODIUM_SIGN_IN = entries
        settings.SOCIALACCOUNT_PROVIDERS = provider_applications(entries)

    configured()
    return configured


@pytest.fixture
def signs_in(client, configure, provider):
    """Sign in at the provider as a person with these claims; return the answer to the callback."""

    def act(sub, *, process="login", **claims):
        provider.signs_in(sub, **claims)
        begin = client.post(f"/accounts/oidc/uni/login/?process={process}")
        if not begin.headers.get("Location", "").startswith(provider.address):
            return begin
        answer = requests.get(begin["Location"], allow_redirects=False, timeout=10)
        parts = urlsplit(answer.headers["Location"])
        assert parts.path == "/accounts/oidc/uni/login/callback/"
        return client.get(parts.path, {name: values[0] for name, values in parse_qs(parts.query).items()})

    return act


def person(name, email, *, verified=True, **more):
    user = User.objects.create_user(name, email, PASSWORD, **more)
    EmailAddress.objects.create(user=user, email=email, verified=verified, primary=True)
    return user


def test_a_confirmed_address_makes_an_account_at_once(client, signs_in):
    answer = signs_in("s1", email="ada@uni.example", email_verified=True, preferred_username="ada", given_name="Ada")
    assert answer.status_code == 302
    user = User.objects.get(email="ada@uni.example")
    assert (user.username, user.first_name, user.has_usable_password()) == ("ada", "Ada", False)
    assert client.session["_auth_user_id"] == str(user.pk)
    client.logout()
    signs_in("s1", email="changed@uni.example", email_verified=True)
    assert client.session["_auth_user_id"] == str(user.pk)
    assert User.objects.count() == 1


def test_the_request_has_a_challenge_and_the_page_only_a_button(client, configure, provider, signs_in):
    page = client.get("/accounts/login/")
    assert b"Sign in with Test University" in page.content
    assert f"form-action 'self' {provider.address}" in page["Content-Security-Policy"]
    assert provider.address not in client.get("/")["Content-Security-Policy"]
    assert client.get("/accounts/oidc/uni/login/").status_code == 200
    signs_in("s1", email="ada@uni.example", email_verified=True)
    assert provider.asked["code_challenge_method"] == "S256"


def test_an_unconfirmed_address_has_to_be_confirmed_first(client, signs_in):
    signs_in("s1", email="ada@uni.example", email_verified=False)
    assert "_auth_user_id" not in client.session
    assert EmailAddress.objects.get(email="ada@uni.example").verified is False
    assert Email.objects.filter(to="ada@uni.example").exists()


@pytest.mark.parametrize("verified_there", [True, False])
@pytest.mark.parametrize("verified_here", [True, False])
def test_an_address_never_opens_the_account_of_another_person(client, signs_in, verified_there, verified_here):
    victim = person("victim", "victim@uni.example", verified=verified_here)
    signs_in("attacker", email="victim@uni.example", email_verified=verified_there)
    assert "_auth_user_id" not in client.session
    assert not SocialAccount.objects.filter(user=victim).exists()
    assert User.objects.filter(email__iexact="victim@uni.example").count() == 1


def test_linking_takes_the_password_and_is_reported_by_e_mail(client, signs_in):
    user = person("ada", "ada@uni.example")
    client.force_login(user)
    asked = signs_in("s1", process="connect", email="other@uni.example", email_verified=True)
    assert asked["Location"].startswith(reverse("account_reauthenticate"))
    assert not SocialAccount.objects.exists()
    client.post(asked["Location"], {"password": "a-wrong-password"})
    assert not SocialAccount.objects.exists()
    answer = client.post(asked["Location"], {"password": PASSWORD})
    assert answer.status_code == 302
    assert SocialAccount.objects.get().user == user
    assert Email.objects.filter(to="ada@uni.example", subject__contains="linked").exists()
    assert b"Test University" in client.get(reverse("socialaccount_connections")).content


def test_closed_sign_up_holds_for_providers_unless_one_is_trusted(client, configure, settings, signs_in):
    settings.PODIUM_SIGNUP_OPEN = False
    signs_in("s1", email="ada@uni.example", email_verified=True)
    assert not User.objects.exists()
    configure(signup=True)
    signs_in("s1", email="ada@uni.example", email_verified=True)
    assert User.objects.get().email == "ada@uni.example"


@pytest.mark.parametrize(
    ("keys", "claims", "is_enough"),
    [
        ({"acr": [MFA]}, {"acr": MFA}, True),
        ({"amr": ["otp"]}, {"amr": ["pwd", "otp"]}, True),
        ({"acr": [MFA]}, {"acr": "password"}, False),
        ({}, {"acr": MFA, "amr": ["otp"]}, False),
    ],
)
def test_a_second_factor_at_the_provider_is_one_here_if_configured(
    client, configure, provider, settings, signs_in, keys, claims, is_enough
):
    settings.PODIUM_STAFF_SECOND_FACTOR = True
    configure(**keys)
    staff = person("staff", "staff@uni.example", is_staff=True)
    SocialAccount.objects.create(user=staff, provider="uni", uid="s1")
    signs_in("s1", email="staff@uni.example", email_verified=True, **claims)
    assert client.session["_auth_user_id"] == str(staff.pk)
    assert (client.get("/designs/").status_code == 200) is is_enough
    assert provider.asked.get("acr_values") == (MFA if "acr" in keys else None)


def test_an_orcid_id_is_verified_by_signing_in_at_orcid(client, configure, signs_in):
    configure(orcid=True)
    user = person("ada", "ada@uni.example")
    SocialAccount.objects.create(user=user, provider="uni", uid=ORCID)
    signs_in(ORCID, name="Ada")
    user.refresh_from_db()
    assert user.orcid == ORCID
    assert user.orcid_verified_at is not None
    assert Entry.objects.filter(act="orcid_verified").exists()
    page = client.get(reverse("accounts:profile")).content.decode()
    assert "verified" in page
    client.post(reverse("accounts:profile"), {"first_name": "Ada", "orcid": "0000-0002-1694-233X"})
    user.refresh_from_db()
    assert user.orcid == ORCID


def test_an_identifier_that_is_no_orcid_id_is_not_stored(configure, signs_in):
    configure(orcid=True)
    user = person("ada", "ada@uni.example")
    SocialAccount.objects.create(user=user, provider="uni", uid="0000-0000-0000-0000")
    signs_in("0000-0000-0000-0000")
    user.refresh_from_db()
    assert user.orcid == ""


@pytest.mark.parametrize(
    ("entries", "words"),
    [
        ({}, "JSON list"),
        ([{"id": "uni"}], "name must be a text"),
        ([{"id": "Uni", "name": "U", "server": "https://u", "client_id": "c", "secret": "s"}], "lower-case"),
        ([{"id": "uni", "name": "U", "server": "http://u.example", "client_id": "c", "secret": "s"}], "https address"),
        ([{"id": "uni", "name": "U", "server": "https://u", "client_id": "c", "secret": "s", "x": 1}], "unknown key x"),
    ],
)
def test_a_wrong_entry_is_refused_at_start(entries, words):
    with pytest.raises(ImproperlyConfigured, match=words):
        sign_in_providers(entries)
