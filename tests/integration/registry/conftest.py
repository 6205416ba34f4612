"""Storage of the tests' own."""

import pytest
from django.core.cache import cache


@pytest.fixture(autouse=True)
def own_storage(settings, tmp_path):
    private = {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": tmp_path}}
    settings.STORAGES = settings.STORAGES | {"default": private, "private": private}
    # Parts of records are kept by the digest of their document, which is the same in several tests.
    cache.clear()
    return tmp_path
