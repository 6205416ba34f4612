"""Meanings of sentences about the lead of the first: failures that would cancel it, cases that unseat it, cases needed."""

import math

import numpy as np
from scipy.stats import norm, skew

from tests.claims.raw import counts_as
from tests.claims.said_first import SEEN, averaged, differences, failing_cases, lead_by_hand, seen, survives, width
from tests.claims.scene import NAME, NOUNS, Scene, means, not_below, number


def noun(scene: Scene, count: int, word: str) -> bool:
    unit = scene.document["resampling"]["unit"]
    return word == (unit if count == 1 else NOUNS[unit])


@means(r"At least ([\d,]+) (\w+) without a failure would be needed to confirm this lead\.")
def _(scene: Scene, text: str, units: str) -> bool:
    needed, first = int(number(text)), scene.rows[0]["name"]
    by_hand = lead_by_hand(scene, first)
    if by_hand is not None:
        margin = scene.raw.assessment.uncertainty.margin.get(scene.entry.get("metric"), 0.0)
        exact = math.log(2 / scene.winner_share) / math.log1p((by_hand[1] - margin) / width(scene))
        if not exact - 1e-6 <= needed < exact + 1 + 1e-6:
            return False
    return scene.entry["verdict"] == "significant" and needed > scene.raw.units and noun(scene, needed, units)


@means(
    r"No size of the lead is stated: the ranking combines ranks, and a difference of ranks depends on the other participants\."
)
def _(scene: Scene) -> bool:
    return "pooled" in scene.document and "over" in scene.entry and len(scene.winners) == 1


@means(r"The lead has no interval: (.+)\.")
def _(scene: Scene, _why: str) -> bool:
    return "pooled" in scene.document and (scene.entry.get("lead") or {}).get("interval") is None


@means(rf"The lead of {NAME} could be cancelled if it failed in more than (\S+ %) of cases \({SEEN}\)\.")
def _(scene: Scene, name: str, rate: str, failed: str, of: str, upper: str) -> bool:
    return (
        scene.winners == [name]
        and scene.entry["verdict"] != "significant"
        and seen(scene, name, failed, of, upper)
        and not_below(scene.entry["break_even_failure_rate"]["rate"], rate)
        and survives(scene, name, rate)
    )


def is_probability(share: float, text: str) -> bool:
    if text == "over 99 %":
        return share > 0.99
    if text == "under 1 %":
        return share < 0.01
    # Draws give a probability approximately; 0 % is exact.
    stated = text.removeprefix("about ").removesuffix(" %")
    return text.startswith("about ") and 0 < abs(share) < 1 and abs(100 * share - float(stated)) <= 0.5 + 1e-9


P = r"((?:over |under |about )?\d+ %)"


@means(
    rf"If failures are as frequent as observed: {NAME} is better than (?:(the best of the others)|{NAME}) with probability {P}, "
    rf"equivalent with {P}, and worse with {P}\."
)
def _(scene: Scene, name: str, best: str | None, other: str | None, better: str, equivalent: str, worse: str) -> bool:
    told = scene.entry["false_claim_probability"]
    margin = scene.raw.assessment.uncertainty.margin.get(scene.entry.get("metric"), 0.0)
    is_zero = equivalent == "0 %" and told["equivalent"] < 1e-9 and not margin
    return (
        scene.winners == [name]
        and bool(best) == (len(scene.rows) > 2)
        and (best is not None or other == scene.rows[1]["name"])
        and told["method"] != "fresh_draws"
        and abs(told["better"] + told["equivalent"] + told["worse"] - 1) < 1e-9
        and is_probability(told["better"], better)
        and (is_zero or is_probability(told["equivalent"], equivalent))
        and is_probability(told["worse"], worse)
    )


@means(
    rf"If failures are as frequent as observed: on as many fresh (\w+), {NAME} is first alone with probability {P}, "
    rf"shares first place with {P}, and is not first with {P}\."
)
def _(scene: Scene, units: str, name: str, alone: str, shared: str, never: str) -> bool:
    told = scene.entry["false_claim_probability"]
    return (
        scene.winners == [name]
        and noun(scene, 2, units)
        and told["method"] == "fresh_draws"
        and is_probability(told["better"], alone)
        and is_probability(told["equivalent"], shared)
        and is_probability(told["worse"], never)
    )


@means(
    rf"If one failure of {NAME} went unseen, the cautious p-value against its lead is (under 0\.01|about \S+) \(one-sided, by the "
    r"Bayesian bootstrap, not adjusted\)\. It is not a probability\."
)
def _(scene: Scene, name: str, text: str) -> bool:
    value = scene.entry["false_claim_probability"]["with_one_unseen_failure"]
    table = scene.raw.tables_of(scene.entry)
    has_value = not table or scene.raw.assessment.metric(table[0].metric).policy.missing != "exclude"
    told = (
        value < 0.01 if text.startswith("under") else -1e-9 <= float(text.removeprefix("about ")) - value < 0.01 + 1e-9
    )
    return scene.winners == [name] and told and has_value


