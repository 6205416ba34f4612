"""Failed cases: how many more could have gone unseen, and what one more would do to the ranks.

References
----------
Clopper, Pearson, "The use of confidence or fiducial limits illustrated in the case of the binomial", Biometrika 26, 1934.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt
from scipy.special import betaincinv

from evaluation.ranking.drawn import Drawn, Samples
from evaluation.ranking.resampling import case_weights
from evaluation.ranking.scores import largest_of, rank, settled, snap

if TYPE_CHECKING:
    from evaluation.ranking.uncertainty.elementary import Elementary, Ranking

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
_LEVEL: Final = 0.95
_MOST_NUMBERS: Final = 24_000_000
_AT_ONCE: Final = 1_000_000
_MOST_COMPARED: Final = 2_000


def failure_bound(failed: int, of: int) -> float:
    """Return the upper bound of the failure rate at 95 %, when `failed` of `of` cases failed.

    Examples
    --------
    >>> round(failure_bound(0, 60), 4), failure_bound(7, 7)
    (0.0487, 1.0)
    """
    return 1.0 if failed >= of else float(betaincinv(failed + 1, of - failed, _LEVEL))


def unseen_variance(part: Elementary, values: FloatArray, failed: IntArray) -> FloatArray | None:
    """Return the variance of each algorithm's score from unobserved failures (``jeffreys``).

    Parameters
    ----------
    part
        A linear elementary ranking.
    values
        Averaged values, cases × algorithms, where larger is better.
    failed
        Failed cases of each algorithm.

    Returns
    -------
    numpy.ndarray or None
        ``None`` if a missing case has no value.
    """
    worst = _missing_values(part)
    if worst is None:
        return None
    signed = worst if part.item.table.metric.higher_is_better else -worst
    count = len(values)
    seen = np.where(values > signed[:, None], values, np.nan)
    usual = np.array([np.nanmean(column) if not np.isnan(column).all() else signed.min() for column in seen.T])
    cost = usual - signed.min()
    rate = (failed + 0.5) * (count - failed + 0.5) / ((count + 1.0) ** 2 * (count + 2.0))
    return np.asarray(rate * cost**2)


def failure_values(part: Elementary, *, ranked: bool = False) -> FloatArray | None:
    """Return the value that a missing case counts as, for every case.

    It is not a number for the last rank. The result is ``None`` if a missing case has no value.
    """
    return _missing_values(part, ranked=ranked)


def failed_cases(part: Elementary, algorithm: int) -> npt.NDArray[np.bool_]:
    """Return the cases on which an algorithm fails: its value is missing or equal to the value of a missing case.

    The outcome of the case does not matter.
    """
    table = part.item.table
    values = table.values if part.inside is None else table.values[part.inside]
    last = table.last_rank if part.inside is None else table.last_rank[part.inside]
    worst = _missing_values(part)
    of_algorithm = values[:, algorithm]
    failed = np.isnan(of_algorithm) | last[:, algorithm]
    if worst is not None:
        inside = worst if part.inside is None else worst[part.inside]
        failed |= np.isclose(of_algorithm, inside, rtol=1e-12, atol=0.0) | (of_algorithm == inside)
    return np.asarray(failed)


def failure(failed: int | None, of: int) -> dict[str, Any] | None:
    """Return the entry of a ranking document on failures.

    The result is ``None`` if their number is unknown or there are no cases.
    """
    return None if failed is None or of == 0 else {"failed": failed, "of": of, "upper": failure_bound(failed, of)}


def ranks_after_one_more(ranking: Ranking) -> list[int | None]:
    """Return the worst rank that each algorithm would have if one more of its cases had failed.

    Returns
    -------
    list
        ``None`` where a missing case is excluded or has no value, for metrics of the whole data set, where rankings of
        groups of cases are combined, and where ranking again would take too much (24 million numbers).
    """
    count = len(ranking.algorithms)
    nothing: list[int | None] = [None] * count
    parts = ranking.elementary
    if any(part.item.table.per_dataset or part.inside is not None for part in parts):
        return nothing
    worst = [_missing_values(part, ranked=ranking.scheme.ranks_cases) for part in parts]
    if any(values is None for values in worst):
        return nothing
    tasks: dict[str | None, list[int]] = {}
    for index, part in enumerate(parts):
        tasks.setdefault(part.item.table.task, []).append(index)
    if ranking.scheme.ranks_cases or ranking.scheme.compares_pairs:
        variants = _dependent(ranking, tasks, worst)
    else:
        variants = _columnwise(ranking, tasks, worst)
    if variants is None:
        return nothing
    result = list(nothing)
    failed = [max(part.item.missing[j] for part in parts) for j in range(count)]
    for algorithm, ranks in variants.items():
        if len(ranks) and failed[algorithm] < max(len(part.item.table.cases) for part in parts):
            result[algorithm] = int(np.ceil(ranks.max()))
    return result


def _missing_values(part: Elementary, *, ranked: bool = False) -> FloatArray | None:
    """Return the value that a missing case counts as, for every case.

    It is not a number for the last rank. The result is ``None`` if a missing case has no value.
    """
    table = part.item.table
    policy = table.metric.policy.missing
    if policy is None or policy == "exclude":
        return None
    if policy == "worst_rank":
        return np.full(len(table.cases), np.nan) if ranked else None
    values = table.penalties(policy)
    return None if np.isnan(values).any() else np.asarray(values, dtype=np.float64)


def _columnwise(
    ranking: Ranking, tasks: dict[str | None, list[int]], worst: list[FloatArray | None]
) -> dict[int, FloatArray] | None:
    """Ranks after each failure where a score depends on an algorithm's own values alone."""
    count = len(ranking.algorithms)
    result: dict[int, list[FloatArray]] = {j: [] for j in range(count)}
    full = [part.scores[0] for part in ranking.elementary]
    for members in tasks.values():
        variants: list[FloatArray] = []
        for index in members:
            scores = _scores_with_failures(ranking, index, worst[index])
            if scores is None:
                return None
            # As they would be rounded in one table with the failure; else what cancels out would break a tie.
            largest = _largest(ranking.elementary[index], worst[index])
            variants.append(settled(scores, largest))
            full[index] = settled(full[index], largest)
        chosen = _worst_failures(
            variants,
            [full[index] for index in members],
            [ranking.elementary[index].higher_is_better for index in members],
        )
        owner = np.repeat(np.arange(count), [len(cases) for cases in chosen])
        failed = np.concatenate(chosen)
        if len(owner) * count * len(ranking.elementary) > _MOST_NUMBERS:
            return None
        step = max(1, _AT_ONCE // count)
        for start in range(0, len(owner), step):
            team, case = owner[start : start + step], failed[start : start + step]
            given = [np.tile(scores, (len(team), 1)) for scores in full]
            for index, scores in zip(members, variants, strict=True):
                given[index][np.arange(len(team)), team] = scores[case, team]
            ranks = ranking.final(given)
            team_ranks = ranks[np.arange(len(ranks)), team]
            for j in np.unique(team):
                result[int(j)].append(team_ranks[team == j])
    return {j: np.concatenate(ranks) if ranks else np.empty(0) for j, ranks in result.items()}


def _largest(part: Elementary, worst: FloatArray | None) -> float:
    """Size of the largest value of a table, that of a failure included."""
    table = part.item.table
    return max(largest_of(table.values), 0.0 if worst is None else largest_of(worst))


def _worst_failures(variants: list[FloatArray], full: list[FloatArray], higher: list[bool]) -> list[IntArray]:
    """For each algorithm the cases one of whose failures gives its worst rank.

    Parameters
    ----------
    variants
        For each metric the score of each algorithm after each failure, cases × algorithms.
    full
        For each metric the scores without one.
    higher
        Direction of each metric.
    """
    if len(variants) == 1:
        worst = (variants[0] if higher[0] else -variants[0]).argmin(axis=0)
        return list(worst[:, None])
    places = [_places(*metric) for metric in zip(variants, full, higher, strict=True)]
    by_algorithm = np.stack(places, axis=2).transpose(1, 0, 2)
    return [_undominated(np.ascontiguousarray(algorithm_places)) for algorithm_places in by_algorithm]


def _scores_with_failures(ranking: Ranking, index: int, worst: FloatArray | None) -> FloatArray | None:
    """Return the score of every algorithm with each of its cases failed in turn, cases × algorithms."""
    linear = _linear_scores(ranking, index, worst)
    if linear is not None:
        return linear
    columns = []
    for j in range(len(ranking.algorithms)):
        column = _scores_with_a_failure(ranking, index, j, worst)
        if column is None:
            return None
        columns.append(column)
    return np.stack(columns, axis=1)


def _linear_scores(ranking: Ranking, index: int, worst: FloatArray | None) -> FloatArray | None:
    """Scores of all algorithms with each case failed in turn, cases × algorithms, where a score is a weighted mean."""
    part = ranking.elementary[index]
    if ranking.registered.operator.kind != "mean" or not ranking.scheme.is_linear(ranking.registered):
        return None
    table = ranking.values_of(part)
    if table.hierarchy is not None and table.aggregation.operator.kind != "mean":
        return None
    assert worst is not None
    if np.isnan(table.values).any():
        return None
    weights = case_weights(np.ones((len(table.values), 1), dtype=bool), table.hierarchy)
    return _mean_after(weights, table.values, worst[:, None])


def _mean_after(weights: FloatArray, values: FloatArray, worst: FloatArray) -> FloatArray:
    """Weighted means with each value in turn replaced by the worst one."""
    return np.asarray((weights * values).sum(axis=0) + weights * (worst - values))


def _scores_with_a_failure(ranking: Ranking, index: int, algorithm: int, worst: FloatArray | None) -> FloatArray | None:
    """Score of one algorithm, which is no weighted mean, with each of its cases failed in turn; ``None`` if a value lacks."""
    part = ranking.elementary[index]
    table = ranking.values_of(part)
    algorithm_values = table.values[:, algorithm]
    assert worst is not None
    if np.isnan(algorithm_values).any():
        return None
    if len(algorithm_values) ** 2 * len(ranking.algorithms) > _MOST_NUMBERS:
        return None
    values = np.repeat(algorithm_values[:, None], len(algorithm_values), axis=1)
    np.fill_diagonal(values, worst)
    variants = replace(table, values=values, last_rank=np.zeros(values.shape, dtype=bool))
    scores, _ = ranking.scheme.scores(variants, part.item.plan.full, ranking.registered)
    return np.asarray(scores[0])


def _places(variants: FloatArray, full: FloatArray, higher: bool) -> IntArray:
    """Place of each algorithm among the others after each failure, twice as fine as ranks: between, or level with one.

    Ranks depend on these places alone.
    """
    sign = 1.0 if higher else -1.0
    after, before = snap(variants) * sign, snap(full) * sign
    ordered = np.sort(before[~np.isnan(before)])
    up_to = np.searchsorted(ordered, after, side="right") - (before <= after)
    below = np.searchsorted(ordered, after, side="left") - (before < after)
    return np.asarray(-2 * up_to + (up_to > below))


def _undominated(places: IntArray) -> IntArray:
    """Failures that no other failure is at least as bad as in every metric: one of them gives the worst rank.

    Parameters
    ----------
    places
        Of one algorithm after each failure, failures × metrics, more is worse.
    """
    if len(places) > _MOST_COMPARED:
        _, index = np.unique(places, axis=0, return_index=True)
        return np.asarray(index)
    # What another failure outdoes everywhere has no larger sum, so the worst that is left is never outdone.
    left = np.argsort(-places.sum(axis=1), kind="stable")
    chosen = []
    while len(left):
        chosen.append(left[0])
        left = left[(places[left] > places[left[0]]).any(axis=1)]
    return np.array(chosen)


def _dependent(
    ranking: Ranking, tasks: dict[str | None, list[int]], worst: list[FloatArray | None]
) -> dict[int, FloatArray] | None:
    """Ranks after each failure where scores depend on the other algorithms, too."""
    count = len(ranking.algorithms)
    full = [part.scores[0] for part in ranking.elementary]
    result: dict[int, list[FloatArray]] = {j: [] for j in range(count)}
    for members in tasks.values():
        for j in range(count):
            changed = {index: _all_scores_with_a_failure(ranking, index, j, worst[index]) for index in members}
            if any(scores is None for scores in changed.values()):
                return None
            cases = len(next(iter(changed.values())))  # type: ignore[arg-type]
            given = [np.tile(scores, (cases, 1)) for scores in full]
            for index, scores in changed.items():
                assert scores is not None
                given[index] = scores
            result[j].append(ranking.final(given)[:, j])
    return {j: np.concatenate(ranks) for j, ranks in result.items()}


def _all_scores_with_a_failure(
    ranking: Ranking, index: int, algorithm: int, worst: FloatArray | None
) -> FloatArray | None:
    """Scores of all algorithms with each case of one of them failed in turn, cases × algorithms."""
    part, registered = ranking.elementary[index], ranking.registered
    table = ranking.values_of(part)
    cases, count = table.values.shape
    assert worst is not None
    if cases * cases * count * count > _MOST_NUMBERS and not ranking.scheme.ranks_cases:
        return None
    values, last = table.values.copy(), table.last_rank.copy()
    values[:, algorithm] = worst
    last[:, algorithm] = np.isnan(worst)
    if ranking.scheme.ranks_cases and registered.operator.kind == "mean" and table.hierarchy is None:
        arguments = {
            "higher_is_better": table.higher_is_better,
            "ties": registered.ties,
            "missing_rank": registered.missing_rank,
        }
        before = rank(table.values, last_rank=table.last_rank, **arguments)  # type: ignore[arg-type]
        if np.isnan(before).any():
            return None
        after = rank(values, last_rank=last, **arguments)  # type: ignore[arg-type]
        return np.asarray((before.sum(axis=0) + (after - before)) / cases)
    if cases * cases * count * count > _MOST_NUMBERS:
        return None
    step = max(1, _AT_ONCE // (2 * cases * count))
    blocks = [np.arange(start, min(start + step, cases)) for start in range(0, cases, step)]
    return np.concatenate(
        [_scores_of_failing(ranking, index, values[failing], last[failing], failing) for failing in blocks]
    )


def _scores_of_failing(
    ranking: Ranking, index: int, values: FloatArray, last: npt.NDArray[np.bool_], failing: IntArray
) -> FloatArray:
    """Scores of all algorithms with each of some cases in turn as it would be after a failure, cases × algorithms.

    The cases after a failure are further rows, and each failure is a sample that holds one of them in place of the case: what a
    scheme does with the cases is then done once.
    """
    part, table = ranking.elementary[index], ranking.values_of(ranking.elementary[index])
    cases, number = len(table.values), len(failing)
    every = np.arange(number)
    counts = np.zeros((cases + number, number))
    counts[:cases] = 1.0
    counts[failing, every] = 0.0
    counts[cases + every, every] = 1.0
    drawn = part.item.plan.full.drawn
    rows = np.tile(drawn.cases, (number, 1))
    rows[every[:, None], np.argsort(drawn.cases)[failing][:, None]] = (cases + every)[:, None]
    samples = np.repeat(every, len(drawn.cases))
    copies = {
        level: (copy + every[:, None] * (int(copy.max(initial=0)) + 1)).ravel() for level, copy in drawn.copies.items()
    }
    hierarchy = table.hierarchy
    if hierarchy is not None:
        groups = {level: np.concatenate([group, group[failing]]) for level, group in hierarchy.groups.items()}
        hierarchy = replace(hierarchy, groups=groups)
    wide = replace(
        table,
        values=np.concatenate([table.values, values]),
        last_rank=np.concatenate([table.last_rank, last]),
        hierarchy=hierarchy,
    )
    scores, _ = ranking.scheme.scores(wide, Samples(counts, Drawn(rows.ravel(), samples, copies)), ranking.registered)
    return np.asarray(scores)
