from designs.models.designs import Collaborator, Design, DesignTask, TaskAnswers
from designs.models.fields import FieldChange, FieldValue
from designs.models.findings import LinkAnswer, Scan, Simulation
from designs.models.talk import CheckAnswer, TextOverride
from designs.models.versions import DesignVersion, OpenedEmbargo

__all__ = [
    "CheckAnswer",
    "Collaborator",
    "Design",
    "DesignTask",
    "DesignVersion",
    "FieldChange",
    "FieldValue",
    "LinkAnswer",
    "OpenedEmbargo",
    "Scan",
    "Simulation",
    "TaskAnswers",
    "TextOverride",
]
