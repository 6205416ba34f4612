"""Figures and comparisons follow a ranking: step by step, behind every ranking that waits, and never lost."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from leaderboards.domain import files
from leaderboards.models import Analysis, RankingRequest, RankingVersion
from leaderboards.queries.work import ANALYSES
from leaderboards.services import analyses, rankings
from tests.integration.leaderboards import world
from work.services import UNEXPECTED, claim, sweep_kind

pytestmark = pytest.mark.django_db

PAST = timedelta(hours=1)


@pytest.fixture
def version(scored):
    """Ranked, and nothing drawn yet."""
    rankings.request_ranking(scored.pk)
    return rankings.rank_phase(phase_id=scored.pk)


def test_ranking_is_complete_before_anything_is_drawn(version):
    assert version.sentences["overall"][0].startswith("Ada")
    assert (version.analysis.figures, version.analysis.is_finished) == ({}, False)


def test_drawing_changes_nothing_of_what_was_published(version):
    before = RankingVersion.objects.filter(pk=version.pk).values().get()
    analyses.analyse_version(version_id=version.pk)
    assert RankingVersion.objects.filter(pk=version.pk).values().get() == before
    assert Analysis.objects.get().done == len(analyses.STEPS)


def test_ranking_that_waits_goes_first_and_the_rest_is_drawn_after_it(version, unranked, monkeypatch):
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


def test_sweep_hands_out_what_was_lost_and_the_overtaken_only_when_nothing_else_is_left(version, unranked, jobs):
    assert sweep_kind(ANALYSES) == 0, "its job has only just been sent"
    phase = unranked.phases["open"]
    world.scored_run(phase, unranked.teams["Ben"], unranked.people["other"], level=0.95)
    rankings.request_ranking(phase.pk)
    later = rankings.rank_phase(phase_id=phase.pk)
    Analysis.objects.update(asked_at=timezone.now() - PAST)
    sweep_kind(ANALYSES)
    assert jobs == [("leaderboards.tasks.analyse_version", [later.pk])]
    analyses.analyse_version(version_id=later.pk)
    jobs.clear()
    sweep_kind(ANALYSES)
    assert jobs == [("leaderboards.tasks.analyse_version", [version.pk])]


def test_page_shows_its_tabs_at_once_and_asks_again_until_they_are_filled(version, client):
    address = reverse("leaderboards:current", args=["liver", "open"])
    html = client.get(address, {"view": "stability"}).content.decode()
    assert "The figure appears here as soon as it is made." in html
    assert 'hx-trigger="load delay:2s"' in html
    analyses.analyse_version(version_id=version.pk)
    html = client.get(address, {"view": "stability"}).content.decode()
    assert "data-plot-src" in html
    assert "hx-trigger" not in html.split("<main")[1]


def test_every_file_of_an_analysis_can_be_read(version):
    analysis = analyses.analyse_version(version_id=version.pk)
    assert analysis.figures
    assert all(files.load(name)["data"] for drawn in analysis.figures.values() for name in drawn.values())
