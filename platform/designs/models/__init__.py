from designs.models.advice import TaskAnswers
from designs.models.designs import Collaborator, Design, DesignTask
from designs.models.embargoes import OpenedEmbargo
from designs.models.fields import FieldChange, FieldValue
from designs.models.links import LinkAnswer
from designs.models.scans import Scan
from designs.models.simulations import Simulation
from designs.models.talk import CheckAnswer, TextOverride
from designs.models.versions import DesignVersion

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
