"""Overlap of test images: what a sealing compares, who sees the pairs, and the answers of owners."""

import io
from pathlib import Path

import numpy as np
import pytest
from django.utils import timezone
from PIL import Image
from scipy import ndimage

from accounts.models import User
from challenges.models import Organizer
from core.audit.models import Entry
from datastore.datasets.models import Dataset, DatasetFile, DatasetVersion
from datastore.test_sets.models import OverlapCheck
from datastore.test_sets.services import overlap_requests, overlaps
from datastore.test_sets.services.replacing import TestSetError
from datastore.uploads.storage import store_bytes
from tests.integration.submissions.test_tables import add_phase
from tests.integration.submissions.world import World, zipped

pytestmark = pytest.mark.django_db(transaction=True)

CASES = ("scan-1", "scan-2", "scan-3", "scan-4")


def texture(seed: int, size: int = 96) -> np.ndarray:
    """Return smooth noise, of which no two seeds look alike."""
    noise = ndimage.gaussian_filter(np.random.default_rng(seed).normal(size=(size, size)), 2.5)
    return np.clip(128 + 55 * noise / noise.std(), 0, 255).astype(np.uint8)


def png(image: np.ndarray) -> bytes:
    buffer = io.BytesIO()
    Image.fromarray(image).save(buffer, "PNG")
    return buffer.getvalue()


@pytest.fixture
def compared(world: World, tmp_path: Path) -> OverlapCheck:
    """Four images, of which one is another one reflected, and training data with a copy of a third one."""
    from datastore.test_sets.services.sealing import create_test_set

    document = {
        "schema": 1,
        "problem": "image_classification",
        "regions": [{"name": name, "labels": [name]} for name in ("benign", "malignant")],
        "metrics": [{"id": "accuracy"}],
        "ranking": {"scheme": "one_score"},
        "uncertainty": {"bootstrap": 0, "seed": 1},
    }
    phase = add_phase(world, "images", document)
    contents = [texture(1), texture(1)[:, ::-1], texture(2), texture(3)]
    folders = tmp_path / "table", tmp_path / "pictures"
    for folder in folders:
        folder.mkdir()
    for case, content in zip(CASES, contents, strict=True):
        (folders[1] / f"{case}.png").write_bytes(png(content))
    rows = [f"{case},{label}" for case, label in zip(CASES, ("benign", "malignant") * 2, strict=True)]
    (folders[0] / "labels.csv").write_text("\n".join(["case,label", *rows]))
    offered = Dataset.objects.create(
        challenge=world.challenge, slug="train", name="Training", split="training", licence="CC0"
    )
    version = DatasetVersion.objects.create(dataset=offered, number=1, released_at=timezone.now(), digest="1" * 64)
    archive = zipped({"imagesTr/a.png": png(texture(2)), "imagesTr/b.png": png(texture(9)), "notes.txt": b"none"})
    for name, content in (("train.zip", archive), ("single.png", png(texture(11)))):
        stored = f"data/{name}-stored"
        path = tmp_path / name
        path.write_bytes(content)
        store_bytes(stored, content)
        DatasetFile.objects.create(
            version=version, name=name, size=len(content), sha256="1" * 64, stored=stored, state=DatasetFile.State.READY
        )
    test_set = create_test_set(phase=phase, references=folders[0], images=folders[1], cases=CASES)
    check = OverlapCheck.objects.get(test_set=test_set)
    overlaps.compare_images(check_id=check.pk)
    check.refresh_from_db()
    return check


def page_of(check: OverlapCheck) -> str:
    test_set = check.test_set
    return f"/challenges/blocks/organize/test-sets/{test_set.phase_id}/{test_set.version}/overlaps/"


def test_copies_within_the_test_set_and_in_training_data_are_found(compared: OverlapCheck):
    assert (compared.state, compared.images, compared.unread) == (OverlapCheck.State.DONE, 4, 0)
    assert compared.compared == {"data set Training": 3}
    found = {(pair.case, pair.other, pair.source, pair.exact) for pair in compared.pairs.all()}
    assert found == {
        ("scan-1", "scan-2", "this test set", True),
        ("scan-3", "train.zip/imagesTr/a.png", "data set Training", True),
    }
    assert all(len(pair.pictures) == 2 for pair in compared.pairs.all())
    overlaps.compare_images(check_id=compared.pk)  # a message that comes twice changes nothing
    assert compared.pairs.count() == 2


def test_pairs_are_shown_to_organizers_and_answered_by_owners(client, world: World, compared: OverlapCheck):
    test_set = compared.test_set
    page = page_of(compared)
    pair = compared.pairs.get(case="scan-3")
    make = User.objects.create_user
    people = {"anonymous": None, "team": world.ada, "owner": world.organizer}
    for role in (Organizer.Role.MANAGER, Organizer.Role.MODERATOR):
        people[str(role)] = make(str(role))
        Organizer.objects.create(challenge=world.challenge, user=people[str(role)], role=role)
    found = {}
    for role, user in people.items():
        client.logout()
        if user is not None:
            client.force_login(user)
        answers = [client.get(page), client.get(f"{page}{pair.pk}-1.png"), client.post(page, {"answer": ""})]
        found[role] = tuple(answer.status_code for answer in answers)
    assert found == {
        "anonymous": (302, 302, 302),
        "team": (404, 404, 404),
        "owner": (200, 200, 302),
        "manager": (200, 200, 403),
        "moderator": (404, 404, 404),
    }
    client.force_login(world.organizer)
    assert b"Open overlaps of test images" in client.get("/challenges/blocks/organize/").content
    assert b"2 overlapping" in client.get(f"/challenges/blocks/organize/test-sets/?phase={test_set.phase_id}").content
    with pytest.raises(TestSetError, match="Write why"):
        overlap_requests.accept(actor=world.organizer, check=compared, answer=" ")
    client.post(page, {"pair": pair.pk, "answer": "The copy is removed from the next version of the data."})
    assert compared.pairs.filter(answered_at=None).count() == 1
    client.post(page, {"answer": "Mirrored on purpose."})
    assert compared.pairs.filter(answered_at=None).count() == 0
    assert [
        entry.facts["overlaps"] for entry in Entry.objects.filter(act="image_overlap_accepted").order_by("sequence")
    ] == [1, 1]
    client.post(page, {"act": "again"})
    compared.refresh_from_db()
    assert compared.state == OverlapCheck.State.WAITING


def test_a_malformed_number_accepts_no_pair(client, world: World, compared: OverlapCheck):
    client.force_login(world.organizer)
    for pair in ("x", "9" * 5000):
        assert client.post(page_of(compared), {"pair": pair, "answer": "Meant to be equal."}).status_code == 404
    assert compared.pairs.filter(answered_at=None).count() == 2


def test_what_is_beyond_the_limits_is_counted_and_stated(client, world: World, compared: OverlapCheck, monkeypatch):
    assert (compared.pair_count, compared.left_out) == (2, 0)
    monkeypatch.setattr(overlaps, "MOST_PAIRS", 1)
    monkeypatch.setattr(overlaps, "MOST_IMAGES", 1)
    overlap_requests.request(compared.test_set)
    overlaps.compare_images(check_id=compared.pk)
    compared.refresh_from_db()
    assert (compared.pair_count, compared.pairs.count(), compared.left_out) == (2, 1, 2)
    client.force_login(world.organizer)
    page = " ".join(client.get(page_of(compared)).content.decode().split())
    assert "2 images beyond the limit were not compared." in page
    assert "2 pairs overlap. The page lists 1 of them." in page
