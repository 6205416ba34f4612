"""Starting a scorer of an organizer's own: reference and prediction of each case go in, one file of rows comes out."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from confinement.containers.batches import Batch, BatchReport, CaseInput, Expected, Taken
from confinement.containers.engine import Engine
from confinement.containers.limits import RunLimits
from confinement.containers.runner import run_batch
from confinement.limits import MIB

ROWS_FILE = "rows.jsonl"
REFERENCE, PREDICTION = "reference", "prediction"
_ROWS_BYTES = 256 * MIB


@dataclass(frozen=True)
class ScorerCase:
    """A case as a scorer sees it."""

    name: str
    """Opaque."""
    reference: Mapping[str, Path]
    prediction: Mapping[str, Path] = field(default_factory=dict)
    """None for a case without a prediction: its folder is there and empty."""


@dataclass(frozen=True)
class ScorerAnswer:
    """Result of one start of a scoring image."""

    rows: bytes | None
    """Content of `rows.jsonl`; None when there is none."""
    failure: str
    """Reason for missing rows, worded for organizers, or empty if the rows exist."""
    report: BatchReport


def run_scorer(
    engine: Engine,
    folder: Path,
    *,
    batch: str,
    lease: str,
    image_id: str,
    cases: Sequence[ScorerCase],
    interface: Mapping[str, Any],
    limits: RunLimits,
    attempt: int = 1,
    beat: Callable[[], None] = lambda: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> ScorerAnswer:
    """Start a scorer on cases of one submission.

    Parameters
    ----------
    engine
        Holds the image already. Scorers see references: never an engine of a run host.
    folder
        Of this lease alone.
    batch, lease, attempt
        As of a `Batch`.
    image_id
        Of the scorer.
    cases
        References and predictions.
    interface
        With `metrics` and `regions`.
    limits
        Of the scorer.
    beat, cancelled
        As of `run_batch`.
    """
    inputs = [
        CaseInput(
            case.name,
            {
                **{f"{REFERENCE}/{name}": path for name, path in case.reference.items()},
                **{f"{PREDICTION}/{name}": path for name, path in case.prediction.items()},
            },
            folders=(REFERENCE, PREDICTION),
        )
        for case in cases
    ]
    scorer_batch = Batch(
        batch=batch,
        attempt=attempt,
        lease=lease,
        image_id=image_id,
        cases=inputs,
        outputs=(),
        interface=interface,
        limits=limits,
        common=[Expected(ROWS_FILE, most_bytes=_ROWS_BYTES)],
    )
    report = run_batch(engine, scorer_batch, folder, beat=beat, cancelled=cancelled)
    if report.fault or report.cancelled:
        return ScorerAnswer(None, report.fault or "cancelled", report)
    rows = report.files[""][ROWS_FILE]
    failure = _failure(report)
    if failure or rows.taken is not Taken.TAKEN or rows.path is None:
        return ScorerAnswer(None, failure or rows.reason or f"It ended without writing {ROWS_FILE}.", report)
    return ScorerAnswer(rows.path.read_bytes(), "", report)


def _failure(report: BatchReport) -> str:
    """Return the reason why the run does not count: a scorer must end without intervention."""
    if report.timed:
        return "It was ended at its time limit."
    if report.out_of_memory:
        return "It took more memory than it may and was ended for it."
    if report.output_bound:
        return report.output_bound
    if report.log_bound:
        return "It printed more than it may and was ended for it."
    if report.not_started:
        return "Its entry point cannot be started."
    return f"It ended with exit status {report.exit_code}." if report.exit_code != 0 else ""
