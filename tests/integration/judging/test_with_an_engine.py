"""A scoring image with a real engine: upload, check, trial, scoring, ranking, and local rescoring."""

import io
import json

import pytest
from podium_client.cli import main

from challenges.models import Phase
from confinement.containers import making
from evaluation.assessment import parse
from executions.judging.models import Trial
from executions.scoring.domain import results
from executions.services import arriving, checking, hosts
from leaderboards.services import bundles, rankings
from submissions.models import Submission
from tests.containers import scorers
from tests.integration.executions.test_with_an_engine import machine
from tests.integration.judging.world import SCORED
from tests.integration.submissions.world import CASES, labels, nifti, predictions

__all__ = ["machine"]
pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.engine,
    pytest.mark.any_database("Containers are tested. `judging/test_pages.py` writes the same rows on both databases."),
]


@pytest.fixture
def podman(settings, machine, world):
    settings.PODIUM_RUN_FOLDER = str(machine.folder)
    before = hosts.here()
    versions, queues = machine.engine.versions(), frozenset({"judge"})
    hosts.take_up(hosts.Host(engine=machine.engine, problem="", versions=versions, queues=queues))
    yield machine.engine
    hosts.take_up(before)


def test_a_scoring_image_goes_from_the_upload_to_a_bundle_that_it_confirms(world, podman, tmp_path, capsys):
    program = making.layer([making.Entry("opt/scorer.py", scorers.PROGRAM.read_bytes(), 0o755)])
    image = making.image(
        [making.python(), program],
        entrypoint=["/usr/bin/python3", "/opt/scorer.py"],
        env=["PATH=/usr/bin:/bin"],
        labels={"org.podium.interface": "podium-score-1"},
    )
    path = tmp_path / "scorer.tar.gz"
    making.write(path, image, kind="docker")
    registered = parse(SCORED | {"scorer": {"image": image.image_id}})
    Phase.objects.filter(pk=world.phase.pk).update(
        assessment_document=registered.document, assessment_digest=registered.digest
    )
    world.phase.refresh_from_db()
    archive = arriving.send_file(
        user=world.organizer,
        phase=world.phase,
        team=None,
        kind="scorer",
        file_name=path.name,
        read=io.BytesIO(path.read_bytes()).read,
        size=path.stat().st_size,
    )
    checking.check(archive_id=archive.pk)
    trial = world.tried()
    assert trial.state == Trial.State.PASSED, trial.report or trial.failure

    handed = {"Ada's": predictions(1), "Bo's": predictions(2) | {"case_001.nii.gz": nifti(labels(0, case="case_001"))}}
    for team, files in ((world.adas, handed["Ada's"]), (world.bos, handed["Bo's"])):
        submission = world.hand_in(files, team=team)
        assert submission.state == Submission.State.SCORED, submission.reason
        table = results.read(submission.runs.get(counts=True).result_file).set_index(["case", "region"])
        own, built_in = (table[table["metric"] == name]["value"] for name in ("own dice", "dsc"))
        assert own.sub(built_in).abs().max() <= 1e-12
        assert own.isna().equals(built_in.isna())
    assert not podman.containers()

    rankings.request_ranking(world.phase.pk)
    version = rankings.rank_phase(phase_id=world.phase.pk)
    bundle = tmp_path / "bundle.zip"
    bundle.write_bytes(b"".join(bundles.chunks(version, key="first")))
    for name, files in handed.items():
        folder = tmp_path / "predictions" / name
        folder.mkdir(parents=True)
        for file, content in files.items():
            (folder / file).write_bytes(content)
    arguments = ["--json", "verify", str(bundle), "--digest", version.digest, "--scorer", str(path)]
    arguments += ["--references", str(tmp_path / "references"), "--predictions", str(tmp_path / "predictions")]
    assert main(arguments) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["same"]
    assert (said["recomputed"], said["differences"]) == (2 * len(CASES) * 2, [])
