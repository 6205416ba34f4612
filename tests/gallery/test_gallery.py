"""Published designs from the empty form to a verified bundle, in a browser.

Two of them are in the suite. ``python -m tests.gallery`` walks all of them.
"""

import os

import pytest

from evaluation import bundle
from evaluation.figures import publication
from executions.services import hosts
from reports.models import Report
from tests.e2e.helpers.browser import chromium, context, page, playwright, seen, tab
from tests.gallery import checking, files
from tests.gallery.browsing import Browser, workers
from tests.gallery.expected import OF_DESIGNS
from tests.gallery.walking import prepared, walked
from tests.integration.executions.conftest import broker_of_its_own, engine, private_files
from tests.integration.reports.conftest import plain_picture

__all__ = ["broker_of_its_own", "chromium", "context", "engine", "page", "playwright", "private_files", "seen", "tab"]
pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.django_db(transaction=True),
    pytest.mark.any_database("Values and ranks are computed again. Launch and scoring are tested on both databases."),
]
IN_THE_SUITE = ("midog_2025", "brats_2023")
CHOSEN = os.environ.get("PODIUM_GALLERY", " ".join(IN_THE_SUITE)).split()


@pytest.fixture
def large_engine(engine, settings):
    """Test engine on a machine that offers what every design registers, wherever the test runs."""
    settings.PODIUM_RUN_CPUS, settings.PODIUM_RUN_MEMORY_MIB = 16, 64 * 1024
    hosts.tell()
    return engine


@pytest.fixture
def browser(live_server, page, seen, tmp_path, monkeypatch):
    """Browser on a platform of this test, whose workers take turns with it."""
    with workers(monkeypatch) as own:
        yield Browser(page, live_server.url, own, tmp_path)
    seen.check(axe=False)


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("name", CHOSEN)
def test_a_published_design_ends_in_a_verified_bundle(
    name, browser, large_engine, tmp_path, monkeypatch, record_property
):
    monkeypatch.setattr(publication, "printed", plain_picture)
    document = prepared(files.document(name))
    phases, report = walked(document, tmp_path / "data", browser, large_engine, name=name)
    assert [own.phase.task.name for own in phases] == [task["task_name"] for task in document["tasks"]]
    total = 0
    for own in phases:
        compared = checking.compare(OF_DESIGNS[name](own.sample), own.ranking, own.sample.results)
        assert compared >= len(own.sample.assessment.metrics)
        total += compared
        file = tmp_path / f"{own.phase.pk}.zip"
        file.write_bytes(own.bundle)
        assert bundle.verify(file, digest=own.digest).same
    assert report.state == Report.State.DONE
    record_property("compared", total)
