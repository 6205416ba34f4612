"""Meanings of sentences about the leader and the certainty of the lead."""

import math
import re
from itertools import product

import numpy as np

from tests.claims.scene import NAME, NAMES, NOUNS, Scene, means, near, sizes, so_far

LEADS = rf"(?:{NAMES} (?:ranks first|leads|share first place)( so far)?)"


def leads(scene: Scene, who: str, mark: str | None) -> bool:
    if not so_far(scene, mark):
        return False
    if who.endswith("algorithms"):
        return int(who.split(maxsplit=1)[0]) == len(scene.winners) > 3
    return sorted(scene.names(who) or []) == scene.winners


@means(r"No algorithm has a usable result\.")
def _(scene: Scene) -> bool:
    if all(row["score"] is None for row in scene.rows):
        return True
    return all(
        scene.raw.missing(scene.entry, name) == scene.raw.number_of_cases(scene.entry) for name in scene.raw.names
    )


@means(rf"{NAME} is the only algorithm( so far)?\.")
def _(scene: Scene, name: str, mark: str | None) -> bool:
    return scene.raw.names == [name] and so_far(scene, mark)


@means(rf"{LEADS}; how certain that is cannot be said, because (.+)\.")
def _(scene: Scene, who: str, mark: str | None, reason: str) -> bool:
    samples, operator = scene.raw.assessment.uncertainty.bootstrap, scene.raw.scheme.get("operator")
    true = {
        "the ranking was not resampled": samples == 0 or (scene.raw.whole and not scene.raw.challenge.evidence),
        "the evidence is missing": scene.raw.whole and scene.raw.challenge.evidence is None,
        "there is only one case": scene.raw.whole and len(scene.raw.cases) == 1,
        "the smallest and largest values of a sample say too little about those of others": operator in ("min", "max"),
        "there were fewer than 200 resamples": samples < 200,
        "nobody said how uncertain values are that were measured elsewhere": "nothing"
        in scene.raw.given_of(scene.entry),
        "what varies was drawn in different places, and what that has in common is not known": (
            not scene.entry.get("metric")
            and len(scene.raw.given_of(scene.entry)) + bool(scene.raw.given and scene.raw.tables) > 1
        ),
    }
    return leads(scene, who, mark) and true[reason]


@means(
    rf"{LEADS}, but (\d+) (\w+)( in one task)? (is|are) too few to say whether that is more than chance; (\d+) are the least\."
)
def _(
    scene: Scene, who: str, mark: str | None, number: str, noun: str, where: str | None, verb: str, least: str
) -> bool:
    units = scene.raw.units_of(scene.entry)
    if bool(where) != ("over" in scene.entry and len(scene.raw.tasks) > 1):
        return False
    if scene.entry["sets"]["method"] == "sign_flips":
        # The smallest two-sided p-value of n differing units is 2 of 2^n; of several comparisons the winner has two thirds.
        share = scene.alpha if len(scene.rows) == 2 else 2 * scene.alpha / 3
        least_by_hand = math.ceil(math.log2(2 / share) - 1e-9)
        if int(least) != least_by_hand:
            return False
    return (
        leads(scene, who, mark)
        and units == int(number) < int(least)
        and scene.counted(number, noun)
        and verb == ("is" if number == "1" else "are")
    )


@means(rf"{LEADS}, but (\S+) has only (\d+) (\w+): too few to say whether that is more than chance\.")
def _(scene: Scene, who: str, mark: str | None, stratum: str, number: str, noun: str) -> bool:
    counts = {(key if isinstance(key, str) else ", ".join(key)): size for key, size in sizes(scene).items()}
    smallest = counts[stratum] == int(number) == min(counts.values())
    return leads(scene, who, mark) and smallest and int(number) < 5 and scene.counted(number, noun)


@means(r"(\S+) has only (\d+) (\w+): statements rest on few of them\.")
def _(scene: Scene, stratum: str, number: str, noun: str) -> bool:
    counts = {(key if isinstance(key, str) else ", ".join(key)): size for key, size in sizes(scene).items()}
    return counts[stratum] == int(number) and scene.counted(number, noun)


@means(
    rf"{NAME} wins( so far)?: it is better than (?:each of the other (\d+) algorithms|{NAME})\. "
    r"\(A claim like this is wrong in at most (\S+ %) of such challenges\.\)"
)
def _(scene: Scene, name: str, mark: str | None, others: str | None, other: str | None, wrong: str) -> bool:
    rest = [row["name"] for row in scene.rows if row["name"] != name]
    whom = len(rest) == int(others) > 1 if others else rest == [other]
    sets = [row["rank_set"] for row in scene.rows]
    alone = all(
        one is None or ((one == [1, 1]) == (index == 0) and (index == 0 or one[0] > 1))
        for index, one in enumerate(sets)
    )
    contests = all(scene.first_in_contest_of_two(name) for name in [name]) and not any(
        scene.raw.ranks(scene.entry, teams=[name, one]) is not None and scene.first_in_contest_of_two(one)
        for one in rest
    )
    return (
        scene.winners == [name]
        and so_far(scene, mark)
        and whom
        and near(scene.alpha, wrong)
        and alone
        and contests
        and better_by_flips(scene, name, rest)
    )


