"""The site itself in a thread, without worker or broker."""

import pytest
from django.conf import settings
from django.contrib.auth import get_user_model
from django.test import Client, override_settings
from pytest_django.live_server_helper import LiveServer

PASSWORD = "a long enough password"


@pytest.fixture(scope="package")
def site(django_db_setup, tmp_path_factory):
    """Address of the running site, over plain HTTP and in example mode."""
    changed = override_settings(
        PODIUM_EXAMPLE_MODE=True,
        SECURE_SSL_REDIRECT=False,
        SECURE_HSTS_SECONDS=0,
        SESSION_COOKIE_SECURE=False,
        CSRF_COOKIE_SECURE=False,
        STATIC_ROOT=tmp_path_factory.mktemp("static"),
        STORAGES=settings.STORAGES
        | {"staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}},
        PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"],
        EMAIL_BACKEND="django.core.mail.backends.locmem.EmailBackend",
        CACHES={"default": {"BACKEND": "django.core.cache.backends.dummy.DummyCache"}},
    )
    changed.enable()
    server = LiveServer("127.0.0.1")
    yield server.url
    server.stop()
    changed.disable()


@pytest.fixture
def person(transactional_db):
    """Someone with an account and a confirmed address."""
    user = get_user_model().objects.create_user("ada", "ada@example.org", PASSWORD)
    user.emailaddress_set.create(email=user.email, verified=True, primary=True)
    return user


@pytest.fixture
def signed_in(page, site, person):
    """A page whose browser is signed in as `person`; it has not been anywhere yet."""
    client = Client()
    client.force_login(person)
    name = settings.SESSION_COOKIE_NAME
    page.context.add_cookies([{"name": name, "value": client.cookies[name].value, "url": site}])
    return page
