"""A downloaded bundle proves the ranking on another machine."""

import zipfile

import pytest
from django.test import Client
from django.urls import reverse

from evaluation import bundle
from evaluation.bundle import result_digest
from evaluation.cli import main
from leaderboards.models import RankingVersion
from submissions.queries import results_frame
from tests.integration.leaderboards import examples, world

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.any_database(
        "Bundles are files of one stored ranking. `test_pages.py` reads rankings on both databases."
    ),
]


@pytest.fixture
def built():
    return world.build(teams=("Ada", "Ben", "Cleo"), ranked=("open", "revealed"))


@pytest.fixture
def downloaded(built, tmp_path):
    response = Client().get(reverse("leaderboards:bundle", args=["liver", "revealed", 1]))
    file = tmp_path / "bundle.zip"
    file.write_bytes(b"".join(response.streaming_content))
    return file


def test_downloaded_bundle_gives_the_published_digest(built, downloaded):
    version = RankingVersion.objects.get(phase=built.phases["revealed"])
    verdict = bundle.verify(downloaded, digest=version.digest)
    assert (verdict.same, verdict.recomputed) == (True, version.digest)


def test_command_line_agrees(built, downloaded, capsys):
    digest = RankingVersion.objects.get(phase=built.phases["revealed"]).digest
    assert main(["verify", str(downloaded), "--digest", digest]) == 0
    assert "This is the published ranking" in capsys.readouterr().out


def test_bundle_names_the_log_entry_of_the_ranking(built, downloaded):
    assert [place for place in bundle.verify(downloaded).places if "audit" in place] == []


def test_both_sides_digest_results_alike(built):
    run = built.phases["open"].submissions.first().runs.get()
    assert result_digest(results_frame(run)) == run.result_digest


def test_results_table_that_is_downloaded_ranks_to_the_published_ranking(built, tmp_path):
    from evaluation import ranking
    from evaluation.scoring import read_results

    response = Client().get(reverse("leaderboards:results_csv", args=["liver", "revealed", 1]))
    file = tmp_path / "results.csv"
    file.write_bytes(b"".join(response.streaming_content))
    document = ranking.rank(examples.assessment(), read_results(file))
    assert ranking.digest(document) == RankingVersion.objects.get(phase=built.phases["revealed"]).digest


def test_ranking_by_case_metadata_is_kept_with_it(built, tmp_path):
    phase = built.phases["revealed"]
    document = examples.ASSESSMENT | {"aggregation": {"levels": ["case", "patient"], "operator": "mean"}}
    phase.assessment_document = document
    phase.assessment_digest = "changed"
    phase.save()
    for case in phase.test_sets.get().cases.all():
        case.metadata = {"patient": case.position // 2, "age": 50 + case.position}
        case.save()
    world.rank(phase)
    version = RankingVersion.objects.get(phase=phase, number=2)
    phase.test_sets.get().cases.update(metadata={})
    response = Client().get(reverse("leaderboards:bundle", args=["liver", "revealed", 2]))
    file = tmp_path / "bundle.zip"
    file.write_bytes(b"".join(response.streaming_content))
    assert bundle.verify(file, digest=version.digest).same
    with zipfile.ZipFile(file) as archive:
        assert archive.read("cases.csv").startswith(b"case,patient\n")
