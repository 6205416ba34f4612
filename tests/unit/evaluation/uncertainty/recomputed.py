"""Rules of certainty, recomputed from the specification by plain loops.

Nothing here is imported from the code under test except the digest of the random numbers' key.
"""

from __future__ import annotations

import itertools
import math
import statistics

import numpy as np
from scipy import optimize

from evaluation.canonical import sha256

STAKES = [(1.0, 2 / 3)] + [(step / 20, 1 / 57) for step in range(1, 20)]


def skewness(values):
    """Adjusted skewness: the moment skewness g1 multiplied by √(U(U - 1)) / (U - 2)."""
    units = len(values)
    mean = sum(values) / units
    second = sum((value - mean) ** 2 for value in values) / units
    third = sum((value - mean) ** 3 for value in values) / units
    return third / second**1.5 * math.sqrt(units * (units - 1)) / (units - 2)


def deviation(values):
    mean = sum(values) / len(values)
    return math.sqrt(sum((value - mean) ** 2 for value in values) / (len(values) - 1))


def is_constant(values):
    return max(values) - min(values) <= 1e-12 * max(map(abs, values))


def hall_of(ratio, skew, units):
    """Hall's statistic of T = mean / standard deviation."""
    return math.sqrt(units) * (ratio + skew * ratio**2 / 3 + skew**2 * ratio**3 / 27 + skew / (6 * units))


def hall(values, typical=0.0):
    """Hall's statistic of differences, by their own skewness and the typical one; infinite where they are all the same."""
    values = [float(value) for value in values]
    mean = sum(values) / len(values)
    if is_constant(values):
        return math.copysign(math.inf, mean) if mean else 0.0
    ratio, units = mean / deviation(values), len(values)
    own = hall_of(ratio, skewness(values), units)
    if not typical:
        return own
    if mean < 0:
        return max(own, hall_of(ratio, typical, units))
    return min(own, hall_of(ratio, -typical, units))


def typical_skewness(parts):
    """Typical skewness from the differences of all ordered pairs, given by pairs of algorithms."""
    size = {
        frozenset(pair): abs(skewness(own)) for pair, own in parts.items() if not is_constant([float(v) for v in own])
    }
    algorithms = sorted({one for pair in size for one in pair})
    if len(algorithms) < 3:
        return 0.0
    middle = {one: statistics.median([g for pair, g in size.items() if one in pair]) for one in algorithms}
    most = max(algorithms, key=lambda one: (round(middle[one], 12), -one))
    others = [g for pair, g in size.items() if most not in pair]
    if not others:
        return 0.0
    median = min(statistics.median(list(size.values())), statistics.median(others))
    n = len(next(iter(parts.values())))
    by_chance = 6 * n * (n - 1) / ((n - 2) * (n + 1) * (n + 3))
    return math.sqrt(max(0.0, median**2 - 0.6745**2 * by_chance))


def hall_limit(values, quantile, typical=0.0):
    """The x for which Hall's statistic with the mean moved by x equals a quantile, by root finding."""
    values = [float(value) for value in values]
    mean = sum(values) / len(values)
    if is_constant(values):
        return mean
    own = _hall_limit(values, quantile, skewness(values))
    if not typical:
        return own
    if quantile > 0:
        return min(own, _hall_limit(values, quantile, -typical))
    return max(own, _hall_limit(values, quantile, typical))


def _hall_limit(values, quantile, skew):
    mean, units, spread = sum(values) / len(values), len(values), deviation(values)
    ratio = optimize.brentq(lambda t: hall_of(t, skew, units) - quantile, -1e4, 1e4, xtol=1e-13, rtol=1e-14)
    return mean - spread * ratio


def critical_t(critical, units):
    """Critical value of t that belongs to one of the self-normalized sum, by root finding."""
    if critical**2 >= units:
        return math.inf
    of_t = lambda t: t * math.sqrt(units) / math.sqrt(units - 1 + t * t) - critical  # noqa: E731
    return optimize.brentq(of_t, 0.0, 1e9, xtol=1e-12, rtol=1e-14)


