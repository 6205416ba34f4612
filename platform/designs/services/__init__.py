"""Acts on designs: one transaction each, each with its audit entry."""

from designs.services.designs import (
    add_task,
    create_design,
    duplicate_design,
    import_design,
    import_registration,
    remove_task,
)
from designs.services.embargoes import open_embargo
from designs.services.fields import Conflict, Saved, save_field
from designs.services.people import change_role, remove_collaborator
from designs.services.talk import (
    answer_check,
    override_text,
    remove_text_override,
)
from designs.services.versions import freeze_version

__all__ = [
    "Conflict",
    "Saved",
    "add_task",
    "answer_check",
    "change_role",
    "create_design",
    "duplicate_design",
    "freeze_version",
    "import_design",
    "import_registration",
    "open_embargo",
    "override_text",
    "remove_collaborator",
    "remove_task",
    "remove_text_override",
    "save_field",
]
