"""A category that the platform does not compute: from its design over values measured outside to a verified bundle."""

import pytest
from django.test import Client
from django.urls import reverse

from challenges.models import Team
from challenges.services import join_with_team
from core.audit.models import Entry
from datastore.uploads.services.refusals import NotAllowedError
from evaluation import verify
from leaderboards.models import Standing
from leaderboards.services import bundles, rankings
from registry.queries.executing import execution_facts
from reports.domain.content import Ledger
from reports.exposure.queries.facts import Audience, collect
from reports.exposure.services import exposure
from reports.services.items.generating import generate
from reports.services.items.source import Source
from submissions.measurements.models import Measurement
from submissions.measurements.services import tables
from submissions.models import Run, Submission
from submissions.services import submitting
from tests.integration.challenges.world import person
from tests.integration.leaderboards.conftest import storage_folder, surroundings
from tests.integration.measurements import outside

__all__ = ["storage_folder", "surroundings"]
pytestmark = pytest.mark.django_db


def ranked(phase):
    rankings.request_ranking(phase.pk)
    return rankings.rank_phase(phase_id=phase.pk)


def first_of(version):
    order = version.table["orders"][0]
    return version.table["teams"][order["rank"].index(1)]


def test_a_category_without_a_kind_is_registered_launched_brought_ranked_and_verified(tmp_path):
    _challenge, phase, registered = outside.launched()
    assert phase.assessment.problem == "external"
    facts = execution_facts(registered.registration.versions.get())
    assert (facts.is_outside, facts.is_elsewhere) == (True, False)
    cases = outside.with_cases(phase)
    assert (cases.state, cases.digest) == ("sealed", cases.test_set.manifest_digest)
    table = outside.sealed(phase, outside.values(), makes_teams=True)
    assert (table.state, table.version) == ("sealed", 1)
    runs = {run.submission.team.name: run for run in Run.objects.filter(counts=True).select_related("submission__team")}
    assert set(runs) == {"yew", "oak", "elm"}
    assert runs["elm"].summary["missing_cases"] == 1
    assert runs["yew"].provenance["measured_outside"]["digest"] == table.digest
    version = ranked(phase)
    assert dict(zip(version.table["teams"], version.table["orders"][0]["rank"], strict=True)) == {
        "yew": 1,
        "oak": 2,
        "elm": 3,
    }
    [entry] = version.inputs["measured_outside"]
    assert (entry["digest"], entry["origin"], entry["teams"]) == (table.digest, outside.ORIGIN, ["elm", "oak", "yew"])
    file = tmp_path / "bundle.zip"
    file.write_bytes(b"".join(bundles.chunks(version, key="final")))
    verdict = verify(file, digest=version.digest)
    assert verdict.same, verdict.places
    assert verdict.notes == (
        (
            "The values of 3 teams were measured outside Podium by Lab of seams, Example University with seamstat 2.1 "
            f"(May 2026): version 1, digest {table.digest}."
        ),
    )


def test_a_new_version_replaces_the_former_in_public_and_both_are_kept(tmp_path):
    _challenge, phase, _ = outside.launched()
    outside.with_cases(phase)
    first = outside.sealed(phase, outside.values(), makes_teams=True)
    before = ranked(phase)
    later = outside.brought(phase, outside.values(teams=("oak",), shift=-9))
    [team] = later.preview["teams"]
    # All of its 24 values are others; the two of its last case are missing now.
    assert (team["name"], team["replaces"], team["changed"], team["missing"]) == ("oak", True, 24, 2)
    assert later.preview["untouched"] == ["elm", "yew"]
    assert Run.objects.filter(counts=True, measured__measurement=first).count() == 3, "a preview counts nothing"
    tables.seal(actor=later.brought_by, table=later)
    later = outside.worked(later)
    assert (later.version, first.digest != later.digest) == (2, True)
    oak = Submission.objects.get(team__name="oak")
    assert [(run.number, run.state, run.counts) for run in oak.runs.order_by("number")] == [
        (1, "superseded", False),
        (2, "scored", True),
    ]
    after = ranked(phase)
    assert (first_of(before), first_of(after)) == ("yew", "oak")
    assert [entry["version"] for entry in after.inputs["measured_outside"]] == [2, 1]
    assert Standing.objects.filter(phase=phase).count() == 2
    acts = list(Entry.objects.filter(act="measurements_sealed").order_by("sequence").values_list("facts", flat=True))
    assert [facts.get("version") for facts in acts] == [None, 1, 2]
    assert acts[2]["origin"] == outside.ORIGIN
    assert Measurement.objects.filter(state="sealed").count() == 3


