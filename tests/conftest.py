"""What every test may count on."""

import hypothesis
from django.conf import settings

from tests import emptying
from tests.smtp import smtp_server

__all__ = ["smtp_server"]

# Templates name static files as they lie in the source, without the manifest that `collectstatic` would write.
settings.STORAGES = settings.STORAGES | {
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
}

# What makes a password slow to guess makes people slow to invent: a second for each of them.
settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher", *settings.PASSWORD_HASHERS]

# The same examples on every run: a red run can be looked into, and a green one stays green. To look further, run with
# `--hypothesis-profile=explore`.
hypothesis.settings.register_profile("suite", derandomize=True, deadline=None, database=None)
hypothesis.settings.register_profile("explore", deadline=None)
hypothesis.settings.load_profile("suite")

emptying.install()
