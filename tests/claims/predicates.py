"""What each sentence means, read from its words and held against the raw tables.

Nothing here calls what made the sentences. Whatever can be counted or ranked by hand is (`tests.claims.raw`); rank sets and
shares of resamples are read from the ranking document, whose numbers the suite holds to reference vectors elsewhere.
"""

import math
import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import pairwise, product

import numpy as np
from scipy.stats import beta, norm, wilcoxon

from tests.claims.raw import Raw, Table

NAME = r"(team [A-Z]2?)"
NAMES = r"((?:team [A-Z]2?(?:, | and | or )?)+|\d+ others|\d+ algorithms)"
MOST_CASES = 12
NOUNS = {"case": "cases", "patient": "patients", "site": "sites"}


@dataclass(frozen=True)
class Scene:
    """A sentence with what it is about."""

    raw: Raw
    entry: dict
    document: dict
    team: str = ""
    """Whom the sentence is told, where it is about one team."""

    @property
    def own(self) -> dict:
        """The row of the team that is told."""
        return self.row(self.team)

    @property
    def rows(self) -> list[dict]:
        return self.entry["algorithms"]

    def row(self, name: str) -> dict:
        return next(row for row in self.rows if row["name"] == name)

    @cached_property
    def winners(self) -> list[str]:
        """Who has the best rank: by hand where that can be repeated, else by the ranks of the document."""
        by_hand = self.raw.winners(self.entry)
        best = min(row["rank"] for row in self.rows)
        return by_hand or sorted(row["name"] for row in self.rows if row["rank"] == best)

    @property
    def closed(self) -> bool:
        return self.raw.challenge.closed

    @property
    def level(self) -> float:
        return self.raw.assessment.uncertainty.interval

    @property
    def alpha(self) -> float:
        given = self.raw.assessment.uncertainty.winner_alpha
        return min(round(1 - self.level, 12), given if given is not None else 1.0)

    def names(self, text: str) -> list[str] | None:
        """The names in a list, or nothing where only their number is told."""
        return None if re.fullmatch(r"\d+ (others|algorithms)", text) else re.findall(NAME, text)

    def lists(self, text: str, expected: list[str]) -> bool:
        """Whether a list names exactly these, or their number where they are more than three."""
        named = self.names(text)
        if named is None:
            return int(text.split(maxsplit=1)[0]) == len(expected) > 3
        return sorted(named) == sorted(expected) and len(named) <= 3

    @cached_property
    def reach(self) -> list[str]:
        """Others than the one first in the table whose rank set starts at 1."""
        return [row["name"] for row in self.rows[1:] if row["rank_set"] is not None and row["rank_set"][0] == 1]

    def first_in_contest_of_two(self, name: str) -> bool:
        """Whether a team ranks first, alone or not, when only it and the first had taken part."""
        ranks = self.raw.ranks(self.entry, teams=[self.rows[0]["name"], name])
        return ranks is None or ranks[name] == 1

    def counted(self, number: str, noun: str) -> bool:
        """Whether a noun agrees with its number and is what varies."""
        unit = self.document["resampling"]["unit"]
        return noun == (unit if number == "1" else NOUNS[unit])


Predicate = Callable[..., bool]
PREDICATES: list[tuple[re.Pattern, Predicate]] = []


def means(pattern: str) -> Callable[[Predicate], Predicate]:
    """The meaning of all sentences of a form."""

    def add(predicate: Predicate) -> Predicate:
        PREDICATES.append((re.compile(pattern), predicate))
        return predicate

    return add


def false_sentences(raw: Raw, entry: dict, document: dict, sentences: list[str], *, team: str = "") -> list[str]:
    """Sentences that are not true of a challenge, and those whose meaning nobody has written down."""
    scene = Scene(raw, entry, document, team)
    wrong = []
    for sentence in sentences:
        for pattern, predicate in PREDICATES:
            match = pattern.fullmatch(sentence)
            if match:
                if not holds(predicate, scene, match):
                    wrong.append(sentence)
                break
        else:
            wrong.append(f"of unknown meaning: {sentence}")
    return wrong


