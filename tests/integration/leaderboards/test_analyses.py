"""Figures and comparisons follow a ranking: step by step, behind every ranking that waits, and never lost."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from challenges.models import Phase
from core.work.queries import figures_of
from core.work.services import UNEXPECTED, claim, sweep_kind
from datastore.uploads.storage import load_json
from leaderboards.models import Analysis, Freeze, RankingRequest, RankingVersion, Standing
from leaderboards.queries.work import ANALYSES
from leaderboards.services import analyses, rankings
from submissions.models import Run
from tests.integration.leaderboards import world

pytestmark = pytest.mark.django_db

PAST = timedelta(hours=1)


@pytest.fixture
def version(scored):
    """Ranked, and nothing drawn yet."""
    rankings.request_ranking(scored.pk)
    return rankings.rank_phase(phase_id=scored.pk)


@pytest.fixture
def each_stored(monkeypatch):
    """Store each step at once, as after steps that take long."""
    monkeypatch.setattr(analyses, "STORED_EVERY", 0)


def test_ranking_is_complete_before_anything_is_drawn(version):
    assert version.sentences["overall"][0].startswith("Ada")
    assert (version.analysis.figures, version.analysis.is_finished) == ({}, False)


def test_drawing_changes_nothing_of_what_was_published(version):
    before = RankingVersion.objects.filter(pk=version.pk).values().get()
    analyses.analyse_version(version_id=version.pk)
    assert RankingVersion.objects.filter(pk=version.pk).values().get() == before
    assert Analysis.objects.get().done == len(analyses.STEPS)


def test_ranking_that_waits_goes_first_and_the_rest_is_drawn_after_it(version, unranked, each_stored, monkeypatch):
    taken = []

    def one_then_a_score(name):
        def step(version, sources):
            taken.append(name)
            rankings.request_ranking(version.phase_id)
            RankingRequest.objects.update(requested_at=timezone.now() - PAST)
            return analyses.Made()

        return step

    monkeypatch.setattr(analyses, "STEPS", {name: one_then_a_score(name) for name in ("first", "second")})
    assert analyses.analyse_version(version_id=version.pk) is None
    assert taken == ["first"]
    rankings.rank_phase(phase_id=version.phase_id)
    assert analyses.analyse_version(version_id=version.pk) is None or taken == ["first", "second"]
    assert taken == ["first", "second"]


def test_step_that_fails_is_told_and_stops_no_other(version, monkeypatch, caplog):
    def fail(version, sources):
        raise ValueError("too few cases")

    monkeypatch.setattr(analyses, "STEPS", {"bad": fail, "good": lambda version, sources: analyses.Made()})
    analysis = analyses.analyse_version(version_id=version.pk)
    assert analysis.steps == ["bad", "good"]
    assert analysis.failures == {"bad": UNEXPECTED}


def test_second_worker_leaves_alone_what_the_first_one_draws(version, monkeypatch):
    seen = []

    def meanwhile(version, sources):
        seen.append(analyses.analyse_version(version_id=version.pk))
        return analyses.Made()

    monkeypatch.setattr(analyses, "STEPS", {"only": meanwhile})
    assert analyses.analyse_version(version_id=version.pk).is_finished
    assert seen == [None]


def test_step_that_kills_its_worker_is_left_out(version, monkeypatch):
    monkeypatch.setattr(
        analyses, "STEPS", dict.fromkeys(("deadly", "harmless"), lambda version, sources: analyses.Made())
    )
    for _ in range(ANALYSES.attempts):
        claim(ANALYSES, version.pk, give_up=lambda lease: None)
        Analysis.objects.update(lease_until=timezone.now() - PAST)
    assert analyses.analyse_version(version_id=version.pk) is None, "the step is left out, the others are another job's"
    analysis = analyses.analyse_version(version_id=version.pk)
    assert list(analysis.failures) == ["deadly"]
    assert analysis.is_finished


def test_quick_steps_are_stored_together(version, monkeypatch):
    stored = []
    keep = analyses._keep
    monkeypatch.setattr(analyses, "_keep", lambda lease, steps: stored.append(len(steps)) or keep(lease, steps))
    monkeypatch.setattr(analyses, "STORED_EVERY", 1000)
    assert analyses.analyse_version(version_id=version.pk).done == len(analyses.STEPS)
    assert stored == [len(analyses.STEPS)]


def test_after_a_worker_has_died_the_step_that_killed_it_is_known(version, monkeypatch):
    def kill(version, sources):
        raise SystemExit

    monkeypatch.setattr(
        analyses, "STEPS", {"harmless": lambda version, sources: analyses.Made(), "deadly": kill, "later": kill}
    )
    monkeypatch.setattr(analyses, "STORED_EVERY", 1000)
    steps = []
    for _ in range(2):
        with pytest.raises(SystemExit):
            analyses.analyse_version(version_id=version.pk)
        steps.append(Analysis.objects.get().steps)
        Analysis.objects.update(lease_until=timezone.now() - PAST)
    assert steps == [[], ["harmless"]]


@pytest.fixture
def later(version, unranked, jobs):
    """Return a function that makes the ranking after a version."""

    def make(level=0.95):
        phase = unranked.phases["open"]
        world.scored_run(phase, unranked.teams["Ben"], unranked.people["other"], level=level)
        rankings.request_ranking(phase.pk)
        return rankings.rank_phase(phase_id=phase.pk)

    return make


def test_superseded_version_gets_no_figures(version, later, jobs, client):
    assert sweep_kind(ANALYSES) == 0, "its job has only just been sent"
    newest = later()
    Analysis.objects.update(asked_at=timezone.now() - PAST)
    sweep_kind(ANALYSES)
    assert jobs == [("leaderboards.tasks.analyse_version", [newest.pk])]
    assert analyses.analyse_version(version_id=version.pk) is None
    assert figures_of(ANALYSES).length == 1
    assert analyses.analyse_version(version_id=newest.pk).is_finished
    assert figures_of(ANALYSES).is_nothing
    html = client.get(reverse("leaderboards:version", args=["liver", "open", version.number])).content.decode()
    assert "A later version replaced this ranking" in html
    assert "hx-trigger" not in html.split("<main")[1]


def test_worker_that_draws_a_version_stops_when_a_later_one_takes_its_place(version, later, each_stored, monkeypatch):
    first, *others = analyses.STEPS
    drawn = []

    def supersede(version, sources):
        drawn.append(first)
        later()
        return analyses.Made()

    never = dict.fromkeys(others, lambda version, sources: drawn.append("another"))
    monkeypatch.setattr(analyses, "STEPS", {first: supersede, **never})
    assert analyses.analyse_version(version_id=version.pk) is None
    assert drawn == [first]


def test_version_that_returns_gets_its_figures_after_all(version, later, unranked, jobs):
    later()
    Run.objects.filter(submission__team=unranked.teams["Ben"], counts=True).update(counts=False)
    first = Run.objects.filter(pk__in=[team["run"] for team in version.inputs["teams"]])
    first.update(counts=True)
    jobs.clear()
    rankings.request_ranking(version.phase_id)
    assert rankings.rank_phase(phase_id=version.phase_id).pk == version.pk
    assert analyses.analyse_version(version_id=version.pk).is_finished


def test_version_at_which_the_public_ranking_is_frozen_keeps_its_figures(version, later, unranked):
    phase = version.phase
    Freeze.objects.create(phase=phase, hours=1)
    Phase.objects.filter(pk=phase.pk).update(closes_at=timezone.now() + timedelta(minutes=59))
    Standing.objects.update(since=timezone.now() - timedelta(minutes=5))
    later()
    assert analyses.analyse_version(version_id=version.pk).is_finished


def test_freeze_that_begins_in_the_past_brings_figures_back(version, later, unranked):
    Standing.objects.update(since=timezone.now() - timedelta(minutes=5))
    later()
    assert Analysis.objects.get(version=version).is_superseded
    phase = Phase.objects.get(pk=version.phase_id)
    Phase.objects.filter(pk=phase.pk).update(closes_at=timezone.now() + timedelta(minutes=59))
    rankings.freeze_board(actor=unranked.people["organizer"], phase=Phase.objects.get(pk=phase.pk), hours=1)
    assert analyses.analyse_version(version_id=version.pk).is_finished


def test_page_shows_its_tabs_at_once_and_asks_again_until_they_are_filled(version, client):
    address = reverse("leaderboards:current", args=["liver", "open"])
    html = client.get(address, {"view": "stability"}).content.decode()
    assert "Generating figure…" in html
    assert 'hx-trigger="load delay:2s"' in html
    analyses.analyse_version(version_id=version.pk)
    html = client.get(address, {"view": "stability"}).content.decode()
    assert "data-plot-src" in html
    assert "hx-trigger" not in html.split("<main")[1]


def test_every_file_of_an_analysis_can_be_read(version):
    analysis = analyses.analyse_version(version_id=version.pk)
    assert analysis.figures
    assert all(load_json(name)["data"] for drawn in analysis.figures.values() for name in drawn.values())
