"""The ranking document: everything that a leaderboard, a figure or a report says about a ranking."""

from __future__ import annotations

import importlib.metadata
import platform
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from evaluation import __version__
from evaluation.aggregation import ResultsError, Table, build_tables, check_results
from evaluation.assessment.ranking import scheme_document
from evaluation.canonical import sha256
from evaluation.ranking.combination import Part, combine
from evaluation.ranking.dataset_level import load_evidence
from evaluation.ranking.evaluate import Evaluated, Plan, evaluate, make_plan
from evaluation.ranking.parts import parts_of
from evaluation.ranking.resampling import VERSION
from evaluation.ranking.significance import cases_needed, holm
from evaluation.ranking.stability import Stability, first_places, groups, measure
from evaluation.ranking.testing import full_data_p_values

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, MutableMapping, Sequence

    import pandas as pd

    from evaluation.assessment import Assessment, RankingScheme
    from evaluation.ranking.schemes import Ranked
    from evaluation.scoring.evidence import Evidence

FloatArray = npt.NDArray[np.float64]
SCHEMA: Final = 1
DIGEST_DIGITS: Final = 10


def rank(
    assessment: Assessment,
    results: pd.DataFrame,
    *,
    cases: pd.DataFrame | None = None,
    evidence: Any = None,
    bootstrap: int | None = None,
    seed: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    kept: MutableMapping[int, Ranked] | None = None,
) -> dict[str, Any]:
    """Rank the algorithms of a results table, with the uncertainty of every statement.

    Parameters
    ----------
    assessment
        What was registered.
    results
        A results table (contract, section 4); for an assessment of a ``table`` at least ``algorithm``, ``case``,
        ``value`` and, if there are several, ``task``.
    cases
        Case metadata, one row a case; needed if levels, resampling or combination name its columns.
    evidence
        What data-set-level metrics are made of, case by case: an `evaluation.scoring.evidence.Evidence`, a file of it,
        or several files; without it they are ranked but not resampled.
    bootstrap, seed
        In place of those of the assessment.
    progress
        Called with the number of tables done and their total.
    kept
        Scores and ranks of tables in all samples, by their place in the order of computation: what is there is not
        computed again, what is computed is put there. For rankings that take too long to be computed at a stretch; it
        has to be of the same assessment, results and seed.

    Returns
    -------
    dict
        The ranking document (contract, section 6), ready for JSON.

    Raises
    ------
    ResultsError
        If the table cannot be ranked; the message says why.

    Examples
    --------
    >>> import pandas as pd
    >>> from evaluation.assessment import parse
    >>> assessment = parse({"problem": "table", "metrics": [{"id": "value", "direction": "higher"}]})
    >>> table = pd.DataFrame({"algorithm": list("aabb"), "case": list("1212"), "value": [0.9, 0.8, 0.5, 0.6]})
    >>> document = rank(assessment, table, bootstrap=100)
    >>> [(entry["name"], entry["rank"]) for entry in document["rankings"][0]["algorithms"]]
    [('a', 1), ('b', 2)]
    """
    samples = assessment.uncertainty.bootstrap if bootstrap is None else bootstrap
    start = assessment.uncertainty.seed if seed is None else seed
    checked = check_results(results)
    pieces = load_evidence(evidence)
    plans: dict[str | None, Plan] = {}
    entries: list[dict[str, Any]] = []
    overall: list[Any] = []
    notes: list[str] = []
    per_scheme = [
        build_tables(assessment, checked, metrics=scheme.metrics, regions=scheme.regions)
        for scheme in assessment.rankings
    ]
    total = sum(map(len, per_scheme))
    several = isinstance(assessment.document["ranking"], list)
    for scheme, tables in zip(assessment.rankings, per_scheme, strict=True):
        evaluated = []
        for table in tables:
            if table.task not in plans:
                plans[table.task] = _plan(
                    assessment, checked, table, metadata=cases, evidence=pieces, bootstrap=samples, seed=start
                )
            evaluated.append(_evaluated(table, plans[table.task], scheme, assessment, pieces, kept, len(entries)))
            entries.append(_entry(evaluated[-1], scheme, assessment))
            if progress is not None:
                progress(len(entries), total)
        overall += _overall(evaluated, scheme, assessment, notes)
    document: dict[str, Any] = {
        "schema": SCHEMA,
        "seed": start,
        "bootstrap": samples,
        "versions": _versions(),
        "assessment": assessment.digest,
        "problem": assessment.problem,
        "resampling": {
            "version": VERSION,
            "resample": list(assessment.uncertainty.resample),
            "strata": list(assessment.uncertainty.strata),
            "interval": assessment.uncertainty.interval,
        },
        "aggregation": assessment.document["aggregation"],
        "schemes": [scheme_document(scheme) for scheme in assessment.rankings],
        "rankings": entries,
        "overall": (overall if several or len(overall) > 1 else overall[0]) if overall else None,
    }
    if notes:
        document["notes"] = notes
    return document


