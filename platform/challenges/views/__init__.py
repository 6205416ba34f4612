"""HTTP in, HTTP out."""

from challenges.views.launching import launch, open_submissions
from challenges.views.pages import (
    assessment,
    challenge_context,
    challenge_list,
    close_phase,
    detail,
    organize,
)

__all__ = [
    "assessment",
    "challenge_context",
    "challenge_list",
    "close_phase",
    "detail",
    "launch",
    "open_submissions",
    "organize",
]