def shown_step_by_step(observed, flipped, share, halls, units):
    """Pairs that are shown by step-down, and the first critical value.

    Parameters
    ----------
    observed
        Statistic of each ordered pair.
    flipped
        Statistics of each pair under all flips; the most extreme ``share`` of them counts.
    halls
        Hall's statistic of each pair.
    units
        Number of units.
    """
    alive, shown, first = set(observed), set(), None
    while alive:
        largest = np.sort(np.max([flipped[pair] for pair in alive], axis=0))[::-1]
        critical = largest[min(math.floor(share * len(largest) + 1e-9), len(largest) - 1)]
        first = critical if first is None else first
        guard = critical_t(critical, units)
        new = {pair for pair in alive if observed[pair] - 1e-9 > critical and halls[pair] > guard}
        if not new:
            break
        shown |= new
        alive -= new
    return shown, first


def with_what_follows(shown):
    """Pairs and those that follow: one that is better than a second is better than all that the second is better than."""
    closed = set(shown)
    while True:
        new = {(one, last) for one, middle in closed for other, last in closed if middle == other} - closed
        if not new:
            return closed
        closed |= new


def flip_p(signs, differences):
    """One-sided p-value of the sign-flip test of one pair."""
    total = sum(differences)
    norm = math.sqrt(sum(part**2 for part in differences)) or 1.0
    return sum(sum(e * d for e, d in zip(row, differences, strict=True)) >= total - 1e-9 * norm for row in signs) / len(
        signs
    )


def flip_limit(signs, differences, weights, level):
    """Lower limit: sums of differences by sums of weights over the units that a flip turns."""
    ratios = []
    for row in signs:
        turned = [unit for unit, sign in enumerate(row) if sign < 0]
        ratios.append(
            sum(differences[unit] for unit in turned) / sum(weights[unit] for unit in turned) if turned else -math.inf
        )
    return sorted(ratios)[math.floor(level * len(ratios) + 1e-9)]


def unit_counts(strata, seed, cases, draws=2000):
    """Resamples of bootstrap-t: upper halves of Philox words, unit by unit, within strata."""
    key = int(sha256(["podium-bootstrap-t-1", seed, list(cases)])[:32], 16)
    words = np.random.Philox(key=key).random_raw(draws * len(strata)).tolist()
    order = sorted(range(len(strata)), key=lambda unit: (strata[unit], unit))
    members = {stratum: [unit for unit in order if strata[unit] == stratum] for stratum in set(strata)}
    rows = []
    for draw in range(draws):
        counts = [0] * len(strata)
        for position, unit in enumerate(order):
            inside = members[strata[unit]]
            word = words[draw * len(strata) + position] >> 32
            counts[inside[(word * len(inside)) >> 32]] += 1
        rows.append(counts)
    return rows


def mean_and_error(differences, weights, strata, counts):
    """Difference, its standard error, and whether there is a spread, in one resample.

    A stratum keeps its weight. Its mean is the sum of differences by the sum of weights of the drawn units.
    """
    total, variance, scale = 0.0, 0.0, 0.0
    for stratum in sorted(set(strata)):
        members = [unit for unit in range(len(strata)) if strata[unit] == stratum]
        share = sum(weights[unit] for unit in members)
        drawn = [unit for unit in members for _ in range(counts[unit])]
        drawn_weight = sum(weights[unit] for unit in drawn)
        mean = sum(differences[unit] for unit in drawn) / drawn_weight
        total += share * mean
        correction = len(members) / (len(members) - 1) if len(members) > 1 else 1.0
        squares = sum((differences[unit] - mean * weights[unit]) ** 2 for unit in drawn)
        variance += (share / drawn_weight) ** 2 * correction * squares
        scale += (share / drawn_weight) ** 2 * correction * sum(differences[unit] ** 2 for unit in drawn)
    return total, math.sqrt(variance), variance > 1e-20 * max(scale, 1e-300)