def digest(document: Mapping[str, Any]) -> str:
    """SHA-256 of a ranking document without its versions, floats rounded to 10 significant digits.

    Examples
    --------
    >>> digest({"rankings": [], "versions": {"numpy": "2"}}) == digest({"rankings": [], "versions": {}})
    True
    """
    return sha256({key: value for key, value in document.items() if key != "versions"}, digits=DIGEST_DIGITS)


def _plan(
    assessment: Assessment,
    results: pd.DataFrame,
    table: Table,
    *,
    metadata: pd.DataFrame | None,
    evidence: Evidence | None,
    bootstrap: int,
    seed: int,
) -> Plan:
    rows = results[results["task"] == (table.task or "")]
    names = sorted(set(rows["case"]) - {""})
    if not names and evidence is not None:
        names = list(evidence.cases)
    if not names:
        return make_plan(assessment, (), None, bootstrap=0, seed=seed)
    return make_plan(assessment, names, metadata, bootstrap=bootstrap, seed=seed)


def _entry(evaluated: Evaluated, scheme: RankingScheme, assessment: Assessment) -> dict[str, Any]:
    table, plan = evaluated.table, evaluated.plan
    scores, ranks = evaluated.ranked.scores[0], evaluated.ranked.ranks[0]
    stability = _stability(evaluated.ranked.scores, evaluated.ranked.ranks, evaluated.plan, assessment)
    p_values = full_data_p_values(table, plan, assessment)
    adjusted = None if p_values is None else holm(p_values)
    better = None if adjusted is None else adjusted <= scheme.alpha
    order = np.lexsort((np.array(table.algorithms), ranks))
    rule = assessment.uncertainty.group
    group = groups(rule, ranks, None if stability is None else stability.rank_interval, better)
    algorithms = []
    for index in order:
        outcomes = dict(sorted(table.outcomes[index].items()))
        algorithms.append(
            {
                **_algorithm(
                    table.algorithms[index], index, scores=scores, ranks=ranks, stability=stability, group=group
                ),
                "missing": outcomes.get("missing", 0),
                "outcomes": outcomes,
            }
        )
    entry: dict[str, Any] = {} if scheme.name is None else {"name": scheme.name}
    entry |= {
        "metric": table.metric.name,
        "region": table.region,
        "task": table.task,
        "direction": table.metric.direction,
        "unit": table.metric.unit,
        "scheme": scheme.scheme,
        "score_direction": "higher" if evaluated.ranked.higher_is_better else "lower",
        "cases": len(plan.cases) if table.per_dataset else len(table.cases),
        "drawn_units": plan.design.clusters,
        "resampled": stability is not None,
        "algorithms": algorithms,
        **_summary(ranks, stability, group, rule, [table.algorithms[index] for index in order]),
        "leave_one_out": _leave_one_out(evaluated.ranked.ranks, plan),
    }
    if p_values is not None and adjusted is not None and better is not None:
        entry |= {
            "p_values": _matrix(p_values, order),
            "p_adjusted": _matrix(adjusted, order),
            "significantly_better": better[np.ix_(order, order)].tolist(),
            "tests": {
                "alpha": scheme.alpha,
                "adjust": "holm",
                "units": _test_units(plan),
                "cases_needed": cases_needed(len(order), alpha=scheme.alpha),
                "cases_needed_unadjusted": cases_needed(len(order), alpha=scheme.alpha, adjust="none"),
            },
        }
    else:
        entry |= {"p_values": None, "p_adjusted": None, "significantly_better": None, "tests": None}
    if table.inserted:
        entry["inserted"] = [{"case": case, "algorithm": name} for case, name in table.inserted]
    return entry


