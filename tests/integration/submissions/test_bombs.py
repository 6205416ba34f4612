"""Archives that would fill the disk: rejected at once, explained plainly, and counted as an attempt."""

import io
import tarfile

import pytest

from datastore.test_sets.services import archives
from datastore.test_sets.services.archives import take_archive
from datastore.test_sets.services.sealing import TestSetError
from datastore.uploads.services import refusals
from datastore.uploads.storage import scratch
from executions.scoring.services import inspecting
from submissions.models import Submission
from submissions.queries import quota
from submissions.services import validation
from tests.integration.submissions.world import World, build, predictions, zipped
from tests.integration.test_sets.test_archives import references
from tests.unit.confinement.test_hostile_archives import sparse

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.any_database(
        "Archives are refused before they are unpacked. `test_scoring_path.py` refuses archives on both databases."
    ),
]
State = Submission.State
GIB = 1024**3


@pytest.fixture
def world(db, tmp_path) -> World:
    return build(tmp_path / "references", submissions_per_day=2)


@pytest.fixture
def bomb(tmp_path) -> bytes:
    """A kilobyte that claims 60 GiB."""
    content = sparse(tmp_path / "bomb.tar.gz", real=3 * GIB, times=20).read_bytes()
    assert len(content) < 1024
    return content


def tarred(files: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as packed:
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            packed.addfile(entry, io.BytesIO(content))
    return buffer.getvalue()


def test_a_bomb_is_refused_at_its_first_reading_and_counts_towards_the_quota(world: World, workers, bomb):
    submission = world.upload(bomb, name="predictions.tar.gz")
    submission.refresh_from_db()
    assert (submission.state, submission.attempts, submission.is_charged) == (State.REFUSED, 1, True)
    assert "unpacks to 3,221,225,472 bytes" in submission.reason
    assert submission.reason.endswith("This counts as one of your submissions.")
    assert quota(world.phase, world.adas, world.ada).left == 1
    assert not list(scratch("work").iterdir())
    world.upload(bomb, name="predictions.tar.gz")
    with pytest.raises(refusals.QuotaExceededError, match="2 submissions of today"):
        world.upload(bomb, name="predictions.tar.gz")


def test_an_honest_slip_is_refused_and_counts_for_nothing(world: World, workers):
    submission = world.upload(tarred({"../a.nii.gz": b"1"}), name="predictions.tar.gz")
    submission.refresh_from_db()
    assert (submission.state, submission.is_charged) == (State.REFUSED, False)
    assert quota(world.phase, world.adas, world.ada).left == 2


def test_where_an_ordinary_archive_does_not_fit_now_it_waits_and_nothing_is_written(
    world: World, workers, monkeypatch, settings
):
    settings.PODIUM_WORK_RESERVE_BYTES = 0
    monkeypatch.setattr(inspecting, "free_bytes", lambda: 1000)
    submission = world.upload(tarred(predictions()), name="predictions.tar.gz")
    submission.refresh_from_db()
    assert (submission.state, submission.attempts) == (State.VALIDATING, 0)
    monkeypatch.undo()
    Submission.objects.update(due_at=None)
    validation.validate(submission_id=submission.pk)
    submission.refresh_from_db()
    assert submission.state == State.SCORED


def test_an_archive_that_is_packed_far_better_than_any_does_not_fill_what_room_there_is(
    world: World, workers, monkeypatch, settings
):
    settings.PODIUM_WORK_RESERVE_BYTES = 0
    monkeypatch.setattr(inspecting, "free_bytes", lambda: 10**6)
    content = tarred({"case_001.nii": bytes(2 * 10**6)})
    submission = world.upload(content, name="predictions.tar.gz")
    submission.refresh_from_db()
    assert (submission.state, submission.attempts, submission.is_charged) == (State.REFUSED, 1, False)
    assert "has 1,000,000 free" in submission.reason


@pytest.mark.parametrize("kind", ["zip", "tar.gz"])
def test_references_that_do_not_fit_are_refused_at_once(world: World, monkeypatch, tmp_path, settings, kind):
    settings.PODIUM_WORK_RESERVE_BYTES = 0
    monkeypatch.setattr(archives, "free_bytes", lambda: 100)
    path = tmp_path / f"references.{kind}"
    path.write_bytes((zipped if kind == "zip" else tarred)(references()))
    with pytest.raises(TestSetError, match="Compress the single files"):
        take_archive(phase=world.phase, path=path, actor=world.organizer, reason="Drawn anew.", replaces=True)


def test_a_bomb_of_references_is_refused_at_once(world: World, tmp_path, bomb):
    with pytest.raises(TestSetError, match=r"bytes|sparse"):
        take_archive(
            phase=world.phase,
            path=tmp_path / "bomb.tar.gz",
            actor=world.organizer,
            reason="Drawn anew.",
            replaces=True,
        )
