"""A report is created exactly once per digest, for any requester, with progress, even if a worker dies."""

from datetime import timedelta

import pytest
from django.utils import timezone

from reports.models import Report
from reports.services import reports
from tests.integration.reports.conftest import asked, times_made


@pytest.mark.django_db
def test_a_second_worker_leaves_it_alone_and_progress_grows(built, monkeypatch):
    """The second one comes while the first is at it, which here means in between two steps of the first."""
    report, seen, others = asked(built), [], []
    assert asked(built).pk == report.pk
    build = reports.challenge_report.build

    def watched(facts, *, progress):
        def step(*words):
            progress(*words)
            seen.append(Report.objects.values_list("step", "steps", "doing").get(pk=report.pk))
            others.append(reports.make_report(report_id=report.pk))

        return build(facts, progress=step)

    monkeypatch.setattr(reports.challenge_report, "build", watched)
    assert reports.make_report(report_id=report.pk).is_done
    assert set(others) == {None}
    assert times_made(report) == 1
    steps = [step for step, _, _ in seen]
    assert steps == sorted(steps)
    assert all(step < total for step, total, _ in seen)
    assert len({doing for _, _, doing in seen}) > 5
    assert reports.make_report(report_id=report.pk) is None
    assert times_made(report) == 1


@pytest.mark.django_db
def test_a_worker_that_was_given_up_stores_nothing_over_its_successor(built, monkeypatch):
    built.challenge.teams.create(name="Zoe", slug="zoe")
    report, successor = asked(built), []
    build = reports.challenge_report.build

    def overtaken(facts, *, progress):
        if not successor:
            successor.append(None)
            past = timezone.now() - timedelta(seconds=1)
            Report.objects.filter(pk=report.pk).update(lease_until=past)
            successor[0] = reports.make_report(report_id=report.pk)
        return build(facts, progress=progress)

    monkeypatch.setattr(reports.challenge_report, "build", overtaken)
    assert reports.make_report(report_id=report.pk) is None
    assert successor[0].is_done
    assert times_made(report) == 1
    assert Report.objects.get(pk=report.pk).attempts == 2
