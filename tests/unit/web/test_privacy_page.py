"""Every statement of the privacy page has a test or a place in the code; a new statement must name its own here."""

import html
import re
from pathlib import Path

import pytest
from allauth.account.models import EmailAddress

from accounts import devices

ROOT = Path(__file__).parents[3]
# Statement of the page, as it is read: places that make it true, as `file::name`.
STATEMENTS = {
    "Data that this site stores about you, the reasons, the storage periods and your rights.": [
        "tests/unit/accounts/test_rights.py::copy_of"
    ],
    "User name, name, e-mail addresses, affiliation, ORCID iD": ["platform/accounts/models.py::class User"],
    "to sign in, and to tell organizers and team mates who takes part": ["platform/accounts/models.py::display_name"],
    "until you close your account; 30 days if you never confirm an address": [
        "platform/accounts/services/rights.py::def close_account",
        "tests/integration/web/test_anonymous_writes.py::test_an_account_without_a_confirmed_address_is_deleted_in_time",
    ],
    "Password, as a one-way hash": ["tests/unit/web/test_privacy_page.py::test_a_password_is_stored_as_a_slow_digest"],
    "to sign in": ["platform/accounts/backends.py::class OneCheckBackend"],
    "until you close your account": ["platform/accounts/services/rights.py::set_unusable_password"],
    "Second factor and recovery codes, encrypted with a key outside the database": [
        "tests/unit/accounts/test_sealing.py::test_no_secret_of_a_second_factor_is_readable_in_the_database"
    ],
    "to check your codes": ["platform/accounts/adapter.py::class SecondFactorAdapter"],
    "until you remove them or close your account": [
        "platform/accounts/services/rights.py::Authenticator.objects.filter"
    ],
    "Submissions, results, reviews, posts": ["platform/accounts/hooks.py::own_texts"],
    "a public result must remain verifiable": ["platform/core/audit/services/__init__.py::def broken_links"],
    "as long as the challenge; without your name once your account is closed": [
        "platform/accounts/models.py::a closed account"
    ],
    "Who did what and when, by number and without a name": ["platform/core/audit/services/__init__.py::actor_id"],
    "so that results cannot be altered unnoticed": ["platform/core/audit/services/__init__.py::previous"],
    "permanently; after you close your account it cannot be linked to you": [
        "platform/accounts/services/rights.py::locked.username"
    ],
    "Sent mails, read messages and closed invitations": [
        "platform/accounts/notifications/contributions.py::def forget",
        "platform/accounts/people/contributions.py::def forget",
    ],
    "to investigate problems": ["platform/accounts/notifications/contributions.py::State.FAILED"],
    "180 days": ["platform/accounts/services/rights.py::PODIUM_RETENTION_DAYS"],
    "Only necessary ones: one for your session, one against forged forms, one that recognizes a known device.": [
        "tests/unit/web/test_privacy_page.py::test_there_are_three_cookies"
    ],
    "There is no tracking, and nothing is loaded from other sites.": [
        "platform/config/settings/security.py::CONTENT_SECURITY_POLICY",
        "tests/unit/web/test_pages.py::test_the_policy_forbids_inline_styles_and_scripts",
    ],
    "After you sign in, Your data in the menu shows what is stored about you.": [
        "platform/accounts/apps.py::Your data"
    ],
    "You can download it and close your account there.": ["platform/accounts/urls.py::own_data"],
    "See and download what is stored about you, or close your account.": ["platform/accounts/urls.py::own_data"],
    "The operator of this installation has not provided a contact address.": [
        "platform/config/settings/people.py::PODIUM_PRIVACY_CONTACT"
    ],
    "Questions and complaints: privacy@example.org": ["platform/web/views.py::PODIUM_PRIVACY_CONTACT"],
}
NO_STATEMENTS = {"Privacy", "What is stored", "Cookies", "What you can do", "What", "Why", "How long"}


def statements(page: str) -> set[str]:
    main = page.split("<main", 1)[1].split("</main>", maxsplit=1)[0]
    blocks = re.findall(r"<(p|td|th|h1|h2)\b[^>]*>(.*?)</\1>", main, re.DOTALL)
    texts = (html.unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", block))).strip() for _, block in blocks)
    return {sentence for text in texts for sentence in re.split(r"(?<=\.) (?=[A-Z])", text) if sentence}


@pytest.mark.django_db
def test_every_statement_of_the_page_is_listed(client, admin_client, settings):
    settings.PODIUM_RETENTION_DAYS, settings.PODIUM_PRIVACY_CONTACT = 180, ""
    found = statements(client.get("/privacy/").content.decode())
    settings.PODIUM_PRIVACY_CONTACT = "privacy@example.org"
    found |= statements(admin_client.get("/privacy/").content.decode())
    assert found - NO_STATEMENTS == set(STATEMENTS)


@pytest.mark.parametrize("place", sorted({place for places in STATEMENTS.values() for place in places}))
def test_every_place_exists(place):
    file, _, name = place.partition("::")
    assert name in (ROOT / file).read_text("utf-8"), place


def test_a_password_is_stored_as_a_slow_digest():
    from django.conf import global_settings
    from django.contrib.auth.hashers import get_hasher, identify_hasher, make_password

    from config.settings import people

    assert not hasattr(people, "PASSWORD_HASHERS")  # Django's own list
    algorithm = get_hasher("pbkdf2_sha256").algorithm
    assert global_settings.PASSWORD_HASHERS[0].endswith("PBKDF2PasswordHasher")
    stored = make_password("a long password", hasher=algorithm)
    assert identify_hasher(stored).algorithm == algorithm
    assert "a long password" not in stored


@pytest.mark.django_db
def test_there_are_three_cookies(client, django_user_model, settings):
    """The cookies after signing in, an action that shows a message, and signing out."""
    ada = django_user_model.objects.create_user("ada", email="ada@example.org", password="a long password")
    EmailAddress.objects.create(user=ada, email=ada.email, verified=True, primary=True)
    seen = set()
    client.get("/accounts/login/")
    seen |= set(client.cookies)
    signed_in = client.post("/accounts/login/", {"login": "ada", "password": "a long password"})
    assert signed_in.status_code == 302
    seen |= set(client.cookies)
    saved = client.post("/accounts/profile/", {"full_name": "Ada"}, follow=True)
    assert saved.context["user"].is_authenticated
    client.post("/accounts/logout/")
    seen |= set(client.cookies)
    assert seen == {settings.SESSION_COOKIE_NAME, settings.CSRF_COOKIE_NAME, devices.COOKIE}


def test_one_module_sets_cookies():
    sets = re.compile(r"\.set_(?:signed_)?cookie\(")
    modules = {
        str(path.relative_to(ROOT / "platform"))
        for path in (ROOT / "platform").rglob("*.py")
        if sets.search(path.read_text("utf-8"))
    }
    assert modules == {"accounts/devices.py"}
