"""The structured challenge design on the platform: forms, versions, and saving of what `evaluation.designs` decides."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from designs.models import DesignVersion


def compile_assessment(version: "DesignVersion", task: str) -> dict[str, Any]:
    """Return the assessment document (contract, section 2) of a task of a version.

    Parameters
    ----------
    task
        Key of the task.

    Raises
    ------
    NotCompilableError
        Names every parameter that is missing or unclear.
    KeyError
        When the version has no such task.
    """
    from designs.queries import document_of_version  # models are ready only after the apps are loaded
    from evaluation.designs.compilation import compile_values

    return compile_values(document_of_version(version).values(task)).document
