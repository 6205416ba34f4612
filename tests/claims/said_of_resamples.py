"""Meanings of sentences about resamples, single cases and tests."""

import math
import re

import numpy as np
from scipy.stats import norm, wilcoxon

from tests.claims.scene import NAME, NOUNS, Scene, means, near

MOST_CASES = 12


@means(
    rf"{NAME} is usually better than {NAME} case by case, {NAME} on average: a few bad cases of {NAME} decide "
    r"\(one-sided (Wilcoxon signed rank|stratified Wilcoxon signed rank) test, adjusted by Holm’s method: p = (\S+)\)\."
)
def _(scene: Scene, better: str, higher: str, again: str, bad: str, test: str, p: str) -> bool:
    table = scene.raw.tables_of(scene.entry)[0]
    gaps = table.sign * (
        table.numbers[:, scene.raw.names.index(better)] - table.numbers[:, scene.raw.names.index(higher)]
    )
    ahead = scene.row(higher)["rank"] < scene.row(better)["rank"]
    strata = list(scene.raw.assessment.uncertainty.strata)
    in_strata = bool(strata) and len(scene.raw.metadata[strata].drop_duplicates()) > 1
    named = higher == again and better == bad and test.startswith("stratified") == in_strata
    return named and ahead and float(p) <= 0.05 and (gaps > 0).sum() > (gaps < 0).sum()


FIRST = r"(came first|shared first place with it|shared first place with them)"


@means(
    rf"(?:(None of the|Both|All \d+|\d+ of the \d+) other algorithms {FIRST} in (any|at least one) resample\.|"
    rf"(The other algorithm) did not come first in any resample\.|The other algorithm {FIRST} in (.+ %) of the resamples\.)"
)
def _(
    scene: Scene,
    some: str | None,
    did: str | None,
    any_: str | None,
    never: str | None,
    alone: str | None,
    share: str | None,
) -> bool:
    others = [row for row in scene.rows if row["name"] not in scene.winners]
    ever = sum(row["share_first"] > 0 for row in others)
    if never or some == "None of the":
        return ever == 0 and (len(others) == 1) == bool(never) and any_ in (None, "any")
    if alone is not None:
        return len(others) == ever == 1 and near(others[0]["share_first"], share)
    numbers = [int(text) for text in re.findall(r"\d+", some)] or [2]
    # Of all of them, one number is told.
    return numbers == ([ever] if ever == len(others) else [ever, len(others)]) and len(others) > 1 and did is not None


@means(
    r"The median agreement \(Kendall’s τ\) of the resamples with this order is (over 0\.99|\S+)\. "
    r"It describes these resamples and proves no order\."
)
def _(scene: Scene, tau: str) -> bool:
    return len(scene.rows) >= 4 and _agrees(scene.entry["kendall_tau"]["median"], tau)


def _agrees(median: float, tau: str) -> bool:
    if tau == "over 0.99":
        return 0.99 < median < 1.0
    return abs(median - float(tau)) <= 0.005 + 1e-9 and (tau != "1" or median == 1.0)


@means(r"In (\d+) (resample|resamples) all algorithms are tied, which says nothing about their order\.")
def _(scene: Scene, number: str, noun: str) -> bool:
    return int(number) == scene.entry["kendall_tau"]["undefined"] and noun == (
        "resample" if number == "1" else "resamples"
    )


@means(rf"The resampling range of {NAME} is (?:rank (\S+) alone|(\S+)–(\S+))\.")
def _(scene: Scene, name: str, alone: str | None, low: str | None, high: str | None) -> bool:
    interval = scene.row(name)["rank_interval"]
    told = (float(alone), float(alone)) if alone else (float(low), float(high))
    return scene.winners == [name] and all(abs(a - b) <= 0.005 for a, b in zip(told, interval, strict=True))


@means(r"All algorithms are tied on the full data; whatever order a resample shows is chance\.")
def _(scene: Scene) -> bool:
    return scene.winners == scene.raw.names and len(scene.raw.names) > 1


def deciding(scene: Scene) -> list[list[str]] | None:
    """Return the units that decide: without their cases, other teams are first or share the first rank.

    None if that cannot be repeated here, or if there are more than 12 cases.
    """
    raw = scene.raw
    if raw.winners(scene.entry) is None or len(raw.tasks) > 1 or not 1 < len(raw.cases) <= MOST_CASES:
        return None
    return [[case] for number, case in enumerate(raw.cases) if raw.winners(scene.entry, case=number) != scene.winners]


def drawn(scene: Scene, unit: str, units: str | None = None) -> bool:
    level = scene.raw.assessment.uncertainty.resample[0]
    return unit == level and units in (None, NOUNS[level])


@means(r"Leaving out any single (\w+) does not change who is first\.")
def _(scene: Scene, unit: str) -> bool:
    return drawn(scene, unit) and not deciding(scene)


EFFECT = r"(change who is first|add to who shares first place)"


def effect(scene: Scene, words: str) -> bool:
    """Return whether the first stay first without each single unit, and only then others are said to be added."""
    raw, stays = scene.raw, scene.entry["leave_one_out"]["winner_stays"] == 1.0
    if deciding(scene) is not None:
        winners = [raw.winners(scene.entry, case=number) for number in range(len(raw.cases))]
        if scene.raw.assessment.uncertainty.resample[0] == "case":
            stays = all(set(scene.winners) <= set(names) for names in winners)
    return stays == words.startswith("add")


