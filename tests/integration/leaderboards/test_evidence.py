"""A leaderboard of values of the whole data set: intervals from stored evidence, and a bundle that proves them."""

import io
import zipfile
from datetime import timedelta

import numpy as np
import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from challenges.models import Phase
from datastore.test_sets.models import TestCase, TestSet
from datastore.uploads.models import Upload
from evaluation import bundle
from evaluation.assessment import parse
from evaluation.cli import main
from evaluation.scoring.assembling import assemble
from evaluation.scoring.rows import Numbers
from executions.scoring.domain import results
from leaderboards.models import Pseudonym, RankingVersion
from leaderboards.services import analyses
from submissions.models import Run, Submission
from tests.integration.leaderboards import world

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.any_database(
        "Intervals are computed from files of evidence. `test_services.py` computes rankings on both databases."
    ),
]
ASSESSMENT = {
    "schema": 1,
    "problem": "image_classification",
    "regions": [{"name": "ill", "labels": ["ill"]}],
    "metrics": [{"id": "auroc"}, {"id": "brier_score"}],
    "ranking": {"scheme": "one_score", "combine": {"over": ["metric", "region"], "operator": "mean", "rerank": True}},
    "uncertainty": {"bootstrap": 50, "seed": 1},
}
SHARED = {"classes": ["well", "ill"], "regions": {"ill": [1]}}


def evidence_run(phase: Phase, team, user, *, seed: int, answered: bool = True) -> Run:
    """A counted run with its two files, as scoring stores them."""
    score = np.random.default_rng(seed).random(len(world.CASES))
    pieces = {
        case: {("answers", ""): Numbers([place % 2, -1], [1 - score[place], score[place]])}
        if answered
        else {("answers", ""): Numbers([place % 2, -2], [])}
        for place, case in enumerate(world.CASES)
    }
    found, evidence = assemble(parse(ASSESSMENT), pieces, shared=SHARED)
    rows = [results.CaseRow.of(row) for row in found]
    digest = results.digest(rows, evidence)
    results.store(rows, f"results/{team.pk}.parquet")
    results.store_evidence(evidence, f"evidence/{team.pk}.parquet.age")
    upload = Upload.objects.create(
        phase=phase,
        team=team,
        user=user,
        file_name="a.zip",
        size=1,
        offset=1,
        state="complete",
        expires_at=timezone.now(),
    )
    submission = Submission.objects.create(
        upload=upload, phase=phase, team=team, user=user, number=1, archive_name="a.zip", archive_size=1, state="scored"
    )
    return Run.objects.create(
        submission=submission,
        number=1,
        test_set=TestSet.objects.get(phase=phase, is_active=True),
        assessment_digest=phase.assessment_digest,
        state=Run.State.SCORED,
        counts=True,
        cases_total=len(world.CASES),
        finished_at=timezone.now(),
        result_file=f"results/{team.pk}.parquet",
        evidence_file=f"evidence/{team.pk}.parquet.age",
        result_digest=digest,
    )


@pytest.fixture
def ranked():
    """A closed phase of a classification; the third team has no answer to any case."""
    return classified()


def classified(**policy):
    """The same, with results announced by a policy."""
    built = world.build(teams=("Ada", "Ben", "Cleo"), ranked=())
    phase = built.phases["revealed"]
    phase.assessment_document, phase.assessment_digest = ASSESSMENT, parse(ASSESSMENT).digest
    for name, value in policy.items():
        setattr(phase, name, value)
    phase.save()
    for seed, (name, team) in enumerate(built.teams.items()):
        evidence_run(phase, team, built.people["member"], seed=seed, answered=name != "Cleo")
    world.rank(phase)
    return built


def downloaded(client: Client) -> bytes:
    response = client.get(reverse("leaderboards:bundle", args=["liver", "revealed", 1]))
    assert response.status_code == 200
    return b"".join(response.streaming_content)


