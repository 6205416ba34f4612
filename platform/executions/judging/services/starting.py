"""One start of a scoring image on this machine: loaded, shown the cases, and what it answered."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from confinement.containers.engine import Engine
from confinement.containers.limits import RunLimits
from confinement.containers.removing import remove_tree
from confinement.containers.scoring import ScorerAnswer, ScorerCase, run_scorer
from core.work.services import Lease, LeaseLostError
from evaluation import problems
from evaluation.running.scorer_declared import bounds_of, interface_of
from executions.models import AlgorithmArchive
from executions.services import hosts, preparing


class FaultError(Exception):
    """Failure on the side of the platform, after which the start is tried again."""


def _engine() -> Engine:
    engine = hosts.here().engine
    assert engine is not None, "only a machine with an engine takes scoring images"
    return engine


def held(image: AlgorithmArchive, beat: Callable[[], None]) -> AbstractContextManager[None]:
    """Load the image into this machine's engine, and keep it there during the context."""
    return preparing.held(_engine(), image, beat)


def start(
    image: AlgorithmArchive,
    declared: Mapping[str, Any],
    cases: Sequence[ScorerCase],
    *,
    problem: str,
    lease: Lease,
    folder: Path,
    number: int = 0,
) -> ScorerAnswer:
    """Start the image on cases; what it was shown is gone afterwards.

    Parameters
    ----------
    problem
        Id of the kind that the cases are of.

    Raises
    ------
    FaultError
        When the engine failed.
    LeaseLostError
        When another worker has taken over; the container is ended first.
    """

    def beat() -> None:
        if lease.is_lost:
            raise LeaseLostError

    files = sorted({name for case in cases for name in (*case.reference, *case.prediction)})
    limits = RunLimits(**bounds_of(declared))
    start_folder = folder / f"start-{number}"
    try:
        answer = run_scorer(
            _engine(),
            start_folder,
            batch=f"judge-{str(lease.token)[:13]}-{number}",
            lease=str(lease.token),
            image_id=image.digest,
            cases=cases,
            interface=interface_of(
                declared,
                [case.name for case in cases],
                stems_and_kinds=problems.get(problem).scorer_files.stems_and_kinds,
                files=files,
                limits=limits.described(),
            ),
            limits=limits,
            attempt=lease.attempts,
            beat=beat,
        )
    finally:
        remove_tree(start_folder)
    beat()
    if answer.report.fault:
        raise FaultError(answer.report.fault)
    return answer


def said(answer: ScorerAnswer) -> str:
    """The end of what the image printed, for organizers."""
    return answer.report.log.text()[-4_000:]