def unseats(scene: Scene, count: int, other: str) -> bool | None:
    """Return whether leaving out so many of the cases that are most favourable to the first makes another one as good."""
    gaps = differences(scene, scene.rows[0]["name"], other)
    if gaps is None or scene.document["resampling"]["unit"] != "case" or scene.raw.assessment.aggregation.fixed:
        return None
    return float(np.sort(gaps)[: len(gaps) - count].sum()) <= 1e-9


@means(rf"Without the (?:([\d,]+) )?most favourable (\w+), {NAME} would be at least as good\.")
def _(scene: Scene, text: str | None, units: str, other: str) -> bool:
    count = int(number(text or "1"))
    fewer = [unseats(scene, count - 1, row["name"]) for row in scene.rows[1:]]
    return noun(scene, count, units) and unseats(scene, count, other) in (None, True) and True not in fewer


@means(rf"Leaving out at most ([\d,]+) favourable (\w+) would make {NAME} at least as good\.")
def _(scene: Scene, text: str, units: str, other: str) -> bool:
    count = int(number(text))
    return 0 < count < scene.raw.units and noun(scene, count, units) and unseats(scene, count, other) in (None, True)


MANY = r"([\d,]+|more than 10,000)"


@means(
    rf"(?:About ([\d,]+)|(More than 10,000)) (\w+)(?: \(90 % range ([\d,]+) to {MANY}\))? would be needed to show a difference"
    rf"(?: of more than (\S+?)(?: [a-zA-Z]+)?)? from {NAME}(: this data set is too small to plan with)?\."
)
def _(
    scene: Scene,
    about: str | None,
    above: str | None,
    units: str,
    low: str | None,
    high: str | None,
    of_more: str | None,
    other: str,
    small: str | None,
) -> bool:
    told = next(one for one in scene.entry["cases_to_settle"] if one["algorithm"] == other)
    margin = scene.raw.assessment.uncertainty.margin.get(scene.entry.get("metric"), 0.0)
    place = [row["name"] for row in scene.rows].index(other)
    if scene.entry["shown_better"][0][place] or (of_more is None) != (margin == 0) or not noun(scene, 2, units):
        return False
    if about and not settles(scene, other, number(about), margin):
        return False
    least, most = told["interval"]
    ends = (least is None) == (low is None) and (low is None or 0.9 * least <= number(low) <= least)
    if high is not None and not high.startswith("more"):
        ends = ends and most <= number(high) <= max(1.1 * most, most + 1)
    estimate = told["estimate"] is None if above else abs(number(about) - told["estimate"]) <= 0.05 * told["estimate"]
    return ends and estimate and bool(small) == (most is None)


def settles(scene: Scene, other: str, cases: float, margin: float) -> bool:
    """Return whether a plain normal calculation agrees: a test of a mean at the share of the winner, with power 0.8."""
    gaps = differences(scene, scene.rows[0]["name"], other)
    if averaged(scene) is None or scene.raw.units != len(gaps) or scene.raw.assessment.aggregation.fixed:
        return True
    quantile = norm.isf(scene.winner_share / 2) + norm.ppf(0.8)
    exact = (quantile * gaps.std(ddof=1) / (gaps.mean() - margin)) ** 2
    # All signs alike must be rarer than the level, and the present cases left the comparison open.
    exact = max(exact, math.ceil(-math.log2(scene.winner_share / 2)), len(gaps) + 1)
    if gaps.mean() <= margin or cases < 0.7 * exact - 2 or cases < 0.95 * (len(gaps) + 1):
        return False
    # Skewed differences and a further failure need more.
    ratio, skewness = (gaps.mean() - margin) / gaps.std(ddof=1), skew(gaps, bias=False) if len(gaps) > 2 else 0.0
    most = exact
    while most < 10_000 and skewness < 0 and hall(most, ratio, skewness) < quantile:
        most += 1
    lead, further = gaps.mean() - margin, 0.0
    if failing_cases(scene, scene.rows[0]["name"]) is not None:
        table = scene.raw.tables_of(scene.entry)[0]
        values = np.append(table.numbers, counts_as(scene.raw.assessment.metric(table.metric)))
        loss = max(len(scene.rows), np.nanmax(values) - np.nanmin(values))
        # The lead over n cases, minus its lower quantile, exceeds the loss: lead n - z s √n - loss = 0.
        spread = norm.ppf(0.8) * gaps.std(ddof=1)
        further = ((spread + math.sqrt(spread**2 + 4 * lead * loss)) / (2 * lead)) ** 2
    return cases <= 1.3 * max(most, further) + 2


def hall(units: float, ratio: float, skewness: float) -> float:
    """Hall's statistic, if mean and spread of so many units are those of the present ones."""
    transformed = ratio + skewness * ratio**2 / 3 + skewness**2 * ratio**3 / 27
    return math.sqrt(units) * (transformed + skewness / (6 * units))
