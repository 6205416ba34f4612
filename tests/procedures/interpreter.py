"""Execute the statements of a procedure one by one, in exact fractions and plain loops.

It reads the statements, the rows of results and the columns of cases, never the assessment: what is shown as pseudo-code
is what decides here. Nothing of the implementation is called.
"""

import math
from fractions import Fraction

from evaluation.ranking.procedure.statements import (
    Aggregate,
    Compare,
    Group,
    Measure,
    RankCases,
    RankScores,
    TakeValue,
)

LAST = "last"
"""A value that gets the last rank of its case."""


def execute(procedure, rows, columns, levels=None):
    """Return scores and ranks.

    Parameters
    ----------
    rows
        Dictionaries with ``algorithm``, ``case`` (empty for all cases together), ``region``, ``metric``, ``value``,
        ``outcome``, ``flag``, ``image_diagonal`` and ``task``.
    columns
        Cells of each case by column: ``{column: {case: cell}}``.
    levels
        Level of interaction by algorithm.

    Returns
    -------
    tuple
        Tables by (name of the ranking, task, metric, region) and combined rankings by (name, what is not combined), each
        algorithm with its score and rank.
    """
    rows = [row for row in rows if not _left_out(procedure.leave, row, columns)]
    tables, combined = {}, {}
    values = {}
    for task in sorted({row["task"] for row in rows}):
        of_task = [row for row in rows if row["task"] == task]
        algorithms = sorted({row["algorithm"] for row in of_task})
        cases = sorted({row["case"] for row in of_task} - {""})
        for measure in procedure.measures:
            for region in measure.regions or ("",):
                measured = _measured(measure, region, of_task, algorithms, cases)
                weigh = next((one for one in procedure.weighed if one.metric == measure.metric), None)
                if weigh is not None:
                    measured = _weighed(weigh, measure, region, measured, of_task, levels or {})
                values[task, measure.metric, region] = (measured, algorithms, cases, measure)
    for ranking in procedure.rankings:
        parts = []
        for (task, metric, region), (measured, algorithms, cases, measure) in values.items():
            if metric not in ranking.metrics or (
                ranking.regions is not None and region and region not in ranking.regions
            ):
                continue
            whole = measure.level == "dataset"
            statements = ranking.of_data_set if whole else ranking.of_cases
            inside = [""] if whole else cases
            scored = _ranked(statements, measured, inside, algorithms, columns, measure.higher_is_better)
            tables[ranking.name, task, metric, region] = scored
            key = {"task": task, "metric": metric, "region": region}
            if whole or not ranking.apart:
                parts.append((key, scored, len(cases)))
                continue
            names = (*ranking.apart, *ranking.apart_within)
            for cells in sorted({tuple(columns[name][case] for name in names) for case in cases}):
                own = [case for case in cases if tuple(columns[name][case] for name in names) == cells]
                of_cells = _ranked(statements, measured, own, algorithms, columns, measure.higher_is_better)
                labels = dict(zip(ranking.apart, cells, strict=False))
                if ranking.apart_within:
                    labels[ranking.apart[0]] = cells
                parts.append(({**key, **labels}, of_cells, len(own)))
        over_tasks = any("task" in step.over for step in ranking.combine or ())
        if over_tasks and len({tuple(sorted(scored)) for _, scored, _ in parts}) > 1:
            continue
        if ranking.combine is not None:
            for step in ranking.combine:
                parts = _combined(step, parts)
            for key, scored, _ in parts:
                combined[ranking.name, tuple(sorted(key.items()))] = scored
    return tables, combined


def _left_out(leave, row, columns):
    if leave is None or not row["case"]:
        return False
    return row["case"] in leave.cases or bool(leave.column and columns[leave.column][row["case"]] in leave.grades)


# Values ----------------------------------------------------------------------------------------------------------------


def _measured(measure: Measure, region, rows, algorithms, cases):
    """Return values by case and algorithm: a number, ``None`` for an excluded case, or ``LAST``."""
    own = {
        (row["case"], row["algorithm"]): row
        for row in rows
        if row["metric"] == measure.metric and row["region"] == region
    }
    diagonals = {row["case"]: row["image_diagonal"] for row in rows if row["image_diagonal"] is not None}
    fills = {fill.outcome: fill.counts_as for fill in measure.fills}
    result = {}
    for case in [""] if measure.level == "dataset" else cases:
        for algorithm in algorithms:
            row = own.get((case, algorithm), {"outcome": "missing", "flag": ""})
            outcome = row["outcome"]
            if outcome == "ok":
                result[case, algorithm] = _exact(row["value"])
                continue
            if row["flag"] == "unbounded" and "unbounded" in fills:
                result[case, algorithm] = math.inf if measure.higher_is_better else -math.inf
                continue
            if outcome == "degenerate" and row["flag"] == "reference":
                outcome = "reference"
            counts = fills["missing" if outcome == "not_applicable" else outcome]
            if counts == "exclude":
                result[case, algorithm] = None
            elif counts == "worst_rank":
                result[case, algorithm] = LAST
            elif counts == "image_diagonal":
                result[case, algorithm] = _exact(diagonals[case])
            else:
                result[case, algorithm] = _exact(counts)
    return result


