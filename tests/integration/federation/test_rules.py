"""Registered rules for sites apply, and they decide about sites that are missing, late or have left."""

import gzip
import subprocess
import sys
import zipfile
from datetime import timedelta

import pytest
from django.core.exceptions import ValidationError
from django.test import Client
from django.utils import timezone

from challenges.models import Challenge, Phase, Task
from challenges.services import close_phase, launch
from datastore.uploads.storage import load_json, private
from evaluation.federation import Refusal
from federation.domain.registered import rules_from
from federation.models import Federation, SignedMessage, Site
from federation.queries.standing import standings
from federation.services import federations, removing, sites
from leaderboards.models import OverallRanking, RankingVersion, Standing
from reports.exposure.queries.audience import Audience
from reports.models import Report
from reports.services.reports import request_report
from tests.integration.challenges import world as designs
from tests.integration.federation import world
from tests.integration.federation.sender import Sender

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.any_database(
        "Rules are computed from messages. `test_roles.py` and `test_refusals.py` store messages on both databases."
    ),
]
SETTINGS = {"bootstrap": 200, "seed": 1, "interval": 0.95, "resample": ["case"], "strata": ["site"]}


def of_design(**rules):
    """The final phase of a challenge that was launched from a design with these rules."""
    registered = designs.registered(federation_rules=rules, uncertainty_settings=SETTINGS)
    challenge = launch(actor=registered.owner, registration=registered.registration)
    return registered.owner, challenge.tasks.get().phases.get(slug="final")


def centre_with(rules=None, assessment=world.ASSESSMENT):
    """A centre with a package, under registered rules."""
    built = world.build(assessment, algorithms=("a", "b", "c"))
    built.federation.rules = rules_from(rules or {}, site_column="site")
    built.federation.save()
    federations.release_package(actor=built.organizer, federation=built.federation)
    return built


def places(document):
    return {row["site"]: row["state"] for row in document["pooled"]["sites"]}


def test_the_registered_rules_are_those_of_the_sites():
    organizer, phase = of_design(minimum_units=25, replicates=400, if_missing="rank_with_enough", sites_required=3)
    federation = federations.open_federation(actor=organizer, phase=phase)
    assert federation.rules == {
        "minimum_units": 25,
        "disclosure": "moments",
        "replicates": 400,
        "site_column": "site",
        "sites_required": 3,
        "if_missing": "wait",
        "small_sites": "refuse",
    }
    assert "at least 25 cases" in federation.terms


@pytest.mark.parametrize("level", ["means", "moments"])
def test_what_leaves_a_site_is_what_is_registered(level, workers):
    centre = centre_with({"disclosure": level})
    summary = Sender(centre, "north", 20).ready().result()["summary"]
    assert ("covariance" in summary["rankings"][0]) == (level == "moments")


def test_places_alone_are_refused_where_sums_are_needed():
    organizer, phase = of_design(disclosure="places")
    with pytest.raises(ValidationError, match="places are all that may leave"):
        federations.open_federation(actor=organizer, phase=phase)


def test_a_ranking_that_sites_cannot_give_is_refused_with_the_remedy():
    registered = designs.registered()
    challenge = launch(actor=registered.owner, registration=registered.registration)
    with pytest.raises(ValidationError, match="has to be"):
        federations.open_federation(actor=registered.owner, phase=challenge.tasks.get().phases.get(slug="final"))


@pytest.mark.parametrize(
    ("rules", "ranked"),
    [
        ({}, False),
        ({"if_missing": "wait_for_all"}, False),
        ({"if_missing": "rank_with_enough", "sites_required": 2}, True),
        ({"if_missing": "rank_with_enough", "sites_required": 3}, False),
        ({"if_missing": "rank_without"}, True),
    ],
)
def test_sites_that_are_missing_at_the_end(rules, ranked, workers):
    centre = centre_with(rules)
    for seed, name in enumerate(("north", "south")):
        Sender(centre, name, 20, seed).sent()
    Sender(centre, "west", 20).ready()
    close_phase(actor=centre.organizer, phase=centre.phase)
    assert RankingVersion.objects.exists() == ranked
    if ranked:
        document = load_json(RankingVersion.objects.get().document_name)
        assert places(document) == {"north": "included", "south": "included", "west": "not_arrived"}
    else:
        centre.phase.ranking_request.refresh_from_db()
        assert "missing: west" in centre.phase.ranking_request.failure
    federation = Federation.objects.get()
    assert {row.site.name: row.state for row in standings(federation)}["west"] == "late"


