"""Would entering slightly worse copies of oneself have paid? Where ranks depend on who else takes part, it may."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from evaluation.aggregation import ResultsError, Table, build_tables, check_results
from evaluation.ranking.combination import combine
from evaluation.ranking.evaluate import evaluate, make_plan
from evaluation.ranking.parts import parts_of
from evaluation.ranking.schemes import get_scheme

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pandas as pd

    from evaluation.assessment.model import Assessment, RankingScheme
    from evaluation.ranking.plans import Plan

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
COPIES: Final = 2
_WORSE: Final = 1e-6
"""By how much of the spread of all values each copy is worse than the one before."""


def copies_check(
    assessment: Assessment, results: pd.DataFrame, *, cases: pd.DataFrame | None = None, copies: int = COPIES
) -> dict[str, Any]:
    """Return the rank that each algorithm would have if it alone had also entered slightly worse copies.

    Parameters
    ----------
    assessment, results, cases
        As for `evaluation.ranking.rank`; the first registered ranking is checked.
    copies
        Number of copies, each slightly worse on every case than the previous one.

    Returns
    -------
    dict
        ``possible`` is false where a rank does not depend on the other participants; then ``rankings`` is empty. Each of
        ``rankings`` (the combined one, otherwise one per metric, region and task) has for every algorithm its ``rank`` and
        ``rank_with_copies``, both among the original algorithms. It also lists those that would have risen (``gain``) and
        those that would have come first (``could_have_won``).
    """
    scheme = assessment.rankings[0]
    chosen = get_scheme(scheme.scheme)
    depends = chosen.ranks_cases or chosen.compares_pairs or any(step.rerank for step in scheme.combine or ())
    if not depends:
        return {"possible": False, "copies": copies, "rankings": []}
    tables = build_tables(assessment, check_results(results), metrics=scheme.metrics, regions=scheme.regions)
    if len({table.algorithms for table in tables}) > 1:
        message = "the tasks do not have the same algorithms, so copies cannot be entered in all of them"
        raise ResultsError(message)
    plans: dict[str | None, Plan] = {}
    # A table of one value for all cases together does not tell the cases.
    for table in sorted(tables, key=lambda table: table.per_dataset):
        if table.task not in plans:
            plan = make_plan(assessment, table.cases, cases, bootstrap=0, seed=1)
            plans[table.task] = replace(plan, left_out=0, drawn=plan.design.full())
    names = tables[0].algorithms
    before = _places(tables, plans, scheme, assessment)
    rankings = [
        {**key, "algorithms": [{"name": name, "rank": int(rank)} for name, rank in zip(names, ranks, strict=True)]}
        for key, ranks in before
    ]
    for column in range(len(names)):
        entered = [_with_copies(table, column, copies) for table in tables]
        for entry, (_, ranks) in zip(rankings, _places(entered, plans, scheme, assessment, of=len(names)), strict=True):
            entry["algorithms"][column]["rank_with_copies"] = int(ranks[column])
    for entry in rankings:
        rows = entry["algorithms"]
        risen = [row for row in rows if row["rank_with_copies"] < row["rank"]]
        entry["gain"] = [row["name"] for row in risen]
        entry["could_have_won"] = [row["name"] for row in risen if row["rank_with_copies"] == 1]
        rows.sort(key=lambda row: (row["rank"], row["name"]))
    return {"possible": True, "copies": copies, "rankings": rankings}


def _places(
    tables: Sequence[Table],
    plans: Mapping[str | None, Plan],
    scheme: RankingScheme,
    assessment: Assessment,
    *,
    of: int | None = None,
) -> list[tuple[dict[str, Any], IntArray]]:
    """Return the ranks of the first `of` algorithms among themselves, for each decisive ranking."""
    evaluated = [evaluate(table, plans[table.task], scheme, assessment) for table in tables]
    if scheme.combine:
        parts = combine(parts_of(evaluated, scheme, assessment), scheme.combine, scheme.missing_rank)
        ranked = [(dict(part.key), part.ranks[0]) for part in parts]
    else:
        ranked = [
            ({"task": item.table.task, "metric": item.table.metric.name, "region": item.table.region}, ranks)
            for item in evaluated
            for ranks in item.ranked.ranks[:1]
        ]
    return [(key, 1 + (ranks[:of, None] < ranks[None, :of]).sum(axis=0)) for key, ranks in ranked]


def _with_copies(table: Table, column: int, copies: int) -> Table:
    """The table with copies of one algorithm as its last columns."""
    values: FloatArray = table.values  # noqa: PD011  (no data frame)
    finite = values[np.isfinite(values)]
    spread = float(np.ptp(finite)) if len(finite) else 0.0
    step = _WORSE * (spread or 1.0) * (-1.0 if table.metric.higher_is_better else 1.0)
    column_values = values[:, [column]]
    worse = [column_values + number * step for number in range(1, copies + 1)]
    return replace(
        table,
        algorithms=(*table.algorithms, *(f"{table.algorithms[column]}, copy {n}" for n in range(1, copies + 1))),
        values=np.concatenate([values, *worse], axis=1),
        last_rank=np.concatenate([table.last_rank, *[table.last_rank[:, [column]]] * copies], axis=1),
        outcomes=(*table.outcomes, *[table.outcomes[column]] * copies),
    )
