"""Label images with confidences on the platform: from the archive to a verified bundle, and what a table of strangers may hold."""

import json
import zipfile

import pytest
from django.test import Client
from django.urls import reverse

from challenges.models import Phase
from datastore.test_sets.services.sealing import create_test_set
from evaluation import bundle, problems
from evaluation.assessment import parse
from evaluation.bundle import result_digest
from evaluation.running.registered import Registered
from evaluation.scoring import score_folders
from executions.domain.plans import NotRunnableError, sockets
from executions.scoring.domain.report import Report as Checked
from leaderboards.models import RankingVersion
from leaderboards.services import rankings as ranking_services
from submissions.models import Submission
from submissions.queries import evidence_of, results_frame
from submissions.services import states
from tests.integration.problems.test_kinds_with_numbers import figures_are_open_to_whom_they_tell_nothing_new
from tests.integration.submissions.test_tables import add_phase
from tests.integration.submissions.world import World, zipped

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.any_database(
        "Kinds of problem differ in files and values. `test_points_and_images.py` runs on both databases."
    ),
]
KIND = "segmentation_with_confidence"


def files_of(folder):
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


@pytest.fixture
def example(tmp_path):
    return tmp_path / "example"


@pytest.fixture
def seal(world: World, example):
    problem = problems.get(KIND)
    document = problem.samples.write_challenge(example, cases=8) | {"uncertainty": {"bootstrap": 20, "seed": 1}}
    combine = [{"over": [name], "operator": "mean", "rerank": True} for name in ("region", "metric")]
    document["ranking"] = {"scheme": "aggregate_then_rank", "combine": combine}
    references = problem.open_references(parse(document), example / "references")
    world.phase = add_phase(world, "numbers", document)
    world.test_set = create_test_set(
        phase=world.phase, references=example / "references", cases=tuple(references.cases)
    )
    return document


def test_from_upload_to_bundle(seal, world: World, workers, example, tmp_path):
    near, far = (files_of(example / "predictions" / name) for name in ("near", "far"))
    head, first, second, *rows = far["confidence.csv"].decode().splitlines()
    far["confidence.csv"] = ("\n".join([head, f"{first.split(',')[0]},inf", *rows]) + "\n").encode()
    submissions = [
        world.upload(zipped(near), accept_incomplete=True),
        world.upload(zipped(far), accept_incomplete=True, team=world.bos),
    ]
    submissions[1].refresh_from_db()
    assert [question.id for question in Checked.of(submissions[1].report).asked] == ["parts_not_used"]
    states.score_as_it_is(submission=submissions[1], actor=world.bo)
    for submission in submissions:
        submission.refresh_from_db()
        assert submission.state == Submission.State.SCORED, (submission.log, submission.reason, submission.report)
    # The platform says what the command line says, row by row.
    run = submissions[0].runs.get()
    line = score_folders(parse(seal), example / "references", {"ada": example / "predictions/near"})
    ours = {tuple(row[:3]): row[3] for row in results_frame(run)[["case", "region", "metric", "value"]].to_numpy()}
    assert ours == {(row.case, row.region, row.metric): row.value for row in line.rows}
    assert result_digest(results_frame(run), evidence_of(run)) == run.result_digest
    # An infinite confidence and a row that lacks cost nothing but the place in the order.
    told = Checked.of(submissions[1].report)
    assert told.troubled == []
    assert "inf" in told.findings["case-00"].message
    assert "counts as less sure than every other case" in told.findings[second.split(",")[0]].message
    assert told.remarked == 2
    ranking_services.request_ranking(world.phase.pk)
    version = RankingVersion.objects.get(phase=world.phase)
    for results in (Phase.Results.CASES, Phase.Results.AGGREGATE):
        Phase.objects.filter(pk=world.phase.pk).update(results=results)
        world.phase.refresh_from_db()
        figures_are_open_to_whom_they_tell_nothing_new(version, problems.get(KIND), world)
    client = Client()
    client.force_login(world.bo)
    page = client.get(reverse("submissions:detail", args=["blocks", submissions[1].pk]), secure=True)
    assert "2 with a note" in page.content.decode()
    client.force_login(world.organizer)
    target = tmp_path / "bundle.zip"
    response = client.get(reverse("leaderboards:bundle", args=["blocks", "numbers", version.number]), secure=True)
    target.write_bytes(b"".join(response.streaming_content))
    assert json.loads(zipfile.ZipFile(target).read("assessment.json"))["problem"] == KIND
    assert bundle.verify(target, digest=version.digest).same


@pytest.mark.parametrize(
    ("table", "told"),
    [
        (None, "There is no confidence.csv in the archive. It tells how sure the algorithm is of each case."),
        (b"case,sure\ncase-00,1\n", "confidence.csv: no column confidence"),
        (b"\xff\xfe\x00", "confidence.csv"),
    ],
)
def test_an_archive_without_a_usable_table_is_not_taken(seal, world: World, workers, example, table, told):
    files = files_of(example / "predictions/near") | {"confidence.csv": table}
    submission = world.upload(zipped({name: content for name, content in files.items() if content is not None}))
    submission.refresh_from_db()
    assert submission.state == Submission.State.REFUSED
    assert told in Checked.of(submission.report).problem


def test_algorithms_in_containers_write_the_confidence_beside_each_image_except_by_other_conventions(seal):
    case_sockets = sockets(Registered.of({}), parse(seal), [".nii.gz"])
    assert [(socket.file, socket.required) for socket in case_sockets.outputs] == [
        ("prediction.nii.gz", True),
        ("confidence.csv", True),
    ]
    with pytest.raises(NotRunnableError, match=r"needs confidence\.csv beside it"):
        sockets(Registered.of({"adapter": "grand_challenge"}), parse(seal), [".nii.gz"])


def test_the_submit_page_and_the_interface_name_the_table(seal, world: World):
    client = Client()
    client.force_login(world.ada)
    page = client.get(reverse("submissions:submit", args=["blocks"]), {"phase": world.phase.pk}, secure=True)
    assert "<code>confidence.csv</code>" in page.content.decode()
    answer = client.get(f"/api/v1/challenges/blocks/phases/{world.phase.pk}/expectation/", secure=True).json()
    assert answer["beside"] == {"file": "confidence.csv", "columns": ["case", "confidence"], "needed": True}
    assert answer["instances"] is None