def bootstrap_p(differences, weights, strata, counts, claimed=0.0):
    """One-sided p-value of bootstrap-t for "the difference is above ``claimed``"; the data count as one resample.

    A resample without spread counts against the claim if its mean is above that of the data.
    """
    observed, error, varies = mean_and_error(differences, weights, strata, [1] * len(weights))
    if not varies:
        return 0.0 if observed > claimed else 1.0
    statistic = (observed - claimed) / error
    against = 1
    for row in counts:
        mean, its_error, spread = mean_and_error(differences, weights, strata, row)
        against += (mean - observed) / its_error >= statistic if spread else mean > observed + 1e-12
    return against / (len(counts) + 1)


def orders_of(units, algorithms, seed, cases):
    if algorithms <= 2:
        return [list(range(units))]
    key = int(sha256(["podium-flips-1", "orders", seed, list(cases)])[:32], 16)
    words = np.random.Philox(key=key).random_raw(16 * units).tolist()
    return [sorted(range(units), key=lambda unit: words[order * units + unit]) for order in range(16)]


def capital(gains):
    """Mixture over stakes of the products of 1 + stake × gain."""
    total = 0.0
    for stake, weight in STAKES:
        product = weight
        for gain in gains:
            product *= 1.0 + stake * gain
        total += product
    return total


def leader_evidence(scaled, names, algorithm, margin, orders):
    """E-value against "nobody is better than this algorithm by more than the margin"."""
    found = []
    for order in orders:
        sums = dict.fromkeys(names, 0.0)
        gains = []
        for unit in order:
            others = sorted(name for name in names if name != algorithm)
            leader = max(others, key=lambda name: (sums[name], -others.index(name)))
            gap = scaled[unit][names.index(leader)] - scaled[unit][names.index(algorithm)]
            gains.append((gap - margin) / (1 + margin))
            for name in names:
                sums[name] += scaled[unit][names.index(name)]
        found.append(capital(gains))
    return sum(found) / len(found)


def pair_evidence(scaled, first, other, margin, weights):
    """E-value against "the first is not better than the other by more than the margin"; the same stake everywhere."""
    heaviest = max(weights)
    return capital(
        [
            weight / heaviest * (row[first] - row[other] - margin) / (1 + margin)
            for row, weight in zip(scaled, weights, strict=True)
        ]
    )


def fewest_removed(differences):
    """Fewest units whose removal leaves another algorithm at least as good, by exhaustive search; units × others."""
    units = len(differences)
    for number in range(1, units):
        for gone in itertools.combinations(range(units), number):
            kept = [row for unit, row in enumerate(differences) if unit not in gone]
            if any(sum(row[other] for row in kept) <= 1e-12 for other in range(len(differences[0]))):
                return number
    return None