def holds(predicate: Predicate, scene: Scene, match: re.Match) -> bool:
    """Whether a sentence is true; what asks for something that is not there is not."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # medians of nothing
            return predicate(scene, *match.groups())
    except (TypeError, KeyError, IndexError):
        return False


def percent(text: str) -> float:
    return float(text.replace("over ", "").replace("under ", "").removesuffix(" %")) / 100


def near(share: float, text: str) -> bool:
    """Whether a share was rounded to whole per cent, and not to nothing or all."""
    if text == "over 99 %":
        return 0.99 < share < 1
    if text == "under 1 %":
        return 0 < share < 0.01
    return abs(share - percent(text)) <= 0.005 + 1e-9


def so_far(scene: Scene, text: str | None) -> bool:
    return (text == " so far") == (not scene.closed)


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
    }
    return leads(scene, who, mark) and true[reason]


@means(rf"{LEADS}, but (\d+) (\w+) (is|are) too few to say whether that is more than chance; (\d+) are the least\.")
def _(scene: Scene, who: str, mark: str | None, number: str, noun: str, verb: str, least: str) -> bool:
    units = scene.raw.units
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


def sizes(scene: Scene) -> dict[str, int]:
    """Units by stratum."""
    strata, drawn = scene.raw.assessment.uncertainty.strata, scene.raw.assessment.uncertainty.resample[0]
    if not strata:
        return {}
    return scene.raw.metadata.groupby(list(strata))[drawn].nunique().to_dict()


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
    for other in others:
        gaps = table.sign * (table.numbers[:, raw.names.index(name)] - table.numbers[:, raw.names.index(other)])
        flips = np.array(list(product((1, -1), repeat=len(gaps)))) @ gaps
        if (flips >= gaps.sum() - 1e-9).mean() > scene.alpha / 2 + 1e-9:
            return False
    return True


@means(rf"{NAMES} share first place( so far)?; (they gave the same results|it is open who is best)\.")
def _(scene: Scene, who: str, mark: str | None, what: str) -> bool:
    same = scene.raw.same(scene.entry, scene.winners)
    return leads(scene, who, mark) and len(scene.winners) > 1 and (same or what == "it is open who is best")


@means(rf"{LEADS}, but {NAMES} would if only the two had taken part: the first place depends on who else did\.")
def _(scene: Scene, who: str, mark: str | None, others: str) -> bool:
    names = scene.names(others) or []
    return leads(scene, who, mark) and len(scene.winners) == 1 and all(map(scene.first_in_contest_of_two, names))


@means(
    rf"{NAME} leads( so far)?, but (?:it is not shown to be better than {NAMES}|not clearly enough to be named the winner): "
    r"on as many fresh (\w+) it would come first again in about (\d+) of 100\."
)
def _(scene: Scene, name: str, mark: str | None, others: str | None, units: str, again: str) -> bool:
    listed = scene.lists(others, scene.reach) if others else not scene.reach
    return (
        scene.winners == [name]
        and so_far(scene, mark)
        and listed
        and units == NOUNS[scene.document["resampling"]["unit"]]
        and abs(100 * scene.entry["first_again"] - int(again)) <= 2.5 + 1e-9
        and int(again) >= 50
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


@means(r"All rank sets hold together in (about )?(\S+ %) of such challenges\.")
def _(scene: Scene, about: str | None, level: str) -> bool:
    count, shown = len(scene.rows), np.array(scene.entry["shown_better"])
    for place, row in enumerate(scene.rows):
        low, high = row["rank_set"]
        if not 1 <= low <= row["rank"] <= high <= count:
            return False
        if low > 1 + shown[:, place].sum() or high < count - shown[place].sum():
            return False
    return near(scene.level, level) and bool(about) == (scene.entry["sets"]["method"] == "draws")


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


@means(rf"(\d+) of the (\d+) others (is|are) shown to rank behind {NAME}, among those that took part\.")
def _(scene: Scene, count: str, others: str, verb: str, first: str) -> bool:
    return bool(scene.entry["sensitivity"]["head_to_head"]) and _shown_behind(scene, count, others, verb, first)


@means(rf"(\d+) of the (\d+) others (is|are) shown to be worse than {NAME}\.")
def _(scene: Scene, count: str, others: str, verb: str, first: str) -> bool:
    return not scene.entry["sensitivity"]["head_to_head"] and _shown_behind(scene, count, others, verb, first)


def _shown_behind(scene: Scene, count: str, others: str, verb: str, first: str) -> bool:
    beaten = [row["name"] for row, shown in zip(scene.rows, scene.entry["shown_better"][0], strict=True) if shown]
    behind = all(scene.row(name)["rank"] > 1 and scene.row(name)["rank_set"][0] > 1 for name in beaten)
    return (
        scene.winners == [first]
        and 0 < int(count) == len(beaten)
        and int(others) == len(scene.rows) - 1 > 1
        and behind
        and verb == ("is" if count == "1" else "are")
    )


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


def failing(scene: Scene, name: str, failed: int, of: int, upper: str, rank: str | None) -> bool:
    if failed != scene.raw.missing(scene.entry, name) or of != scene.raw.number_of_cases(scene.entry):
        return False
    if abs(bound(failed, of) - percent(upper)) > 0.0005 + 1e-9:
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


@means(rf"No case of {NAME} failed among (\d+); a failure rate of up to (\S+ %) could have gone unseen\.{ONE_MORE}")
def _(scene: Scene, name: str, of: str, upper: str, again: str | None, still: str | None, rank: str | None) -> bool:
    return failing(scene, name, 0, int(of), upper, rank) and again in (None, name) and stays(scene, name, still, rank)


@means(rf"(\d+) (case|cases) of {NAME} failed among (\d+); the rate of failures may be up to (\S+ %)\.{ONE_MORE}")
def _(
    scene: Scene,
    number: str,
    noun: str,
    name: str,
    of: str,
    upper: str,
    again: str | None,
    still: str | None,
    rank: str | None,
) -> bool:
    grammar = noun == ("case" if number == "1" else "cases") and again in (None, name)
    return grammar and failing(scene, name, int(number), int(of), upper, rank) and stays(scene, name, still, rank)


def stays(scene: Scene, name: str, still: str | None, rank: str | None) -> bool:
    return rank is None or bool(still) == (float(rank) <= scene.row(name)["rank"])


@means(rf"{NAME} would rank first if only {NAME} and {NAME} had taken part\.")
def _(scene: Scene, name: str, first: str, again: str) -> bool:
    return name == again != first == scene.rows[0]["name"] and scene.first_in_contest_of_two(name)


@means(rf"{NAMES} may be versions of one algorithm: they agree on half of the cases or more, or differ very little\.")
def _(scene: Scene, who: str) -> bool:
    names = scene.names(who)
    if names is None or scene.raw.whole or len(scene.rows) < 4:
        return len(scene.rows) >= 4
    tables, names = scene.raw.tables_of(scene.entry), sorted(names, key=lambda name: scene.row(name)["rank"])
    return all(
        sum(alike(scene.raw, table, names[0], name) for table in tables) >= len(tables) / 2 for name in names[1:]
    )


def alike(raw: Raw, table: Table, first: str, other: str) -> bool:
    values = table.numbers
    everybody = range(len(raw.names))
    every = np.nanmedian([np.nanmedian(np.abs(values[:, a] - values[:, b])) for a in everybody for b in range(a)])
    gap = np.abs(values[:, raw.names.index(first)] - values[:, raw.names.index(other)])
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
    """Whether nobody stands behind a team that ranks worse when only these are ranked."""
    ranks = scene.raw.ranks(scene.entry, teams=names)
    return ranks is None or all(ranks[a] <= ranks[b] for a, b in pairwise(names))


@means(r"With only the best of such versions ranked, the order of the others stays\.")
def _(scene: Scene) -> bool:
    left = set(scene.entry["sensitivity"]["without_duplicates"])
    return bool(scene.entry["sensitivity"]["duplicates"]) and in_order(
        scene, [row["name"] for row in scene.rows if row["name"] in left]
    )


@means(r"With only the best of such versions ranked, the order would be (.+?)(?: and (\d+) more)?\.")
def _(scene: Scene, text: str, more: str | None) -> bool:
    order, told = scene.entry["sensitivity"]["without_duplicates"], text.split(", ")
    return order[: len(told)] == told and len(order) == len(told) + int(more or 0) and in_order(scene, order)


def reversed_without(scene: Scene, left: str) -> list[tuple[str, str]] | None:
    """Pairs that change places when one is left out."""
    before, after = scene.raw.ranks(scene.entry), scene.raw.ranks(scene.entry, without=left)
    if before is None or after is None:
        return None
    return [(a, b) for a in after for b in after if before[a] < before[b] and after[a] > after[b]]


@means(rf"Without {NAME}, {NAME} would come before {NAME}(?:, and (\d+) other (pair|pairs) would change places)?\.")
def _(scene: Scene, left: str, after: str, before: str, more: str | None, noun: str | None) -> bool:
    pairs = reversed_without(scene, left)
    grammar = noun is None or (noun == "pair") == (more == "1")
    return grammar and (pairs is None or ((before, after) in pairs and len(pairs) == 1 + int(more or 0)))


@means(r"Leaving out any one of (\d+) further (algorithm|algorithms) would change the order of others, too\.")
def _(scene: Scene, number: str, noun: str) -> bool:
    teams = [team for team in scene.entry["sensitivity"]["teams"] if team["reversed"] and not team["winner_changes"]]
    return len(teams) == 3 + int(number) and (noun == "algorithm") == (number == "1")


@means(r"(\d+) (\w+) have (\d+) cases: if cases of one (\w+) are alike, the sets are too narrow\.")
def _(scene: Scene, clusters: str, noun: str, cases: str, column: str) -> bool:
    known = scene.raw.metadata
    return known[column].nunique() == int(clusters) < int(cases) == len(known) and noun == NOUNS[column]


@means(r"Nothing says whether the (\w+) are all there are or a sample(; they are drawn as a sample would be)?\.")
def _(scene: Scene, noun: str, drawn: str | None) -> bool:
    level = next(key for key, several in NOUNS.items() if several == noun)
    return level in scene.raw.assessment.aggregation.levels and bool(drawn) == (
        level in scene.raw.assessment.uncertainty.resample
    )


@means(r"Failed cases of one (\w+) may have one cause: the bounds of failure rates count cases\.")
def _(scene: Scene, unit: str) -> bool:
    failed = any(scene.raw.missing(scene.entry, name) for name in scene.raw.names)
    return failed and unit == scene.document["resampling"]["unit"] != "case"


@means(r"A missing case is left out of (\w+): what a failure would cost does not show\.")
def _(scene: Scene, metric: str) -> bool:
    return scene.raw.assessment.metric(metric).policy.missing == "exclude"


@means(
    rf"{NAME} is usually better than {NAME} case by case, {NAME} on average: a few bad cases of {NAME} decide\. "
    r"\(p = (\S+)\)"
)
def _(scene: Scene, better: str, higher: str, again: str, bad: str, p: str) -> bool:
    table = scene.raw.tables_of(scene.entry)[0]
    gaps = table.sign * (
        table.numbers[:, scene.raw.names.index(better)] - table.numbers[:, scene.raw.names.index(higher)]
    )
    ahead = scene.row(higher)["rank"] < scene.row(better)["rank"]
    return higher == again and better == bad and ahead and float(p) <= 0.05 and (gaps > 0).sum() > (gaps < 0).sum()


@means(
    r"(?:(None|\d+) of the (?:(\d+) )?other algorithms (came first|shared first place with it|shared first place with them) "
    r"in (?:any|at least one) resample\.|(The other one) never came first\.|"
    r"The other algorithm (came first|shared first place with it|shared first place with them) in at least one resample\.)"
)
def _(
    scene: Scene, number: str | None, total: str | None, did: str | None, never: str | None, alone: str | None
) -> bool:
    others = [row for row in scene.rows if row["name"] not in scene.winners]
    ever = sum(row["share_first"] > 0 for row in others)
    if never or number == "None":
        return ever == 0 and (len(others) == 1) == bool(never)
    if alone is not None:
        return len(others) == ever == 1
    return int(number) == ever and int(total) == len(others) > 1 and did is not None


@means(r"The order as a whole is (stable|partly stable|not stable) \(agreement (over 0\.99|\S+) of 1\)\.")
def _(scene: Scene, word: str, tau: str) -> bool:
    median = scene.entry["kendall_tau"]["median"]
    expected = "stable" if median >= 0.8 else "partly stable" if median >= 0.5 else "not stable"
    return len(scene.rows) >= 4 and word == expected and scene.entry["sets"]["reason"] is None and _agrees(median, tau)


@means(r"The median agreement of resamples with the order is (over 0\.99|\S+) of 1\.")
def _(scene: Scene, tau: str) -> bool:
    median = scene.entry["kendall_tau"]["median"]
    return len(scene.rows) >= 4 and scene.entry["sets"]["reason"] is not None and _agrees(median, tau)


def _agrees(median: float, tau: str) -> bool:
    if tau == "over 0.99":
        return 0.99 < median < 1.0
    return abs(median - float(tau)) <= 0.005 + 1e-9 and (tau != "1" or median == 1.0)


@means(r"In (\d+) (resample|resamples) τ is undefined, because all algorithms are tied\.")
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
    """What is drawn and decides: without its cases others are first, or share the first place. Of up to 12 cases."""
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


@means(r"Leaving out the single case (\S+) would change who is first\.")
def _(scene: Scene, case: str) -> bool:
    found = deciding(scene)
    return drawn(scene, "case") and case in scene.raw.cases and (found is None or found == [[case]])


@means(r"Leaving out a single (\w+) would change who is first: that with (.+)\.")
def _(scene: Scene, unit: str, text: str) -> bool:
    named = re.findall(r"case-\d+", text)
    groups = {name: sorted(rows["case"]) for name, rows in scene.raw.metadata.groupby(unit)}
    more = re.search(r"and (\d+) other cases", text)
    inside = [cases for cases in groups.values() if set(named) <= set(cases)]
    return drawn(scene, unit) and unit != "case" and len(inside[0]) == len(named) + (int(more[1]) if more else 0)


@means(r"Leaving out a single (\w+) would change who is first for (\d+) of the (\w+)\.")
def _(scene: Scene, unit: str, number: str, units: str) -> bool:
    found = deciding(scene)
    return (
        drawn(scene, unit, units)
        and 1 < int(number) <= scene.raw.units
        and (found is None or len(found) == int(number))
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
    tested = [entry for entry in scene.document["rankings"] if entry["tests"]]
    none = not any(cell for entry in tested for row in entry["significantly_better"] for cell in row)
    return (
        int(algorithms) == count
        and int(needed) == least > int(units) == scene.raw.units
        and none
        and noun == NOUNS[scene.document["resampling"]["unit"]]
        and verb == ("is" if units == "1" else "are")
    )


@means(
    r"(?:(\d+) of the (\d+) pairs of algorithms (differ|differs)|The two (differ|do not differ)) significantly "
    r"\(Wilcoxon, adjusted by Holm’s method\)\."
)
def _(scene: Scene, wins: str | None, pairs: str | None, verb: str | None, two: str | None) -> bool:
    count = sum(map(sum, scene.entry["significantly_better"]))
    names = len(scene.rows)
    if two:
        return names == 2 and (count == 1) == (two == "differ") and agrees_with_wilcoxon(scene, count)
    grammar = verb == ("differs" if wins == "1" else "differ")
    return int(wins) == count <= int(pairs) == names * (names - 1) // 2 and grammar


def agrees_with_wilcoxon(scene: Scene, count: int) -> bool:
    """Of two algorithms without ties or zero differences on up to 20 cases, by the exact test of SciPy."""
    raw = scene.raw
    tables = raw.tables_of(scene.entry)
    if raw.whole or len(tables) != 1 or "aggregation" in raw.challenge_document:
        return True
    gaps = tables[0].numbers[:, 0] - tables[0].numbers[:, 1]
    sizes_ = np.abs(gaps).round(9)
    if np.isnan(gaps).any() or len(gaps) > 20 or (sizes_ == 0).any() or len(set(sizes_)) < len(sizes_):
        return True
    smaller = min(wilcoxon(gaps, alternative=side, method="exact").pvalue for side in ("greater", "less"))
    return (2 * smaller <= 0.05) == bool(count)


@means(r"Only (\d+) (\w+) could be drawn: with fewer than about 10, resampling ranges are unreliable\.")
def _(scene: Scene, number: str, noun: str) -> bool:
    return scene.raw.units == int(number) < 10 and noun in NOUNS.values() | NOUNS.keys() and scene.counted(number, noun)


@means(r"Missing predictions: (.+)\.")
def _(scene: Scene, text: str) -> bool:
    told = {}
    for part in text.split("; "):
        name, _, counted = part.rpartition(", ")
        number, noun = counted.split()
        if noun != ("case" if number == "1" else "cases"):
            return False
        told[name] = int(number)
    return told == {
        name: scene.raw.missing(scene.entry, name) for name in scene.raw.names if scene.raw.missing(scene.entry, name)
    }


@means(rf"{NAME} has rank (\S+) of (\d+)\.")
def _(scene: Scene, name: str, rank: str, of: str) -> bool:
    ranks = scene.raw.ranks(scene.entry)
    expected = scene.row(name)["rank"] if ranks is None else ranks[name]
    return name == scene.team and float(rank) == expected and int(of) == len(scene.raw.names)


@means(r"(?:Its rank set is rank (\d+) alone|Its rank could be (\d+)–(\d+))(?:; (letter|letters) (\w+))?\.")
def _(
    scene: Scene, alone: str | None, low: str | None, high: str | None, noun: str | None, letters: str | None
) -> bool:
    told = [int(alone)] * 2 if alone else [int(low), int(high)]
    grammar = noun is None or (noun == "letter") == (len(letters) == 1)
    return (
        told == scene.own["rank_set"]
        and told[0] <= scene.own["rank"] <= told[1]
        and grammar
        and bool(alone) == (told[0] == told[1])
    )


@means(r"There are too few cases to say between which ranks it truly lies\.")
def _(scene: Scene) -> bool:
    needed = scene.entry["sets"]["units_needed"]["sets"]
    return scene.raw.units < needed or min(sizes(scene).values(), default=5) < 5


@means(r"Its resampling range is (rank (\S+) alone|(\S+)–(\S+)); it came first in (.+) of the resamples\.")
def _(scene: Scene, _words: str, alone: str | None, low: str | None, high: str | None, share: str) -> bool:
    told = (float(alone),) * 2 if alone else (float(low), float(high))
    return all(abs(a - b) <= 0.005 for a, b in zip(told, scene.own["rank_interval"], strict=True)) and near(
        scene.own["share_first"], share
    )


@means(r"The first place is within its reach: nobody is shown to be better\.")
def _(scene: Scene) -> bool:
    place = [row["name"] for row in scene.rows].index(scene.team)
    beaten = any(row[place] for row in scene.entry["shown_better"])
    return scene.team not in scene.winners and not beaten and scene.own["rank_set"][0] == 1
