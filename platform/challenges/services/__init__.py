"""Acts on challenges: one transaction each, each with its audit entry."""

from challenges.services.challenges import close_phase, create_challenge, create_phase, end_phases
from challenges.services.launching import GateShutError, follow, gate_problems, launch, open_submissions
from challenges.services.teams import join_with_team

__all__ = [
    "GateShutError",
    "close_phase",
    "create_challenge",
    "create_phase",
    "end_phases",
    "follow",
    "gate_problems",
    "join_with_team",
    "launch",
    "open_submissions",
]
