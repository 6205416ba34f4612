"""The challenge page shows the data locations registered in the design."""

import pytest
from django.test import Client
from django.urls import reverse

from challenges.services import launch
from tests.integration.challenges import world

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.any_database("Locations are part of the registered document, which no query compares."),
]
WORDS = {"training": "Training", "validation": "Validation", "test": "Test", "other": "Other"}


@pytest.mark.parametrize("split", WORDS)
def test_where_the_data_are_stands_with_the_challenge_as_registered(split):
    rows = [
        {"split": split, "place": "linked", "url": "https://example.org/images", "size": "27 GB", "licence": "CC BY 4.0"},
        {"split": split, "place": "not_released"},
        {"split": split, "place": "linked", "url": "http://example.org/without-encryption"},
    ]  # fmt: skip
    made = world.registered(data_locations=rows)
    challenge = launch(actor=made.owner, registration=made.registration)
    page = Client().get(reverse("datasets:data", args=[challenge.slug])).content.decode()
    assert WORDS[split] in page
    assert "https://example.org/images" in page
    assert "27 GB" in page
    assert "Not given to participants" in page
    assert "http://example.org/without-encryption" not in page


def test_each_split_has_a_place_or_is_not_listed():
    rows = [
        {"split": "training", "place": "linked", "url": "https://example.org/training"},
        {"split": "test", "place": "not_released"},
    ]
    made = world.registered(data_locations=rows)
    challenge = launch(actor=made.owner, registration=made.registration)
    page = Client().get(reverse("datasets:data", args=[challenge.slug])).content.decode()
    listed = page.partition('id="splits"')[2].partition("</section>")[0]
    cells = dict(zip(("training", "validation", "test"), listed.split("<dd>")[1:], strict=True))
    assert "https://example.org/training" in cells["training"]
    assert "Not listed." in cells["validation"]
    assert reverse("challenges:contact", args=[challenge.slug]) in cells["validation"]
    assert "Not given to participants" in cells["test"]
