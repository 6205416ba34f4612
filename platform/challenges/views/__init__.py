"""HTTP in, HTTP out."""

from challenges.views.closing import close_phase
from challenges.views.deadlines import move_deadline
from challenges.views.launching import launch, open_submissions
from challenges.views.pages import (
    assessment,
    challenge_context,
    detail,
    organize,
)

__all__ = [
    "assessment",
    "challenge_context",
    "close_phase",
    "detail",
    "launch",
    "move_deadline",
    "open_submissions",
    "organize",
]
