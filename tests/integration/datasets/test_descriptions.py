"""Descriptions of data: for readers of the page, of the current version alone, with digests and without addresses of files."""

import json
import re

import pytest
from django.test import Client

from challenges.services.participation import set_terms
from datastore.datasets.services import offering
from tests.integration.datasets.conftest import AGREEMENT, hosted

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.any_database(
        "Descriptions are computed from one data set. `test_getting.py` reads data sets on both databases."
    ),
]
PAGE = "/challenges/blocks/data/"


def blocks(response):
    text = response.content.decode()
    return [json.loads(block) for block in re.findall(r'<script type="application/ld\+json">(.*?)</script>', text)]


@pytest.fixture
def version(world, tmp_path, content):
    path = tmp_path / "training images.zip"
    path.write_bytes(content[:1000])
    set_terms(
        actor=world.organizer,
        challenge=world.challenge,
        agreement=AGREEMENT,
        requires_approval=False,
        team_size=None,
    )
    return hosted(world, path, name="Training </script> images", licence="CC BY-SA 4.0")


def test_a_released_version_is_described_in_three_vocabularies(world, workers, version):
    file = version.files.get()
    for form in ("croissant", "schema-org", "datacite"):
        response = Client().get(f"{PAGE}{version.dataset.slug}/{form}.json")
        assert response.status_code == 200
        text = json.dumps(response.json())
        assert "CC BY-SA 4.0" in text or "licenses/by-sa/4.0" in text
    croissant = Client().get(f"{PAGE}{version.dataset.slug}/croissant.json").json()
    assert croissant["conformsTo"] == "http://mlcommons.org/croissant/1.1"
    [entry] = croissant["distribution"]
    assert (entry["sha256"], entry["contentSize"]) == (file.sha256, f"{file.size} B")
    # The files need an agreement: the description leads to the page and to no file.
    assert entry["contentUrl"].endswith(PAGE)
    assert Client().get(f"{PAGE}{version.dataset.slug}/other.json").status_code == 404


def test_the_page_holds_a_data_block_that_no_name_can_end(world, workers, version):
    [block] = blocks(Client().get(PAGE))
    assert block["@type"] == "Dataset"
    assert "</script>" in block["name"]
    assert block["isAccessibleForFree"] is False


def test_a_withdrawn_version_is_described_no_more(world, workers, version):
    offering.withdraw_version(actor=world.organizer, version=version, reason="a wrong label")
    assert Client().get(f"{PAGE}{version.dataset.slug}/croissant.json").status_code == 404
    assert blocks(Client().get(PAGE)) == []


def test_a_hidden_challenge_describes_nothing_to_strangers(world, workers, version):
    world.challenge.is_public = False
    world.challenge.save()
    assert Client().get(f"{PAGE}{version.dataset.slug}/croissant.json").status_code == 404


def test_the_page_of_a_challenge_is_an_event(world):
    [block] = blocks(Client().get("/challenges/blocks/"))
    assert block["@type"] == "Event"
    assert block["name"] == world.challenge.title
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", block["startDate"])
