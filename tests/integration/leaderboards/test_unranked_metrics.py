"""Registered metrics that no ranking uses: shown without a rank on leaderboard, file, API and in the bundle."""

import csv
import io

import pytest
from django.test import Client
from django.urls import reverse

from evaluation import bundle
from evaluation.assessment import parse
from leaderboards.models import RankingVersion
from tests.integration.leaderboards import examples, world

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.any_database("Metrics are columns of result files. `test_pages.py` reads rankings on both databases."),
]
DOCUMENT = parse(
    {**examples.ASSESSMENT, "ranking": {"scheme": "aggregate_then_rank", "metrics": ["dsc"], "combine": None}}
).document
KEY = "hausdorff_percentile/whole"


@pytest.fixture
def version(monkeypatch):
    monkeypatch.setattr(examples, "ASSESSMENT", DOCUMENT)
    built = world.build(ranked=("revealed",))
    return RankingVersion.objects.get(phase=built.phases["revealed"])


def page(name, *arguments):
    return Client().get(reverse(f"leaderboards:{name}", args=["liver", "revealed", *arguments]))


def test_the_board_has_a_column_that_says_without_rank(version):
    text = page("current").content.decode()
    assert "HD95" in text
    assert "without rank" in text
    assert [order["metric"] for order in version.table["orders"]] == ["dsc"]
    (entry,) = version.table["reported"]
    assert all(low < value < high for low, value, high in zip(entry["low"], entry["value"], entry["high"], strict=True))


def test_file_and_interface_have_the_same_values(version):
    rows = list(csv.DictReader(io.StringIO(page("table_csv", version.number).content.decode())))
    found = page("table_json", version.number).json()
    assert [entry["key"] for entry in found["reported"]] == [KEY]
    for row in rows:
        (team,) = [team for team in found["teams"] if team["team"] == row["team"]]
        assert float(row[f"without rank:{KEY}:value"]) == team["reported"][KEY]["value"]
        assert team["reported"][KEY]["cases_with_value"] == 10
    address = reverse("api:ranking", args=["liver", "revealed"])
    assert Client().get(address).json()["reported"] == found["reported"]


def test_the_bundle_recomputes_it(version, tmp_path):
    file = tmp_path / "bundle.zip"
    file.write_bytes(b"".join(page("bundle", version.number).streaming_content))
    assert bundle.verify(file, digest=version.digest).same
