"""A scoring image for every kind of problem: trial, scoring, rows next to the built-in ones, ranking, rescoring."""

import json

import pytest
from podium_client.cli import main

from evaluation import problems
from evaluation.bundle import verify
from evaluation.running.scorer_folders import references_in
from executions.judging.models import Judgement, Trial
from executions.judging.queries import lacking
from executions.scoring.domain import results
from leaderboards.services import bundles, rankings
from submissions.models import Submission
from tests.containers import scorers
from tests.integration.judging.world import build_kind, files_of

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.any_database("Kinds of problem differ in files and values, not in rows."),
]


def value_at_home(assessment, folder, algorithm, case, tmp_path):
    """Return the value that the program computes for a prediction in a folder."""
    references = references_in(assessment, folder / "references")
    files_shown = references.shown(case, tmp_path / "reference")
    given = references.predictions(folder / "predictions" / algorithm).shown(case, tmp_path / "prediction")
    from evaluation.running.scorer_declared import declared_of, interface_of
    from evaluation.running.scorer_trials import Presented

    document = interface_of(
        declared_of(assessment),
        ["c1"],
        stems_and_kinds=problems.get(assessment.problem).scorer_files.stems_and_kinds,
        files=[*files_shown, *given],
        limits={} | dict.fromkeys(scorers.LIMITS, 1),
    )
    answer = scorers.answered(tmp_path / "root", document, [Presented("c1", files_shown, given)], "")
    return {row["region"] or "": row["value"] for row in map(json.loads, answer.rows.splitlines())}


@pytest.mark.parametrize("kind", scorers.KINDS)
def test_the_image_is_tried_asked_and_ranked(kind, engine, db, tmp_path, client):
    folder = tmp_path / "example"
    world = build_kind(kind, folder, engine)
    world.image()
    trial = Trial.objects.get()
    assert trial.state == Trial.State.PASSED, [check for check in trial.checks if check["says"]] or trial.failure
    assert lacking(world.phase) == ""

    for team, algorithm in ((world.adas, "near"), (world.bos, "far")):
        submission = world.hand_in(files_of(folder, algorithm), team=team)
        assert submission.state == Submission.State.SCORED, submission.reason
        assert set(Judgement.objects.filter(run=submission.runs.get().pk).values_list("state", flat=True)) == {"done"}
    run = submission.runs.get()
    table = results.read(run.result_file)
    agreement_rows = table[table["metric"] == "own_agreement"]
    cases = list(world.phase.test_sets.get().cases.values_list("name", flat=True))
    regions = [region.name for region in world.phase.assessment.regions] or [""]
    assert len(agreement_rows) == len(cases) * len(regions)
    at_home = value_at_home(world.phase.assessment, folder, "far", cases[0], tmp_path)
    in_ranking = agreement_rows[agreement_rows["case"] == cases[0]].set_index("region")["value"].dropna().to_dict()
    assert in_ranking == pytest.approx({region: value for region, value in at_home.items() if value is not None})
    assert run.provenance["scorer"]["self_test"] == trial.report_digest

    rankings.request_ranking(world.phase.pk)
    version = rankings.rank_phase(phase_id=world.phase.pk)
    assert "own_agreement" in {order["metric"] for order in version.table["orders"]}
    client.force_login(world.bo)
    for address in ("/challenges/blocks/leaderboard/", submission.get_absolute_url()):
        page = client.get(address)
        assert page.status_code == 200
        assert world.phase.assessment.metric("own_agreement").title in page.content.decode()
    file = tmp_path / "bundle.zip"
    file.write_bytes(b"".join(bundles.chunks(version, key="first")))
    assert verify(file, digest=version.digest).same


@pytest.mark.parametrize("kind", ["object_detection", "image_classification", "instance_segmentation"])
@pytest.mark.parametrize("mode", ["percent", "drops bad cases", "random"])
def test_a_broken_image_is_refused_and_says_why_nothing_can_be_launched(kind, mode, engine, db, tmp_path):
    from tests.integration.judging.world import dice

    world = build_kind(kind, tmp_path / "example", engine)
    engine.script = dice(mode)
    world.image()

    number, words = scorers.BROKEN[mode]
    trial = Trial.objects.get()
    assert trial.state == Trial.State.REFUSED
    assert words in next(check["says"] for check in trial.checks if check["number"] == number)
    assert "is refused" in lacking(world.phase)


@pytest.mark.parametrize("kind", ["landmarks", "image_to_image"])
def test_a_case_without_a_prediction_is_missing_for_the_image_too(kind, engine, db, tmp_path):
    folder = tmp_path / "example"
    world = build_kind(kind, folder, engine)
    world.image()
    files = files_of(folder, "near")
    first = world.phase.test_sets.get().cases.order_by("position").first().name
    if kind == "landmarks":
        lines = files["landmarks.csv"].decode().splitlines()
        files["landmarks.csv"] = "\n".join(line for line in lines if not line.startswith(first)).encode()
    else:
        files = {name: content for name, content in files.items() if not name.startswith(first)}
    run = world.hand_in(files).runs.get()

    table = results.read(run.result_file)
    agreement_rows = table[(table["metric"] == "own_agreement") & (table["case"] == first)]
    assert set(agreement_rows["outcome"]) == {"missing"}


def test_verify_with_the_image_needs_what_it_was_shown(tmp_path, capsys):
    assert main(["verify", str(tmp_path / "bundle.zip"), "--scorer", "image.tar"]) == 2
    assert "--scorer needs --references and --predictions" in capsys.readouterr().err
