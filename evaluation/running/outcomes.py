"""Rules that decide the outcome of a case from an observation.

The first rule that applies decides. The exit status alone decides nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence


class RunOutcome(StrEnum):
    """Outcome of running an algorithm on a case; all but ``ok`` are ``missing`` in the table of results."""

    OK = "ok"
    TIME_EXCEEDED = "time_exceeded"
    MEMORY_EXCEEDED = "memory_exceeded"
    INVALID_OUTPUT = "invalid_output"
    CRASHED = "crashed"
    NO_OUTPUT = "no_output"


class Files(StrEnum):
    """State of the required files of a case."""

    VALID = "valid"
    BAD = "bad"
    """At least one is there and not acceptable: a link, too large, unreadable, of another grid."""
    NONE = "none"


@dataclass(frozen=True)
class Observation:
    """Observation of one start of a container."""

    exit_code: int | None = None
    timed: bool = False
    out_of_memory: bool = False
    output_bound: str = ""
    """Sentence that states how much was written, if the start was ended for writing too much."""
    log_bound: bool = False
    not_started: bool = False
    fault: str = ""
    """Failure on the platform's side; empty if there was none."""


@dataclass(frozen=True)
class Decision:
    """The outcome of a case, and why."""

    rule: int
    """Number of the rule that applied."""
    outcome: RunOutcome | None
    """None when the batch has to be repeated."""
    reason: str = ""
    """One sentence for the team; empty when it is well."""


_ABNORMAL: Final = (3, 4, 7)
"""Rules after which a case that shared its start with others is run again alone."""


def decide(observed: Observation, files: Files, sentence: str = "") -> Decision:
    """Decide the outcome of a case from an observation.

    Parameters
    ----------
    observed
        Observation of the start that included the case.
    files
        State of the required files of the case.
    sentence
        Message of the validator about a bad file.

    Examples
    --------
    >>> decide(Observation(exit_code=3), Files.VALID).outcome
    <RunOutcome.OK: 'ok'>
    >>> decide(Observation(exit_code=137), Files.NONE).outcome
    <RunOutcome.CRASHED: 'crashed'>
    """
    if observed.fault:
        return Decision(1, None, observed.fault)
    if files is Files.VALID:
        return Decision(2, RunOutcome.OK)
    if observed.timed:
        return Decision(
            3, RunOutcome.TIME_EXCEEDED, "The algorithm was ended at its time limit before the case was done."
        )
    if observed.out_of_memory:
        return Decision(
            4, RunOutcome.MEMORY_EXCEEDED, "The algorithm took more memory than it may have and was ended for it."
        )
    if observed.output_bound:
        return Decision(5, RunOutcome.INVALID_OUTPUT, observed.output_bound)
    if files is Files.BAD:
        return Decision(6, RunOutcome.INVALID_OUTPUT, sentence or "The output of the case cannot be used.")
    if observed.not_started:
        return Decision(7, RunOutcome.CRASHED, "The entry point of the image cannot be started.")
    if observed.log_bound:
        return Decision(7, RunOutcome.CRASHED, "The algorithm printed more than it may and was ended for it.")
    if observed.exit_code != 0:
        return Decision(7, RunOutcome.CRASHED, _exit(observed.exit_code))
    return Decision(8, RunOutcome.NO_OUTPUT, "The algorithm ended without writing the output of the case.")


def _exit(code: int | None) -> str:
    if code is None:
        return "The algorithm ended without an exit status."
    return f"The algorithm ended with exit status {code}, without the output of the case."


def alone_again(decisions: Mapping[str, Decision], *, batch: int) -> list[str]:
    """Cases of a start that are run again, each alone and once, so that one bad case does not take others with it.

    Parameters
    ----------
    decisions
        Of each case of the start.
    batch
        How many cases the start had.
    """
    return [case for case, decision in decisions.items() if decision.rule in _ABNORMAL] if batch > 1 else []


@dataclass(frozen=True)
class Judged:
    """A case after all its starts."""

    decision: Decision
    start: int
    """Index of the start that decided, counted from 0."""


class OurFaultError(Exception):
    """Error for a batch whose permitted attempts all failed on the platform's side.

    The execution fails, and no team's quota is charged.
    """


def judged(
    cases: Sequence[str],
    run: Callable[[Sequence[str]], tuple[Observation, Mapping[str, tuple[Files, str]]]],
    *,
    batch_cases: int = 1,
    attempts: int = 3,
) -> dict[str, Judged]:
    """Run cases in batches and decide the outcome of each.

    A start that failed on the platform's side is repeated. Cases that shared an abnormal end are run again alone.

    Parameters
    ----------
    cases
        Cases in the order in which they are run.
    run
        Function that starts the algorithm on cases and returns the observation and the state of each case's files.
    batch_cases
        Number of cases per start.
    attempts
        Number of times that a start is repeated after failures on the platform's side.

    Raises
    ------
    OurFaultError
        If a start failed on the platform's side more often than that.
    """
    starts = 0
    decided: dict[str, Judged] = {}

    def start(batch: Sequence[str]) -> dict[str, Decision]:
        nonlocal starts
        for _ in range(attempts + 1):
            observed, files = run(batch)
            starts += 1
            if not observed.fault:
                return {case: decide(observed, *files[case]) for case in batch}
        raise OurFaultError(observed.fault)

    for batch in _parts(cases, batch_cases):
        decisions = start(batch)
        decided |= {case: Judged(decision, starts - 1) for case, decision in decisions.items()}
        for case in alone_again(decisions, batch=len(batch)):
            alone = start([case])
            decided[case] = Judged(alone[case], starts - 1)
    return {case: decided[case] for case in cases}


def _parts(cases: Sequence[str], size: int) -> Iterable[Sequence[str]]:
    return (cases[first : first + size] for first in range(0, len(cases), size))
