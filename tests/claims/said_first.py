"""Meanings of sentences about the leader and the certainty of the lead."""

import math
import re
from itertools import product

import numpy as np
from scipy.stats import beta

from tests.claims.raw import counts_as, ranked
from tests.claims.scene import NAME, NAMES, NOUNS, Scene, means, near, not_above, not_below, number, sizes, so_far

MOST_CASES = 30
LEADS = rf"(?:{NAMES} (?:ranks first|leads|share first place)( so far)?)"


def leads(scene: Scene, who: str, mark: str | None) -> bool:
    if not so_far(scene, mark):
        return False
    if who.endswith("algorithms"):
        return int(who.split(maxsplit=1)[0]) == len(scene.winners) > 3
    return sorted(scene.names(who) or []) == scene.winners


@means(rf"{LEADS}, but the board has had more changes than the phase registered\. No winner can be named\.")
def _(scene: Scene, who: str, mark: str | None) -> bool:
    look = scene.document["look"]
    is_beyond = look["planned"] is not None and look["change"] > look["planned"]
    return leads(scene, who, mark) and is_beyond and not scene.entry["winner"]["named"]


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
        "there is only one case": scene.raw.whole and len(scene.raw.cases_of(scene.entry)) == 1,
        "the smallest and largest values of a sample do not generalize to other samples": operator in ("min", "max"),
        "there were fewer than 200 resamples": samples < 200,
        "the uncertainty of values that were measured elsewhere is unknown": "nothing"
        in scene.raw.given_of(scene.entry),
        "parts of the ranking were resampled in different places, and their dependence is unknown": (
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
        if scene.role is not None:
            share /= scene.still_tested
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


def is_winner(scene: Scene, name: str, mark: str | None) -> bool:
    """Return whether a team is named the winner: first alone, best in contests of two, and in a rank set of its own."""
    rest = [row["name"] for row in scene.rows if row["name"] != name]
    sets = [row["rank_set"] for row in scene.rows]
    alone = all(
        one is None or ((one == [1, 1]) == (index == 0) and (index == 0 or one[0] > 1))
        for index, one in enumerate(sets)
    )
    contests = scene.first_in_contest_of_two(name) and not any(
        scene.raw.ranks(scene.entry, teams=[name, one]) is not None and scene.first_in_contest_of_two(one)
        for one in rest
    )
    return scene.winners == [name] and so_far(scene, mark) and alone and contests and better_by_flips(scene, name, rest)


LEAD = r"(−?[\d.]+?)( [a-zA-Z]+)?"
ENDS = r"((?:approximately )?(?:> )?−?[\d.]+) to (−?[\d.]+)"
SEEN = r"(\d+) of (\d+) observed; up to (\S+ %) could have gone unseen"
INDEPENDENT = r"This holds whatever rare failures there are; the (\w+) only have to be independent\."


@means(
    rf"{NAME} is the winner( so far)?\.( The same algorithm is confirmed in every combined ranking\.)? {INDEPENDENT}"
    rf"(?: Its lead over {NAME} is {LEAD}(?: \((\S+ %) interval {ENDS}, with failures as observed\))?\.)?"
)
def _(
    scene: Scene,
    name: str,
    mark: str | None,
    combined: str | None,
    units: str,
    over: str | None,
    estimate: str | None,
    unit: str | None,
    level: str | None,
    low: str | None,
    high: str | None,
) -> bool:
    if scene.entry["verdict"] != "confirmed" or units != NOUNS[scene.document["resampling"]["unit"]]:
        return False
    by_how_much = leading(scene, name, over, estimate, unit, (low, high), level) if over else not has_lead(scene)
    everywhere = not combined or all(scene.raw.winners(entry) in (None, [name]) for entry in scene.document["rankings"])
    return is_winner(scene, name, mark) and by_how_much and everywhere and bounded(scene) and big_enough(scene, name)


def has_lead(scene: Scene) -> bool:
    """Return whether a difference has a meaning: not of combined ranks, which depend on who takes part."""
    return "over" not in scene.entry and scene.entry.get("lead") is not None


def bounded(scene: Scene) -> bool:
    """Return whether each value lies in a registered range, or is a rank."""
    if scene.raw.scheme["scheme"] == "rank_then_aggregate":
        return True
    tables = scene.raw.tables_of(scene.entry)
    uses = [scene.raw.assessment.metric(table.metric) for table in tables]
    return bool(tables) and all(
        None not in (use.worst, use.best)
        and not np.isnan(table.numbers).any()
        and table.numbers.min() >= min(use.worst, use.best) - 1e-9
        and table.numbers.max() <= max(use.worst, use.best) + 1e-9
        for use, table in zip(uses, tables, strict=True)
    )


def big_enough(scene: Scene, name: str) -> bool:
    """Return whether there are as many units as the lead needs at least, whatever the method (2 of the share, one bet)."""
    found = lead_by_hand(scene, name)
    if found is None:
        return True
    scaled = found[1] / width(scene)
    return scaled > 0 and scene.raw.units >= math.log(2 / scene.winner_share) / math.log1p(scaled) - 1e-6


def width(scene: Scene) -> float:
    """Return the width of the range of the averaged values."""
    if scene.raw.scheme["scheme"] == "rank_then_aggregate":
        return len(scene.rows) - 1.0
    use = scene.raw.assessment.metric(scene.raw.tables_of(scene.entry)[0].metric)
    return abs(use.best - use.worst)


def averaged(scene: Scene) -> np.ndarray | None:
    """Return what is averaged over cases, larger is better; `None` where the ranking is not one mean over them."""
    raw = scene.raw
    tables = raw.tables_of(scene.entry) if raw.plain else []
    if len(tables) != 1 or raw.scheme["operator"] != "mean" or "over" in scene.entry:
        return None
    signed = tables[0].sign * tables[0].numbers
    if np.isnan(signed).any():
        return None
    return -ranked(-signed) if raw.scheme["scheme"] == "rank_then_aggregate" else signed


def differences(scene: Scene, name: str, other: str) -> np.ndarray | None:
    values, names = averaged(scene), scene.raw.names
    return None if values is None else values[:, names.index(name)] - values[:, names.index(other)]


def lead_by_hand(scene: Scene, name: str) -> tuple[str, float] | None:
    """Return the strongest other team and the lead over it, from the raw values."""
    leads_over = {
        other: gaps.mean()
        for other in scene.raw.names
        if other != name and (gaps := differences(scene, name, other)) is not None
    }
    return min(leads_over.items(), key=lambda pair: pair[1]) if leads_over else None


def leading(
    scene: Scene,
    name: str,
    over: str,
    estimate: str,
    unit: str | None,
    ends: tuple[str | None, str | None],
    level: str | None = None,
) -> bool:
    """Return whether a lead, its unit and its interval are right, the interval rounded outwards without another sign."""
    lead, by_hand = scene.entry["lead"], lead_by_hand(scene, name)
    step = 10.0 ** -len(estimate.partition(".")[2])
    if by_hand is not None and not math.isclose(by_hand[1], lead["estimate"], abs_tol=1e-8):
        return False
    rows = {row["name"]: row["rank"] for row in scene.rows}
    is_next = rows[over] == min(rank for other, rank in rows.items() if other != name)
    of_scheme = {"rank_then_aggregate": "ranks", "aggregate_then_rank": scene.entry.get("unit")}
    if (unit or "").strip() != (of_scheme.get(scene.raw.scheme["scheme"]) or "") or (
        by_hand is not None and not is_next
    ):
        return False
    if abs(number(estimate) - lead["estimate"]) > step / 2 + 1e-9 or (number(estimate) > 0) != (lead["estimate"] > 0):
        return False
    if ends[0] is None or ends[1] is None:
        return lead["interval"] is None
    low, high = lead["interval"]
    is_approximate = ends[0].startswith("approximately ")
    if is_approximate != (scene.entry["sets"]["method"] == "draws"):
        return False
    lower = ends[0].removeprefix("approximately ")
    is_above, ends = lower.startswith("> "), (lower.removeprefix("> "), ends[1])
    outwards = -1e-9 <= low - number(ends[0]) <= step + 1e-9 and -1e-9 <= number(ends[1]) - high <= step + 1e-9
    margin = scene.margin
    sides = (number(ends[0]) > 0) == (low > 0) and (number(ends[0]) > margin) == (low > margin)
    named = scene.entry["winner"]["named"]
    # The lower end of a later step of Holm's method is the margin, which the interval does not contain.
    is_later = named and (scene.entry.get("family") or {}).get("tests") != (scene.entry.get("family") or {}).get(
        "rankings"
    )
    above = (
        is_above == (named and low == margin) and (not is_above or is_later) and (low > margin or is_above or not named)
    )
    return outwards and sides and above and (level is None or near(scene.level, level))


def seen(scene: Scene, name: str, failed: str, of: str, upper: str) -> bool:
    """Return whether the counted failures and the bound are right: a value of a failure counts as one, whatever its cause."""
    fails = failing_cases(scene, name)
    if fails is not None and (int(failed), int(of)) != (int(fails.sum()), len(fails)):
        return False
    exact = 1.0 if int(failed) >= int(of) else float(beta.ppf(0.95, int(failed) + 1, int(of) - int(failed)))
    return not_above(exact, upper)


def failing_cases(scene: Scene, name: str) -> np.ndarray | None:
    tables = scene.raw.tables_of(scene.entry) if scene.raw.plain else []
    if len(tables) != 1:
        return None
    column = scene.raw.names.index(name)
    failed = counts_as(scene.raw.assessment.metric(tables[0].metric))
    return tables[0].absent[:, column] | (tables[0].numbers[:, column] == failed)


def survives(scene: Scene, name: str, rate: str) -> bool:
    """Return whether the lead over each other team on the other cases outweighs so many failures."""
    fails = failing_cases(scene, name)
    if fails is None or scene.raw.scheme["scheme"] != "aggregate_then_rank" or averaged(scene) is None:
        return True
    table, share = scene.raw.tables_of(scene.entry)[0], float(rate.removesuffix(" %")) / 100
    failed = table.sign * counts_as(scene.raw.assessment.metric(table.metric))
    for other in scene.raw.names:
        if other == name:
            continue
        gaps = differences(scene, name, other)[~fails].mean()
        cost = (table.sign * table.numbers[~fails, scene.raw.names.index(other)]).mean() - failed
        if (1 - share) * gaps - share * cost < -1e-9:
            return False
    return True


@means(
    rf"{NAME} is(, approximately,)? significantly better than (?:(all others)|{NAME})( so far)?"
    rf"(?: \(by {LEAD}(?:, (\S+ %) interval {ENDS})?\))?"
    rf"(?:, provided it fails in fewer than (\S+ %) of cases \({SEEN}\)\.|"
    r"\. (It would still be first with one more failed case|(?:Failures|Rare failures that did not occur) are not part of this statement)\.)"
)
def _(
    scene: Scene,
    name: str,
    draws: str | None,
    every: str | None,
    other: str | None,
    mark: str | None,
    estimate: str | None,
    unit: str | None,
    level: str | None,
    low: str | None,
    high: str | None,
    rate: str | None,
    failed: str | None,
    of: str | None,
    upper: str | None,
    without: str | None,
) -> bool:
    rest = [row["name"] for row in scene.rows if row["name"] != name]
    if scene.entry["verdict"] != "significant" or bool(draws) != (
        scene.entry["sets"]["method"] in ("draws", "given_errors")
    ):
        return False
    if rest != [other] and not (every and len(rest) > 1):
        return False
    if (estimate is not None) != has_lead(scene):
        return False
    over = (scene.entry["lead"] or {}).get("over")
    if estimate is not None and not leading(scene, name, over, estimate, unit, (low, high), level):
        return False
    return is_winner(scene, name, mark) and (
        (
            seen(scene, name, failed, of, upper)
            and not_below(scene.entry["break_even_failure_rate"]["rate"], rate)
            and survives(scene, name, rate)
        )
        if rate
        else of_failures(scene, name, without)
    )


def of_failures(scene: Scene, name: str, without: str) -> bool:
    if scene.entry["break_even_failure_rate"] is not None:
        return False
    excluded = any(
        scene.raw.assessment.metric(table.metric).policy.missing == "exclude"
        for table in scene.raw.tables_of(scene.entry)
    )
    if without.startswith("It would still"):
        cases = range(scene.raw.number_of_cases(scene.entry) if len(scene.raw.tasks) == 1 else 0)
        ranks = [scene.raw.ranks(scene.entry, failing=(name, case)) for case in cases[:MOST_CASES]]
        return not excluded and all(one is None or one[name] == 1 for one in ranks)
    return excluded == without.startswith("Failures")


@means(
    rf"{NAME} was named the winner( so far)? by an earlier rule\. "
    r"That rule assumes symmetric differences and equal failure rates\."
)
def _(scene: Scene, name: str, mark: str | None) -> bool:
    return (
        scene.entry["verdict"] == "clear"
        and "lead" not in scene.entry
        and scene.winners == [name]
        and so_far(scene, mark)
    )


@means(
    rf"{LEADS}: (\w+) of one (\w+) may be alike, and the design does not declare (\w+)\. "
    r"No winner is named until it does\."
)
def _(scene: Scene, who: str, mark: str | None, units: str, column: str, again: str) -> bool:
    known, rule = scene.raw.metadata, scene.raw.assessment
    declared = {*rule.aggregation.levels, *rule.uncertainty.resample, *rule.uncertainty.strata}
    return (
        leads(scene, who, mark)
        and column == again
        and column not in declared
        and known[column].nunique() < len(known)
        and units == NOUNS[scene.document["resampling"]["unit"]]
        and not scene.entry["winner"]["named"]
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
    rf"{LEADS}, but would not rank ahead of {NAMES} if only these two had taken part: the first place depends on the "
    r"other participants\."
)
def _(scene: Scene, who: str, mark: str | None, others: str) -> bool:
    names = scene.names(others) or []
    return leads(scene, who, mark) and len(scene.winners) == 1 and all(map(scene.first_in_contest_of_two, names))


AGAIN = r" On as many fresh (\w+) it would come first again in (?:about (\d+)|more than (95)|fewer than (5)) of 100\."


def again(scene: Scene, units: str, about: str | None, more: str | None, fewer: str | None) -> bool:
    share = 100 * scene.entry["first_again"]
    told = share > 95 if more else share < 5 if fewer else abs(share - int(about or -9)) <= 2.5 + 1e-9
    return told and units == NOUNS[scene.document["resampling"]["unit"]]


@means(
    rf"{NAME} leads( so far)?, but "
    rf"(?:{NAMES} (is|are) not significantly worse|(not clearly enough to be named the winner)|"
    r"(one more failed case could cost it the first place)|"
    r"(its lead is not large enough to allow for rare failures))\."
    rf"(?: If failures are no more frequent than observed, its lead over {NAME} is {LEAD}(?: \((\S+ %) interval {ENDS}\)|, and over the best of the others {ENDS} "
    rf"\((\S+ %) interval\))\.)?"
    rf"(?: Its lead over {NAME} is {LEAD}(?:(?: \(|; over the best of the others it is ){ENDS}\)?)?\.|{AGAIN})?"
)
def _(
    scene: Scene,
    name: str,
    mark: str | None,
    others: str | None,
    verb: str | None,
    weak: str | None,
    failure: str | None,
    rare: str | None,
    clear_over: str | None,
    clear: str | None,
    clear_unit: str | None,
    level_of_two: str | None,
    low_of_two: str | None,
    high_of_two: str | None,
    clear_low: str | None,
    clear_high: str | None,
    level_of_more: str | None,
    over: str | None,
    estimate: str | None,
    unit: str | None,
    low: str | None,
    high: str | None,
    units: str | None,
    about: str | None,
    more: str | None,
    fewer: str | None,
) -> bool:
    if scene.winners != [name] or not so_far(scene, mark) or scene.entry["winner"]["named"]:
        return False
    if over and not leading(scene, name, over, estimate, unit, (low, high)):
        return False
    if clear_over:
        ends = (low_of_two, high_of_two) if level_of_two else (clear_low, clear_high)
        named_level = level_of_two or level_of_more
        if bool(level_of_two) != (len(scene.rows) == 2) or weak or others or over:
            return False
        if not clear_lead(scene, name, clear_over, clear, clear_unit, ends, named_level):
            return False
    if units and (has_lead(scene) or not again(scene, units, about, more, fewer)):
        return False
    rows = zip(scene.rows[1:], scene.entry["shown_better"][0][1:], strict=True)
    not_worse = [row["name"] for row, is_worse in rows if not is_worse]
    if others:
        return scene.lists(others, not_worse) and verb == ("is" if len(not_worse) == 1 else "are")
    if weak:
        return not not_worse and scene.entry["winner"]["reason"] != "one_more_failure"
    return scene.entry["winner"]["reason"] == "one_more_failure" and loses_by_failure(scene, name) in (
        None,
        bool(failure),
    )


def clear_lead(
    scene: Scene, name: str, over: str, estimate: str, unit: str | None, ends: tuple[str, str], level: str
) -> bool:
    """Return whether a lead that one more failure would cost is above the margin with the observed failures, by flips as well."""
    lead = scene.entry["lead"]
    as_stated = {**lead, "interval": lead["interval_as_observed"]}
    alike = Scene(
        scene.raw,
        {**scene.entry, "lead": as_stated, "winner": {**scene.entry["winner"], "named": True}},
        scene.document,
    )
    margin = scene.margin
    rest = [row["name"] for row in scene.rows if row["name"] != name]
    return (
        leading(alike, name, over, estimate, unit, ends, level)
        and lead["interval_as_observed"][0] > margin
        and lead["interval_as_observed"][0] <= lead["estimate"] + 1e-9
        and (margin > 0 or better_by_flips(scene, name, rest))
    )


def loses_by_failure(scene: Scene, name: str) -> bool | None:
    """Return whether one more failed case costs a team the first place; `None` if that cannot be repeated here."""
    cases = scene.raw.number_of_cases(scene.entry)
    if len(scene.raw.tasks) > 1 or cases > MOST_CASES:
        return None
    ranks = [scene.raw.ranks(scene.entry, failing=(name, case)) for case in range(cases)]
    return None if None in ranks else any(one[name] > 1 for one in ranks)


@means(
    rf"No clear leader(?:( so far)?\. {NAMES} are statistically tied for first place|"
    rf"\. {NAME} ranks first( so far)?, but not clearly enough to be named the winner)\."
)
def _(scene: Scene, mark: str | None, who: str | None, name: str | None, again_mark: str | None) -> bool:
    share = scene.entry["first_again"]
    if scene.entry["winner"]["named"] or not (share is None or share < 0.5):
        return False
    if name:
        return scene.winners == [name] and so_far(scene, again_mark) and not scene.reach
    front = [scene.rows[0]["name"], *scene.reach]
    return so_far(scene, mark) and len(front) > 1 and scene.lists(who, front) and scene.winners == front[:1]


@means(
    r"Together, the rank sets contain all true ranks in about (\S+ %) of challenges like this, if failures are as frequent as observed\."
)
def _(scene: Scene, level: str) -> bool:
    count, shown = len(scene.rows), np.array(scene.entry["shown_better"])
    for place, row in enumerate(scene.rows):
        low, high = row["rank_set"]
        if not 1 <= low <= row["rank"] <= high <= count:
            return False
        if low > 1 + shown[:, place].sum() or high < count - shown[place].sum():
            return False
    return near(scene.level, level)


@means(
    r"If the two best algorithms were equally good(, with symmetric differences and equal failure rates)?, one of them would be "
    r"(?:confirmed in at most (\S+ %)|named in (at most )?about (\S+ %)) of challenges(, since its lead must exceed the margin)?\."
)
def _(
    scene: Scene, assumed: str | None, at_most: str | None, cautious: str | None, about: str | None, why: str | None
) -> bool:
    decided = scene.entry["winner"]["reason"] in ("shown", "not_shown", "tie", "depends_on_entries", "one_more_failure")
    if not decided or bool(assumed) != ("lead" not in scene.entry):
        return False
    registered = 0.0 if assumed else scene.margin
    if bool(why) != (registered > 0) or (about and bool(cautious) != bool(why)):
        return False
    if at_most:
        return scene.entry["verdict"] == "confirmed" and not_above(scene.winner_share, at_most)
    stated = float(about.removesuffix(" %"))
    return abs(100 * scene.winner_share - stated) <= 0.06 * stated and scene.entry["verdict"] != "confirmed"


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
        # Two standard errors of the difference of two shares of the same resamples.
        and (shares[most] - shares[first]) ** 2
        > 4 * (shares[most] + shares[first] - (shares[most] - shares[first]) ** 2) / scene.document["bootstrap"]
    )


