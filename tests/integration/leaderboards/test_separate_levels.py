"""Levels of interaction as registered: fully automatic methods ranked among themselves as well, or values weighted."""

import pytest
from django.test import Client
from django.urls import reverse

from challenges.models import Phase
from evaluation import bundle
from evaluation.assessment import parse
from evaluation.designs.document import Entry, State
from leaderboards.models import RankingVersion
from leaderboards.services import analyses, rankings
from submissions.domain.method_entries import to_json
from submissions.models import MethodDescription, Submission
from tests.integration.leaderboards import examples, world

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.any_database(
        "Rankings are computed from files of results. `test_services.py` and `test_pages.py` store and read them on both databases."
    ),
]
LEVELS = {"Ada": "semi_automatic", "Ben": "fully_automatic", "Cleo": "fully_automatic"}


def described(team, level):
    entries = to_json({"interaction_level": Entry(value=level, state=State.PROVIDED)})
    submission = Submission.objects.get(team__name=team, phase__slug="revealed")
    MethodDescription.objects.update_or_create(
        submission=submission, defaults={"entries": entries, "filled": 1, "required": 27, "is_complete": False}
    )


def ranked(interaction, levels=LEVELS):
    made = world.build(teams=tuple(LEVELS), ranked=("revealed",))
    Phase.objects.update(interaction=interaction)
    for team, level in levels.items():
        described(team, level)
    return rank_again(Phase.objects.select_related("task__challenge").get(pk=made.phases["revealed"].pk))


def rank_again(phase):
    rankings.request_ranking(phase.pk)
    version = rankings.rank_phase(phase_id=phase.pk)
    analyses.analyse_version(version_id=version.pk)
    return RankingVersion.objects.select_related("analysis", "phase__task__challenge").get(pk=version.pk)


def asked(name="current", *arguments, **query):
    return Client().get(reverse(f"leaderboards:{name}", args=["liver", "revealed", *arguments]), query)


def test_the_separate_ranking_stands_beside_the_one_of_all_methods():
    version = ranked(Phase.Interaction.SEPARATE)
    assert "separate ranking of fully automatic methods" in asked().content.decode()
    everything = asked("table_json", version.number).json()
    apart = asked("table_json", version.number, level="fully_automatic").json()
    ranks = {team["team"]: team["orders"]["overall"]["rank"] for team in apart["teams"]}
    assert ranks == {"Ben": 1, "Cleo": 2}
    assert {team["team"]: team["orders"]["overall"]["rank"] for team in everything["teams"]}["Ben"] == 2
    assert [mark["mark"] for mark in apart["teams"][0]["marks"]] == ["fully_automatic"]
    assert apart["only"] == {"kind": "levels", "title": "level of interaction", "label": "fully automatic methods"}
    page = asked(level="fully_automatic").content.decode()
    assert "Separate ranking of fully automatic methods" in page
    assert "Ada" not in page.split("<tbody>")[1].split("</tbody>")[0]
    answer = Client().get(reverse("api:ranking", args=["liver", "revealed"]), {"level": "fully_automatic"})
    assert answer.json()["teams"] == apart["teams"]


def test_with_one_automatic_method_the_page_says_why_there_is_no_separate_ranking():
    ranked(Phase.Interaction.SEPARATE, {"Ada": "semi_automatic", "Ben": "fully_automatic"})
    assert "fewer than two teams say that their method is fully automatic" in asked().content.decode()


def test_where_levels_are_only_indicated_there_is_none():
    version = ranked(Phase.Interaction.INDICATED)
    assert version.analysis.findings["levels"] == []
    assert asked("table_json", version.number, level="fully_automatic").status_code == 404


def test_a_description_that_says_another_level_makes_another_ranking():
    version = ranked(Phase.Interaction.SEPARATE)
    described("Ada", "fully_automatic")
    later = rank_again(version.phase)
    assert later.number == version.number + 1
    assert [team["level"] for team in later.inputs["teams"]] == ["fully_automatic"] * 3


def test_values_are_weighted_by_the_registered_weights_and_the_bundle_verifies(monkeypatch, tmp_path):
    weights = {"fully_automatic": 1, "semi_automatic": 0.25}
    monkeypatch.setattr(examples, "ASSESSMENT", parse({**examples.ASSESSMENT, "interaction_weights": weights}).document)
    version = ranked(Phase.Interaction.WEIGHTED)
    table = version.table
    assert dict(zip(table["teams"], table["orders"][0]["rank"], strict=True)) == {"Ada": 3, "Ben": 1, "Cleo": 2}
    assert "by the level of interaction (fully automatic 1 and semi automatic 0.25)" in asked().content.decode()
    assert "weighted by level of interaction" in asked(by="dsc/whole").content.decode()
    # What a case reached is shown as measured, and says so.
    dots = asked("figure", version.number, "dots", by="dsc/whole").json()
    assert any("Single cases are shown as measured" in remark for remark in dots["remarks"])
    assert "remarks" not in asked("figure", version.number, "blob", by="dsc/whole").json()
    assert "Single cases are shown as measured" in asked(view="cases", by="dsc/whole").content.decode()
    file = tmp_path / "bundle.zip"
    file.write_bytes(b"".join(asked("bundle", version.number).streaming_content))
    assert bundle.verify(file, digest=version.digest).same
