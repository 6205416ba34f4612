"""Agreement of runs of one algorithm on the same cases, in their predictions and their costs."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from datastore.uploads.storage import local_path
from evaluation.assessment.costs import METRICS
from evaluation.running.efficiency import agreement
from evaluation.running.table import read_runs
from executions.models import Execution

if TYPE_CHECKING:
    import pandas as pd

MOST_COMPARED = 9
"""Earlier runs that are looked at, the latest ones."""


def agreement_with_earlier(execution: Execution, runs: "pd.DataFrame", predictions_digest: str) -> dict[str, Any]:
    """Compare a run with earlier runs of the same algorithm on the same cases, by any submitter.

    Parameters
    ----------
    execution
        Execution that is about to be completed.
    runs
        Its table of runs.
    predictions_digest
        Digest of its predictions.

    Returns
    -------
    dict
        Number of runs, number of earlier runs with the same predictions, and the spread of each cost that all of them
        measured. Empty for the first run.
    """
    earlier = Execution.objects.filter(
        phase=execution.phase_id,
        test_set=execution.test_set_id,
        identity=execution.identity,
        state=Execution.State.DONE,
    ).exclude(identity="")
    earlier_runs = list(earlier.order_by("-finished_at").values_list("runs_file", "predictions_digest")[:MOST_COMPARED])
    if not earlier_runs:
        return {}
    tables = [runs, *(read_runs(local_path(file)) for file, _ in earlier_runs)]
    costs = {metric.id: agreement(tables, metric.id) for metric in METRICS}
    return {
        "runs": len(tables),
        "same_predictions": sum(digest == predictions_digest for _, digest in earlier_runs),
        "costs": {name: asdict(spread) for name, spread in costs.items() if spread is not None},
    }