def _weighed(weigh, measure, region, measured, rows, levels):
    found = {
        (row["case"], row["algorithm"])
        for row in rows
        if row["metric"] == measure.metric and row["region"] == region and row["outcome"] == "ok"
    }
    weights = dict(weigh.weights)
    result = dict(measured)
    for case, algorithm in found:
        weight = _exact(weights.get(levels.get(algorithm), weigh.lowest))
        value = measured[case, algorithm]
        worst = None if weigh.worst is None else _exact(weigh.worst)
        result[case, algorithm] = value / weight if worst is None else worst + weight * (value - worst)
    return result


# One metric ------------------------------------------------------------------------------------------------------------


def _ranked(statements, measured, cases, algorithms, columns, higher):
    """Execute the statements of one table; return (score, rank) by algorithm."""
    units = [({"case": case}, {name: measured[case, name] for name in algorithms}) for case in cases]
    of_case = dict(columns.items())
    for key, _ in units:
        key.update({column: cells[key["case"]] for column, cells in of_case.items() if key["case"] in cells})
    direction = higher
    scores = {}
    for statement in statements:
        if isinstance(statement, RankCases):
            units = [(key, _ranks_of_case(row, higher, statement)) for key, row in units]
            direction = False
        elif isinstance(statement, Group):
            units = _grouped(units, statement, direction, _outside(statements, statement))
        elif isinstance(statement, Aggregate):
            scores = {
                name: _operated(statement.operator, _present(row[name] for _, row in units), direction)
                for name in algorithms
            }
        elif isinstance(statement, Compare):
            scores = _compared(units, algorithms, higher, statement)
        elif isinstance(statement, TakeValue):
            scores = {name: units[0][1][name] for name in algorithms}
        elif isinstance(statement, RankScores):
            best_is_high = {"best": direction, "highest": True, "lowest": False}[statement.best]
            ranks = _ranks(scores, best_is_high, statement.ties, statement.missing_rank)
            return {name: (scores[name], ranks[name]) for name in algorithms}
        else:
            message = f"no way to execute {statement}"
            raise TypeError(message)
    raise AssertionError("a procedure ends with ranks")


def _outside(statements, group):
    """Levels around the group: groups of one name in different ones are different groups."""
    groups = [statement for statement in statements if isinstance(statement, Group)]
    return [*(other.outer for other in groups[groups.index(group) :]), *group.within]


def _grouped(units, group, higher, path):
    members = {}
    for key, row in units:
        members.setdefault(tuple(key[name] for name in path), []).append((key, row))
    result = []
    for inside in members.values():
        row = {
            name: _operated(group.operator, _present(values[name] for _, values in inside), higher)
            for name in inside[0][1]
        }
        result.append((inside[0][0], row))
    return result


def _present(values):
    return [value for value in values if value is not None and value is not LAST]


def _operated(operator, values, higher):
    if not values:
        return None
    if operator.kind == "mean":
        return sum(values) / len(values)
    if operator.kind == "percentile":
        share = Fraction(str(operator.percentile)) / 100
        if operator.counted_from == "worse" and not higher:
            share = 1 - share
    else:
        share = {"min": Fraction(0), "median": Fraction(1, 2), "max": Fraction(1)}[operator.kind]
    ordered = sorted(values)
    position = (len(ordered) - 1) * share
    low = math.floor(position)
    high = math.ceil(position)
    return ordered[low] + (ordered[high] - ordered[low]) * (position - low)


def _ranks_of_case(row, higher, statement):
    playing = {name: None if value is LAST else value for name, value in row.items() if value is not None}
    ranks = _ranks(playing, higher, statement.ties, statement.missing_rank) if playing else {}
    return {name: ranks.get(name) for name in row}


def _ranks(scores, higher, ties, missing_rank):
    present = {name: score for name, score in scores.items() if score is not None}
    sign = -1 if higher else 1
    ordered = sorted({sign * score for score in present.values()})
    ranks = {}
    for name, score in present.items():
        value = sign * score
        better = sum(sign * other < value for other in present.values())
        equal = sum(sign * other == value for other in present.values())
        ranks[name] = {
            "min": Fraction(better + 1),
            "max": Fraction(better + equal),
            "average": better + Fraction(equal + 1, 2),
            "dense": Fraction(ordered.index(value) + 1),
        }[ties]
    lacking = [name for name, score in scores.items() if score is None]
    number = len(lacking)
    after = max(ranks.values(), default=Fraction(0))
    of_missing = {
        "last": Fraction(len(scores)),
        "shared_last": Fraction(len(scores) - number + 1),
        "toolkit": after + {"min": 1, "dense": 1, "max": number, "average": Fraction(number + 1, 2)}[ties],
    }[missing_rank]
    return ranks | dict.fromkeys(lacking, of_missing)


