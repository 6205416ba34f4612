"""Reports of a challenge that ranks run costs: quality against cost is public.

Only organizers see the costs of single cases.
"""

import json
from datetime import timedelta
from unittest import mock

import pytest
from django.conf import settings
from django.db import transaction
from django.test import override_settings

from challenges.models import Phase
from evaluation.figures import publication
from reports.exposure.queries.facts import Audience
from reports.services import storing
from tests.integration.leaderboards import costs_world
from tests.integration.leaderboards.conftest import storage_folder, storages_in, surroundings  # noqa: F401 (fixtures)
from tests.integration.leaderboards.costs_world import tells_a_cost
from tests.integration.reports.conftest import made, made_for_team, plain_picture

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.any_database(
        "Visibility of values in stored files. `test_permissions.py` reads reports on both databases."
    ),
]


@pytest.fixture(scope="module")
def world(django_db_setup, django_db_blocker, storage_folder):  # noqa: F811 (a fixture)
    """One world for all tests of this file; what a test changes is rolled back behind it."""
    with (
        override_settings(STORAGES=settings.STORAGES | storages_in(storage_folder)),
        django_db_blocker.unblock(),
        transaction.atomic(),
        mock.patch("reports.queries.work.REPORTS.lease", timedelta(hours=1)),
    ):
        yield costs_world.build()
        transaction.set_rollback(True)


@pytest.fixture
def drawn(monkeypatch):
    """All rendered figures, as they are passed to the printer."""
    figures = []

    def kept(figure, **options):
        figures.append(json.dumps(figure))
        return plain_picture(figure, **options)

    monkeypatch.setattr(publication, "printed", kept)
    return figures


def everything(report, drawn) -> str:
    return "\n".join([json.dumps(storing.read_content(report.content_name), ensure_ascii=False), *drawn])


def test_organizers_read_what_single_cases_took(world, drawn):
    report = made(world.people["organizer"], world.challenge)

    assert report.failure == ""
    assert tells_a_cost(everything(report, drawn))


def test_the_report_for_everybody_has_quality_against_cost_and_no_single_case_of_a_cost(world, drawn):
    report = made(world.people["organizer"], world.challenge, Audience.PUBLIC)
    text = everything(report, drawn)

    assert report.failure == ""
    assert not tells_a_cost(text)
    assert "Mean of Wall time (s), cheaper to the left" in text
    assert "The values of Wall time were measured while the algorithms ran" in text
    assert "Costs of single cases (Wall time) are not shown" in text
    assert "Groups of cases are not shown either" in text
    assert "case-0" in text


def test_with_the_references_open_the_report_for_everybody_tells_it(world, drawn):
    with transaction.atomic():
        Phase.objects.filter(pk=world.phases["revealed"].pk).update(reveals_cases=True)
        report = made(world.people["organizer"], world.challenge, Audience.PUBLIC)
        told = tells_a_cost(everything(report, drawn))
        transaction.set_rollback(True)

    assert told


@pytest.mark.parametrize("phase", ["open", "revealed"])
def test_the_report_of_a_team_tells_its_worst_cases_by_quality_alone(world, drawn, phase):
    report = made_for_team(world.people["member"], world.phases[phase], world.teams["Ada"])
    text = everything(report, drawn)

    assert report.failure == ""
    assert "Worst cases by" in text
    assert not tells_a_cost(text)


def test_the_report_of_a_team_tells_what_its_cases_took_once_the_references_are_open(world, drawn):
    with transaction.atomic():
        Phase.objects.filter(pk=world.phases["revealed"].pk).update(reveals_cases=True)
        report = made_for_team(world.people["member"], world.phases["revealed"], world.teams["Ada"])
        told = tells_a_cost(everything(report, drawn))
        transaction.set_rollback(True)

    assert told
