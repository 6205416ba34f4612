"""Groups of cases, hard cases and what makes them hard: found from case metadata, shown when cases may be seen."""

import csv
import io
from types import SimpleNamespace

import pytest
from django.conf import settings
from django.db import transaction
from django.test import Client, override_settings
from django.urls import reverse

from datastore.test_sets.models import TestCase
from evaluation.claims.group_leads import first_words
from executions.scoring.domain import results
from leaderboards.models import RankingVersion
from leaderboards.queries import partial_tables
from leaderboards.views import pages
from submissions.models import MethodDescription
from tests.integration.leaderboards import examples, world
from tests.integration.leaderboards.conftest import storages_in
from web.wording import moment_words

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.any_database(
        "Groups of cases are computed from files of results. `test_analyses.py` stores analyses on both databases."
    ),
]

CASES = 24
TEAMS = {"Ada": 0.9, "Ben": 0.85, "Cleo": 0.7, "Dora": 0.5}


@pytest.fixture(scope="module")
def built(django_db_setup, django_db_blocker, storage_folder):
    """Four teams on 24 cases of two sites, with a size that is known for each; a closed and an open phase."""
    with (
        override_settings(STORAGES=settings.STORAGES | storages_in(storage_folder)),
        django_db_blocker.unblock(),
        transaction.atomic(),
        pytest.MonkeyPatch.context() as patched,
    ):
        patched.setattr(world, "CASES", [f"case-{index:02d}" for index in range(CASES)])
        built = world.build(teams=tuple(TEAMS), ranked=())
        for slug in ("open", "revealed"):
            phase = built.phases[slug]
            for case in TestCase.objects.filter(test_set__phase=phase):
                site = "north" if case.position % 2 else "south"
                case.metadata = {"site": site, "voxels": 100 + 7 * case.position, "id": f"p{case.position}"}
                case.save()
            for name, level in TEAMS.items():
                run = world.scored_run(phase, built.teams[name], built.people["member"], level=level, cases=CASES)
                # Under the references of the second annotator Ada is the last.
                levels = {"one": level, "two": 0.3 if name == "Ada" else level}
                rows = {
                    who: world.case_rows(examples.case_results(name, reached, cases=CASES))
                    for who, reached in levels.items()
                }
                run.annotators_file = results.store_annotators(rows, f"results/annotators/{run.pk}")
                run.save()
            world.rank(phase)
        yield built
        transaction.set_rollback(True)


def page(person: str | None, built: world.World, key: str = "revealed", **asked: str) -> str:
    client = Client()
    if person:
        client.force_login(built.people[person])
    return client.get(reverse("leaderboards:current", args=["liver", key]), asked).content.decode()


def test_no_step_fails(built):
    for slug in ("open", "revealed"):
        assert RankingVersion.objects.get(phase=built.phases[slug]).analysis.failures == {}


@pytest.mark.parametrize(
    ("view", "figures"),
    [
        ("groups", {"groups", "worst"}),
        ("strengths", {"relative", "hardness"}),
        ("gaming", {"withholding"}),
        ("tasks", {"consensus"}),
        ("metrics", {"metrics", "tau"}),
    ],
)
def test_tabs_have_their_figures(built, view, figures):
    html = page(None, built, view=view, by="dsc/whole")
    sources = [part.split('"')[0].replace("&amp;", "&") for part in html.split('data-plot-src="')[1:]]
    assert {source.split("/")[-1].split(".json")[0] for source in sources} == figures
    for source in sources:
        assert Client().get(source).json()["data"]


def test_every_group_is_ranked_on_its_own_cases(built):
    html = page(None, built, group="site:north")
    assert "Only the 12 cases with site: north." in html
    assert "12 of 12" in html
    assert "Only the" not in page(None, built, group="site:nowhere")


def test_identifiers_make_no_groups_and_numbers_make_three(built):
    findings = RankingVersion.objects.get(phase=built.phases["revealed"]).analysis.findings
    keys = [choice["key"].split(" (")[0] for choice in findings["subgroups"]]
    assert keys == ["site:north", "site:south", "voxels:low", "voxels:middle", "voxels:high"]


def test_groups_stand_in_tables_that_lead_to_their_rankings(built):
    html = page(None, built, view="groups", by="dsc/whole")
    assert "2 groups by site" in html
    assert "3 groups by voxels" in html
    rows = html.split('aria-labelledby="groups-1"')[1].split("</tbody>")[0]
    assert 'href="?group=site%3Anorth&amp;by=dsc%2Fwhole">north</a>' in rows
    version = RankingVersion.objects.get(phase=built.phases["revealed"])
    north = next(choice for choice in version.analysis.findings["subgroups"] if choice["key"] == "site:north")
    asked = Client().get(
        reverse("leaderboards:table_json", args=["liver", "revealed", version.number]), {"group": "site:north"}
    )
    first = [team["team"] for team in asked.json()["teams"] if team["orders"]["dsc/whole"]["rank"] == 1]
    assert north["first"]["dsc/whole"] == first
    lead = north["leads"]["dsc/whole"]
    named = first_words(first[0])
    words = f"{named}, {lead['text']}" if lead["has_interval"] else lead["text"]
    assert f'data-label="First place">{words}</td>' in rows