class MeanBoard:
    """The decisions on a ranking by the mean of one unbounded metric over at most ten cases, larger is better.

    Parameters
    ----------
    values
        Cases × algorithms.
    failed
        Value of a failed case.
    weights
        Weight of each case; ``None`` for equal weights.
    """

    def __init__(self, values, *, failed, seed=1, margin=0.0, interval=0.95, strata=None, weights=None):
        self.values, self.failed, self.margin = np.array(values, dtype=float), failed, margin
        self.units, self.algorithms = self.values.shape
        self.strata = [0] * self.units if strata is None else list(strata)
        self.weights = [1 / self.units] * self.units if weights is None else list(weights)
        total = 1 - interval
        self.set_share = total if self.algorithms == 2 else total / 3
        self.winner_share = total if self.algorithms == 2 else 2 * total / 3
        self.signs = list(itertools.product([1, -1], repeat=self.units))
        self.counts = unit_counts(self.strata, seed, [f"c{unit:03d}" for unit in range(self.units)])
        scores = [self.difference(j, None) for j in range(self.algorithms)]
        totals = np.round([sum(score) for score in scores], 12)
        self.first = int(totals.argmax())
        self.is_tied = (totals == totals.max()).sum() > 1
        self.others = [j for j in range(self.algorithms) if j != self.first]

    def difference(self, one, other):
        """Contributions of the cases to a difference, or to a score."""
        second = 0.0 if other is None else self.values[:, other]
        parts = [w * d for w, d in zip(self.weights, self.values[:, one] - second, strict=True)]
        return [0.0 if abs(part) < 1e-12 else part for part in parts]

    def shown(self):
        """Pairs shown by step-down with the margin and those that follow, and the first critical value."""
        pairs = list(itertools.permutations(range(self.algorithms), 2))
        parts = {
            pair: [d - self.margin * w for d, w in zip(self.difference(*pair), self.weights, strict=True)]
            for pair in pairs
        }
        parts = {pair: own for pair, own in parts.items() if any(abs(part) > 1e-13 for part in own)}
        norm = {pair: math.sqrt(sum(part**2 for part in own)) for pair, own in parts.items()}
        signs = np.array(self.signs)
        flipped = {pair: signs @ np.array(own) / norm[pair] for pair, own in parts.items()}
        observed = {pair: sum(own) / norm[pair] for pair, own in parts.items()}
        typical = self.typical()
        halls = {pair: hall(own, typical) for pair, own in parts.items()}
        shown, first = shown_step_by_step(observed, flipped, self.set_share, halls, self.units)
        return with_what_follows(shown), first

    def typical(self):
        """Typical skewness of the differences, which no margin changes."""
        pairs = itertools.permutations(range(self.algorithms), 2)
        parts = {pair: self.difference(*pair) for pair in pairs}
        return typical_skewness({pair: own for pair, own in parts.items() if any(own)})

    def lower_limits(self):
        """Limits by flips, by bootstrap-t, and after one more failure, of the first over each other one."""
        level, found = self.winner_share / 2, []
        for other in self.others:
            d = self.difference(self.first, other)
            worst = sum(d) - max(
                w * (x - self.failed) for w, x in zip(self.weights, self.values[:, self.first], strict=True)
            )
            found.append((flip_limit(self.signs, d, self.weights, level), self.bootstrap_limit(d, level), worst))
        return found

    def bootstrap_limit(self, d, level):
        observed, error, varies = mean_and_error(d, self.weights, self.strata, [1] * self.units)
        if not varies:
            return observed
        statistics = []
        for row in self.counts:
            mean, its_error, spread = mean_and_error(d, self.weights, self.strata, row)
            statistics.append(
                (mean - observed) / its_error if spread else math.copysign(math.inf, mean - observed - 1e-12)
            )
        allowed = math.floor(level * (len(statistics) + 1) + 1e-9) - 1
        return observed - sorted(statistics, reverse=True)[allowed] * error

    def winner(self, *, fewest=6):
        """Reason for or against a winner."""
        if self.units < fewest:
            return "too_few_units"
        if self.is_tied:
            return "tie"
        limits = self.lower_limits()
        if any(min(by_flips, by_draws) <= self.margin for by_flips, by_draws, _ in limits):
            return "not_shown"
        return "shown" if min(worst for _, _, worst in limits) > self.margin else "one_more_failure"

    def interval(self, other, critical):
        """The simultaneous interval of a difference from the first: the quadratic, moved outwards to Hall's limits."""
        d, w = self.difference(self.first, other), self.weights
        a, b, c = sum(x * x for x in w), sum(x * y for x, y in zip(w, d, strict=True)), sum(x * x for x in d)
        leading, half = 1 - critical**2 * a, sum(d) - critical**2 * b
        if leading <= 0 or critical**2 >= self.units:
            return None
        root = math.sqrt(max(half**2 - leading * (sum(d) ** 2 - critical**2 * c), 0.0))
        guard, scaled, typical = critical_t(critical, self.units), [self.units * x for x in d], self.typical()
        return (
            min((half - root) / leading, hall_limit(scaled, guard, typical)),
            max((half + root) / leading, hall_limit(scaled, -guard, typical)),
        )