def _overall(
    evaluated: Sequence[Evaluated], scheme: RankingScheme, assessment: Assessment, notes: list[str]
) -> list[dict[str, Any]]:
    if scheme.combine is None or not evaluated:
        return []
    over_tasks = any("task" in step.over for step in scheme.combine)
    algorithms = evaluated[0].table.algorithms
    if over_tasks and any(item.table.algorithms != algorithms for item in evaluated):
        notes.append("The tasks do not have the same algorithms, so there is no ranking over all tasks.")
        return []
    parts = parts_of(evaluated, scheme, assessment)
    combined = combine(parts, scheme.combine, scheme.missing_rank)
    told_apart = [name for name in combined[0].key if len({part.key[name] for part in combined}) > 1]
    return [_combined_entry(part, evaluated, scheme, assessment, told_apart) for part in combined]


def _combined_entry(
    part: Part,
    evaluated: Sequence[Evaluated],
    scheme: RankingScheme,
    assessment: Assessment,
    told_apart: Sequence[str],
) -> dict[str, Any]:
    members = [
        item
        for item in evaluated
        if part.key.get("task", item.table.task) == item.table.task
        and part.key.get("region", item.table.region) == item.table.region
        and part.key.get("metric", item.table.metric.name) == item.table.metric.name
    ]
    names = members[0].table.algorithms
    plan = members[0].plan
    resampled = all(item.resampled for item in members)
    stability = _stability(part.scores, part.ranks, plan, assessment) if resampled else None
    rule = assessment.uncertainty.group
    scores, ranks = part.scores[0], part.ranks[0]
    intervals = None if stability is None else stability.rank_interval
    group = groups("interval_overlaps_winner" if rule == "not_significantly_worse" else rule, ranks, intervals, None)
    order = np.lexsort((np.array(names), ranks))
    missing = _missing_cases(members)
    one_plan = all(item.plan is plan for item in members)
    entry: dict[str, Any] = {} if scheme.name is None else {"name": scheme.name}
    entry |= {name: part.key[name] for name in told_apart}
    entry |= {
        "over": [name for step in scheme.combine or () for name in step.over],
        "cases": sum({item.table.task: len(item.plan.cases) for item in members}.values()),
        "drawn_units": plan.design.clusters if one_plan else None,
        "resampled": stability is not None,
        "algorithms": [
            {
                **_algorithm(names[index], index, scores=scores, ranks=ranks, stability=stability, group=group),
                "missing": missing[names[index]],
            }
            for index in order
        ],
        **_summary(
            ranks,
            stability,
            group,
            "interval_overlaps_winner" if rule == "not_significantly_worse" else rule,
            [names[index] for index in order],
        ),
        "leave_one_out": _leave_one_out(part.ranks, plan) if one_plan and resampled else None,
    }
    return entry


def _missing_cases(members: Sequence[Evaluated]) -> dict[str, int]:
    """For each algorithm, on how many cases its prediction is missing in the worst of the tables of each task."""
    worst: dict[tuple[str | None, str], int] = {}
    for item in members:
        for name, outcomes in zip(item.table.algorithms, item.table.outcomes, strict=True):
            key = (item.table.task, name)
            worst[key] = max(worst.get(key, 0), outcomes.get("missing", 0))
    total: dict[str, int] = {}
    for (_, name), count in worst.items():
        total[name] = total.get(name, 0) + count
    return total


def _stability(scores: FloatArray, ranks: FloatArray, plan: Plan, assessment: Assessment) -> Stability | None:
    if plan.bootstrap == 0 or len(ranks) <= 1 or ranks.shape[1] < 2:
        return None
    span = slice(1, 1 + plan.bootstrap)
    return measure(ranks[0], ranks[span], scores[span], assessment.uncertainty.interval)