def test_groups_are_not_adjusted_for_their_number_on_the_page_in_json_and_in_csv(built):
    every = (
        "Rankings of groups are exploratory: their intervals are not adjusted for the number of groups, and no test compares "
        "groups."
    )
    assert page(None, built, view="groups", by="dsc/whole").count(every) == 2
    single = (
        "This is one of 2 ranked groups by site. Rankings of groups are exploratory: rank sets and intervals are not adjusted for "
        "the number of groups, and with many groups, some leads can be due to chance."
    )
    assert single in page(None, built, group="site:north")
    assert "ranked groups by" not in page(None, built)
    address = ["liver", "revealed", RankingVersion.objects.get(phase=built.phases["revealed"]).number]
    asked = Client().get(reverse("leaderboards:table_json", args=address), {"group": "site:north"})
    assert asked.json()["says"][-1] == single
    file = Client().get(reverse("leaderboards:table_csv", args=address), {"group": "site:north"}).content.decode()
    assert {row["note"] for row in csv.DictReader(io.StringIO(file))} == {single}
    whole = Client().get(reverse("leaderboards:table_csv", args=address)).content.decode()
    assert "note" not in csv.DictReader(io.StringIO(whole)).fieldnames


def test_hardest_case_is_the_one_with_the_worst_median(built):
    findings = RankingVersion.objects.get(phase=built.phases["revealed"]).analysis.findings
    medians = [case["median"] for case in findings["hardest"]["dsc/whole"]]
    assert medians == sorted(medians)
    html = page(None, built, view="cases", by="dsc/whole")
    assert "The hardest cases by DSC, whole" in html
    assert html.index(findings["hardest"]["dsc/whole"][0]["case"]) < html.index(
        findings["hardest"]["dsc/whole"][1]["case"]
    )


def test_teams_see_pictures_of_their_own_files_alone(built):
    version = RankingVersion.objects.get(phase=built.phases["revealed"])
    own = next(team["submission"] for team in version.inputs["teams"] if team["name"] == "Ada")
    html = page("member", built, view="cases")
    assert html.count(own) > 0
    assert not any(team["submission"] in html for team in version.inputs["teams"] if team["name"] != "Ada")
    assert "case_picture" not in page(None, built, view="cases")
    assert "/picture/" not in page(None, built, view="cases")


@pytest.mark.parametrize("person", [None, "stranger", "member", "staff"])
def test_nothing_about_single_cases_or_groups_before_the_phase_closes(built, person):
    html = page(person, built, "open")
    assert not any(f"view={name}" in html for name in ("groups", "strengths", "data", "cases"))
    assert "optgroup" not in html
    assert "view=gaming" in html, "ranks under other rules tell nothing about a case"
    hidden = page(person, built, "open", view="groups", group="site:north")
    assert "Only the" not in hidden
    assert "groups by site" not in hidden
    client = Client()
    if person:
        client.force_login(built.people[person])
    for name in ("groups", "worst", "relative", "hardness", "hard"):
        address = reverse("leaderboards:figure", args=["liver", "open", 1, name])
        assert client.get(address, {"by": "dsc/whole"}).status_code == 403, name


def test_organizers_see_groups_before(built):
    assert "Only the 12 cases" in page("organizer", built, "open", group="site:south")


def describe(built, key: str, team: str, consent: str) -> str:
    version = RankingVersion.objects.get(phase=built.phases[key])
    submission = next(row["submission"] for row in version.inputs["teams"] if row["name"] == team)
    entries = {
        "consent_result_publication": {"state": "provided", "value": consent},
        "additional_training_data": {"state": "provided", "value": [{"name": "LiTS", "access": "public"}]},
    }
    MethodDescription.objects.create(submission_id=submission, entries=entries, filled=1, required=2, is_complete=False)
    return reverse("submissions:method", args=["liver", submission])


def test_description_of_a_method_is_linked_once_everybody_may_read_it_and_never_names_the_unnamed(built):
    named, unnamed = describe(built, "revealed", "Ada", "named"), describe(built, "revealed", "Ben", "anonymously")
    html = page(None, built)
    assert f'<a href="{named}">Ada</a>' in html
    assert html.count(">extra data<") == 1
    assert unnamed not in html
    early = describe(built, "open", "Ada", "named")
    assert early not in page("organizer", built, "open")


