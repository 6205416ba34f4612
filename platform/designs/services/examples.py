"""The designs that come with the project: three from the literature, and those of the two example challenges."""

import json
from importlib import resources
from typing import Any

from django.db import transaction

from accounts.models import User
from designs.models import Design
from designs.services.designs import import_design

EXAMPLES = ("hippocampus", "nuclei", "msd", "robustmis", "fets")


def example_document(name: str) -> dict[str, Any]:
    """The document of an example design, as it is delivered."""
    text = resources.files("evaluation.designs.examples").joinpath(f"{name}.json").read_text(encoding="utf-8")
    document: dict[str, Any] = json.loads(text)
    return document


@transaction.atomic
def load_example_design(*, name: str, owner: User | None) -> tuple[Design, bool]:
    """Load an example design, public to read; returns it and whether it is new.

    Designs of the literature carry the mark of a legacy import: they were written for people, and their open points
    are part of the example.
    """
    slug = f"example-{name}"
    existing = Design.objects.filter(slug=slug).first()
    if existing is not None:
        return existing, False
    document = example_document(name)
    meta = document["meta"]
    design, problems = import_design(
        actor=owner,
        title=meta["title"].removesuffix(", design document as structured instance"),
        data=document,
        lenient=True,
        slug=slug,
        is_public=True,
        legacy_import=meta["status"] == "legacy_import",
        origin={**meta, "not_imported": []},
    )
    if problems:
        design.origin["not_imported"] = problems
        design.save(update_fields=["origin"])
    return design, True
