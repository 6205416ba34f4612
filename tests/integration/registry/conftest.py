"""Storage of the tests' own."""

import pytest


@pytest.fixture(autouse=True)
def own_storage(settings, tmp_path):
    private = {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": tmp_path}}
    settings.STORAGES = settings.STORAGES | {"default": private, "private": private}
    return tmp_path