def _compared(units, algorithms, higher, statement):
    p_values = {}
    for one in algorithms:
        for other in algorithms:
            if one != other:
                pairs = [(row[one], row[other]) for _, row in units if row[one] is not None and row[other] is not None]
                p_values[one, other] = _signed_rank([a - b if higher else b - a for a, b in pairs])
    if statement.adjust == "holm":
        raised = 0.0
        for position, pair in enumerate(sorted(p_values, key=p_values.get)):
            raised = max(raised, p_values[pair] * (len(p_values) - position))
            p_values[pair] = min(raised, 1.0)
    scores = {}
    for name in algorithms:
        beaten = sum(p <= statement.alpha for (one, _), p in p_values.items() if one == name)
        has_value = any(row[name] is not None for _, row in units)
        scores[name] = Fraction(beaten, max(len(algorithms) - 1, 1)) if has_value else None
    return scores


def _signed_rank(differences):
    """One-sided p-value by the normal approximation with continuity correction."""
    differences = [difference for difference in differences if difference]
    n = len(differences)
    if not n:
        return 1.0
    sizes = sorted(abs(difference) for difference in differences)
    middle = {size: Fraction(2 * sizes.index(size) + sizes.count(size) + 1, 2) for size in set(sizes)}
    won = sum(middle[abs(difference)] for difference in differences if difference > 0)
    ties = sum(sizes.count(size) ** 3 - sizes.count(size) for size in set(sizes))
    variance = Fraction(n * (n + 1) * (2 * n + 1), 24) - Fraction(ties, 48)
    excess = won - Fraction(n * (n + 1), 4)
    return math.erfc(float(excess - Fraction(1, 2)) / math.sqrt(variance) / math.sqrt(2)) / 2


# Several metrics -------------------------------------------------------------------------------------------------------


def _combined(step, parts):
    groups = {}
    for key, scored, cases in parts:
        left = tuple((name, cell) for name, cell in key.items() if name not in step.over)
        groups.setdefault(left, []).append((key, scored, cases))
    result = []
    for left, members in groups.items():
        algorithms = list(members[0][1])
        layers = [_quantity(step, scored) for _, scored, _ in members]
        weights = [_weight(step, key, cases) for key, _, cases in members]
        scores = {}
        for name in algorithms:
            pairs = [
                (layer[name], weight) for layer, weight in zip(layers, weights, strict=True) if layer[name] is not None
            ]
            scores[name] = _weighted(step.operator, pairs)
        lacking = all(score is None for score in scores.values())
        ranks = dict.fromkeys(scores) if lacking else _ranks(scores, False, step.ties, step.missing_rank)
        result.append(
            (dict(left), {name: (scores[name], ranks[name]) for name in algorithms}, sum(c for *_, c in members))
        )
    return result


def _quantity(step, scored):
    if step.quantity == "scores":
        return {name: score for name, (score, _) in scored.items()}
    ranks = {name: rank for name, (_, rank) in scored.items()}
    if step.quantity == "ranks":
        return ranks
    fractional = _ranks(ranks, False, "average", "last")
    return {name: None if rank is None else fractional[name] for name, rank in ranks.items()}


def _weight(step, key, cases):
    weight = Fraction(1)
    for dimension, given in (step.weights or {}).items():
        if given == "cases":
            weight *= cases
        elif given == "sqrt_cases":
            # Sixteen digits of the root: ranks averaged with it tie only where they tie with any weights.
            weight *= Fraction(math.isqrt(cases * 10**32), 10**16)
        else:
            weight *= _exact(given[key[dimension]])
    return weight


def _weighted(operator, pairs):
    pairs = [(value, weight) for value, weight in pairs if weight]
    if not pairs:
        return None
    if operator.kind == "mean":
        return sum(value * weight for value, weight in pairs) / sum(weight for _, weight in pairs)
    if len({weight for _, weight in pairs}) == 1:
        return _operated(operator, [value for value, _ in pairs], False)
    share = {"min": Fraction(0), "median": Fraction(1, 2), "max": Fraction(1)}.get(operator.kind)
    if share is None:
        share = Fraction(str(operator.percentile)) / 100
        share = 1 - share if operator.counted_from == "worse" else share
    ordered = sorted(pairs)
    total = sum(weight for _, weight in ordered)
    reached = Fraction(0)
    for value, weight in ordered:
        reached += weight
        if reached >= share * total:
            return value
    return ordered[-1][0]


def _exact(number):
    return Fraction(str(number)) if math.isfinite(number) else number
