"""Across tasks: what the rankings of a document's tasks (or metrics and regions) have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from evaluation.aggregation import ResultsError
from evaluation.ranking.consensus import cluster, consensus, task_distances, task_tau, winners_by_task
from evaluation.ranking.stability import percentiles

if TYPE_CHECKING:
    from collections.abc import Mapping


def across_tasks(document: Mapping[str, Any], *, ties: str = "min") -> dict[str, Any]:
    """Return the consensus ranking, distances and clusters of the rankings in a document.

    Parameters
    ----------
    document
        A ranking document; every combination of task, metric and region counts as a task, named by its distinguishing parts.
    ties
        Rule for ties of the consensus.

    Returns
    -------
    dict
        ``tasks``, ``consensus`` (name, mean fractional rank, rank, ranks in each task, their median and 2.5–97.5 %
        range), ``distances`` (``footrule``, ``symmetric_difference``), ``tau``, ``winners``, and ``dendrograms`` on the
        footrule for complete and average linkage (``None`` for fewer than three tasks).

    Raises
    ------
    ResultsError
        If the tasks do not have the same algorithms, because there is then no consensus.

    Notes
    -----
    Only ranks are used: tasks may be close although one is far harder than the other.
    """
    entries = document["rankings"]
    told_apart = [key for key in ("name", "task", "metric", "region") if len({entry.get(key) for entry in entries}) > 1]
    labels = [", ".join(str(entry.get(key)) for key in told_apart) or "all cases" for entry in entries]
    algorithms = sorted(entry["name"] for entry in entries[0]["algorithms"])
    rows = []
    for label, entry in zip(labels, entries, strict=True):
        places = {algorithm["name"]: algorithm["rank"] for algorithm in entry["algorithms"]}
        if sorted(places) != algorithms:
            message = f"{label} does not have the same algorithms as {labels[0]}, so there is no consensus"
            raise ResultsError(message)
        rows.append([places[name] for name in algorithms])
    ranks = np.array(rows, dtype=np.float64)
    means, places_overall = consensus(ranks, ties=ties)
    spread = percentiles(ranks, [0.025, 0.5, 0.975])
    order = np.lexsort((np.array(algorithms), means))
    footrule = task_distances(ranks, "footrule")
    several = len(labels) > 2
    return {
        "tasks": labels,
        "consensus": [
            {
                "name": algorithms[index],
                "mean_rank": float(means[index]),
                "rank": _plain(places_overall[index]),
                "ranks": [_plain(rank) for rank in ranks[:, index]],
                "median": float(spread[1, index]),
                "range": [float(spread[0, index]), float(spread[2, index])],
            }
            for index in order
        ],
        "distances": {
            "footrule": footrule.tolist(),
            "symmetric_difference": task_distances(ranks, "symmetric_difference").tolist(),
        },
        "tau": [[None if np.isnan(value) else float(value) for value in row] for row in task_tau(ranks)],
        "winners": winners_by_task(dict(zip(labels, ranks, strict=True)), algorithms),
        "dendrograms": {
            "complete": cluster(footrule, labels, "complete"),
            "average": cluster(footrule, labels, "average"),
        }
        if several
        else None,
    }


def _plain(value: float) -> float | int:
    return int(value) if float(value).is_integer() else float(value)
