import pytest


@pytest.fixture(scope="session")
def storage_folder(tmp_path_factory):
    return tmp_path_factory.mktemp("leaderboards")


@pytest.fixture(autouse=True)
def surroundings(settings, storage_folder):
    """Result files and rankings in a folder of their own, static files as they lie in the source, plain HTTP."""
    settings.STORAGES = settings.STORAGES | storages_in(storage_folder)
    settings.SECURE_SSL_REDIRECT = False


def storages_in(folder) -> dict:
    return {
        "private": {
            "BACKEND": "django.core.files.storage.FileSystemStorage",
            "OPTIONS": {"location": folder, "allow_overwrite": True},
        },
        "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
    }
