"""Requests and computation of rankings: exactly one version per set of inputs, even if the worker fails."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import IntegrityError, transaction
from django.db.models import F
from django.urls import reverse
from django.utils import timezone

from challenges.models import Team
from challenges.services import close_phase
from core.audit.models import Entry
from core.work.services import UNEXPECTED, claim, sweep_kind
from datastore.uploads.storage import load_json
from evaluation import ranking
from evaluation.ranking import document
from evaluation.ranking.evaluate import evaluate
from leaderboards.models import RankingRequest, RankingVersion, Standing
from leaderboards.queries import work
from leaderboards.queries.work import RANKING
from leaderboards.services import computing, rankings
from submissions import hooks
from submissions.models import Submission
from tests.integration.leaderboards import examples, world

pytestmark = pytest.mark.django_db


@pytest.fixture
def phase(scored):
    return scored


def test_version_holds_the_document_its_digest_and_what_it_was_made_of(phase):
    world.rank(phase)
    version = RankingVersion.objects.get(phase=phase)
    stored = load_json(version.document_name)
    assert version.digest == ranking.digest(stored)
    assert [(team["name"], len(team["result"])) for team in version.inputs["teams"]] == [("Ada", 64), ("Ben", 64)]
    assert (version.number, version.seed, version.bootstrap, version.cases, version.teams) == (1, 1, 50, 10, 2)
    assert version.assessment_digest == examples.assessment().digest
    assert version.sentences["overall"][0].startswith("Ada")


def test_every_figure_is_stored_with_the_version(phase):
    world.rank(phase)
    version = RankingVersion.objects.get(phase=phase)
    single = {"dsc/whole", "hausdorff_percentile/whole"}
    of_cases = dict.fromkeys(("dots", "podium", "ranks", "hard", "parallel"), single)
    # The agreement of orders is told of four teams and more.
    alone = {name: {"overall"} for name in ("left-out", "metrics", "tau", "consensus")}
    both = {"blob": {"overall", *single}, "schemes": {"overall", *single}}
    both |= dict.fromkeys(("differences", "better", "significance", "withholding"), single)
    assert {name: set(drawn) for name, drawn in version.analysis.figures.items()} == both | alone | of_cases
    for drawn in version.analysis.figures.values():
        for name in drawn.values():
            assert load_json(name)["data"]


def test_sentences_say_whether_another_scheme_would_crown_someone_else(phase):
    world.rank(phase)
    sentences = RankingVersion.objects.get(phase=phase).analysis.sentences["overall"]
    assert "The 4 other common ways of ranking the same results have the same team in first place." in sentences


def test_sentences_say_whether_withholding_would_have_paid(phase):
    world.rank(phase)
    sentences = RankingVersion.objects.get(phase=phase).analysis.sentences["overall"]
    assert any(sentence.startswith("No algorithm gains by omitting bad cases.") for sentence in sentences)


def test_same_inputs_never_give_a_second_version(phase):
    for _ in range(3):
        world.rank(phase)
    assert RankingVersion.objects.filter(phase=phase).count() == 1
    assert Standing.objects.filter(phase=phase).count() == 1


def test_database_itself_refuses_a_second_version_of_the_same_inputs(phase):
    world.rank(phase)
    version = RankingVersion.objects.get(phase=phase)
    version.pk, version.number = None, 2
    with pytest.raises(IntegrityError), transaction.atomic():
        version.save(force_insert=True)


def test_new_result_makes_a_new_version_and_says_what_changed(phase, unranked):
    world.rank(phase)
    world.scored_run(phase, unranked.teams["Ben"], unranked.people["other"], level=0.95)
    world.rank(phase)
    standings = Standing.objects.filter(phase=phase).order_by("since")
    assert [standing.version.number for standing in standings] == [1, 2]
    assert standings[0].changes["added"] == ["Ada", "Ben"]
    assert (standings[1].changes["added"], standings[1].changes["changed"]) == ([], ["Ben"])


def test_version_whose_inputs_return_stands_again_without_being_computed_twice(phase, unranked):
    world.rank(phase)
    later = world.scored_run(phase, unranked.teams["Ben"], unranked.people["other"], level=0.95)
    world.rank(phase)
    later.counts = False
    later.save()
    world.rank(phase)
    assert [standing.version.number for standing in Standing.objects.filter(phase=phase)] == [1, 2, 1]
    assert Entry.objects.filter(act="ranking_restored").count() == 1


def test_audit_names_the_digest_of_every_ranking(phase):
    world.rank(phase)
    version = RankingVersion.objects.get(phase=phase)
    entry = Entry.objects.get(act="ranking_computed")
    assert (entry.facts["digest"], entry.facts["number"], entry.scope) == (version.digest, 1, "liver")


def test_phase_without_a_scored_run_has_no_version_and_nothing_left_to_do(unranked):
    phase = unranked.phases["open"]
    rankings.request_ranking(phase.pk)
    assert rankings.rank_phase(phase_id=phase.pk) is None
    assert not RankingVersion.objects.filter(phase=phase).exists()
    assert not RankingRequest.objects.get(phase=phase).is_due


def test_scored_run_asks_for_a_ranking_through_the_hook(unranked):
    assert rankings.request_ranking in hooks.run_scored


def test_many_requests_in_a_row_send_one_job(phase, jobs, django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks(execute=True):
        for _ in range(11):
            rankings.request_ranking(phase.pk)
    assert jobs == [("leaderboards.tasks.rank_phase", [phase.pk])]
    rankings.rank_phase(phase_id=phase.pk)
    assert not RankingRequest.objects.get(phase=phase).is_due


def test_request_during_a_computation_is_answered_by_another_one(
    phase, unranked, jobs, monkeypatch, django_capture_on_commit_callbacks
):
    compute = computing.compute

    def score_arrives(inputs, progress=None, cache=None):
        world.scored_run(phase, unranked.teams["Ben"], unranked.people["other"], level=0.99)
        rankings.request_ranking(phase.pk)
        return compute(inputs)

    rankings.request_ranking(phase.pk)
    monkeypatch.setattr(computing, "compute", score_arrives)
    with django_capture_on_commit_callbacks(execute=True):
        version = rankings.rank_phase(phase_id=phase.pk)
    assert jobs == [
        ("leaderboards.tasks.analyse_version", [version.pk]),
        ("leaderboards.tasks.rank_phase", [phase.pk]),
        ("leaderboards.tasks.follow_phase", [phase.pk]),
    ]
    monkeypatch.setattr(computing, "compute", compute)
    assert rankings.rank_phase(phase_id=phase.pk).number == 2


def test_second_worker_leaves_a_phase_alone_that_the_first_one_computes(phase, monkeypatch):
    seen = []
    compute = computing.compute

    def meanwhile(inputs, progress=None, cache=None):
        seen.append(rankings.rank_phase(phase_id=phase.pk))
        return compute(inputs)

    rankings.request_ranking(phase.pk)
    monkeypatch.setattr(computing, "compute", meanwhile)
    assert rankings.rank_phase(phase_id=phase.pk).number == 1
    assert seen == [None]


def died(phase) -> None:
    """Leave the request as a worker does that was killed half-way, an hour ago."""
    rankings.request_ranking(phase.pk)
    claim(RANKING, phase.pk, give_up=lambda lease: None)
    RankingRequest.objects.filter(phase=phase).update(
        lease_until=timezone.now() - timedelta(hours=1), asked_at=timezone.now() - timedelta(hours=1)
    )


def test_sweep_finds_what_a_dead_worker_left(phase, jobs):
    died(phase)
    assert sweep_kind(RANKING) == 1
    assert jobs == [("leaderboards.tasks.rank_phase", [phase.pk])]
    assert rankings.rank_phase(phase_id=phase.pk).number == 1


def test_sweep_leaves_alone_what_is_done_or_being_done(phase, jobs):
    rankings.request_ranking(phase.pk)
    claim(RANKING, phase.pk, give_up=lambda lease: None)
    assert sweep_kind(RANKING) == 0
    RankingRequest.objects.filter(phase=phase).update(computed=1, lease_until=None)
    assert sweep_kind(RANKING) == 0


def test_sweep_finds_a_request_whose_job_was_lost(phase, jobs):
    rankings.request_ranking(phase.pk)
    RankingRequest.objects.update(asked_at=timezone.now() - timedelta(minutes=1))
    assert sweep_kind(RANKING) == 1


def test_worker_whose_lease_went_to_another_one_stores_nothing(phase, monkeypatch):
    compute = computing.compute

    def overtaken(inputs, progress=None, cache=None):
        RankingRequest.objects.filter(phase=phase).update(
            lease_token=uuid4(), lease_until=timezone.now() + timedelta(minutes=1)
        )
        return compute(inputs)

    rankings.request_ranking(phase.pk)
    monkeypatch.setattr(computing, "compute", overtaken)
    assert rankings.rank_phase(phase_id=phase.pk) is None
    assert not RankingVersion.objects.filter(phase=phase).exists()
    assert RankingRequest.objects.get(phase=phase).is_due


def test_failure_is_kept_for_the_organizers_and_not_tried_for_ever(phase, monkeypatch, caplog):
    def fail(inputs, progress=None, cache=None):
        raise ValueError("no policy for missing values")

    rankings.request_ranking(phase.pk)
    monkeypatch.setattr(computing, "compute", fail)
    assert rankings.rank_phase(phase_id=phase.pk) is None
    request = RankingRequest.objects.get(phase=phase)
    assert request.failure == UNEXPECTED
    assert not request.is_due


def test_next_request_after_a_failure_tries_again(phase, monkeypatch, caplog):
    monkeypatch.setattr(computing, "compute", lambda inputs, progress=None, cache=None: 1 / 0)
    world.rank(phase)
    monkeypatch.undo()
    world.rank(phase)
    assert RankingRequest.objects.get(phase=phase).failure == ""
    assert RankingVersion.objects.filter(phase=phase).count() == 1


def test_ranking_that_kills_its_worker_is_given_up(phase):
    for _ in range(RANKING.attempts):
        rankings.request_ranking(phase.pk) if not RankingRequest.objects.exists() else None
        claim(RANKING, phase.pk, give_up=lambda lease: None)
        RankingRequest.objects.filter(phase=phase).update(
            lease_until=timezone.now() - timedelta(hours=1), asked_at=timezone.now() - timedelta(hours=1)
        )
    assert rankings.rank_phase(phase_id=phase.pk) is None
    request = RankingRequest.objects.get(phase=phase)
    assert "died 3 times" in request.failure
    assert not request.is_due


def test_closing_a_phase_settles_its_final_ranking(phase, unranked):
    world.rank(phase)
    close_phase(actor=unranked.people["organizer"], phase=phase)
    rankings.rank_phase(phase_id=phase.pk)
    version = RankingVersion.objects.get(phase=phase)
    assert Entry.objects.get(act="ranking_final").facts["digest"] == version.digest


def test_score_that_arrives_with_the_closing_does_not_hide_that_it_closed(phase, unranked):
    close_phase(actor=unranked.people["organizer"], phase=phase)
    rankings.request_ranking(phase.pk)
    rankings.rank_phase(phase_id=phase.pk)
    assert Standing.objects.get(phase=phase).cause == Standing.Cause.CLOSED


def test_ranking_of_which_no_result_counts_any_more_stands_no_more(unranked, phase, client):
    world.rank(phase)
    Team.objects.filter(challenge=unranked.challenge).update(
        standing=Team.Standing.DISQUALIFIED, standing_reason="copied"
    )
    world.rank(phase)
    pages = {
        name: client.get(reverse(f"leaderboards:{name}", args=["liver", "open"])).content.decode()
        for name in ("current", "embed", "history")
    }
    assert "No team is ranked" in pages["current"]
    assert "No team is ranked" in pages["embed"]
    assert not [name for name in ("Ada", "Ben") if name in pages["current"] + pages["embed"]]
    assert "superseded: no result currently counts" in pages["history"]
    assert client.get(reverse("api:ranking", args=["liver", "open"])).status_code == 404
    Team.objects.filter(challenge=unranked.challenge).update(standing=Team.Standing.RANKED)
    world.rank(phase)
    assert "Ada" in client.get(reverse("leaderboards:current", args=["liver", "open"])).content.decode()
    assert RankingVersion.objects.filter(phase=phase).count() == 1


def test_long_ranking_is_computed_in_slices_that_keep_what_they_have_done(
    unranked, phase, jobs, monkeypatch, django_capture_on_commit_callbacks
):
    whole = computing.compute(computing.collect(phase)).digest
    monkeypatch.setattr(rankings, "SLICE", timedelta(0))
    rankings.request_ranking(phase.pk)
    with django_capture_on_commit_callbacks(execute=True):
        assert rankings.rank_phase(phase_id=phase.pk) is None
    request = RankingRequest.objects.get(phase=phase)
    assert (RANKING.task, [phase.pk]) in jobs, "the rest is a job of its own"
    assert (request.is_due, request.lease_token, request.attempts, request.failure) == (True, None, 0, "")
    assert len(rankings.StoredTables(computing.collect(phase))) == 1
    # A result that comes meanwhile is ranked next: it does not make the slices begin anew.
    world.scored_run(phase, unranked.teams["Ben"], unranked.people["other"], level=0.95)
    rankings.request_ranking(phase.pk)
    evaluated = []
    monkeypatch.setattr(
        document, "evaluate", lambda *given, **named: evaluated.append(given) or evaluate(*given, **named)
    )
    version = rankings.rank_phase(phase_id=phase.pk)
    assert version is not None
    assert version.digest == whole
    assert len(evaluated) == 1, "the other table was kept"
    request.refresh_from_db()
    assert (request.begun, request.is_due) == ({}, True)
    assert rankings.rank_phase(phase_id=phase.pk) is None
    assert rankings.rank_phase(phase_id=phase.pk).number == 2


@pytest.fixture
def countdowns(monkeypatch):
    """Delays, in seconds, with which rankings are requested from workers."""
    waits = []
    monkeypatch.setattr("core.work.services.send", lambda task, args, countdown=None: waits.append(countdown) or True)
    return waits


def test_while_scores_keep_coming_a_phase_is_ranked_only_now_and_then(
    phase, countdowns, django_capture_on_commit_callbacks
):
    short = work.REST.total_seconds()

    def wait(cause: str = Standing.Cause.SCORE, ago: timedelta = timedelta(0)) -> float | None:
        Standing.objects.filter(phase=phase).update(since=timezone.now() - ago)
        RankingRequest.objects.filter(phase=phase).update(requested=F("computed"))
        countdowns.clear()
        with django_capture_on_commit_callbacks(execute=True):
            rankings.request_ranking(phase.pk, cause=cause)
        assert len(countdowns) == 1
        return countdowns[0]

    assert wait() is None, "the first one is made at once"
    world.rank(phase)
    assert short - 1 < wait() <= short
    assert wait(ago=work.REST) is None
    assert wait(ago=-timedelta(hours=1)) == short, "whatever the clock of the other machine says"
    assert wait(Standing.Cause.CLOSED) is None, "the final ranking does not wait"


def test_phase_with_submissions_under_way_is_ranked_rarely_and_after_the_last_of_them_soon(
    phase, unranked, countdowns, django_capture_on_commit_callbacks
):
    world.rank(phase)
    countdowns.clear()
    Standing.objects.filter(phase=phase).update(since=timezone.now())
    other = world.scored_run(phase, unranked.teams["Ben"], unranked.people["other"], level=0.7).submission
    Submission.objects.filter(pk=other.pk).update(state=Submission.State.VALIDATING)
    with django_capture_on_commit_callbacks(execute=True):
        for _ in range(18):
            rankings.request_ranking(phase.pk)
    (wait,) = countdowns
    assert work.REST.total_seconds() < wait <= work.LONG_REST.total_seconds()
    assert sweep_kind(RANKING) == 0, "its message is on the way"
    countdowns.clear()
    Submission.objects.filter(pk=other.pk).update(state=Submission.State.SCORED)
    with django_capture_on_commit_callbacks(execute=True):
        rankings.request_ranking(phase.pk)
        rankings.request_ranking(phase.pk)
    (wait,) = countdowns
    assert wait is None or wait <= work.REST.total_seconds()
