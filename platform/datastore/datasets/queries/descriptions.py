"""Facts of data sets for descriptions in published vocabularies, as a visitor may see them."""

from collections.abc import Iterable
from typing import Any

from django.conf import settings
from django.urls import reverse

from challenges.models import Challenge
from challenges.queries.projections import projection_of, public_document
from datastore.datasets.models import Dataset
from datastore.datasets.queries.datasets import Offer
from evaluation.designs.document import Values
from evaluation.metadata import DataFile, DataSet, Person, dataset
from evaluation.metadata.facts import people_of
from web.addresses import absolute


def data_set_of(challenge: Challenge, offer: Offer) -> DataSet | None:
    """Return the facts of the current version of a data set; ``None`` if there is none that may be used.

    Offers contain only what their reader may see: a version that names teams without their consent is not among them.
    """
    version = offer.current
    if version is None or version.released_at is None:
        return None
    values, people = _design(challenge, offer.dataset)
    return DataSet(
        name=f"{challenge.title}: {offer.dataset.name}",
        description=offer.dataset.description or challenge.summary,
        address=absolute(reverse("datasets:data", args=[challenge.slug])),
        version=str(version.number),
        released=version.released_at.date().isoformat(),
        licence=offer.dataset.licence,
        publisher=settings.PODIUM_PUBLISHER,
        people=people,
        files=tuple(
            DataFile(file.name, file.size, file.sha256, description=f"Part of version {version.number}")
            for file in offer.files
            if file.sha256
        ),
        citation=offer.dataset.citation,
        is_free=offer.dataset.access == Dataset.Access.OPEN,
        keywords=tuple(values.get("challenge_keywords") or ()) if values is not None else (),
        design=values,
    )


def described(challenge: Challenge, offers: Iterable[Offer]) -> list[dict[str, Any]]:
    """Return the data sets of a page as schema.org."""
    facts = (data_set_of(challenge, offer) for offer in offers)
    return [dataset(data) for data in facts if data is not None]


def _design(challenge: Challenge, data: Dataset) -> tuple[Values | None, tuple[Person, ...]]:
    """Public values of the task that the data belong to, if it is clear which one that is, and the organizing team."""
    projection = projection_of(challenge)
    if projection is None:
        return None, ()
    tasks = list(public_document(projection.version).each_task())
    if not tasks:
        return None, ()
    fitting = tasks if len(tasks) == 1 else [task for task in tasks if data.task and task.name == data.task.name]
    return (fitting[0] if len(fitting) == 1 else None), people_of(tasks[0])
