"""Kinds with a row of numbers a case, on the platform: from the upload to a bundle that anybody can verify."""

import json
import zipfile

import pytest
from django.test import Client
from django.urls import reverse

from datastore.test_sets.services.sealing import create_test_set
from evaluation import bundle, problems
from evaluation.analyses.catalogue import PICTURES
from evaluation.assessment import parse
from evaluation.bundle import result_digest
from evaluation.scoring import score_folders
from executions.scoring.domain.report import Report as Checked
from leaderboards.models import RankingVersion
from leaderboards.services import rankings as ranking_services
from leaderboards.services.analyses import analyse_version
from submissions.models import Submission
from submissions.queries import evidence_of, results_frame
from tests.integration.submissions.test_tables import add_phase
from tests.integration.submissions.world import World, zipped

pytestmark = pytest.mark.any_database(
    "Kinds of problem differ in files and values. `test_points_and_images.py` runs on both databases."
)

KINDS = ("regression", "survival", "multilabel_classification", "failure_detection")

OF_GROUPS = ("errors-in-groups",)
"""Figures of groups of cases, which the examples cannot show because they do not distinguish groups.

tests/unit/evaluation/kinds/test_own_figures.py renders them.
"""


def broken(content: bytes) -> bytes:
    """The table with its first row unreadable and its second one away."""
    head, first, _, *rest = content.decode().splitlines()
    cells = first.split(",")
    return ("\n".join([head, ",".join([cells[0], *("?" for _ in cells[1:])]), *rest]) + "\n").encode()


def figures_are_open_to_whom_they_tell_nothing_new(version, problem, world):
    """Check the visibility of each figure of a kind.

    Figures of results and references are open after the phase has closed. Figures that also reveal the ranking are open
    with the ranking.
    """
    analyse_version(version_id=version.pk)
    version.refresh_from_db()
    assert version.analysis.failures == {}
    page = reverse("leaderboards:current", args=["blocks", "numbers"])
    others = {picture.name for picture in PICTURES if picture.problem not in ("", problem.id)}
    assert not others & set(version.analysis.figures)
    for figure in problem.evidence.figures:
        if figure.name in OF_GROUPS:
            continue
        is_open = figure.shows == "values"
        assert version.analysis.figures[figure.name]
        key = next(iter(version.analysis.figures[figure.name]))
        address = reverse("leaderboards:figure", args=["blocks", "numbers", version.number, figure.name])
        for person, status in ((world.organizer, 200), (world.ada, 200 if is_open else 403)):
            client = Client()
            client.force_login(person)
            assert client.get(address, {"by": key}, secure=True).status_code == status
            shown = client.get(page, {"view": "answers", "by": key}, secure=True).content.decode()
            assert (figure.title in shown) is (status == 200)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("name", KINDS)
def test_from_upload_to_bundle(name, world: World, workers, tmp_path):
    problem = problems.get(name)
    document = problem.samples.write_challenge(tmp_path, cases=12) | {"uncertainty": {"bootstrap": 20, "seed": 1}}
    document["ranking"] = {
        "scheme": "aggregate_then_rank",
        "combine": {"over": ["metric", "region"], "operator": "mean", "rerank": True},
    }
    references = problem.open_references(parse(document), tmp_path / "references")
    world.phase = add_phase(world, "numbers", document)
    world.test_set = create_test_set(
        phase=world.phase, references=tmp_path / "references", cases=tuple(references.cases)
    )
    [file] = problem.table_files
    near = (tmp_path / "predictions/near" / file).read_bytes()
    far = (tmp_path / "predictions/far" / file).read_bytes()
    submissions = [
        world.upload(zipped({file: near}), accept_incomplete=True),
        world.upload(zipped({file: broken(far)}), accept_incomplete=True, team=world.bos),
    ]
    for submission in submissions:
        submission.refresh_from_db()
        assert submission.state == Submission.State.SCORED, (submission.log, submission.reason)
    # The platform says what the command line says, row by row.
    run = submissions[0].runs.get()
    line = score_folders(parse(document), tmp_path / "references", {"ada": tmp_path / "predictions/near"})
    ours = {tuple(row[:3]): row[3] for row in results_frame(run)[["case", "region", "metric", "value"]].to_numpy()}
    assert ours == {(row.case, row.region, row.metric): row.value for row in line.rows}
    assert result_digest(results_frame(run), evidence_of(run)) == run.result_digest
    # What cannot be read costs its case, which counts by definition.
    told = Checked.of(submissions[1].report)
    first, second = references.cases[:2]
    assert {entry.case: str(entry.status) for entry in told.troubled} == {first: "invalid", second: "missing"}
    assert "?" in next(entry.message for entry in told.troubled if entry.case == first)
    gaps = results_frame(submissions[1].runs.get())
    assert set(gaps[gaps["case"] == ""]["outcome"]) == {"ok"}
    ranking_services.request_ranking(world.phase.pk)
    version = RankingVersion.objects.get(phase=world.phase)
    client = Client()
    client.force_login(world.organizer)
    board = client.get(reverse("leaderboards:current", args=["blocks", "numbers"]), secure=True)
    assert board.status_code == 200
    text = board.content.decode()
    assert 0 < text.index("Ada&#x27;s") < text.index("Bo&#x27;s")
    figures_are_open_to_whom_they_tell_nothing_new(version, problem, world)
    client.force_login(world.ada)
    submit = client.get(reverse("submissions:submit", args=["blocks"]), {"phase": world.phase.pk}, secure=True)
    assert f"<code>{file}</code>" in submit.content.decode()
    client.force_login(world.organizer)
    target = tmp_path / "bundle.zip"
    response = client.get(reverse("leaderboards:bundle", args=["blocks", "numbers", version.number]), secure=True)
    target.write_bytes(b"".join(response.streaming_content))
    assert json.loads(zipfile.ZipFile(target).read("assessment.json"))["problem"] == name
    assert bundle.verify(target, digest=version.digest).same
