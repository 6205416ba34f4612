"""Team names in public: the registered policy applies everywhere, and ranking digests use pseudonyms."""

import json
import zipfile
from html import unescape

import pytest
from django.core.exceptions import ValidationError
from django.test import Client
from django.urls import NoReverseMatch, reverse
from django.utils import timezone

from challenges.models import PSEUDONYM, Participation, Phase, Task
from challenges.services.teams import form_team
from datastore.uploads.storage import load_json
from evaluation import bundle
from evaluation.claims.ranking import headline_of
from evaluation.designs.document import Entry, State
from leaderboards.models import OverallRanking, Pseudonym, RankingVersion
from leaderboards.queries import names
from leaderboards.services import computing, rankings
from submissions.domain.method_entries import to_json
from submissions.models import MethodDescription, Submission
from submissions.queries import counted_runs
from tests.integration.leaderboards import world
from tests.integration.leaderboards.test_tasks import LEVELS
from tests.integration.leaderboards.test_tasks import ranked as rank_task

pytestmark = pytest.mark.django_db
TEAMS = ("Ada", "Ben", "Cleo")


def built(**policy):
    made = world.build(teams=TEAMS, ranked=())
    Phase.objects.update(**policy)
    for name in ("open", "revealed"):
        phase = Phase.objects.select_related("task__challenge").get(slug=name)
        made.phases[name] = phase
        for index, team in enumerate(made.teams.values()):
            world.scored_run(phase, team, made.people["member"], level=0.9 - 0.1 * index)
    Phase.objects.filter(slug="revealed").update(ended_at=timezone.now())
    made.phases["revealed"].refresh_from_db()
    return made


def word(made, team, slug="revealed"):
    """The pseudonym of a team in a phase."""
    return Pseudonym.objects.get(team=made.teams[team], phase=made.phases[slug]).word


def described(made, team, **values):
    """Describe the newest submission of a team in the closed phase with these values."""
    entries = {name: Entry(value=value, state=State.PROVIDED) for name, value in values.items()}
    submission = Submission.objects.filter(team=made.teams[team], phase=made.phases["revealed"]).last()
    MethodDescription.objects.update_or_create(
        submission=submission,
        defaults={"entries": to_json(entries), "filled": len(entries), "required": 27, "is_complete": False},
    )


def ranked(made, slug="revealed"):
    world.rank(made.phases[slug])
    return RankingVersion.objects.filter(phase=made.phases[slug]).last()


def everywhere(version, *, person=None, made=None):
    """Return all public texts about a ranking: pages, exports, bundle, API, report, feeds and embeds."""
    client = Client()
    if person:
        client.force_login(made.people[person])
    slug = version.phase.slug
    paths = [reverse(f"leaderboards:{name}", args=["liver", slug]) for name in ("current", "embed", "history")]
    numbered = (
        "version",
        "table_csv",
        "table_json",
        "evaluations",
        "model_index",
        "results_csv",
        "bundle",
        "ranking_json",
    )
    for name in numbered:
        try:
            paths.append(reverse(f"leaderboards:{name}", args=["liver", slug, version.number]))
        except NoReverseMatch:
            continue
    paths += ["/challenges/liver/", "/challenges/liver/report/exposure/", "/"]
    texts = {}
    for path in paths:
        answer = client.get(path)
        assert answer.status_code in (200, 302, 404), path
        body = b"".join(answer.streaming_content) if answer.streaming else answer.content
        texts[path] = body.decode("latin-1")
    texts["document"] = json.dumps(load_json(version.document_name))
    texts["inputs"] = json.dumps(version.inputs["teams"])
    return texts


def named(version):
    """Teams that are named in a version as it may be shown now."""
    teams = names.shown(version).inputs["teams"]
    return sorted(team["name"] for team in teams if not team["name"].startswith(PSEUDONYM))


def test_every_team_is_named_where_all_results_are_public():
    assert named(ranked(built())) == ["Ada", "Ben", "Cleo"]


def test_only_the_first_ranks_are_named_once_the_phase_has_closed(tmp_path):
    made = built(announcement="top", announced_ranks=1)
    version = ranked(made)
    assert named(version) == ["Ada"]
    assert named(ranked(made, "open")) == []
    for place, text in everywhere(version).items():
        assert "Ben" not in text, place
        assert "Cleo" not in text, place


def test_the_public_bundle_verifies_and_holds_every_row(tmp_path):
    made = built(announcement="top", announced_ranks=1)
    version = ranked(made)
    response = Client().get(reverse("leaderboards:bundle", args=["liver", "revealed", version.number]))
    file = tmp_path / "bundle.zip"
    file.write_bytes(b"".join(response.streaming_content))
    verdict = bundle.verify(file, digest=version.digest)
    assert (verdict.same, verdict.recomputed) == (True, version.digest)
    document = load_json(version.document_name)
    rows = document["rankings"][0]["algorithms"]
    assert len(rows) == 3
    assert all(row["name"].startswith(PSEUDONYM) for row in rows)
    with zipfile.ZipFile(file) as archive:
        manifest = json.loads(archive.read("bundle.json"))
    assert manifest["names"] == {rows[0]["name"]: "Ada"}


