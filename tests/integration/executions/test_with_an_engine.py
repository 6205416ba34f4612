"""The whole way with a real engine: an image is sent, checked, run on every case, judged; nothing is left."""

import io

import pytest

from confinement.containers import making
from executions.models import CaseOutcome, Execution
from executions.services import arriving, checking, hosts
from leaderboards.services import rankings
from submissions.models import Submission
from submissions.services import scoring, validation
from tests.containers.machine import Machine, lacking
from tests.integration.executions.costs_world import costly, judge
from tests.integration.executions.world import execution_of, run_all
from tests.integration.submissions.world import ASSESSMENT, CASES
from tests.run import is_demanded

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.engine,
    pytest.mark.any_database("Containers are tested. `test_running.py` runs algorithms on both databases."),
]
COPY = b"""#!/bin/sh
for own in /input/c*; do
  mkdir -p /output/${own##*/}
  cp $own/image.nii.gz /output/${own##*/}/prediction.nii.gz
done
"""


THEIRS = b"""#!/bin/sh
set -e
mkdir -p /output/images/blocks
cp /input/images/blocks-image/*.mha /output/images/blocks/output.mha
"""


def sent(world, tmp_path, script, *, team=None, **options):
    team = team or world.adas
    run = making.layer([making.Entry("opt/run.sh", script, 0o755)])
    image = making.image([making.busybox(), run], entrypoint=["/bin/sh", "/opt/run.sh"], **options)
    path = tmp_path / "image.tar.gz"
    making.write(path, image, kind="docker")
    archive = arriving.send_file(
        user=team.members.get().user,
        phase=world.phase,
        team=team,
        kind="image",
        file_name=path.name,
        read=io.BytesIO(path.read_bytes()).read,
        size=path.stat().st_size,
    )
    checking.check(archive_id=archive.pk)
    archive.refresh_from_db()
    return archive


@pytest.fixture(scope="session")
def machine():
    if lacks := lacking():
        if is_demanded("containers"):
            pytest.fail(f"This machine lacks {', '.join(lacks)}.")
        pytest.skip(f"needs {', '.join(lacks)}")
    own = Machine.make()
    yield own
    own.close()


@pytest.fixture
def podman(settings, machine, db):
    settings.PODIUM_RUN_FOLDER = str(machine.folder)
    before = hosts.here()
    hosts.take_up(hosts.Host(engine=machine.engine, problem="", versions=machine.engine.versions()))
    hosts.tell()
    yield machine.engine
    hosts.take_up(before)


@pytest.fixture
def podium_of_theirs(world, podman):
    """The same, registered with the folders of Grand Challenge."""
    world.set_plan(
        adapter="grand_challenge",
        input_slug="blocks-image",
        output_slug="blocks-segmentation",
        output_path="images/blocks",
    )
    return podman


def test_an_image_is_run_on_every_case_and_scored_and_nothing_is_left(world, podman, tmp_path):
    archive = sent(world, tmp_path, COPY)
    assert archive.state == "ready", archive.reason
    submission = world.hand_in(archive)
    run_all()
    execution = execution_of(submission)
    assert (execution.state, execution.counts) == (Execution.State.DONE, {"ok": len(CASES)})
    assert execution.provenance["versions"]["engine"][0].startswith("podman")
    validation.validate(submission_id=submission.pk)
    while scoring.score_next_chunk():
        pass
    submission.refresh_from_db()
    assert submission.state == Submission.State.SCORED
    assert not podman.containers()
    assert not any(hosts.leases().iterdir())


def test_what_fails_in_a_container_is_told_by_its_cause(world, podman, tmp_path):
    world.set_plan(case_seconds=3)
    archive = sent(world, tmp_path, b"#!/bin/sh\ntrap '' TERM\nwhile true; do :; done\n")
    submission = world.hand_in(archive)
    run_all()
    assert execution_of(submission).counts == {"time_exceeded": len(CASES)}
    assert set(CaseOutcome.objects.values_list("outcome", flat=True)) == {"time_exceeded"}


def test_an_image_made_for_grand_challenge_goes_unchanged_from_the_upload_to_a_rank(world, podium_of_theirs, tmp_path):
    label = {"org.grand-challenge.api-method": "exec"}
    names = {}
    for team, script in ((world.adas, THEIRS), (world.bos, b"#!/bin/sh\nexit 3\n")):
        archive = sent(world, tmp_path, script, team=team, labels=label, user="user", workdir="/opt/app")
        assert archive.state == "ready", archive.reason
        assert archive.report["interface"] == "grand-challenge"
        submission = world.hand_in(archive, team=team)
        run_all()
        validation.validate(submission_id=submission.pk)
        names[team.name] = submission
    while scoring.score_next_chunk():
        pass
    for submission in names.values():
        scoring.finish_run(run_id=submission.runs.get().pk)
        submission.refresh_from_db()
        assert submission.state == Submission.State.SCORED
    rankings.request_ranking(world.phase.pk)
    version = rankings.rank_phase(phase_id=world.phase.pk)
    table = version.table
    assert (table["teams"], table["orders"][0]["rank"]) == (["Ada's", "Bo's"], [1, 2])
    assert table["outcomes"] == ["", f"{len(CASES)} of {len(CASES)} missing: {len(CASES)} crashed"]
    assert execution_of(names["Bo's"]).counts == {"crashed": len(CASES)}
    assert not podium_of_theirs.containers()
    assert not any(hosts.leases().iterdir())


COSTS = [
    {"id": "run_wall_time", "by": "run", "worst": 20},
    {"id": "run_cpu_time", "by": "run", "worst": 20},
    {"id": "run_peak_memory", "by": "run", "worst": 64},
]
WAITS = b"sleep 3\n"
COUNTS = b"i=0; while [ $i -lt 1500000 ]; do i=$((i+1)); done\n"
FILLS = b"dd if=/dev/zero of=/dev/shm/filled bs=1M count=40 2>/dev/null; sleep 1\n"


@pytest.mark.engine(alone=True)
def test_what_a_container_took_of_each_case_is_ranked(world, podman, tmp_path):
    phase = costly(world, tmp_path, assessment={**ASSESSMENT, "metrics": [{"id": "dsc"}, *COSTS]})
    # Who waits takes time and no processor; who counts takes both; who fills takes memory.
    for team, first in ((world.adas, WAITS), (world.bos, COUNTS + FILLS)):
        archive = sent(world, tmp_path, b"#!/bin/sh\n" + first + COPY.removeprefix(b"#!/bin/sh\n"), team=team)
        submission = world.hand_in(archive, team=team)
        run_all()
        assert judge(submission).state == Submission.State.SCORED
    rankings.request_ranking(phase.pk)
    table = rankings.rank_phase(phase_id=phase.pk).table

    assert table["teams"] == ["Ada's", "Bo's"]
    orders = {order["key"]: order for order in table["orders"]}
    waited, _ = orders["Wall time"]["score"]
    took = orders["Processor time"]["score"]
    held, filled = orders["Peak memory"]["score"]
    # The clock of the mean starts when the container does: 5 % or 0.2 s is what is promised.
    assert waited == pytest.approx(3, abs=0.2)
    assert took[0] < took[1]
    assert took[0] < waited - 2
    assert held < 40 <= filled <= 64
    assert [orders[name]["rank"] for name in ("Processor time", "Peak memory")] == [[1, 2], [1, 2]]
