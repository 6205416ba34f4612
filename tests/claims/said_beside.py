"""Meanings of sentences next to a headline: equivalence, failures, versions of one algorithm, warnings."""

import re
from collections import Counter
from functools import cache
from itertools import pairwise

import numpy as np
from scipy.stats import beta

from tests.claims.raw import Raw, Table, apart
from tests.claims.scene import NAME, NAMES, NOUNS, Scene, means, not_above

MOST_CASES = 12


@means(rf"{NAMES} (is|are) equivalent to {NAME}: the differences? (?:is|are) within ±(\S+)\.")
def _(scene: Scene, who: str, verb: str, first: str, margin: str) -> bool:
    registered = scene.raw.assessment.uncertainty.margin.get(scene.entry["metric"])
    inside = [
        row["name"]
        for row in scene.rows
        if (row["difference_from_first"] or {}).get("interval")
        and max(map(abs, row["difference_from_first"]["interval"])) < registered
    ]
    named = scene.names(who)
    return (
        float(margin) == registered
        and scene.rows[0]["name"] == first
        and (set(named) <= set(inside) if named is not None else int(who.split(maxsplit=1)[0]) <= len(inside))
        and verb == ("is" if named is not None and len(named) == 1 else "are")
    )


@means(rf"{NAMES} share rank (\S+) and gave the same results\.")
def _(scene: Scene, who: str, rank: str) -> bool:
    tied = [row["name"] for row in scene.rows if row["rank"] == float(rank)]
    return len(tied) > 1 and scene.lists(who, tied) and scene.raw.same(scene.entry, tied) and float(rank) > 1


@cache
def bound(failed: int, of: int) -> float:
    return 1.0 if failed >= of else float(beta.ppf(0.95, failed + 1, of - failed))


def failing(scene: Scene, name: str, failed: int, of: int, upper: str | None, rank: str | None) -> bool:
    if failed != scene.raw.missing(scene.entry, name) or of != scene.raw.number_of_cases(scene.entry):
        return False
    if (upper is None) != (scene.entry["winner"]["reason"] == "possible_clusters"):
        return False
    if upper is not None and not not_above(bound(failed, of), upper):
        return False
    if rank is None:
        return True
    worst = []
    for number in range(of if len(scene.raw.tasks) == 1 and of <= MOST_CASES else 0):
        ranks = scene.raw.ranks(scene.entry, failing=(name, number))
        if ranks is None:
            return True
        worst.append(ranks[name])
    return not worst or max(worst) == float(rank)


ONE_MORE = rf"(?: With one more failed case {NAME} (?:would (still )|could )be at rank (\S+)\.)?"


@means(
    rf"No case of {NAME} failed among (\d+)(?:; a failure rate of up to (\S+ %) could have gone unseen)?\.{ONE_MORE}"
)
def _(
    scene: Scene, name: str, of: str, upper: str | None, again: str | None, still: str | None, rank: str | None
) -> bool:
    return failing(scene, name, 0, int(of), upper, rank) and again in (None, name) and stays(scene, name, still, rank)


@means(rf"(\d+) (case|cases) of {NAME} failed among (\d+)(?:; the rate of failures may be up to (\S+ %))?\.{ONE_MORE}")
def _(
    scene: Scene,
    number: str,
    noun: str,
    name: str,
    of: str,
    upper: str | None,
    again: str | None,
    still: str | None,
    rank: str | None,
) -> bool:
    grammar = noun == ("case" if number == "1" else "cases") and again in (None, name)
    return grammar and failing(scene, name, int(number), int(of), upper, rank) and stays(scene, name, still, rank)


def stays(scene: Scene, name: str, still: str | None, rank: str | None) -> bool:
    return rank is None or bool(still) == (float(rank) <= scene.row(name)["rank"])


@means(rf"{NAME} would not rank ahead of {NAME} if only these two had taken part\.")
def _(scene: Scene, first: str, name: str) -> bool:
    return name != first == scene.rows[0]["name"] and scene.first_in_contest_of_two(name)


def versions(scene: Scene, who: str, more: str | None) -> list[str]:
    """The algorithms of a list, which is one of those in the document; of more than eight, eight are named."""
    named = scene.names(who)
    lists = [names for names in scene.entry["sensitivity"]["duplicates"] if names[: len(named)] == named]
    assert len(lists) == 1
    assert len(lists[0]) - len(named) == int(more or 0)
    assert more is None or len(named) == 8
    return lists[0]


@means(rf"{NAMES}(?: and (\d+) more)? may be versions of one algorithm: they gave the same results\.")
def _(scene: Scene, who: str, more: str | None) -> bool:
    return len(scene.rows) >= 4 and scene.raw.same(scene.entry, versions(scene, who, more))


@means(
    rf"{NAMES}(?: and (\d+) more)? agree on half of the cases or more, or differ very little: they may be versions of one "
    r"algorithm, unless the values are coarse\."
)
def _(scene: Scene, who: str, more: str | None) -> bool:
    names = versions(scene, who, more)
    if scene.raw.of_whole(scene.entry) or len(scene.rows) < 4:
        return len(scene.rows) >= 4
    tables, names = scene.raw.tables_of(scene.entry), sorted(names, key=lambda name: scene.row(name)["rank"])
    return all(
        sum(alike(scene.raw, table, names[0], name) for table in tables) >= len(tables) / 2 for name in names[1:]
    )


