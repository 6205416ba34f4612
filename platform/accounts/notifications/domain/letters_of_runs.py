"""Texts of messages about the compute time of algorithms."""

from dataclasses import dataclass
from typing import Final

from accounts.notifications.domain.acts import Act, Paragraph, act, always


@dataclass(frozen=True)
class OfComputeTime:
    """Registered compute time of a task, and how much of it all teams together have used."""

    challenge: str
    task: str
    used: str
    allowed: str
    is_spent: bool = False


COMPUTE_TIME: Final[Act[OfComputeTime]] = act(
    "compute_time_near_its_end",
    [
        always(
            "subject",
            lambda of: f"{of.challenge}: {of.used} of {of.allowed} of compute time are used",
            "Liver: 41.0 h of 50.0 h of compute time are used",
        )
    ],
    [
        always(
            "news",
            lambda of: (
                f"Algorithms of all teams in {of.task} of {of.challenge} have used {of.used} of the {of.allowed} that are registered."
            ),
            "Algorithms of all teams in Segmentation of Liver have used 41.0 h of the 50.0 h that are registered.",
        ),
        Paragraph(
            "ahead",
            "There is some left.",
            lambda of: not of.is_spent,
            lambda _of: "After that, no new runs start. Running jobs finish.",
            "After that, no new runs start. Running jobs finish.",
        ),
        Paragraph(
            "spent",
            "All of it is used.",
            lambda of: of.is_spent,
            lambda _of: (
                "No new runs start. Running jobs finish, and queued ones wait. You can request more with a change request."
            ),
            "No new runs start. Running jobs finish, and queued ones wait. You can request more with a change request.",
        ),
    ],
)
