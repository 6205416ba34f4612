"""Rules of certainty, recomputed from the specification by plain loops.

Nothing here is imported from the code under test except the digest of the random numbers' key.
"""

from __future__ import annotations

import itertools
import math

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


def hall(values):
    """Hall's statistic of differences; infinite where they are all the same."""
    values = [float(value) for value in values]
    mean = sum(values) / len(values)
    if is_constant(values):
        return math.copysign(math.inf, mean) if mean else 0.0
    return hall_of(mean / deviation(values), skewness(values), len(values))


def hall_limit(values, quantile):
    """The x for which Hall's statistic with the mean moved by x equals a quantile, by root finding."""
    values = [float(value) for value in values]
    mean, units = sum(values) / len(values), len(values)
    if is_constant(values):
        return mean
    spread, skew = deviation(values), skewness(values)
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
