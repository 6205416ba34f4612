"""Texts of messages about running algorithms: compute time that is used, and runs that cannot begin."""

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


@dataclass(frozen=True)
class OfWaitingRuns:
    """Runs of a phase that no machine can run, and the reason."""

    challenge: str
    phase: str
    number: int
    reason: str


def _runs(of: OfWaitingRuns) -> str:
    return "1 run" if of.number == 1 else f"{of.number} runs"


WAITING_RUNS: Final[Act[OfWaitingRuns]] = act(
    "runs_without_a_machine",
    [
        always(
            "subject",
            lambda of: f"{of.challenge}: {_runs(of)} cannot begin",
            "Liver: 3 runs cannot begin",
        )
    ],
    [
        always(
            "news",
            lambda of: f"{_runs(of)} of algorithms in {of.phase} of {of.challenge} cannot begin. {of.reason}",
            "3 runs of algorithms in Final of Liver cannot begin. It needs 2 GPUs; no machine here has that.",
        ),
        always(
            "remedy",
            lambda _of: (
                "Start a machine that can run them, or add a runner. The page below lists all runners and their state."
            ),
            "Start a machine that can run them, or add a runner. The page below lists all runners and their state.",
        ),
    ],
)


@dataclass(frozen=True)
class OfWebhook:
    """A webhook of a challenge or call that was switched off, and the reason."""

    title: str
    name: str
    reason: str


WEBHOOK_OFF: Final[Act[OfWebhook]] = act(
    "webhook_off",
    [
        always(
            "subject",
            lambda of: f"{of.title}: the webhook {of.name} is off",
            "Liver: the webhook Chat is off",
        )
    ],
    [
        always(
            "news",
            lambda of: f"Podium switched off the webhook {of.name} of {of.title}. {of.reason}",
            "Podium switched off the webhook Chat of Liver. The address answered that it is gone (410).",
        ),
        always(
            "remedy",
            lambda _of: (
                "Check the receiving program. Then switch the webhook on and send the failed messages again on the page below."
            ),
            "Check the receiving program. Then switch the webhook on and send the failed messages again on the page below.",
        ),
    ],
)
