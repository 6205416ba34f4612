"""Would withholding bad cases have paid? Under the registered policy it must not; where missing cases are ignored it may."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from evaluation.aggregation import ResultsError, Table, build_tables, check_results
from evaluation.ranking.counted import weighted_results
from evaluation.ranking.evaluate import evaluate, make_plan

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from evaluation.assessment.model import Assessment, RankingScheme
    from evaluation.ranking.plans import Plan

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]
SHARES = (0.05, 0.1, 0.2)


def gaming_check(
    assessment: Assessment,
    results: pd.DataFrame,
    *,
    cases: pd.DataFrame | None = None,
    shares: Sequence[float] = SHARES,
    worse_than: float | None = None,
) -> list[dict[str, Any]]:
    """Return the rank that each algorithm would have if it alone had withheld its worst cases.

    Parameters
    ----------
    assessment, results, cases
        As for `evaluation.ranking.rank`; the first registered ranking is checked.
    shares
        Shares of its cases that an algorithm withholds, the worst ones by the respective metric.
    worse_than
        Withhold every case with a value worse than this one instead.

    Returns
    -------
    list of dict
        One entry per metric, region and task: for every algorithm its rank, and for each way of withholding the number of
        cases withheld and its rank under the registered policy and under "ignore". ``gain_registered`` and
        ``gain_ignored`` list those that would have risen, ``could_have_won_ignored`` those that would have come first.
    """
    scheme = assessment.rankings[0]
    checked = weighted_results(assessment, check_results(results), results)
    tables = build_tables(assessment, checked, metrics=scheme.metrics, regions=scheme.regions)
    checks = []
    plans: dict[str | None, Plan] = {}
    for table in tables:
        if table.per_dataset:
            continue
        if table.task not in plans:
            plans[table.task] = make_plan(assessment, table.cases, cases, bootstrap=0, seed=1)
        checks.append(_check(table, plans[table.task], scheme, assessment, shares=shares, worse_than=worse_than))
    if not checks:
        message = "the metrics give one value for all cases together: withholding is settled when they are scored"
        raise ResultsError(message)
    return checks


def _check(
    table: Table,
    plan: Plan,
    scheme: RankingScheme,
    assessment: Assessment,
    *,
    shares: Sequence[float],
    worse_than: float | None,
) -> dict[str, Any]:
    small = replace(plan, bootstrap=0, left_out=0, drawn=plan.design.full())
    original = evaluate(table, small, scheme, assessment).ranked.ranks[0]
    attempts = [{"worse_than": worse_than}] if worse_than is not None else [{"share": share} for share in shares]
    algorithms = []
    for column, name in enumerate(table.algorithms):
        tried = []
        for attempt in attempts:
            hidden = _withheld(table, column, attempt.get("share"), worse_than)
            registered = evaluate(_registered(table, column, hidden), small, scheme, assessment).ranked.ranks[0]
            ignored = evaluate(_ignored(table, column, hidden), small, scheme, assessment).ranked.ranks[0]
            tried.append(
                {
                    **attempt,
                    "withheld": int(hidden.sum()),
                    "rank_registered": _plain(registered[column]),
                    "rank_ignored": _plain(ignored[column]),
                }
            )
        algorithms.append({"name": name, "rank": _plain(original[column]), "attempts": tried})
    algorithms.sort(key=lambda entry: (entry["rank"], entry["name"]))
    return {
        "metric": table.metric.name,
        "region": table.region,
        "task": table.task,
        "missing_policy": table.metric.policy.missing,
        "algorithms": algorithms,
        "gain_registered": _gainers(algorithms, "rank_registered"),
        "gain_ignored": _gainers(algorithms, "rank_ignored"),
        "could_have_won_registered": _winners(algorithms, "rank_registered"),
        "could_have_won_ignored": _winners(algorithms, "rank_ignored"),
    }


def _withheld(table: Table, column: int, share: float | None, worse_than: float | None) -> BoolArray:
    """The worst cases of an algorithm; ties at the edge in the order of the cases."""
    matrix: FloatArray = table.values  # noqa: PD011  (no data frame)
    signed = matrix if table.metric.higher_is_better else -matrix
    values = signed[:, column]
    hidden = np.zeros(len(values), dtype=bool)
    if worse_than is not None:
        edge = worse_than if table.metric.higher_is_better else -worse_than
        hidden = values < edge
    elif share is not None:
        count = int(np.floor(share * len(values)))
        hidden[np.argsort(values, kind="stable")[:count]] = True
    return hidden


def _registered(table: Table, column: int, hidden: BoolArray) -> Table:
    """The table as it would be, had the cases been withheld and counted as registered."""
    values, last_rank = np.array(table.values), np.array(table.last_rank)
    policy = table.metric.policy.missing
    if policy == "worst_rank":
        values[hidden, column] = np.nan
        last_rank[hidden, column] = True
    elif policy is None:
        message = f"metric {table.metric.name!r} has no policy for missing values, so withholding cannot be checked"
        raise ResultsError(message)
    else:
        values[hidden, column] = table.penalties(policy)[hidden]
    return replace(table, values=values, last_rank=last_rank)


def _ignored(table: Table, column: int, hidden: BoolArray) -> Table:
    values, last_rank = np.array(table.values), np.array(table.last_rank)
    values[hidden, column] = np.nan
    last_rank[hidden, column] = False
    return replace(table, values=values, last_rank=last_rank)


def _gainers(algorithms: Sequence[dict[str, Any]], key: str) -> list[str]:
    return [a["name"] for a in algorithms if any(attempt[key] < a["rank"] for attempt in a["attempts"])]


def _winners(algorithms: Sequence[dict[str, Any]], key: str) -> list[str]:
    best = min(a["rank"] for a in algorithms)
    return [
        a["name"] for a in algorithms if a["rank"] > best and any(attempt[key] <= best for attempt in a["attempts"])
    ]


def _plain(value: float) -> float | int:
    return int(value) if float(value).is_integer() else float(value)
