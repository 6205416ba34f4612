"""Published designs on the way to a verified bundle: two in the suite, all of them by ``python -m tests.gallery``."""

import os

import pytest

from evaluation import bundle
from evaluation.figures import publication
from reports.models import Report
from tests.gallery import checking, files
from tests.gallery.expected import OF_DESIGNS
from tests.gallery.walking import walked
from tests.integration.executions.conftest import broker_of_its_own, engine, nobody_listens, private_files
from tests.integration.reports.conftest import plain_picture

__all__ = ["broker_of_its_own", "engine", "nobody_listens", "private_files"]
pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.any_database("Values and ranks are computed again. Launch and scoring are tested on both databases."),
]
IN_THE_SUITE = ("midog_2025", "brats_2023")
CHOSEN = os.environ.get("PODIUM_GALLERY", " ".join(IN_THE_SUITE)).split()


@pytest.mark.timeout(1200)
@pytest.mark.parametrize("name", CHOSEN)
def test_a_published_design_ends_in_a_verified_bundle(name, engine, tmp_path, monkeypatch):
    monkeypatch.setattr(publication, "printed", plain_picture)
    document = files.document(name)
    phases, report = walked(document, tmp_path / "data", engine, slug=name)
    assert [own.phase.task.name for own in phases] == [task["task_name"] for task in document["tasks"]]
    for own in phases:
        compared = checking.compare(OF_DESIGNS[name](own.sample), own.ranking, own.sample.results)
        assert compared >= len(own.sample.assessment.metrics)
        file = tmp_path / f"{own.phase.pk}.zip"
        file.write_bytes(own.bundle)
        assert bundle.verify(file, digest=own.digest).same
    assert report.state == Report.State.DONE
