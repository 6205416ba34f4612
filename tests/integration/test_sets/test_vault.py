"""Hidden references are encrypted where they are kept, and plain only for as long as they are read."""

import io

import pyrage
import pytest
from PIL import Image

from datastore.test_sets import vault
from datastore.uploads.storage import local_path
from evaluation.readers import read_label_image
from submissions.results.queries.pictures import picture_name
from submissions.results.services import pictures
from tests.integration.submissions.world import World, labels, nifti, predictions, zipped

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.any_database(
        "Encryption of files is tested. `test_sealing.py` writes the same rows on both databases."
    ),
]
GZIP, AGE = b"\x1f\x8b", b"age-encryption.org/v1"


def test_a_reference_is_not_readable_where_it_is_kept(world: World):
    for case in world.test_set.cases.all():
        kept = local_path(case.reference_file).read_bytes()
        assert kept.startswith(AGE)
        assert nifti(labels())[:200] not in kept


def test_it_opens_with_the_key_and_is_gone_afterwards(world: World):
    case = world.test_set.cases.first()
    with vault.opened(case.reference_file) as path:
        assert path.read_bytes()[:2] == GZIP
        assert (read_label_image(path).labels == labels()).all()
        assert path.parent.stat().st_mode & 0o077 == 0
    assert not path.parent.exists()


def test_neither_another_key_nor_a_changed_file_opens(world: World, settings):
    name = world.test_set.cases.first().reference_file
    settings.PODIUM_REFERENCE_KEY = str(pyrage.x25519.Identity.generate())
    with pytest.raises(vault.VaultError), vault.opened(name):
        pass
    settings.PODIUM_REFERENCE_KEY = ""
    path = local_path(name)
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    with pytest.raises(vault.VaultError), vault.opened(name):
        pass


def test_of_two_pictures_the_one_with_the_reference_is_encrypted(world: World, workers):
    submission = world.upload(zipped(predictions()))
    run = submission.runs.get()
    pictures.draw(run_id=run.pk, case="case_001")
    shown = local_path(picture_name(run, "case_001", with_reference=False)).read_bytes()
    assert Image.open(io.BytesIO(shown)).format == "PNG"
    name = picture_name(run, "case_001", with_reference=True)
    assert local_path(name).read_bytes().startswith(AGE)
    assert Image.open(io.BytesIO(vault.read_bytes(name))).format == "PNG"
