import io
from datetime import timedelta
from unittest import mock

import pytest
from django.conf import settings as django_settings
from django.db import transaction
from django.test import override_settings
from PIL import Image

from core.audit.models import Entry
from datastore.test_sets.models import TestCase
from evaluation.aggregation.summary import summarize
from evaluation.figures import publication
from reports.exposure.queries.facts import Audience
from reports.models import Report
from reports.services import reports
from submissions.models import Run
from submissions.queries import results_frame
from tests.integration.leaderboards import world
from tests.integration.leaderboards.conftest import storage_folder, storages_in, surroundings  # noqa: F401 (fixtures)


def plain_picture(figure, *, description="", dpi=300):
    """A picture without the drawing, which is tested on its own: it names what it would have shown."""
    return publication.Printed(
        svg=f'<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><desc>{len(description)}</desc></svg>'.encode(),
        png=PIXEL,
    )


def _pixel() -> bytes:
    stream = io.BytesIO()
    Image.new("RGB", (4, 3), "white").save(stream, "PNG")
    return stream.getvalue()


PIXEL = _pixel()


def untypeset(_blocks, *, title, ending, figures=None) -> bytes:
    """Return a document without content: typesetting takes a second or more in a separate process."""
    return b"%PDF" if ending == "pdf" else b"PK"


UNTYPESET = "reports.services.exports.set_document"
"""The name to replace by `untypeset` where no test reads the PDF or the Word file of a report."""


@pytest.fixture(scope="module")
def built(django_db_setup, django_db_blocker, storage_folder):  # noqa: F811 (a fixture)
    """A world with its reports, for all tests of a file: for organizers, for the public, and one for each team."""
    with (
        override_settings(STORAGES=django_settings.STORAGES | storages_in(storage_folder)),
        django_db_blocker.unblock(),
        transaction.atomic(),
        mock.patch.object(publication, "printed", plain_picture),
        # On a slow machine a lease would be renewed in between, from a thread that waits for this transaction.
        mock.patch("reports.queries.work.REPORTS.lease", timedelta(hours=1)),
    ):
        yield with_characteristics(with_summaries(world.build()))
        transaction.set_rollback(True)


def with_summaries(built: world.World) -> world.World:
    """Give runs the summary that scoring leaves with them."""
    for run in Run.objects.select_related("submission__phase", "submission__team"):
        run.summary = summarize(run.submission.phase.assessment, results_frame(run))
        run.save()
    return built


def with_characteristics(built: world.World) -> world.World:
    """Give the cases of the phase that has closed a size, which grows with their number."""
    for place, case in enumerate(TestCase.objects.filter(test_set__phase=built.phases["revealed"]).order_by("name")):
        case.metadata = {"tumour_size": place * 1.5}
        case.save()
    return built


def made(actor, challenge, audience=Audience.ORGANIZERS) -> Report:
    """Request and create a report of a challenge."""
    report = reports.request_report(actor=actor, challenge=challenge, audience=audience)
    return reports.make_report(report_id=report.pk) or Report.objects.get(pk=report.pk)


def made_for_team(actor, phase, team) -> Report:
    """Request and create a report of a team."""
    report = reports.request_team_report(actor=actor, phase=phase, of=team)
    return reports.make_report(report_id=report.pk) or Report.objects.get(pk=report.pk)


def asked(built: world.World) -> Report:
    """Request the report of a challenge for its organizers."""
    return reports.request_report(
        actor=built.people["organizer"], challenge=built.challenge, audience=Audience.ORGANIZERS
    )


def times_made(report: Report) -> int:
    """Return the number of log entries about the creation of the report."""
    return Entry.objects.filter(act="report_made", subject_id=str(report.pk)).count()