def alike(raw: Raw, table: Table, first: str, other: str) -> bool:
    values, every = table.numbers, raw.usual_gap(table)
    gap = apart(values[:, raw.names.index(first)], values[:, raw.names.index(other)])
    return (np.isnan(gap) | (gap <= 1e-9)).mean() >= 0.5 or np.nanmedian(gap) <= 0.1 * every + 1e-12


@means(rf"Without {NAME}, {NAMES} would (rank first|share first place)\.")
def _(scene: Scene, left: str, who: str, what: str) -> bool:
    rest = scene.raw.winners(scene.entry, without=left)
    if left in scene.winners:
        return False
    if rest is None:
        return True
    return rest != scene.winners and scene.lists(who, rest) and (len(rest) == 1) == (what == "rank first")


def in_order(scene: Scene, names: list[str]) -> bool:
    """Return whether no team in the list is behind a team that ranks worse when only these teams are ranked."""
    ranks = scene.raw.ranks(scene.entry, teams=names)
    return ranks is None or all(ranks[a] <= ranks[b] for a, b in pairwise(names))


@means(
    r"Keeping only the best of each group of possible versions does not change the order of the remaining algorithms\."
)
def _(scene: Scene) -> bool:
    left = set(scene.entry["sensitivity"]["without_duplicates"])
    return bool(scene.entry["sensitivity"]["duplicates"]) and in_order(
        scene, [row["name"] for row in scene.rows if row["name"] in left]
    )


@means(r"With only the best of each group of possible versions ranked, the order would be (.+?)(?: and (\d+) more)?\.")
def _(scene: Scene, text: str, more: str | None) -> bool:
    order, told = scene.entry["sensitivity"]["without_duplicates"], text.split(", ")
    return order[: len(told)] == told and len(order) == len(told) + int(more or 0) and in_order(scene, order)


def reversed_without(scene: Scene, left: str) -> list[tuple[str, str]] | None:
    """Return the pairs of teams whose order is reversed when one team is excluded."""
    before, after = scene.raw.ranks(scene.entry), scene.raw.ranks(scene.entry, without=left)
    if before is None or after is None:
        return None
    return [(a, b) for a in after for b in after if before[a] < before[b] and after[a] > after[b]]


@means(
    rf"Without (?:{NAMES}|any one of (\d+) algorithms), {NAME} would come before {NAME}"
    r"(?:, and (at least )?(\d+) other (pair|pairs) would change places)?\."
)
def _(
    scene: Scene,
    left: str | None,
    number: str | None,
    after: str,
    before: str,
    at_least: str | None,
    more: str | None,
    noun: str | None,
) -> bool:
    if noun is not None and (noun == "pair") != (more == "1"):
        return False
    alike = re.findall(NAME, left or "") or [
        team["without"] for team in scene.entry["sensitivity"]["teams"] if [before, after] in team["reversed"]
    ]
    if (number is not None and not 3 < int(number) <= len(alike)) or len(set(alike)) != len(alike):
        return False
    every = [reversed_without(scene, name) for name in alike]
    told = 1 + int(more or 0)
    with_these = [
        pairs is None or ((before, after) in pairs and (len(pairs) >= told if at_least else len(pairs) == told))
        for pairs in every
    ]
    return all(with_these) if number is None else sum(with_these) >= int(number)


@means(r"Leaving out any one of (\d+) further (algorithm|algorithms) would change the order of others, too\.")
def _(scene: Scene, number: str, noun: str) -> bool:
    teams = [team for team in scene.entry["sensitivity"]["teams"] if team["reversed"] and not team["winner_changes"]]
    alike = list(Counter(repr(team["reversed"]) for team in teams).values())
    return sum(alike[3:]) == int(number) and (noun == "algorithm") == (number == "1")


@means(
    r"(\d+) (\w+) (have|has) (\d+) cases: (?:(if) cases of one (\w+) are alike, the sets are too narrow|"
    r"cases of one (\w+) may be alike)\."
)
def _(
    scene: Scene,
    clusters: str,
    noun: str,
    verb: str,
    cases: str,
    narrow: str | None,
    column: str | None,
    plain: str | None,
) -> bool:
    known, column = scene.raw.metadata, column or plain
    return (
        known[column].nunique() == int(clusters) < int(cases) == len(known)
        and noun == (column if clusters == "1" else NOUNS[column])
        and verb == ("has" if clusters == "1" else "have")
        and bool(narrow) == (scene.entry["sets"]["reason"] is None)
    )


@means(
    r"The design does not state whether the (\w+) are all there are or a sample(; they are resampled like a sample)?\."
)
def _(scene: Scene, noun: str, drawn: str | None) -> bool:
    level = next(key for key, several in NOUNS.items() if several == noun)
    return level in scene.raw.assessment.aggregation.levels and bool(drawn) == (
        level in scene.raw.assessment.uncertainty.resample
    )


@means(r"Failed cases of one (\w+) may have one cause: the bounds of failure rates count cases\.")
def _(scene: Scene, unit: str) -> bool:
    failed = any(scene.raw.missing(scene.entry, name) for name in scene.raw.names)
    return failed and unit == scene.document["resampling"]["unit"] != "case"


@means(r"Missing cases are excluded from (\w+): the cost of a failure is not visible\.")
def _(scene: Scene, metric: str) -> bool:
    return scene.raw.assessment.metric(metric).policy.missing == "exclude"
