"""The page of administrators: who opens it, what it shows, and how chairs are added and removed."""

import pytest
from django.urls import reverse

from accounts.models import User
from accounts.notifications.models import Email
from core.audit.models import Entry

pytestmark = pytest.mark.django_db
PAGE = reverse("operations:operate")
CHAIRS = reverse("operations:chair")


@pytest.fixture
def admin():
    return User.objects.create_superuser("root", "root@example.org", "a-long-password")


@pytest.fixture
def ada():
    return User.objects.create_user("ada", "ada@example.org", "a-long-password")


def test_only_administrators_open_it(client, admin, ada):
    assert client.get(PAGE).status_code == 302
    client.force_login(ada)
    assert client.get(PAGE).status_code == 404
    assert client.post(CHAIRS, {"account": "ada"}).status_code == 404
    assert not ada.has_perm("reviews.found_call")
    assert PAGE not in client.get("/").content.decode()
    client.force_login(admin)
    assert client.get(PAGE).status_code == 200
    assert PAGE in client.get("/").content.decode()


def test_a_chair_is_added_and_removed(client, admin, ada):
    client.force_login(admin)
    page = client.post(CHAIRS, {"account": "ADA@example.org"}, follow=True).content.decode()
    assert "ada is a chair and can create calls." in page
    assert User.objects.get(pk=ada.pk).has_perm("reviews.found_call")
    assert Entry.objects.get(act="role_given").actor_id == admin.pk
    client.post(CHAIRS, {"account": "ada", "act": "remove"})
    assert not User.objects.get(pk=ada.pk).has_perm("reviews.found_call")
    page = client.post(CHAIRS, {"account": "<b>nobody"}, follow=True).content.decode()
    assert "Account “&lt;b&gt;nobody” not found." in page


def test_failed_mails_and_checks_are_shown(client, admin):
    Email.objects.create(
        to="lost@example.org", kind="news", subject="x", text="x", state="failed", failure="550 unknown"
    )
    client.force_login(admin)
    page = client.get(PAGE).content.decode()
    assert "lost@example.org" in page
    assert "550 unknown" in page
    assert "Run checks" in page
    assert "Remedy" in client.get(PAGE, {"checks": "1"}).content.decode()
