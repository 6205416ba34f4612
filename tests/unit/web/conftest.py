import pytest


@pytest.fixture(autouse=True)
def plain_static_files(settings, tmp_path):
    """Templates name static files without the manifest that `collectstatic` would write, over plain HTTP."""
    plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    settings.STORAGES = settings.STORAGES | {"staticfiles": plain}
    settings.STATIC_ROOT = tmp_path
    settings.SECURE_SSL_REDIRECT = False