def test_organizers_read_whose_a_pseudonym_is_and_nobody_else_does():
    made = built(announcement="top", announced_ranks=1)
    ranked(made)
    address = reverse("leaderboards:current", args=["liver", "revealed"])
    client = Client()
    client.force_login(made.people["organizer"])
    page = client.get(address).content.decode()
    assert word(made, "Ben") in page
    assert "<dd>Ben</dd>" in page
    client.force_login(made.people["stranger"])
    page = client.get(address).content.decode()
    assert word(made, "Ben") in page
    assert "Ben" not in page
    assert "Not every team is named" in page


def test_a_team_finds_its_own_row():
    made = built(announcement="top", announced_ranks=1)
    ranked(made)
    client = Client()
    client.force_login(made.people["other"])
    page = client.get(reverse("leaderboards:current", args=["liver", "revealed"])).content.decode()
    row = page.split('id="own"')[1].split("</tr>")[0]
    assert word(made, "Ben") in row


def test_a_team_is_named_once_it_agrees():
    made = built(announcement="agreed")
    assert named(ranked(made)) == []
    described(made, "Ben", consent_result_publication="under_team_name")
    described(made, "Cleo", consent_result_publication="anonymously")
    assert named(ranked(made)) == ["Ben"]


def test_a_team_is_named_unless_it_says_otherwise():
    made = built(announcement="not_refused")
    described(made, "Cleo", consent_result_publication="not_public")
    assert named(ranked(made)) == ["Ada", "Ben"]


def test_a_name_that_looks_like_a_pseudonym_is_refused():
    made = world.build(ranked=())
    Participation.objects.create(challenge=made.challenge, user=made.people["stranger"])
    with pytest.raises(ValidationError, match="are reserved for teams without a public name"):
        form_team(user=made.people["stranger"], challenge=made.challenge, team_name="Anonymous 12345678")


def test_a_level_of_interaction_that_is_not_ranked_keeps_a_team_out_of_the_final_ranking():
    made = built(interaction_levels=["fully_automatic"])
    described(made, "Ada", interaction_level="semi_automatic")
    described(made, "Ben", interaction_level="fully_automatic")
    assert named(ranked(made)) == ["Ben", "Cleo"]
    assert len(counted_runs(made.phases["open"])) == 3


def test_the_level_stands_beside_each_team_where_it_is_indicated():
    made = built(interaction="indicated")
    described(made, "Ada", interaction_level="semi_automatic")
    version = ranked(made)
    marks = dict(zip(version.table["teams"], version.table["marks"], strict=True))
    assert marks["Ada"] == ["semi_automatic"]
    assert marks["Ben"] == []


def test_code_is_needed_before_a_team_is_ranked_finally():
    made = built(requires_code=True)
    for team in ("Ada", "Ben"):
        described(made, team, **({"code_url": "https://example.org/ada"} if team == "Ada" else {}))
    MethodDescription.objects.update(is_complete=True, filled=27)
    assert named(ranked(made)) == ["Ada"]


def test_an_open_call_ranks_by_every_condition_from_the_beginning():
    built()
    Phase.objects.filter(slug="open").update(stays_open=True, requires_code=True)
    phase = Phase.objects.get(slug="open")
    assert counted_runs(phase) == []
    assert computing.collect(phase).names == {}


def test_a_ranking_over_tasks_is_that_of_the_registered_step_alone():

    made = world.build(ranked=())
    first = made.phases["open"]
    Task.objects.filter(pk=first.task_id).update(design_key="task-1")
    first.refresh_from_db()
    second = Task.objects.create(
        challenge=made.challenge, slug="second", name="Second", position=2, design_key="task-2"
    )
    other = Phase.objects.create(
        task=second, slug="open", name="Open", opens_at=first.opens_at, closes_at=first.closes_at,
        leaderboard=Phase.Leaderboard.PUBLIC, assessment_document=first.assessment_document,
        assessment_digest=first.assessment_digest,
    )  # fmt: skip
    world.hidden_test_set(other)
    made.challenge.overall_rankings = [
        {
            "name": "All tasks",
            "tasks": ["task-1", "task-2"],
            "ranking": "",
            "absent": "refuse",
            "steps": [{"over": ["metric", "region", "task"], "operator": "mean", "rerank": True, "ties": "min"}],
        }
    ]
    made.challenge.save()
    first = Phase.objects.select_related("task__challenge").get(pk=first.pk)
    rank_task(first, made, LEVELS["Main"])
    assert not OverallRanking.objects.exists()
    rank_task(other, made, LEVELS["Main"])
    stored = OverallRanking.objects.get()
    assert stored.document["overall"]["algorithms"][0]["name"] == "Ada"
    assert stored.document["overall"]["algorithms"][0]["rank_interval"]
    page = Client().get(reverse("leaderboards:tasks", args=["liver", "open"])).content.decode()
    assert "This ranking over tasks is registered with the design." in page
    assert str(headline_of(stored.document["overall"], stored.document, closed=False)) in unescape(page)
    assert stored.digest[:16] in page
    told = Client().get(reverse("leaderboards:tasks", args=["liver", "open"]), {"format": "json"}).json()
    assert told["rankings"][0]["digest"] == stored.digest
    Phase.objects.filter(pk=other.pk).update(leaderboard=Phase.Leaderboard.SEALED)
    page = Client().get(reverse("leaderboards:tasks", args=["liver", "open"])).content.decode()
    assert "registered with the design" not in page
    assert rankings.rank_phase(phase_id=other.pk) is None
