"""Entries of a ranking document for one ranking: of a metric in a region, or of several combined."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from evaluation.problems import kind_of
from evaluation.ranking.combination import Part, combine
from evaluation.ranking.hierarchy import Hierarchy, unit_values
from evaluation.ranking.parts import parts_of
from evaluation.ranking.plans import FIRST_RULES
from evaluation.ranking.significance import cases_needed, holm, stratified_matrix, wilcoxon_matrices
from evaluation.ranking.stability import Stability, first_places, measure
from evaluation.ranking.uncertainty.certainty import statements
from evaluation.ranking.uncertainty.elementary import Elementary, Ranking
from evaluation.ranking.uncertainty.grounds import are_drawn_apart
from evaluation.ranking.uncertainty.score_intervals import limits_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from evaluation.aggregation import Table
    from evaluation.assessment.model import Assessment, RankingScheme
    from evaluation.ranking.plans import Evaluated, Plan
    from evaluation.ranking.uncertainty.budgets import FamilyShare


FloatArray = npt.NDArray[np.float64]


def entry_of(
    evaluated: Evaluated, scheme: RankingScheme, assessment: Assessment, share: FamilyShare | None = None
) -> dict[str, Any]:
    """The entry of one metric in one region: its algorithms in order, how stable that order is, and its tests."""
    table, plan = evaluated.table, evaluated.plan
    scores, ranks = evaluated.ranked.scores[0], evaluated.ranked.ranks[0]
    stability = _stability_of(evaluated, assessment)
    is_exploratory = share is not None and share.is_exploratory
    p_values = None if is_exploratory else full_data_p_values(table, plan, assessment)
    adjusted = None if p_values is None else holm(p_values)
    better = None if adjusted is None else adjusted <= scheme.alpha
    order = np.lexsort((np.array(table.algorithms), ranks))
    certainty, of_algorithms = statements(
        single_ranking(evaluated, scheme, assessment, share), order, failed=_failed_of(evaluated)
    )
    algorithms = []
    for index, statement in zip(order, of_algorithms, strict=True):
        outcomes = dict(sorted(table.outcomes[index].items()))
        algorithms.append(
            {
                **algorithm_entry(table.algorithms[index], index, scores=scores, ranks=ranks, stability=stability),
                "missing": evaluated.missing[index],
                "outcomes": outcomes,
                **statement,
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
        "cases": evaluated.cases,
        "drawn_units": plan.design.clusters if evaluated.inside is None else evaluated.units.number,
        "resampled": stability is not None,
        "algorithms": algorithms,
        **summary_entry(ranks, stability, [table.algorithms[index] for index in order]),
        **certainty,
        "leave_one_out": _leave_one_out(evaluated.ranked.ranks, plan, [evaluated], evaluated.inside),
    }
    if p_values is not None and adjusted is not None and better is not None:
        entry |= {
            "p_values": _matrix(p_values, order),
            "p_adjusted": _matrix(adjusted, order),
            "significantly_better": better[np.ix_(order, order)].tolist(),
            "tests": {
                "alpha": scheme.alpha,
                "adjust": "holm",
                "units": plan.units.number,
                "stratified": plan.units.several_strata,
                "cases_needed": cases_needed(len(order), alpha=scheme.alpha),
                "cases_needed_unadjusted": cases_needed(len(order), alpha=scheme.alpha, adjust="none"),
            },
        }
    else:
        entry |= {"p_values": None, "p_adjusted": None, "significantly_better": None, "tests": None}
    if table.inserted:
        entry["inserted"] = [{"case": case, "algorithm": name} for case, name in table.inserted]
    return entry


def overall_of(
    evaluated: Sequence[Evaluated], scheme: RankingScheme, assessment: Assessment, notes: list[str]
) -> list[dict[str, Any]]:
    """The entries of what the rankings of a scheme are combined into; why there is none is added to `notes`."""
    pending = pending_overall_of(evaluated, scheme, assessment, notes)
    return [compute(None) for compute in pending]


def pending_overall_of(
    evaluated: Sequence[Evaluated], scheme: RankingScheme, assessment: Assessment, notes: list[str]
) -> list[Callable[[FamilyShare | None], dict[str, Any]]]:
    """Return a function for each entry of `overall_of` that takes the part of the error and computes the entry."""
    if scheme.combine is None or not evaluated:
        return []
    over_tasks = any("task" in step.over for step in scheme.combine)
    algorithms = evaluated[0].table.algorithms
    if over_tasks and any(item.table.algorithms != algorithms for item in evaluated):
        notes.append("The tasks do not have the same algorithms, so there is no ranking over all tasks.")
        return []
    evaluated = _without_what_stands_beside(evaluated, assessment)
    parts = parts_of(evaluated, scheme, assessment)
    combined = combine(parts, scheme.combine, scheme.missing_rank)
    told_apart = [name for name in combined[0].key if len({part.key[name] for part in combined}) > 1]
    return [partial(_combined_entry, part, parts, evaluated, scheme, assessment, told_apart) for part in combined]


def _without_what_stands_beside(evaluated: Sequence[Evaluated], assessment: Assessment) -> Sequence[Evaluated]:
    """Without values over all data sets, where those of each data set are ranked."""
    if not kind_of(assessment).evidence.has_overall_value(assessment.settings):
        return evaluated
    apart = {item.table.metric.name for item in evaluated if item.table.per_dataset and item.table.region is not None}
    return [item for item in evaluated if item.table.region is not None or item.table.metric.name not in apart]


def _combined_entry(
    part: Part,
    parts: Sequence[Part],
    evaluated: Sequence[Evaluated],
    scheme: RankingScheme,
    assessment: Assessment,
    told_apart: Sequence[str],
    share: FamilyShare | None = None,
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
    resampled = all(item.resampled for item in members) and not are_drawn_apart(members)
    stability = _stability(part.scores, part.ranks, plan, assessment) if resampled else None
    scores, ranks = part.scores[0], part.ranks[0]
    order = np.lexsort((np.array(names), ranks))
    missing = _missing_cases(members)
    one_plan = all(item.plan is plan for item in members)
    certainty, of_algorithms = statements(
        combined_ranking(part, parts, members, scheme, assessment, share),
        order,
        failed=_failed_together(members, names),
    )
    entry: dict[str, Any] = {} if scheme.name is None else {"name": scheme.name}
    entry |= {name: part.key[name] for name in told_apart}
    entry |= {
        "over": [name for step in scheme.combine or () for name in step.over],
        "cases": sum({item.table.task: len(item.plan.cases) for item in members}.values()),
        "drawn_units": plan.design.clusters if one_plan else None,
        "resampled": stability is not None,
        "algorithms": [
            {
                **algorithm_entry(names[index], index, scores=scores, ranks=ranks, stability=stability),
                "missing": missing[names[index]],
                **statement,
            }
            for index, statement in zip(order, of_algorithms, strict=True)
        ],
        **summary_entry(ranks, stability, [names[index] for index in order]),
        **certainty,
        "leave_one_out": _leave_one_out(part.ranks, plan, members) if one_plan and resampled else None,
    }
    return entry


def single_ranking(
    evaluated: Evaluated, scheme: RankingScheme, assessment: Assessment, share: FamilyShare | None = None
) -> Ranking:
    """The ranking of one table, for its statements of certainty."""
    plan = evaluated.plan
    scores, ranks = evaluated.ranked.scores, evaluated.ranked.ranks
    samples = slice(0, 1 + plan.bootstrap)
    key = {"task": evaluated.table.task, "metric": evaluated.table.metric.name, "region": evaluated.table.region}
    count = len(plan.cases) if evaluated.inside is None else evaluated.cases
    cases = np.full(len(scores[samples]), float(count))
    part = Elementary(evaluated, None, key, scores[samples], cases)
    return Ranking((part,), scheme, assessment, (), ranks[samples], scores[samples], share)


def combined_ranking(
    part: Part,
    parts: Sequence[Part],
    members: Sequence[Evaluated],
    scheme: RankingScheme,
    assessment: Assessment,
    share: FamilyShare | None = None,
) -> Ranking:
    """A combined ranking with the rankings that it is made of, for its statements of certainty."""
    matching_parts = [one for one in parts if all(one.key.get(name) == value for name, value in part.key.items())]
    steps = tuple(scheme.combine or ())
    shortest = min(1 + min(item.plan.bootstrap for item in members), *(len(one.scores) for one in matching_parts))
    elementary = [
        Elementary(one.source, one.inside, one.key, one.scores[:shortest], one.cases)
        for one in matching_parts
        if one.source is not None
    ]
    if len(elementary) < len(
        matching_parts
    ):  # groups of cases are drawn themselves, so none of them is the same in every sample
        elementary = [Elementary(members[0], None, {}, part.scores[:1], part.cases[:1])]
        # One ranking that is combined already has no dimension left, by whose values it could be weighted.
        steps = tuple(replace(step, weights=None) for step in steps)
    return Ranking(
        tuple(elementary),
        scheme,
        assessment,
        steps,
        part.ranks[:shortest],
        part.scores[:shortest],
        share,
    )


def _failed_of(evaluated: Evaluated) -> Sequence[int | None]:
    """Return the failed cases of each algorithm.

    The number is ``None`` for metrics of the whole data set whose cases are not known.
    """
    if evaluated.tells_missing:
        return evaluated.missing
    return [None] * len(evaluated.table.algorithms)


def _failed_together(members: Sequence[Evaluated], names: Sequence[str]) -> Sequence[int | None]:
    """Return the failed cases in the worst table of each task that reports them; ``None`` where none does."""
    telling = [item for item in members if item.tells_missing]
    if not telling:
        return [None] * len(names)
    counts = _missing_cases(telling)
    return [counts[name] for name in names]


def _missing_cases(members: Sequence[Evaluated]) -> dict[str, int]:
    """For each algorithm, on how many cases its prediction is missing in the worst of the tables of each task.

    Tables of several data sets have different cases: what lacks in one is counted with what lacks in the others.
    """
    of_metric: dict[tuple[str | None, str, str], int] = {}
    for item in members:
        for name, missing in zip(item.table.algorithms, item.missing, strict=True):
            key = (item.table.task, name, item.table.metric.name)
            so_far = of_metric.get(key, 0)
            of_metric[key] = max(so_far, missing) if item.inside is None else so_far + missing
    worst: dict[tuple[str | None, str], int] = {}
    for (task, name, _), missing in of_metric.items():
        worst[task, name] = max(worst.get((task, name), 0), missing)
    total: dict[str, int] = {}
    for (_, name), count in worst.items():
        total[name] = total.get(name, 0) + count
    return total


def _stability(scores: FloatArray, ranks: FloatArray, plan: Plan, assessment: Assessment) -> Stability | None:
    if plan.bootstrap == 0 or len(ranks) <= 1 or ranks.shape[1] < 2:
        return None
    span = slice(1, 1 + plan.bootstrap)
    return measure(ranks[0], ranks[span], scores[span], assessment.uncertainty.interval)


def _stability_of(evaluated: Evaluated, assessment: Assessment) -> Stability | None:
    """Return the stability of a table; ranges of draws from given standard errors are cut at the range of the metric."""
    stability = _stability(evaluated.ranked.scores, evaluated.ranked.ranks, evaluated.plan, assessment)
    if stability is None or not evaluated.drawn_by or evaluated.plan.rules == FIRST_RULES:
        return stability
    limits = limits_of(evaluated.table.metric, evaluated.ranked.scores[0])
    return replace(stability, score_interval=np.clip(stability.score_interval, *limits))


def resampling_interval(evaluated: Evaluated, assessment: Assessment) -> list[list[float | int | None] | None]:
    """The resampling range of each algorithm's score in a table; ``None`` where nothing is drawn."""
    stability = _stability_of(evaluated, assessment)
    if stability is None:
        return [None] * evaluated.ranked.scores.shape[1]
    return [_interval(edges) for edges in stability.score_interval]


