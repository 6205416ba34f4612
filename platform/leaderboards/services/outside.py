"""Which values of a ranking Podium did not compute itself, as everything that shows or exports the ranking says it."""

from collections.abc import Iterable, Mapping
from typing import Any, Final
from uuid import UUID

from submissions.models import Run

KEY: Final = "measured_outside"
"""Of the inputs of a version, of its bundle, and of what programs read of it."""


def measured_outside(runs: Iterable[Run], names: Mapping[UUID, str]) -> list[dict[str, Any]]:
    """The sealed versions of tables that results are from, the latest first, each with what stands for its teams."""
    found: dict[int, dict[str, Any]] = {}
    for run in runs:
        if facts := run.provenance.get(KEY):
            found.setdefault(facts["version"], {**facts, "teams": []})["teams"].append(names[run.pk])
    return [{**entry, "teams": sorted(entry["teams"])} for _, entry in sorted(found.items(), reverse=True)]


def scoring_images(runs: Iterable[Run]) -> list[dict[str, Any]]:
    """The scoring images of the organizers that results are from, each with the digest of the trial that it passed."""
    names = ("image", "interface", "metrics", "self_test", "tried_at")
    found = [run.provenance["scorer"] for run in runs if run.provenance.get("scorer")]
    distinct = {(own["image"], own["self_test"]): {name: own.get(name) for name in names} for own in found}
    return [entry for _, entry in sorted(distinct.items())]
