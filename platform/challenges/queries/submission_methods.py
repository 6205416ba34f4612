"""Registered submission methods of a phase: which of them the platform accepts."""

from functools import lru_cache
from typing import Final

from challenges.models import Phase
from challenges.queries.projections import projection_of, registered_document
from evaluation.designs.catalogue import shipped
from evaluation.wording import joined
from registry.models import RegistrationVersion

BY_UPLOAD: Final = frozenset({"send_output", "api", "evaluation_platform"})
"""Submission methods with which teams submit predictions to the platform."""


def only_other_methods(phase: Phase) -> tuple[str, ...]:
    """Return the labels of the registered submission methods if none submits anything to the platform.

    The result is empty for a phase that accepts predictions or runs algorithms, or whose design names no
    method. A method that the organizers describe in their own text has no effect.
    """
    if phase.algorithms or not phase.task.design_key:
        return ()
    projection = projection_of(phase.challenge)
    if projection is None:
        return ()
    return _other_methods(projection.version_id, projection.digest, phase.task.design_key)


def refusal_of_uploads(phase: Phase) -> str:
    """Return why a phase accepts no uploads by what its design registers; empty if it accepts them."""
    methods = only_other_methods(phase)
    if not methods:
        return ""
    return (
        f"{phase.name} accepts no uploads: its design registers {joined([f'“{label}”' for label in methods])} only, which "
        "this platform does not run. The organizers import the results as tables."
    )


@lru_cache(maxsize=256)
def _other_methods(version: int, digest: str, task: str) -> tuple[str, ...]:  # noqa: ARG001 (the digest is part of the key)
    document = registered_document(RegistrationVersion.objects.get(pk=version))
    methods = document.values(task).get("submission_method") or ()
    if not methods or any(not isinstance(method, str) or method in BY_UPLOAD for method in methods):
        return ()
    return tuple(shipped()["submission_method"].label_of(method) for method in methods)
