"""A phase with the registered Grand Challenge interface: container inputs, accepted outputs, reported results."""

import io
import json

import pytest
from django.urls import reverse

from confinement.containers import making
from datastore.uploads.storage import local_path
from evaluation.readers import read_label_image
from executions.models import Batch, CaseOutcome, Execution
from executions.services import arriving, checking
from submissions.models import Submission
from submissions.services import scoring, validation
from tests.integration.executions.world import execution_of, run_all
from tests.integration.submissions.world import CASES

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.any_database("Images and their files are tested. `test_running.py` runs algorithms on both databases."),
]

PLAN = {
    "adapter": "grand_challenge",
    "input_slug": "blocks-image",
    "output_slug": "blocks-segmentation",
    "output_path": "images/blocks",
}


@pytest.fixture
def theirs(world):
    """The small challenge, registered with the folders of Grand Challenge."""
    world.set_plan(**PLAN)
    return world


def copies(work):
    [image] = (work.input / "images" / "blocks-image").iterdir()
    work.write("images/blocks", "0f2a.mha", image.read_bytes())


def run(world, engine, script=copies):
    image = world.image()
    engine.held.append(image.digest)
    engine.script = script
    submission = world.hand_in(image)
    run_all()
    return submission


def judged(submission):
    validation.validate(submission_id=submission.pk)
    while scoring.score_next_chunk():
        pass
    submission.refresh_from_db()
    return submission


def test_a_container_finds_one_case_in_their_folders_under_an_opaque_name_and_nothing_of_ours(theirs, engine):
    seen = []

    def script(work):
        files = sorted(str(path.relative_to(work.input)) for path in work.input.rglob("*") if path.is_file())
        [entry] = json.loads((work.input / "inputs.json").read_text())
        seen.append((files, entry, dict(work.start.environment)))
        copies(work)

    submission = run(theirs, engine, script)

    assert len(seen) == len(CASES) == Batch.objects.count()
    names = set()
    for files, entry, environment in seen:
        name = entry["image"]["name"]
        assert files == [f"images/blocks-image/{name}", "inputs.json"]
        assert entry["interface"]["slug"] == "blocks-image"
        assert environment["GRAND_CHALLENGE_COMPONENT_MAX_MEMORY_MB"] == "64"
        names.add(name.removesuffix(".mha"))
    assert len(names) == len(CASES)
    assert not names & set(CASES)
    assert execution_of(submission).counts == {"ok": len(CASES)}


def test_what_it_wrote_goes_the_way_of_all_predictions(theirs, engine):
    submission = judged(run(theirs, engine))

    assert submission.state == Submission.State.SCORED
    assert submission.runs.get(counts=True).summary["missing_cases"] == 0
    case = theirs.test_set.cases.get(name=CASES[0])
    assert local_path(case.image_file).name.endswith(".nii.gz")
    execution = execution_of(submission)
    assert execution.provenance["interface"] == "grand-challenge"
    assert execution.plan["adapter"] == "grand_challenge"


def test_a_tiff_is_read_as_one(theirs, engine, tmp_path):
    import tifffile

    case = theirs.test_set.cases.get(name=CASES[0])
    labels = read_label_image(local_path(case.image_file)).labels

    def script(work):
        path = tmp_path / "any.tiff"
        tifffile.imwrite(path, labels.transpose(2, 1, 0))
        work.write("images/blocks", "any.tiff", path.read_bytes())

    assert execution_of(run(theirs, engine, script)).counts == {"ok": len(CASES)}


def test_two_images_none_and_no_image_are_told_apart(theirs, engine):
    done = []

    def script(work):
        done.append(work.start.name)
        if len(done) == 1:
            work.write("images/blocks", "a.mha", b"x")
            work.write("images/blocks", "b.mha", b"x")
        elif len(done) == 2:
            work.write("images/other", "a.mha", b"x")
        elif len(done) == 3:
            work.write("images/blocks", "a.mha", b"no image")
        else:
            copies(work)

    submission = run(theirs, engine, script)

    assert execution_of(submission).counts == {"invalid_output": 2, "no_output": 1, "ok": len(CASES) - 3}
    words = set(CaseOutcome.objects.exclude(outcome="ok").values_list("message", flat=True))
    assert any("The folder images/blocks holds 2 files; exactly one is expected." in own for own in words)
    judged(submission)
    assert submission.runs.get(counts=True).summary["missing_cases"] == 3


def test_the_same_image_is_another_algorithm_than_by_our_folders(theirs, engine):
    first = execution_of(run(theirs, engine))
    theirs.set_plan()
    image = Execution.objects.get().image
    engine.script = lambda work: [work.copy(case) for case in work.cases]
    second = theirs.hand_in(image)
    run_all()

    assert execution_of(second).identity != first.identity


def test_the_submit_page_and_the_document_say_how_it_is_called_there(theirs, engine, client):
    client.force_login(theirs.ada)

    page = client.get(reverse("submissions:submit", args=["blocks"])).content.decode().replace("<wbr>", "")
    document = client.get(reverse("executions:interface", args=["blocks", theirs.phase.pk])).json()

    assert "/input/images/blocks-image/" in page
    assert "/output/images/blocks/" in page
    assert document["interface"] == "grand-challenge"
    assert document["outputs"][0]["file"] == "prediction.mha"
    assert document["grand_challenge"]["outputs"]["prediction"]["relative_path"] == "images/blocks"


@pytest.mark.parametrize(("label", "state"), [("", "ready"), ("podium-exec-1", "refused")])
def test_an_image_that_says_it_reads_our_folders_is_refused(theirs, tmp_path, label, state):
    shell = making.layer([making.Entry("bin/sh", b"not really a shell", 0o755)])
    labels = {"org.podium.interface": label} if label else {"org.grand-challenge.api-method": "exec"}
    path = tmp_path / "image.tar"
    making.write(path, making.image([shell], entrypoint=["/bin/sh"], labels=labels))
    archive = arriving.send_file(
        user=theirs.ada,
        phase=theirs.phase,
        team=theirs.adas,
        kind="image",
        file_name=path.name,
        read=io.BytesIO(path.read_bytes()).read,
        size=path.stat().st_size,
    )
    checking.check(archive_id=archive.pk)
    archive.refresh_from_db()

    assert archive.state == state
    assert ("Grand Challenge's folders are laid out here" in archive.reason) is bool(label)
    assert not archive.report.get("warnings")
