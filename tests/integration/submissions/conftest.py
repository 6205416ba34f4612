import shutil
from pathlib import Path

import pytest
from celery import current_app

from submissions import hooks
from tests.integration.submissions.world import World, build


@pytest.fixture(autouse=True)
def private_files(settings, tmp_path):
    """Storage and scratch space of this test alone."""
    private = {
        "BACKEND": "django.core.files.storage.FileSystemStorage",
        "OPTIONS": {"location": tmp_path / "storage", "base_url": None, "allow_overwrite": True},
    }
    plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    settings.STORAGES = {"default": private, "private": private, "staticfiles": plain}
    settings.STATIC_ROOT = tmp_path / "static"
    settings.STATIC_ROOT.mkdir()
    settings.PODIUM_SCRATCH = tmp_path / "scratch"
    settings.PODIUM_DISK_RESERVE_BYTES = 0
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    yield tmp_path
    shutil.rmtree(tmp_path, ignore_errors=True)


@pytest.fixture(autouse=True, scope="session")
def broker_of_its_own():
    """Jobs that are sent stay in this process: never on a broker whose workers would take them."""
    before = current_app.conf.broker_url
    current_app.conf.broker_url = "memory://"
    yield
    current_app.conf.broker_url = before


@pytest.fixture(autouse=True)
def nobody_listens(monkeypatch):
    """Rankings are another app's business."""
    monkeypatch.setattr(hooks, "run_scored", [])


@pytest.fixture
def world(db, tmp_path: Path) -> World:
    """A challenge with one open phase of four small cases."""
    return build(tmp_path / "references")


@pytest.fixture
def workers():
    """Jobs that are sent run at once, in this process, as a worker would run them."""
    current_app.conf.update(task_always_eager=True, task_eager_propagates=True)
    yield
    current_app.conf.update(task_always_eager=False, task_eager_propagates=False)
