"""A new password ends what was opened with the old one."""

import pytest
from allauth.account.models import EmailAddress
from django.test import Client
from django.urls import reverse

from accounts.models import AccessToken, User
from accounts.notifications.models import Email
from accounts.notifications.services.delivery import deliver
from accounts.services import issue_token, use_token
from core.audit.models import Entry

pytestmark = pytest.mark.django_db

OLD, NEW = "an old long password", "a new long password"


@pytest.fixture
def ada():
    user = User.objects.create_user("ada", "ada@example.org", OLD)
    EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)
    return user


@pytest.fixture
def secret(ada):
    return issue_token(user=ada, name="cluster", scopes=["read"], days=30)[1]


def signed_in():
    client = Client()
    client.post(reverse("account_login"), {"login": "ada", "password": OLD})
    return client


def test_changing_the_password_revokes_tokens_and_other_sessions_and_says_so(ada, secret):
    here, elsewhere = signed_in(), signed_in()
    page = here.get(reverse("account_change_password")).content.decode()
    assert "will be revoked, and all other browsers signed out" in page
    here.post(reverse("account_change_password"), {"oldpassword": OLD, "password1": NEW, "password2": NEW})
    assert use_token(secret) is None
    assert here.get(reverse("accounts:tokens")).status_code == 200
    assert elsewhere.get(reverse("accounts:tokens")).status_code == 302
    assert Entry.objects.filter(act="token_revoked").count() == 1
    letter = Email.objects.get()
    assert letter.to == "ada@example.org"
    assert "All your access tokens are revoked" in letter.text


def test_resetting_the_password_revokes_them_as_well(ada, secret, client):
    from accounts.tasks import write_about_new_password

    elsewhere = signed_in()
    write_about_new_password("ada@example.org")
    path = Email.objects.get().text.split("http://127.0.0.1:8000")[1].split()[0]
    form = client.get(path, follow=True)
    assert "All your access tokens will be revoked" in form.content.decode()
    client.post(form.request["PATH_INFO"], {"password1": NEW, "password2": NEW})
    assert use_token(secret) is None
    assert elsewhere.get(reverse("accounts:tokens")).status_code == 302
    assert "All your access tokens are revoked" in Email.objects.latest("created_at").text
    again = Client().get(path, follow=True).content.decode()
    assert "no longer valid" in again


def test_a_password_set_by_an_operator_revokes_them_too(ada, secret):
    ada.set_password(NEW)
    ada.save()
    assert use_token(secret) is None


def test_signing_in_and_renewing_the_hash_of_the_same_password_revokes_nothing(ada, secret, settings):
    settings.PASSWORD_HASHERS = [*settings.PASSWORD_HASHERS[1:], settings.PASSWORD_HASHERS[0]]
    signed_in()
    ada.refresh_from_db()
    assert not ada.password.startswith("md5")
    assert use_token(secret)
    assert AccessToken.objects.get().revoked_at is None


def test_links_that_open_an_account_are_forgotten_once_they_are_sent(ada, smtp_server):
    from accounts.tasks import write_about_new_password

    write_about_new_password("ada@example.org")
    deliver()
    (message,) = smtp_server.to("ada@example.org")
    assert "/password/reset/key/" in message.get_content()
    assert message["List-Unsubscribe"] is None
    assert Email.objects.get().text == ""


def test_an_example_installation_without_a_mail_server_keeps_links_for_its_page(ada, settings):
    from accounts.tasks import write_about_new_password

    settings.PODIUM_EXAMPLE_MODE = True
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    write_about_new_password("ada@example.org")
    assert deliver() == 1
    assert "/password/reset/key/" in Email.objects.get().text