def test_values_of_the_whole_data_set_have_intervals_and_no_answer_is_the_policy_value(ranked):
    version = RankingVersion.objects.get(phase=ranked.phases["revealed"])
    by_auroc = next(order for order in version.table["orders"] if order["metric"] == "auroc")
    teams = version.table["teams"]
    place = {team: index for index, team in enumerate(teams)}
    for team in ("Ada", "Ben"):
        assert by_auroc["low"][place[team]] <= by_auroc["rank"][place[team]] <= by_auroc["high"][place[team]]
        assert by_auroc["score_low"][place[team]] < by_auroc["score_high"][place[team]]
    # Equal resamples of a value at the end of its range are no interval.
    assert by_auroc["score"][place["Cleo"]] == 0
    assert by_auroc["score_high"][place["Cleo"]] is None
    assert version.cases == len(world.CASES)


def test_teams_under_pseudonyms_keep_their_values_and_intervals():
    built = classified(announcement="agreed")  # nobody has agreed
    version = RankingVersion.objects.get(phase=built.phases["revealed"])
    teams = version.table["teams"]
    rows = Pseudonym.objects.filter(phase=built.phases["revealed"])
    names = {row.team.name: row.word for row in rows.select_related("team")}
    assert sorted(teams) == sorted(names.values())
    by_auroc = next(order for order in version.table["orders"] if order["metric"] == "auroc")
    assert all(low is not None and low <= high for low, high in zip(by_auroc["low"], by_auroc["high"], strict=True))
    drawn = [index for index, team in enumerate(teams) if team != names["Cleo"]]
    assert len(drawn) == 2
    assert all(by_auroc["score_low"][index] < by_auroc["score_high"][index] for index in drawn)
    assert analyses.sources_of(version).evidence.algorithms == tuple(sorted(teams[index] for index in drawn))


def test_every_view_of_it_works_and_says_what_there_is_no_value_for(ranked, client):
    address = reverse("leaderboards:current", args=["liver", "revealed"])
    page = client.get(address).content.decode()
    assert "AUROC and BS have one value for all cases together, not one for each" in page
    for view in ("stability", "pairs", "schemes", "metrics", "data", "cases"):
        assert client.get(address, {"view": view}).status_code == 200


def test_the_bundle_recomputes_from_evidence_and_notices_a_changed_one(ranked, tmp_path, capsys):
    version = RankingVersion.objects.get(phase=ranked.phases["revealed"])
    client = Client()
    client.force_login(ranked.people["organizer"])
    file = tmp_path / "bundle.zip"
    file.write_bytes(downloaded(client))
    assert bundle.verify(file, digest=version.digest).same
    assert main(["verify", str(file)]) == 0
    capsys.readouterr()
    with zipfile.ZipFile(file) as archive:
        content = {name: archive.read(name) for name in archive.namelist()}
    assert sorted(name for name in content if name.startswith("evidence/")) == [
        f"evidence/000{number}.parquet" for number in (1, 2, 3)
    ]
    content["evidence/0001.parquet"] = content["evidence/0002.parquet"]
    file.write_bytes(packed(content))
    assert main(["verify", str(file)]) != 0
    del content["evidence/0001.parquet"]
    file.write_bytes(packed(content))
    assert main(["verify", str(file)]) == 2
    assert "the bundle has no evidence/0001.parquet, the evidence of Ada" in capsys.readouterr().err


def test_a_bundle_that_holds_the_references_is_for_named_organizers_alone(ranked, django_user_model):
    phase = ranked.phases["revealed"]
    address = reverse("leaderboards:bundle", args=["liver", "revealed", 1])
    root = django_user_model.objects.create_superuser("root", "root@example.org", "secret")
    answers = {}
    for shown in (False, True):
        type(phase).objects.filter(pk=phase.pk).update(reveals_cases=shown)
        for user in (root, ranked.people["member"], ranked.people["organizer"]):
            client = Client()
            client.force_login(user)
            answers[user.username, shown] = client.get(address).status_code
    assert answers == {
        ("root", False): 403,
        ("root", True): 200,
        (ranked.people["member"].username, False): 403,
        (ranked.people["member"].username, True): 200,
        (ranked.people["organizer"].username, False): 200,
        (ranked.people["organizer"].username, True): 200,
    }


