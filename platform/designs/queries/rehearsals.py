"""Rehearsals of designs: the one of a document, and the reason why it prevents a step."""

from collections.abc import Callable
from typing import Any

from designs.models import Design, Rehearsal, SampleRehearsal
from designs.queries import texts
from evaluation.canonical import sha256
from evaluation.designs.catalogue import shipped
from evaluation.designs.document import Document, to_json


def digest_of(document: Document) -> str:
    """Return the SHA-256 of a document, equal to that of a version with the same content."""
    return sha256(to_json(document, catalogue=shipped()))


def rehearsal_of(design: Design, digest: str) -> Rehearsal | None:
    """Return the newest rehearsal of a document that ended with an outcome, else the newest one.

    The result is None if the document was never rehearsed.
    """
    of_document = Rehearsal.objects.filter(design=design, digest=digest)
    return of_document.filter(state=Rehearsal.State.DONE).first() or of_document.first()


def obstacles_of(rehearsal: Rehearsal) -> list[str]:
    """Return the problems that a finished rehearsal found, as text."""
    result = rehearsal.result or {}
    obstacles = [
        *result.get("obstacles", ()),
        *(each for task in result.get("tasks", ()) for each in task["obstacles"]),
    ]
    return [obstacle["message"] for obstacle in obstacles]


def failed_rehearsal(design: Design, digest: str) -> Rehearsal | None:
    """Return the rehearsal of a document if it found a problem, else None."""
    rehearsal = rehearsal_of(design, digest)
    return rehearsal if rehearsal is not None and rehearsal.has_failed else None


def shown_tasks(rehearsal: Rehearsal, address: Callable[[str, str], str] | None = None) -> list[dict[str, Any]]:
    """Return the outcome of each task for a page, with boards by ranking and the labels of the fields to change.

    Parameters
    ----------
    address
        Returns the address of a field by its parameter and the key of the task; without it, fields have no links.
    """
    result = rehearsal.result or {}
    phases = result.get("phases", {}).get("by_task", {})
    return [_shown(task, address) | {"phases": phases.get(task["key"], [])} for task in result.get("tasks", ())]


def shown_sample(rehearsal: SampleRehearsal, address: Callable[[str, str], str] | None = None) -> list[dict[str, Any]]:
    """Return the outcome of a rehearsal with own files as a list of one task, as `shown_tasks` does."""
    return [_shown(rehearsal.result, address)] if rehearsal.result else []


def _shown(task: dict[str, Any], address: Callable[[str, str], str] | None) -> dict[str, Any]:
    catalogue = texts.catalogue()
    boards: dict[str, list[dict[str, Any]]] = {}
    for standing in task["board"]:
        boards.setdefault(standing["ranking"], []).append(standing)
    obstacles = []
    for obstacle in task["obstacles"]:
        parameter = obstacle["parameter"]
        is_known = parameter in catalogue.parameters
        label = catalogue[parameter].label if is_known else ""
        link = address(parameter, task["key"]) if address is not None and is_known else ""
        obstacles.append(obstacle | {"label": label, "url": link})
    return task | {"boards": list(boards.items()), "obstacles": obstacles}