@means(
    rf"{LEADS}\.(?: Its lead over {NAME} is {LEAD}(?:(?: \(|; over the best of the others it is ){ENDS}\)?)?\.)? "
    r"This ranking is exploratory: there is no statement of significance\."
)
def _(
    scene: Scene,
    who: str,
    mark: str | None,
    over: str | None,
    estimate: str | None,
    unit: str | None,
    low: str | None,
    high: str | None,
) -> bool:
    if scene.role != "exploratory" or scene.entry["winner"]["named"] or scene.entry["verdict"] is not None:
        return False
    return leads(scene, who, mark) and (not over or leading(scene, scene.winners[0], over, estimate, unit, (low, high)))


@means(
    r"Rank sets and intervals describe these (\w+)\. They are not adjusted for the number of rankings or for their choice\."
)
def _(scene: Scene, units: str) -> bool:
    return scene.role == "exploratory" and units == NOUNS[scene.document["resampling"]["unit"]]


@means(
    r"The (\d+) (primary|secondary) rankings share the error, by Holm’s method for winners: about (\S+ %) in this ranking, and about (\S+ %) over "
    r"all of them\."
)
def _(scene: Scene, count: str, role: str, own: str, total: str) -> bool:
    return (
        scene.role == role
        and len(scene.family) == int(count) > 1
        and scene.still_tested <= int(count)
        and alike(scene.winner_share, own)
        and alike(scene.winner_share * scene.still_tested, total)
    )


