"""Refusals of the runner API: each names the rule and the remedy."""


class RunnerError(Exception):
    """Refusal of a request of a runner.

    Attributes
    ----------
    code
        Stable name of the rule, for programs.
    status
        HTTP status of the answer.
    """

    def __init__(self, code: str, message: str, *, status: int = 409) -> None:
        super().__init__(message)
        self.code, self.status = code, status


class LeaseEndedError(RunnerError):
    """Refusal because the run is no longer leased to the runner."""

    def __init__(self, run: object) -> None:
        super().__init__(
            "lease_ended",
            f"Run {run} is no longer leased to this runner: it was cancelled, released, or given to another machine. "
            "Discard it and claim the next run.",
        )