def algorithm_entry(
    name: str, index: int, *, scores: FloatArray, ranks: FloatArray, stability: Stability | None
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
    return entry


def summary_entry(ranks: FloatArray, stability: Stability | None, ordered: Sequence[str]) -> dict[str, Any]:
    winners = list(ordered[: int((ranks == ranks.min()).sum())])
    summary: dict[str, Any] = {"winners": winners}
    if stability is None:
        keys = ("winner_stays", "others_first", "others_first_1_percent", "kendall_tau")
        return summary | dict.fromkeys(keys)
    return summary | {
        "winner_stays": stability.winner_stays,
        "others_first": stability.others_first,
        "others_first_1_percent": stability.others_first_1_percent,
        "kendall_tau": stability.kendall_tau,
    }


def _leave_one_out(
    ranks: FloatArray, plan: Plan, members: Sequence[Evaluated], inside: npt.NDArray[np.bool_] | None = None
) -> dict[str, Any] | None:
    """Return whether a single case decides the first rank, and which case it is.

    If the ranking includes a cost of running, only the number of such cases is reported. The document is public long
    before the cases are. A program could encode what it saw in a case in the resources that it uses for it.
    """
    left_out = ranks[1 + plan.bootstrap : plan.number]
    if not len(left_out) or len(ranks) < plan.number:
        return None
    units = np.arange(len(left_out)) if inside is None else np.unique(plan.design.units[inside])
    left_out = left_out[units]
    first = left_out == left_out.min(axis=1, keepdims=True)
    stays, others, _ = first_places(ranks[0], first)
    winners = ranks[0] == ranks[0].min()
    changed = np.flatnonzero((first != winners).any(axis=1))
    return {
        "winner_stays": stays,
        "others_first": others,
        "changed_by": [
            [] if any(member.table.metric.is_by_run for member in members) else plan.left_out_cases(int(units[sample]))
            for sample in changed
        ],
    }


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


def full_data_p_values(table: Table, plan: Plan, assessment: Assessment) -> FloatArray | None:
    """Return one-sided p-values of "row is better than column" on the full data.

    The tests use pairwise complete cases: a case is removed from a pair if a value is excluded or ranked last. Units
    are compared, with the values of their cases aggregated. With several strata the test is stratified. The result is
    ``None`` for metrics without values of cases.
    """
    if table.per_dataset or len(table.algorithms) < 2:
        return None
    higher, units = table.metric.higher_is_better, plan.units
    values = table.values
    if units.number < len(table.cases):
        inside = _inside_units(plan, assessment)
        full = plan.full
        bare = replace(full, drawn=replace(full.drawn, copies={}))
        operator = assessment.aggregation.operator
        values = unit_values(values, bare, inside, operator, higher_is_better=higher)[0]
    elif (units.unit_of_case != np.arange(len(values))).any():
        ordered = np.empty_like(values)
        ordered[units.unit_of_case] = values
        values = ordered
    if units.several_strata:
        return stratified_matrix(values, units.stratum_of_unit, higher_is_better=higher)
    p_values: FloatArray = wilcoxon_matrices(values, np.ones((len(values), 1)), higher_is_better=higher)[0]
    return p_values


def _inside_units(plan: Plan, assessment: Assessment) -> Hierarchy:
    """The sampled levels from the case up to the unit; one that holds several units is taken apart by them."""
    levels, unit = assessment.aggregation.random, plan.units.unit_of_case
    above = {} if plan.hierarchy is None else {level: plan.hierarchy.groups[level] for level in levels}
    groups = {
        level: np.unique(np.column_stack([unit, group]), axis=0, return_inverse=True)[1].reshape(-1)
        for level, group in above.items()
    }
    groups["unit"] = unit
    return Hierarchy((*levels, "unit"), groups, dict.fromkeys((*levels, "unit")))
