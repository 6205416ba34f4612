"""The structured challenge design: catalogue, document, checks, versions, and the compiled assessment."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from designs.models import DesignVersion


def compile_assessment(version: "DesignVersion", task: str) -> dict[str, Any]:
    """Return the assessment document of a task (its key) of a version; see `designs.compilation`."""
    from designs.compilation import compile_assessment as compiled  # models are ready only after the apps are loaded

    return compiled(version, task)
