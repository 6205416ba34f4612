"""Failure detection over several data sets and with the risks of each team's own predictions, on the platform."""

import pandas as pd
import pytest
from django.test import Client
from django.urls import reverse

from datastore.test_sets.services.replacing import TestSetError
from datastore.test_sets.services.sealing import create_test_set
from evaluation import bundle, problems
from evaluation.assessment import parse
from evaluation.scoring import score_folders
from leaderboards.models import RankingVersion
from leaderboards.services import rankings as ranking_services
from leaderboards.services.analyses import analyse_version
from submissions.models import Submission
from submissions.queries import results_frame
from tests.integration.submissions.test_tables import add_phase
from tests.integration.submissions.world import World, zipped

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.any_database(
        "Kinds of problem differ in files and values. `test_points_and_images.py` runs on both databases."
    ),
]


def example(kind, folder, **settings):
    problem = problems.get(kind)
    document = problem.samples.write_challenge(folder, cases=20) | {"uncertainty": {"bootstrap": 200, "seed": 1}}
    document["settings"] = {**document.get("settings", {}), **settings}
    combine = [{"over": [name], "operator": "mean", "rerank": True} for name in ("region", "metric")]
    document["ranking"] = {"scheme": "aggregate_then_rank", "combine": combine}
    references = problem.open_references(parse({**document, "settings": {}}), folder / "references")
    return document, list(references.cases)


def archive_of(folder):
    return zipped({path.name: path.read_bytes() for path in sorted(folder.iterdir())})


@pytest.mark.parametrize("kind", ["failure_detection", "segmentation_with_confidence"])
def test_data_sets_are_ranked_apart_from_upload_to_bundle(kind, world: World, workers, tmp_path):
    folder = tmp_path / "example"
    document, cases = example(kind, folder, dataset="cohort")
    halves = ["in" if place < len(cases) // 2 else "shift" for place in range(len(cases))]
    facts = pd.DataFrame({"case": cases, "cohort": halves})
    world.phase = add_phase(world, "numbers", document)
    with pytest.raises(TestSetError, match="The ranking needs the characteristic cohort of every case"):
        create_test_set(phase=world.phase, references=folder / "references", cases=tuple(cases))
    world.test_set = create_test_set(
        phase=world.phase, references=folder / "references", cases=tuple(cases), metadata=facts
    )
    for name, team in (("near", None), ("far", world.bos)):
        content = archive_of(folder / "predictions" / name)
        submission = world.upload(content, **({} if team is None else {"team": team}))
        submission.refresh_from_db()
        assert submission.state == Submission.State.SCORED, (submission.log, submission.reason)
        if team is None:
            ours = submission
    facts.to_csv(folder / "references/cases.csv", index=False)
    line = score_folders(parse(document), folder / "references", {"ada": folder / "predictions/near"})
    frame = results_frame(ours.runs.get())[["case", "region", "metric", "value"]]
    assert {tuple(row[:3]): row[3] for row in frame.to_numpy()} == {
        (row.case, row.region, row.metric): row.value for row in line.rows
    }
    ranking_services.request_ranking(world.phase.pk)
    version = RankingVersion.objects.get(phase=world.phase)
    regions = {order.get("region") for order in version.table["orders"] if order["metric"] == "aurc"}
    assert regions == {"in", "shift"}
    analyse_version(version_id=version.pk)
    version.refresh_from_db()
    assert version.analysis.failures == {}
    # Curves are drawn for each data set, and never over both.
    curves = next(name for name in version.analysis.figures if name.startswith("risk-coverage"))
    assert set(version.analysis.figures[curves]) == {
        order["key"] for order in version.table["orders"] if order.get("region") in ("in", "shift")
    }
    client = Client()
    client.force_login(world.organizer)
    board = client.get(reverse("leaderboards:current", args=["blocks", "numbers"]), secure=True)
    assert board.status_code == 200
    response = client.get(reverse("leaderboards:bundle", args=["blocks", "numbers", version.number]), secure=True)
    target = tmp_path / "bundle.zip"
    target.write_bytes(b"".join(response.streaming_content))
    assert bundle.verify(target, digest=version.digest).same


def test_risks_of_each_teams_own_predictions(world: World, workers, tmp_path):
    folder = tmp_path / "example"
    document, cases = example("failure_detection", folder, missing="silent")
    risks = pd.read_csv(folder / "references/risk.csv", dtype=str)
    teams = [world.adas.name, world.bos.name]
    own = pd.concat([risks.assign(algorithm=team) for team in teams], ignore_index=True)
    own.loc[own["algorithm"].eq(teams[1]) & own["case"].eq(cases[0]), "risk"] = ""
    own[["algorithm", "case", "risk"]].to_csv(folder / "references/risk.csv", index=False)
    world.phase = add_phase(world, "numbers", document)
    world.test_set = create_test_set(phase=world.phase, references=folder / "references", cases=tuple(cases))
    content = archive_of(folder / "predictions/near")
    submissions = [world.upload(content), world.upload(content, team=world.bos)]
    lines = score_folders(parse(document), folder / "references", dict.fromkeys(teams, folder / "predictions/near"))
    for submission, team in zip(submissions, teams, strict=True):
        submission.refresh_from_db()
        assert submission.state == Submission.State.SCORED, (submission.log, submission.reason)
        frame = results_frame(submission.runs.get())
        found = {(row.case, row.metric): row.value for row in frame.itertuples()}
        assert found == {(row.case, row.metric): row.value for row in lines.rows if row.algorithm == team}
    # The same confidences are worth less to the team whose first case went wrong unnoticed.
    first, second = (results_frame(each.runs.get()).set_index("metric")["value"] for each in submissions)
    assert second["aurc"] > first["aurc"]