def file_of(name: str, key: str = "revealed", **asked: str):
    return Client().get(reverse(f"leaderboards:{name}", args=["liver", key, 1]), asked)


@pytest.mark.parametrize("key", ["open", "revealed"])
def test_references_of_one_annotator_can_be_chosen_by_everybody_who_sees_the_ranking(built, key):
    html = page(None, built, key)
    assert '<option value="two">annotator two</option>' in html
    chosen = page(None, built, key, annotator="two", by="dsc/whole")
    assert (
        "Against the references of annotator two alone (24 cases). The merged references determine the ranking."
        in chosen
    )
    rows = chosen.split("<tbody>")[1].split("</tr>")
    assert "Ben" in rows[0]
    assert "Ada" in rows[3]
    assert "?annotator=two" in chosen, "the files are of what is shown"
    assert "annotator=two&amp;by=dsc%2Fwhole" in chosen, "the address keeps the choice"
    assert "Ada" in page(None, built, key, annotator="nobody").split("<tbody>")[1].split("</tr>")[0]
    ranks = {
        team["team"]: team["orders"]["dsc/whole"]["rank"]
        for team in file_of("table_json", key, annotator="two").json()["teams"]
    }
    assert ranks == {"Ben": 1, "Cleo": 2, "Dora": 3, "Ada": 4}
    assert file_of("table_json", key, annotator="nobody").status_code == 404


def test_without_merging_the_page_says_whose_references_decide_and_who_has_no_ranking():
    entries = [
        {"key": "1", "label": "1", "decides": True},
        {"key": "2", "label": "2", "decides": False},
        {"key": "", "label": "3", "problem": "There is no value of the region whole."},
    ]
    version = SimpleNamespace(analysis=SimpleNamespace(findings={partial_tables.ANNOTATORS: entries}))
    told = pages._annotators(version)
    assert [entry["label"] for entry in told["annotators"]] == ["2"]
    assert told["deciding_annotator"] == "1"
    assert [entry["problem"] for entry in told["unranked_annotators"]] == ["There is no value of the region whole."]
    assert partial_tables.chosen(partial_tables.ANNOTATORS, "", version) is None


def test_annotators_are_compared_in_a_figure(built):
    html = page(None, built, view="schemes", by="dsc/whole")
    assert "/figures/by-annotator.json" in html
    address = reverse("leaderboards:figure", args=["liver", "revealed", 1, "by-annotator"])
    figure = Client().get(address, {"by": "dsc/whole"}).json()
    assert figure["layout"]["xaxis"]["ticktext"] == ["<b>merged</b>", "one", "two"]
    ranks = {trace["name"]: trace["y"] for trace in figure["data"]}
    assert ranks["Ada"] == [1, 1, 4]


def test_tables_of_groups_and_of_hardest_cases_are_files(built):
    table = file_of("table_csv", group="site:north").content.decode().splitlines()
    assert table[1].startswith("Ada,12,0,1,")
    assert file_of("table_csv", "open", group="site:north").status_code == 403
    assert file_of("table_csv", "open", group="nothing").status_code == 403
    assert file_of("table_csv", group="nothing").status_code == 404
    hardest = file_of("hardest_csv").content.decode().splitlines()
    assert hardest[0] == "order,case,median,best,best_team,worst,worst_team"
    assert len(hardest) == 1 + 2 * 10
    assert "/hardest-cases.csv" in page(None, built, view="cases")


def test_five_questions_are_answered_before_the_table(built):
    html = page(None, built, by="dsc/whole").split("<table")[0]
    for question in (
        "Is it sure?",
        "Who is within reach of the first?",
        "On which cases do all fail?",
        "What would change it?",
    ):
        assert html.count(f"<h3>{question}</h3>") == 1
    assert "By DSC, whole the median of the teams is worst on case-" in html
    released = built.phases["open"].revealed_from
    assert f"Results by case are published on {moment_words(released)}." in page(None, built, "open")


def test_program_reads_the_marks_that_the_page_shows(built):
    MethodDescription.objects.all().delete()
    found = file_of("table_json").json()
    page_row = page(None, built).split("<tbody>")[1].split("</tr>")[0]
    first = next(team for team in found["teams"] if team["team"] == "Ada")
    assert [mark["label"] for mark in first["marks"]] == [
        label for label in ("organizers’ team", "late entry not ranked", "extra data") if label in page_row
    ]
    assert (found["version"], found["stands"], found["deviations"], first["submissions"]) == (1, True, [], 1)
    assert found["digest"] == RankingVersion.objects.get(phase=built.phases["revealed"]).digest
