"""Many simultaneous requests and workers, on a database that supports them.

The tests have a separate file with separate rows.
"""

from concurrent.futures import ThreadPoolExecutor
from unittest import mock

import pytest
from django.db import connection

from evaluation.figures import publication
from reports.models import Report
from reports.services import reports as services
from tests.integration.leaderboards import world
from tests.integration.reports.conftest import asked, plain_picture, times_made, with_summaries

pytestmark = [
    pytest.mark.services,
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor == "sqlite", reason="SQLite takes one writer at a time"),
]


def test_many_clicks_and_workers_at_once_make_one_report():
    with mock.patch.object(publication, "printed", plain_picture):
        built = with_summaries(world.build(ranked=("revealed",)))

        def in_a_thread(act):
            try:
                return act()
            finally:
                connection.close()

        with ThreadPoolExecutor(4) as pool:
            reports = {report.pk for report in pool.map(in_a_thread, [lambda: asked(built)] * 6)}
            assert len(reports) == Report.objects.count() == 1
            pk = reports.pop()
            done = list(pool.map(in_a_thread, [lambda: services.make_report(report_id=pk)] * 4))
        report = Report.objects.get(pk=pk)
        assert report.is_done
        assert sum(made is not None for made in done) == 1
        assert (report.attempts, times_made(report)) == (1, 1)