def _algorithm(
    name: str, index: int, *, scores: FloatArray, ranks: FloatArray, stability: Stability | None, group: Any
) -> dict[str, Any]:
    entry: dict[str, Any] = {"name": name, "score": _number(scores[index]), "rank": _number(ranks[index])}
    if stability is None:
        entry |= dict.fromkeys(("rank_interval", "rank_median", "score_interval", "share_first", "rank_frequencies"))
    else:
        entry |= {
            "rank_interval": [_number(edge) for edge in stability.rank_interval[index]],
            "rank_median": _number(stability.rank_median[index]),
            "score_interval": _interval(stability.score_interval[index]),
            "share_first": float(stability.share_first[index]),
            "rank_frequencies": stability.frequencies[index].tolist(),
        }
    entry["group"] = None if group is None else group[index]
    return entry


def _summary(
    ranks: FloatArray, stability: Stability | None, group: Any, rule: str, ordered: Sequence[str]
) -> dict[str, Any]:
    winners = list(ordered[: int((ranks == ranks.min()).sum())])
    summary: dict[str, Any] = {"winners": winners, "group_rule": None if group is None else rule}
    if stability is None:
        keys = ("winner_stays", "others_first", "others_first_1_percent", "kendall_tau")
        return summary | dict.fromkeys(keys)
    return summary | {
        "winner_stays": stability.winner_stays,
        "others_first": stability.others_first,
        "others_first_1_percent": stability.others_first_1_percent,
        "kendall_tau": stability.kendall_tau,
    }


def _evaluated(
    table: Table,
    plan: Plan,
    scheme: RankingScheme,
    assessment: Assessment,
    evidence: Evidence | None,
    kept: MutableMapping[int, Ranked] | None,
    place: int,
) -> Evaluated:
    """The table at one place of the computation, from what is kept of it where it has been computed before."""
    if kept is not None and place in kept:
        return Evaluated(table, plan, kept[place])
    found = evaluate(table, plan, scheme, assessment, evidence=evidence)
    if kept is not None:
        kept[place] = found.ranked
    return found


def _leave_one_out(ranks: FloatArray, plan: Plan) -> dict[str, Any] | None:
    left_out = ranks[1 + plan.bootstrap : plan.number]
    if not len(left_out) or len(ranks) < plan.number:
        return None
    first = left_out == left_out.min(axis=1, keepdims=True)
    stays, others, _ = first_places(ranks[0], first)
    winners = ranks[0] == ranks[0].min()
    changed = np.flatnonzero((first != winners).any(axis=1))
    return {
        "winner_stays": stays,
        "others_first": others,
        "changed_by": [plan.left_out_cases(int(sample)) for sample in changed],
    }


def _test_units(plan: Plan) -> int:
    if plan.hierarchy is None:
        return len(plan.cases)
    return len(set(plan.hierarchy.groups[plan.hierarchy.levels[-1]].tolist()))


def _matrix(values: FloatArray, order: npt.NDArray[np.intp]) -> list[list[float | int | None]]:
    """The matrix in an order, as JSON values."""
    ordered = values[np.ix_(order, order)]
    plain = ordered.astype(object)
    whole = (ordered == np.rint(ordered)) & (np.abs(ordered) < 2.0**53)
    plain[whole] = ordered[whole].astype(np.int64).astype(object)
    plain[~np.isfinite(ordered)] = None
    rows: list[list[float | int | None]] = plain.tolist()
    return rows


def _interval(edges: FloatArray) -> list[float | int | None] | None:
    return None if np.isnan(edges).any() else [_number(edge) for edge in edges]


def _number(value: Any) -> float | int | None:
    number = float(value)
    if not np.isfinite(number):
        return None
    return int(number) if number.is_integer() and abs(number) < 2**53 else number


def _versions() -> dict[str, str]:
    """Versions of what computed the document: they do not enter its digest."""
    packages = {name: importlib.metadata.version(name) for name in ("numpy", "scipy", "pandas")}
    return {"podium": __version__, "python": platform.python_version(), **packages}


__all__ = ["ResultsError", "digest", "rank"]
