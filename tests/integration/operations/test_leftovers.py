"""Files that killed writers left are neither read nor kept."""

import os
import time

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import storages

from datastore.uploads.services.proving import stored_names
from evaluation import durable
from operations.tasks import tidy
from web.storing import DurableStorage


@pytest.fixture
def storage(settings, tmp_path):
    private = {"BACKEND": "web.storing.DurableStorage", "OPTIONS": {"location": tmp_path, "allow_overwrite": True}}
    settings.STORAGES = settings.STORAGES | {"private": private}
    return storages["private"]


def left(folder, hours):
    """Leave a temporary file, as a writer does that was killed `hours` hours ago."""
    path = folder / f"{durable.PREFIX}{hours}"
    path.write_bytes(b"half")
    moment = time.time() - hours * 3600
    os.utime(path, (moment, moment))
    return path


def test_a_file_that_was_never_completed_is_not_listed_and_goes_after_a_day(storage, tmp_path):
    storage.save("results/1.bin", ContentFile(b"content"))
    old, new = left(tmp_path / "results", 25), left(tmp_path / "results", 1)

    assert list(stored_names()) == ["results/1.bin"]
    assert tidy() == 1
    assert not old.exists()
    assert new.exists()


def test_an_overwritten_file_stays_as_it_was_when_its_writer_fails(storage, tmp_path):
    class Broken(ContentFile):
        def chunks(self, chunk_size=None):
            yield b"ha"
            raise OSError(28, "No space left on device")

    storage.save("results/1.bin", ContentFile(b"content"))
    with pytest.raises(OSError, match="No space left"):
        storage.save("results/1.bin", Broken(b"half"))

    assert (tmp_path / "results" / "1.bin").read_bytes() == b"content"
    assert [path.name for path in (tmp_path / "results").iterdir()] == ["1.bin"]


def test_folders_and_files_get_the_permissions_of_the_storage(tmp_path):
    storage = DurableStorage(
        location=tmp_path / "kept", file_permissions_mode=0o600, directory_permissions_mode=0o700, allow_overwrite=True
    )
    name = storage.save("a/b/c.bin", ContentFile(b"content"))

    assert name == "a/b/c.bin"
    modes = {
        path.relative_to(tmp_path).as_posix(): path.stat().st_mode & 0o777
        for path in tmp_path.rglob("*")
        if path.name != "static"
    }
    assert modes == {"kept": 0o700, "kept/a": 0o700, "kept/a/b": 0o700, "kept/a/b/c.bin": 0o600}