def test_the_same_table_gives_the_same_results_and_its_digest_covers_origin_and_file():
    _, phase, _ = outside.launched()
    outside.with_cases(phase)
    table = outside.sealed(phase, outside.values(), makes_teams=True)
    digests = sorted(run.result_digest for run in Run.objects.filter(counts=True))
    again = outside.sealed(phase, outside.values(), origin={**outside.ORIGIN, "when": "June 2026"})
    assert sorted(run.result_digest for run in Run.objects.filter(counts=True)) == digests
    assert again.digest != table.digest
    assert again.sha256 == table.sha256


def test_board_record_submission_and_api_say_that_values_were_measured_outside():
    challenge, phase, registered = outside.launched(challenge={"phase_settings": [{"phase": "Final phase", "leaderboard": "public", "results": "cases"}]})  # fmt: skip
    outside.with_cases(phase)
    table = outside.sealed(phase, outside.values(), makes_teams=True)
    ranked(phase)
    page = Client()
    board = page.get(reverse("leaderboards:current", args=[challenge.slug, "final"])).content.decode()
    assert "Values measured outside Podium" in board
    assert "seamstat 2.1" in board
    assert table.digest in board
    record = page.get(reverse("registry:detail", args=[registered.registration.identifier])).content.decode()
    assert "Ranked here from values measured outside Podium." in record
    assert table.digest in record
    said = page.get(reverse("api:ranking", args=[challenge.slug, "final"])).json()
    assert said["measured_outside"][0]["origin"] == outside.ORIGIN
    page.force_login(registered.owner)
    own = page.get(Submission.objects.get(team__name="yew").get_absolute_url()).content.decode()
    assert "Values measured outside Podium" in own
    assert "Run again" not in own


def test_the_submit_page_says_in_one_sentence_how_results_arrive_and_takes_nothing():
    challenge, phase, _ = outside.launched()
    member = person("mia")
    team = join_with_team(user=member, challenge=challenge, team_name="Birch")
    page = Client()
    page.force_login(member)
    shown = page.get(reverse("submissions:submit", args=[challenge.slug]), {"phase": phase.pk}).content.decode()
    assert "Results of Final phase are measured outside Podium" in shown
    assert 'id="submit-form"' not in shown
    with pytest.raises(NotAllowedError, match="measured outside"):
        submitting.create_upload(user=member, phase=phase, team=team, file_name="a.zip", size=10)
    assert Team.objects.get(pk=team.pk).submissions.count() == 0


def test_report_and_exposure_name_origin_and_digest_of_what_was_measured_outside():
    challenge, phase, _ = outside.launched()
    outside.with_cases(phase)
    table = outside.sealed(phase, outside.values(), makes_teams=True)
    ranked(phase)
    facts = collect(challenge, audience=Audience.ORGANIZERS)
    source = Source(facts=facts, ledger=Ledger(), exposure=exposure(facts))
    told = " ".join(
        sentence.text for number in ("8b", "29a") for text in generate(number, source).text for sentence in text
    )
    measured = (
        "measured outside Podium by Lab of seams, Example University with seamstat 2.1 (May 2026): "
        f"version 1, digest {table.digest}."
    )
    assert measured in told
    assert "Results were ranked on Podium, from values that were measured outside of it." in told
    concluded = [finding.conclusion for finding in source.exposure]
    assert any(measured in str(words) for words in concluded)
    assert any("code that the platform does not know (seamstat 2.1)" in str(words) for words in concluded)
