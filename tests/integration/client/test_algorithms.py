"""Algorithms by program: an image of any size in pieces, its run, its log, and cancellation; over real HTTP."""

import json

import pytest
from podium_client import uploading

from confinement.containers import making
from datastore.uploads.services import refusals
from executions.models import AlgorithmArchive, AlgorithmUpload, Execution
from executions.services import arriving, checking
from submissions.models import Submission
from tests.integration.executions.conftest import engine
from tests.integration.executions.world import build, run_all
from tests.integration.submissions.world import CASES

__all__ = ["engine"]

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.any_database("The command is tested. Its queries are those of pages."),
]


@pytest.fixture
def world(db, tmp_path):
    return build(tmp_path)


@pytest.fixture
def image(tmp_path):
    base = making.layer([making.Entry("bin/sh", b"not really a shell" * 4000, 0o755)])
    path = tmp_path / "algo.tar"
    making.write(path, making.image([base], entrypoint=["/bin/sh"]), kind="docker")
    return path


def checked():
    for archive in AlgorithmArchive.objects.filter(state=AlgorithmArchive.State.RECEIVED):
        checking.check(archive_id=archive.pk)


def test_an_image_is_submitted_watched_and_read_by_command(podium, world, image, engine):
    code, out, err = podium("--json", "submit", "blocks", "first", "--image", image)
    assert (code, err) == (0, "")
    submitted = json.loads(out)
    submission = Submission.objects.get()
    assert (submitted["submission"], submission.team) == (str(submission.pk), world.adas)
    checked()
    run_all()
    [row] = json.loads(podium("--json", "runs", "blocks")[1])
    assert (row["id"], row["state"], row["outcomes"]) == (submitted["run"], "done", {"ok": len(CASES)})
    # What a program printed of hidden images is not shown to its team.
    assert "No log of this run may be read" in podium("logs", submitted["run"])[1]
    code, _, err = podium("cancel", submitted["run"])
    assert code == 2
    assert "has ended already" in err, err


def test_an_upload_that_broke_off_twice_goes_on_and_is_stored_once(podium, world, image, monkeypatch):
    monkeypatch.setattr(uploading, "PIECE", 40_000)
    honest, breaks = arriving.go_on, iter([False, True, False, True])

    def breaks_off(**more):
        if next(breaks, False):
            raise refusals.AwayError("The storage does not answer.")
        return honest(**more)

    monkeypatch.setattr(arriving, "go_on", breaks_off)
    monkeypatch.setattr(uploading, "PAUSES", ())
    for _ in range(2):
        assert podium("submit", "blocks", "first", "--image", image)[0] == 2
    code, _, err = podium("submit", "blocks", "first", "--image", image)
    assert (code, err) == (0, "")
    assert AlgorithmUpload.objects.get().state == "complete"
    assert AlgorithmArchive.objects.get().size == image.stat().st_size


def test_a_run_is_cancelled_by_command(podium, world, image):
    run = json.loads(podium("--json", "submit", "blocks", "first", "--image", image)[1])["run"]
    code, out, _ = podium("cancel", run)
    assert (code, out) == (0, "Cancelled. Your team stopped it.\n")
    assert Execution.objects.get().state == "cancelled"


def test_wrong_uses_are_refused_in_one_line(podium, world, image, tmp_path):
    for arguments, words in (
        (["submit", "blocks", "first"], "Name the predictions to submit, or an image with --image."),
        (["submit", "blocks", "first", "--weights", image], "An algorithm is an image (--image)"),
        (["submit", "blocks", "first", "--image", tmp_path / "none.tar"], "none.tar is not a file."),
        (["cancel", "nonsense"], "nonsense is not the id of a run."),
        (["logs", "00000000-0000-4000-8000-000000000000"], "There is nothing at"),
    ):
        code, out, err = podium(*arguments)
        assert (code, out) == (2, "")
        assert words in err
    assert not AlgorithmUpload.objects.exists()


def test_runs_of_other_teams_are_not_found(podium, world):
    world.hand_in(world.image(team=world.bos), team=world.bos)
    run = Execution.objects.get()
    assert podium("runs")[1] == "Nothing to list.\n"
    for command in ("logs", "cancel"):
        assert podium(command, run.pk)[0] == 2
    run.refresh_from_db()
    assert run.state == "queued"
