"""Contributions of this app to the apps above it, connected when the app is ready."""

from collections.abc import Iterator

from django.urls import reverse

from challenges import hooks as challenges_hooks
from challenges.hooks import DataAccess, Step
from challenges.models import Challenge
from datastore.datasets.models import DatasetFile
from datastore.datasets.queries import catalogue
from datastore.uploads import hooks as uploads_hooks
from datastore.uploads.hooks import StoredFile
from datastore.uploads.services.proving import has_digest


def register() -> None:
    """Connect the contributions of this app."""
    challenges_hooks.register_tab("Data", "datasets:data", order=5)
    challenges_hooks.data_access.register(
        DataAccess(catalogue.CHOICES, condition=catalogue.condition, values=catalogue.values)
    )
    challenges_hooks.steps.register(steps)
    uploads_hooks.stored_files.register(stored)


# --- Step of the checklist of organizers ------------------------------------------------------------------------------
def steps(challenge: Challenge) -> list[Step]:
    """Return whether participants can get data."""
    access = catalogue.values([challenge.pk]).get(challenge.pk, [])
    return [
        Step(
            "Data for participants",
            is_done=bool(access),
            order=30,
            note=", ".join(dict(catalogue.CHOICES)[value] for value in access) or "No data listed yet.",
            act="Add data",
            address=reverse("datasets:data", args=[challenge.slug]),
        )
    ]


# --- Hosted files, as the verification of the storage reads them ------------------------------------------------------
def stored() -> Iterator[StoredFile]:
    """Every file of every version that has a digest already; one that is still being read has none to compare with."""
    for pk, name, digest in DatasetFile.objects.order_by("pk").values_list("pk", "stored", "sha256").iterator():
        yield StoredFile(name, f"hosted file number {pk}", has_digest(name, digest) if digest else None)