def test_a_ranking_over_tasks_is_not_made_where_one_is_ranked_over_sites_and_says_why(workers):
    centre = centre_with()
    steps = [{"over": ["metric", "region", "task"], "operator": "mean", "rerank": True}]
    registered = {"name": "All", "tasks": ["t"], "ranking": "", "steps": steps, "absent": "refuse"}
    Challenge.objects.update(overall_rankings=[registered])
    Task.objects.update(design_key="t")
    for seed, name in enumerate(("north", "south")):
        Sender(centre, name, 20, seed).sent()
    close_phase(actor=centre.organizer, phase=Phase.objects.get())
    assert RankingVersion.objects.get().teams == 3
    assert "Task: ranked over sites" in OverallRanking.objects.get().problem


def test_nothing_is_ranked_before_the_phase_closes(workers):
    centre = centre_with()
    for seed, name in enumerate(("north", "south")):
        Sender(centre, name, 20, seed).sent()
    assert not RankingVersion.objects.exists()
    close_phase(actor=centre.organizer, phase=centre.phase)
    assert RankingVersion.objects.get().teams == 3


def test_a_late_result_waits_for_the_organizers_and_makes_a_new_version(workers):
    centre = centre_with({"if_missing": "rank_without"})
    for seed, name in enumerate(("north", "south")):
        Sender(centre, name, 20, seed).sent()
    west = Sender(centre, "west", 20).ready()
    close_phase(actor=centre.organizer, phase=centre.phase)
    answer = west.send("result", **west.result())
    assert answer.state == "late"
    assert RankingVersion.objects.count() == 1
    sites.take_late(actor=centre.organizer, site=Site.objects.get(name="west"))
    latest = load_json(RankingVersion.objects.latest("number").document_name)
    assert places(latest)["west"] == "included"
    assert RankingVersion.objects.count() == 2


def test_leaving_a_site_out_and_taking_it_back_ranks_both_ways(workers):
    centre = centre_with()
    for seed, name in enumerate(("north", "south", "west")):
        Sender(centre, name, 20, seed).sent()
    close_phase(actor=centre.organizer, phase=centre.phase)
    west = Site.objects.get(name="west")
    sites.leave_out(actor=centre.organizer, site=west, reason="its scanner was wrong")
    page = Client().get("/challenges/hippo/leaderboard/final/sites/").content.decode()
    assert "With other sites" in page
    assert "Only in that version: west" in page
    sites.take_back(actor=centre.organizer, site=west)
    stood = list(Standing.objects.order_by("since", "pk").values_list("version__number", flat=True))
    assert stood == [1, 2, 1]
    assert places(load_json(RankingVersion.objects.get(number=2).document_name))["west"] == "left_out"


@pytest.mark.parametrize("closed", [False, True])
def test_a_site_that_withdraws_with_its_sums_is_ranked_without_and_forgotten(closed, workers):
    centre = centre_with()
    senders = [Sender(centre, name, 20, seed).sent() for seed, name in enumerate(("north", "south", "west"))]
    if closed:
        close_phase(actor=centre.organizer, phase=centre.phase)
    senders[2].send("site-withdrawal", reason="the agreement ended", results="remove")
    row = SignedMessage.objects.get(kind="result", enrolment__site__name="west")
    assert private().exists(row.envelope_name) == closed  # published rankings stay recomputable for a while
    if closed:
        assert places(load_json(RankingVersion.objects.latest("number").document_name))["west"] == "withdrawn"
        Site.objects.filter(name="west").update(removes_at=timezone.now() - timedelta(days=1))
        assert removing.remove_sums() == 1
        assert not private().exists(row.envelope_name)
    with pytest.raises(Refusal, match="withdrew"):
        senders[2].send("site-withdrawal", reason="again", results="keep")


def test_a_site_that_leaves_its_sums_still_counts(workers):
    centre = centre_with()
    senders = [Sender(centre, name, 20, seed).sent() for seed, name in enumerate(("north", "south"))]
    senders[0].send("site-withdrawal", reason="", results="keep")
    close_phase(actor=centre.organizer, phase=centre.phase)
    document = load_json(RankingVersion.objects.get().document_name)
    assert places(document) == {"north": "included", "south": "included"}


