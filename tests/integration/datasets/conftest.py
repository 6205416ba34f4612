"""The world of the submissions' tests with an agreement and one hosted data set."""

import os

import pytest

from challenges.services.participation import set_terms, take_part
from datastore.datasets.services import hosting, offering
from tests.integration.submissions.conftest import (
    broker_of_its_own,
    nobody_listens,
    private_files,
    workers,
    world,
)

__all__ = ["broker_of_its_own", "nobody_listens", "private_files", "workers", "world"]
AGREEMENT = "The images are used for this challenge only."


def hosted(world, path, *, name="Training images", **fields):
    """Release one file as version 1 of a data set."""
    dataset = offering.offer_dataset(
        actor=world.organizer,
        challenge=world.challenge,
        name=name,
        split="training",
        **{"licence": "CC BY 4.0", **fields},
    )
    version = dataset.versions.get()
    hosting.host_file(actor=world.organizer, version=version, path=path)
    return offering.release_version(actor=world.organizer, version=version)


def agree(world, person):
    """Join the challenge under the current agreement."""
    return take_part(
        user=person,
        challenge=world.challenge,
        terms=world.challenge.terms.order_by("-version").first(),
        affiliation="Here",
    )


@pytest.fixture
def content():
    """Bytes that nothing can compress or repeat by chance."""
    return os.urandom(3_000_000)


@pytest.fixture
def released(world, workers, tmp_path, content):
    """Version 1 of a data set that asks for the agreement; Ada has agreed to it, Bo has not."""
    set_terms(
        actor=world.organizer, challenge=world.challenge, agreement=AGREEMENT, requires_approval=False, team_size=None
    )
    path = tmp_path / "images.zip"
    path.write_bytes(content)
    version = hosted(world, path)
    agree(world, world.ada)
    return version
