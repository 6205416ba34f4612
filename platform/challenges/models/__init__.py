"""Challenge → task → phase, the people in it, and what of it is a projection of a registered design."""

from challenges.models.access import AccessLink, AccessRule, Admission
from challenges.models.challenges import PSEUDONYM, Challenge, Member, Organizer, Phase, Seat, Task, Team
from challenges.models.information import ChallengePicture, InformationPage
from challenges.models.launching import Deviation, PhaseAssessment, Projection
from challenges.models.participation import Concern, Participation, Terms
from challenges.models.talking import Announcement, Contact

__all__ = [
    "PSEUDONYM",
    "AccessLink",
    "AccessRule",
    "Admission",
    "Announcement",
    "Challenge",
    "ChallengePicture",
    "Concern",
    "Contact",
    "Deviation",
    "InformationPage",
    "Member",
    "Organizer",
    "Participation",
    "Phase",
    "PhaseAssessment",
    "Projection",
    "Seat",
    "Task",
    "Team",
    "Terms",
]