@means(rf"Leaving out the single case (\S+) would {EFFECT}\.")
def _(scene: Scene, case: str, words: str) -> bool:
    found = deciding(scene)
    return (
        drawn(scene, "case")
        and case in scene.raw.cases
        and (found is None or found == [[case]])
        and effect(scene, words)
    )


@means(rf"Leaving out one of the (\w+) would {EFFECT}\.")
def _(scene: Scene, units: str, words: str) -> bool:
    """Check the sentence that names no single case, which is used if a cost of running is part of the entry."""
    found, level = deciding(scene), scene.raw.assessment.uncertainty.resample[0]
    enters = any(scene.raw.assessment.metric(table.metric).is_by_run for table in scene.raw.tables_of(scene.entry))
    right = found is None or level != "case" or len(found) == 1
    return units == NOUNS[level] and enters and right and effect(scene, words)


@means(rf"Leaving out a single (\w+) would {EFFECT}: that with (.+)\.")
def _(scene: Scene, unit: str, words: str, text: str) -> bool:
    named = re.findall(r"case-\d+", text)
    groups = {name: sorted(rows["case"]) for name, rows in scene.raw.metadata.groupby(unit)}
    more = re.search(r"and (\d+) other cases", text)
    inside = [cases for cases in groups.values() if set(named) <= set(cases)]
    right = len(inside[0]) == len(named) + (int(more[1]) if more else 0)
    return drawn(scene, unit) and unit != "case" and right and effect(scene, words)


@means(rf"Leaving out a single (\w+) would {EFFECT} for (\d+) of the (\w+)\.")
def _(scene: Scene, unit: str, words: str, number: str, units: str) -> bool:
    found = deciding(scene)
    return (
        drawn(scene, unit, units)
        and 1 < int(number) <= scene.raw.units
        and (found is None or len(found) == int(number))
        and effect(scene, words)
    )


def smallest_p(units: int) -> float:
    """Of the signed rank test, where all units differ by the same in one direction: normal, with continuity correction."""
    rank = (units + 1) / 2
    return float(norm.sf((units * rank / 2 - 0.5) / math.sqrt(units * rank**2 / 4)))


@means(
    r"With (\d+) algorithms a comparison needs at least (\d+) differing (\w+) to be significant after Holm’s adjustment; "
    r"there (is|are) (\d+), so no test can be significant\."
)
def _(scene: Scene, algorithms: str, needed: str, noun: str, verb: str, units: str) -> bool:
    count = len(scene.rows)
    pairs = count * (count - 1)
    least = next(number for number in range(1, 200) if pairs * smallest_p(number) <= 0.05)
    none = bool(scene.entry["tests"]) and not any(map(any, scene.entry["significantly_better"]))
    return (
        int(algorithms) == count
        and int(needed) == least > int(units) == scene.raw.units
        and none
        and noun == NOUNS[scene.document["resampling"]["unit"]]
        and verb == ("is" if units == "1" else "are")
    )


@means(
    rf"(?:(\d+) of the (\d+) pairs of algorithms (differ|differs) significantly|{NAME} is significantly better case by case|"
    r"(Neither of the two) is significantly better case by case) \((Wilcoxon|stratified Wilcoxon), adjusted by Holm’s method\)\."
)
def _(
    scene: Scene,
    wins: str | None,
    pairs: str | None,
    verb: str | None,
    better: str | None,
    neither: str | None,
    how: str,
) -> bool:
    count = sum(map(sum, scene.entry["significantly_better"]))
    if scene.entry["winner"]["reason"] == "possible_clusters":
        return False
    if how.startswith("stratified") and not scene.raw.assessment.uncertainty.strata:
        return False
    names = len(scene.rows)
    if better or neither:
        ahead = [
            row["name"] for row, won in zip(scene.rows, scene.entry["significantly_better"], strict=True) if any(won)
        ]
        return names == 2 and ahead == ([better] if better else []) and agrees_with_wilcoxon(scene, count)
    grammar = verb == ("differs" if wins == "1" else "differ")
    return int(wins) == count <= int(pairs) == names * (names - 1) // 2 and grammar


def agrees_with_wilcoxon(scene: Scene, count: int) -> bool:
    """Return whether the result agrees with SciPy's test with the normal distribution.

    This applies to two algorithms without ties, zero differences or strata on up to 20 cases. docs/ranking.md
    describes the method. With few cases, the exact test can be on the other side of the level.
    """
    raw = scene.raw
    tables = raw.tables_of(scene.entry)
    if len(tables) != 1 or "aggregation" in raw.challenge_document or scene.entry["tests"]["stratified"]:
        return True
    gaps = tables[0].numbers[:, 0] - tables[0].numbers[:, 1]
    sizes_ = np.abs(gaps).round(9)
    if np.isnan(gaps).any() or len(gaps) > 20 or (sizes_ == 0).any() or len(set(sizes_)) < len(sizes_):
        return True
    smaller = min(
        wilcoxon(gaps, alternative=side, method="approx", correction=True).pvalue for side in ("greater", "less")
    )
    # Ours is the normal approximation with continuity correction, which is off by less than this near the level.
    return abs(2 * smaller - 0.05) < 0.005 or (2 * smaller <= 0.05) == bool(count)


@means(r"Only (\d+) (\w+) could be drawn: with fewer than about 10, resampling ranges are unreliable\.")
def _(scene: Scene, number: str, noun: str) -> bool:
    return scene.raw.units == int(number) < 10 and noun in NOUNS.values() | NOUNS.keys() and scene.counted(number, noun)