def test_sites_are_drawn_where_that_is_registered(workers):
    assessment = {**world.ASSESSMENT, "uncertainty": {"bootstrap": 200, "seed": 1, "resample": ["site", "case"]}}
    centre = centre_with(assessment=assessment)
    for seed in range(4):
        Sender(centre, f"s{seed}", 20, seed).sent()
    close_phase(actor=centre.organizer, phase=centre.phase)
    document = load_json(RankingVersion.objects.get().document_name)
    assert document["resampling"]["unit"] == "site"
    assert any("Only 4 sites were drawn" in note for note in document["pooled"]["notes"])


def test_a_site_that_is_invited_anew_begins_again(workers):
    centre = centre_with()
    north = Sender(centre, "north", 20).ready()
    centre.codes["north"] = sites.invite_again(actor=centre.organizer, site=Site.objects.get(name="north"))
    with pytest.raises(Refusal, match="revoked"):
        north.send("site-withdrawal", reason="", results="keep")
    again = Sender(centre, "north", 20).sent()
    assert again.sequence == 4


AT_EACH_SITE = {
    **world.ASSESSMENT,
    "metrics": [{"id": "dsc", "policy": {"missing": "worst_rank"}}],
    "ranking": {
        "scheme": "rank_then_aggregate",
        "combine": [
            {"over": ["metric", "region"], "operator": "mean", "rerank": True},
            {"over": ["site"], "operator": "mean", "rerank": False},
        ],
    },
}


@pytest.mark.parametrize("disclosure", ["places", "moments"])
def test_a_ranking_made_at_each_site_stands_on_the_board(disclosure, workers):
    centre = centre_with({"disclosure": disclosure}, assessment=AT_EACH_SITE)
    for seed in range(3):
        Sender(centre, f"s{seed}", 20, seed).sent()
    close_phase(actor=centre.organizer, phase=centre.phase)
    version = RankingVersion.objects.get()
    assert [order["key"] for order in version.table["orders"]] == ["overall"]
    client = Client()
    for path in ("", "sites/", "v/1/table.csv", "v/1/table.json", "v/1/ranking.json", "history/", "embed/"):
        answer = client.get(f"/challenges/hippo/leaderboard/final/{path}")
        assert answer.status_code == 200, path
    board = client.get("/challenges/hippo/leaderboard/final/").content.decode()
    assert board.index(">a<") < board.index(">b<") < board.index(">c<")
    page = client.get("/challenges/hippo/leaderboard/final/sites/").content.decode()
    assert ("Means at each site" in page) == (disclosure == "moments")
    assert "Wins at sites" in page


def test_the_bundle_pools_to_the_published_ranking(workers, tmp_path):
    centre = centre_with({"if_missing": "rank_without"})
    for seed in range(2):
        Sender(centre, f"s{seed}", 20, seed).sent()
    centre.invite("west")
    close_phase(actor=centre.organizer, phase=centre.phase)
    answer = Client().get("/challenges/hippo/leaderboard/final/v/1/bundle.zip")
    (tmp_path / "bundle.zip").write_bytes(b"".join(answer.streaming_content))
    with zipfile.ZipFile(tmp_path / "bundle.zip") as archive:
        archive.extractall(tmp_path / "bundle")
    command = next(
        line for line in (tmp_path / "bundle" / "README.txt").read_text().split("\n\n") if "evaluation pool" in line
    )
    words = command.split("python -m evaluation ")[1].replace("\\\n", " ").split()
    summaries = sorted(str(path) for path in (tmp_path / "bundle" / "summaries").iterdir())
    assert len(summaries) == len(list((tmp_path / "bundle" / "envelopes").iterdir())) == 2
    place = words.index("summaries/*.json")
    words[place : place + 1] = summaries
    done = subprocess.run(
        [sys.executable, "-m", "evaluation", *words],
        cwd=tmp_path / "bundle",
        env={"PYTHONPATH": str(world.ROOT), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "The published ranking follows from these summaries.\n"), done.stderr


def test_the_report_of_a_challenge_tells_what_stands_at_the_sites(workers):
    centre = centre_with()
    for seed in range(3):
        Sender(centre, f"s{seed}", 20, seed).sent()
    close_phase(actor=centre.organizer, phase=centre.phase)
    asked = request_report(actor=centre.organizer, challenge=centre.challenge, audience=Audience.PUBLIC)
    report = Report.objects.get(pk=asked.pk)
    assert report.failure == ""
    assert report.state == Report.State.DONE
    with private().open(report.content_name) as file:
        content = gzip.decompress(file.read()).decode()
    assert "The results of cases stay at the sites" in content
    assert "Wins there" in content