def better_by_flips(scene: Scene, name: str, others: list[str]) -> bool:
    """By the exact test of the mean, where the ranking is one of means over cases, enumerated for up to 12 of them."""
    raw = scene.raw
    tables = raw.tables_of(scene.entry) if raw.plain else []
    if len(tables) != 1 or raw.scheme["scheme"] != "aggregate_then_rank" or raw.scheme["operator"] != "mean":
        return True
    table = tables[0]
    if np.isnan(table.numbers).any() or len(table.numbers) > 12:
        return True
    # The platform draws flips where it does not enumerate them, so that a share near the limit may fall on either side.
    limit = scene.alpha / 2
    limit += 3 * math.sqrt(limit * (1 - limit) / scene.document["bootstrap"])
    for other in others:
        gaps = table.sign * (table.numbers[:, raw.names.index(name)] - table.numbers[:, raw.names.index(other)])
        flips = np.array(list(product((1, -1), repeat=len(gaps)))) @ gaps
        if (flips >= gaps.sum() - 1e-9).mean() > limit:
            return False
    return True


@means(rf"{NAMES} share first place( so far)?; (they gave the same results|it is open who is best)\.")
def _(scene: Scene, who: str, mark: str | None, what: str) -> bool:
    same = scene.raw.same(scene.entry, scene.winners)
    return leads(scene, who, mark) and len(scene.winners) > 1 and (same or what == "it is open who is best")


@means(
    rf"{LEADS}, but would not come out ahead of {NAMES} if only the two had taken part: the first place depends on who "
    r"else did\."
)
def _(scene: Scene, who: str, mark: str | None, others: str) -> bool:
    names = scene.names(others) or []
    return leads(scene, who, mark) and len(scene.winners) == 1 and all(map(scene.first_in_contest_of_two, names))


@means(
    rf"{NAME} leads( so far)?, but (?:it is not shown to be better than {NAMES}|not clearly enough to be named the winner): "
    r"on as many fresh (\w+) it would come first again in (?:about (\d+)|more than (95)) of 100\."
)
def _(
    scene: Scene, name: str, mark: str | None, others: str | None, units: str, about: str | None, more: str | None
) -> bool:
    again = 100 * scene.entry["first_again"]
    told = again > 95 if about is None else abs(again - int(about)) <= 2.5 + 1e-9 and 50 <= int(about) < 100
    listed = scene.lists(others, scene.reach) if others else not scene.reach
    return (
        scene.winners == [name]
        and so_far(scene, mark)
        and listed
        and units == NOUNS[scene.document["resampling"]["unit"]]
        and told
        and bool(about) != bool(more)
        and not scene.entry["winner"]["named"]
    )


@means(
    rf"It is open who is best: {NAME} ranks first( so far)?, (?:and {NAMES} (is|are) within its reach"
    r"|but not clearly enough to be named the winner)\."
)
def _(scene: Scene, name: str, mark: str | None, others: str | None, verb: str | None) -> bool:
    listed = (
        scene.lists(others, scene.reach) and verb == ("is" if len(scene.reach) == 1 else "are")
        if others
        else not scene.reach
    )
    again = scene.entry["first_again"]
    weak = again is None or again < 0.5
    return scene.winners == [name] and so_far(scene, mark) and listed and weak and not scene.entry["winner"]["named"]


@means(r"All rank sets of this ranking hold together in (at least|about) (\S+ %) of such challenges( or more)?\.")
def _(scene: Scene, about: str, level: str, more: str | None) -> bool:
    count, shown = len(scene.rows), np.array(scene.entry["shown_better"])
    for place, row in enumerate(scene.rows):
        low, high = row["rank_set"]
        if not 1 <= low <= row["rank"] <= high <= count:
            return False
        if low > 1 + shown[:, place].sum() or high < count - shown[place].sum():
            return False
    by_draws = scene.entry["sets"]["method"] == "draws"
    return near(scene.level, level) and by_draws == (about == "about") == bool(more)


@means(
    rf"{NAME} is first in more resamples \((.+? %)\) than {NAME} \((.+? %)\): a few (\w+) of {NAME} or {NAME} decide\."
)
def _(scene: Scene, most: str, share: str, first: str, less: str, _units: str, *_names: str) -> bool:
    shares = {row["name"]: row["share_first"] for row in scene.rows}
    return (
        scene.winners == [first]
        and shares[most] == max(shares.values()) > shares[first]
        and near(shares[most], share)
        and near(shares[first], less)
    )


SOME = r"(Both others|All \d+ others|\d+ of the \d+ others)"


@means(rf"{SOME} (is|are) shown to rank behind {NAME}, among those that took part\.")
def _(scene: Scene, some: str, verb: str, first: str) -> bool:
    return bool(scene.entry["sensitivity"]["head_to_head"]) and _shown_behind(scene, some, verb, first)


@means(rf"{SOME} (is|are) shown to be worse than {NAME}\.")
def _(scene: Scene, some: str, verb: str, first: str) -> bool:
    return not scene.entry["sensitivity"]["head_to_head"] and _shown_behind(scene, some, verb, first)


def _shown_behind(scene: Scene, some: str, verb: str, first: str) -> bool:
    numbers = re.findall(r"\d+", some) or ["2"]
    count, others = numbers[0], numbers[-1]
    if (len(numbers) == 1) != (count == others):
        return False
    beaten = [row["name"] for row, shown in zip(scene.rows, scene.entry["shown_better"][0], strict=True) if shown]
    behind = all(scene.row(name)["rank"] > 1 and scene.row(name)["rank_set"][0] > 1 for name in beaten)
    return (
        scene.winners == [first]
        and 0 < int(count) == len(beaten)
        and int(others) == len(scene.rows) - 1 > 1
        and behind
        and verb == ("is" if count == "1" else "are")
    )