def alike(share: float, text: str) -> bool:
    """Return whether a level has the stated two digits."""
    stated = float(text.removesuffix(" %"))
    return abs(100 * share - stated) <= 0.06 * stated


@means(
    r"This is change (\d+) of the board\. A winner may use (\S+ %) of the error; all changes together use at most (\S+ %), for entries "
    r"that were not tuned on these scores\."
)
def _(scene: Scene, change: str, part: str, total: str) -> bool:
    stated = float(part.removesuffix(" %"))
    whole = scene.alpha_of_two if len(scene.rows) == 2 else scene.alpha_of_more
    return (
        scene.document["look"]["change"] == int(change)
        and abs(100 * scene.winner_share - stated) <= 0.06 * stated
        and not_above(whole, total)
    )


@means(rf"{NAME} would lose first place with (\d+) more failed cases, if these are the costliest\.")
def _(scene: Scene, name: str, count: str) -> bool:
    # One more failure does not cost the first place, whatever the case.
    after = scene.row(name)["rank_if_one_more_failed"]
    worst = [
        ranks[name]
        for number in range(scene.raw.number_of_cases(scene.entry) if len(scene.raw.tasks) == 1 else 0)
        if (ranks := scene.raw.ranks(scene.entry, failing=(name, number))) is not None
    ]
    return scene.winners == [name] and int(count) > 1 and after in (None, 1) and max(worst, default=1) == 1


@means(
    r"The level of about (\S+ %) applies to each of the (\d+) rankings separately\. If the two best were equally good in every ranking, these "
    r"shares add up to about (\S+ %)\."
)
def _(scene: Scene, own: str, count: str, total: str) -> bool:
    overall = scene.document["overall"] or []
    combined = overall if isinstance(overall, list) else [overall]
    with_parts = {one.get("name") for one in combined}
    apart = [one for one in scene.document["rankings"] if one.get("name") not in with_parts]
    final = [Scene(scene.raw, one, scene.document) for one in [*combined, *apart]]
    together = min(1.0, sum(one.winner_share for one in final))
    return (
        scene.role is None
        and len(final) == int(count) > 1
        and alike(scene.winner_share, own)
        and alike(together, total)
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