def packed(content: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, data in content.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def test_classes_of_hidden_cases_leave_the_platform_only_where_references_are_shown(ranked, client):
    address = reverse("leaderboards:bundle", args=["liver", "revealed", 1])
    client.force_login(ranked.people["member"])
    refused = client.get(address)
    assert refused.status_code == 403
    assert address not in client.get(reverse("leaderboards:current", args=["liver", "revealed"])).content.decode()
    Phase.objects.filter(pk=ranked.phases["revealed"].pk).update(reveals_cases=True)
    assert client.get(address).status_code == 200


def by_domain(**policy):
    """A ranked phase whose cases are of two domains, five each."""
    built = world.build(teams=("Ada", "Ben", "Cleo"), ranked=())
    phase = built.phases["revealed"]
    phase.assessment_document, phase.assessment_digest = ASSESSMENT, parse(ASSESSMENT).digest
    for name, value in policy.items():
        setattr(phase, name, value)
    phase.save()
    for place, case in enumerate(TestCase.objects.filter(test_set__phase=phase).order_by("name")):
        case.metadata = {"tumour": "glioma" if place < 5 else "melanoma"}
        case.save()
    for seed, (name, team) in enumerate(built.teams.items()):
        evidence_run(phase, team, built.people["member"], seed=seed, answered=name != "Cleo")
    world.rank(phase)
    return built


def auroc(team, start, stop):
    """The share of pairs of a healthy and an ill case that the scores of a team order rightly."""
    score = np.random.default_rng(team).random(len(world.CASES))
    well = [score[place] for place in range(start, stop) if place % 2 == 0]
    ill = [score[place] for place in range(start, stop) if place % 2]
    return np.mean([one > other for one in ill for other in well])


def test_values_of_the_whole_data_set_are_shown_by_domain_with_intervals(client):
    built = by_domain()
    version = RankingVersion.objects.get(phase=built.phases["revealed"])
    labels = [choice["key"] for choice in version.analysis.findings["subgroups"]]
    assert sorted(labels) == ["tumour:glioma", "tumour:melanoma"]
    address = reverse("leaderboards:table_json", args=["liver", "revealed", version.number])
    for label, (start, stop) in {"glioma": (0, 5), "melanoma": (5, 10)}.items():
        teams = {entry["team"]: entry for entry in client.get(address, {"group": f"tumour:{label}"}).json()["teams"]}
        for seed, team in enumerate(("Ada", "Ben")):
            order = teams[team]["orders"]["auroc/ill"]
            assert order["score"] == pytest.approx(auroc(seed, start, stop), abs=1e-6)
            if 0 < order["score"] < 1:
                assert order["score_low"] <= order["score"] <= order["score_high"]
            else:  # equal resamples are no interval
                assert (order["score_low"], order["score_high"]) == (None, None)
    html = client.get(reverse("leaderboards:current", args=["liver", "revealed"]), {"view": "groups"}).content.decode()
    assert "2 groups by tumour" in html


def test_values_by_domain_are_withheld_as_single_cases_are(client):
    built = by_domain(closes_at=timezone.now() + timedelta(days=1), leaderboard=Phase.Leaderboard.PUBLIC)
    version = RankingVersion.objects.get(phase=built.phases["revealed"])
    address = reverse("leaderboards:table_json", args=["liver", "revealed", version.number])
    assert client.get(address).status_code == 200
    assert client.get(address, {"group": "tumour:glioma"}).status_code in (403, 404)
    client.force_login(built.people["organizer"])
    assert client.get(address, {"group": "tumour:glioma"}).status_code == 200
