"""Claims about resamples, single cases and tests, in addition to rank sets.

Each claim is descriptive; none proves an order.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from scipy.special import ndtr

from evaluation.claims.catalogue import CATALOGUE, Claim, Said
from evaluation.figures.layout import interval_words, number
from evaluation.ranking.names_of_tests import test_of_pairs
from evaluation.ranking.reading import MOST_NAMED, is_combined, percent
from evaluation.ranking.schemes import get_scheme
from evaluation.wording import joined, plural

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from evaluation.ranking.reading import Entry, Facts

_FEW_CLUSTERS: Final = 10
_LEAST_ORDERED: Final = 4
_NEARLY_ONE: Final = 0.995
_EFFECTS: Final = "change who is first|add to who shares first place"
# What `_deciding` writes where it names cases.
_SINGLE_CASE: Final = re.compile(rf"^Leaving out the single case .+ would ({_EFFECTS})\.$")
_SINGLE_UNIT: Final = re.compile(rf"^(Leaving out a single .+ would (?:{_EFFECTS})): that with .+\.$")


def _resampled(facts: Facts) -> bool:
    return bool(facts.entry["resampled"])


def _beaten(facts: Facts) -> int:
    """Return the number of algorithms that are not first."""
    return len(facts.rows) - len(facts.winners)


def _ever_first(facts: Facts) -> int:
    share: float = facts.entry["others_first"]
    return round(share * _beaten(facts))


def _others_first(facts: Facts) -> str:
    ever, total = _ever_first(facts), _beaten(facts)
    if ever == 0:
        whom = "None of the other algorithms" if total > 1 else "The other algorithm"
        return f"{whom} {'came' if total > 1 else 'did not come'} first in any resample."
    # Where the winner always stays first, nobody else can have been first alone.
    whom = "it" if len(facts.winners) == 1 else "them"
    did = f"shared first place with {whom}" if facts.entry["winner_stays"] == 1.0 else "came first"
    if total > 1:
        whom = f"{ever} of the {total}" if ever < total else "Both" if total == 2 else f"All {total}"
        return f"{whom} other algorithms {did} in at least one resample."
    share = next(row["share_first"] for row in facts.rows if row["name"] not in facts.winners)
    return f"The other algorithm {did} in {percent(share)} of the resamples."


def _tells_order(facts: Facts) -> bool:
    """Return whether a ranking was resampled and has enough algorithms for its order to be informative.

    Three algorithms have only six orders: an agreement between these has almost no meaning.
    """
    return _resampled(facts) and len(facts.rows) >= _LEAST_ORDERED


def _order(facts: Facts) -> str:
    tau = facts.entry["kendall_tau"]["median"]
    agreement = "over 0.99" if _NEARLY_ONE <= tau < 1.0 else number(tau, 2)
    return (
        f"The median agreement (Kendall’s τ) of the resamples with this order is {agreement}. "
        "It describes these resamples and proves no order."
    )


def _range(facts: Facts) -> str:
    first = facts.rows[0]
    low, high = first["rank_interval"]
    if low == high:
        return f"The resampling range of {facts.first} is rank {low:g} alone."
    return f"The resampling range of {facts.first} is {interval_words(first['rank_interval'])}."


def _deciding(facts: Facts) -> str:
    left_out, unit = facts.entry["leave_one_out"], _level(facts)
    changing = left_out["changed_by"]
    if not changing:
        return f"Leaving out any single {unit} does not change who is first."
    # Where the first stays first without each of them, others can only tie with it.
    effect = "add to who shares first place" if left_out["winner_stays"] == 1.0 else "change who is first"
    if len(changing) > 1:
        return f"Leaving out a single {unit} would {effect} for {len(changing)} of the {plural(unit)}."
    if not changing[0]:
        return f"Leaving out one of the {plural(unit)} would {effect}."
    if unit == "case":
        return f"Leaving out the single case {joined(changing[0])} would {effect}."
    return f"Leaving out a single {unit} would {effect}: that with {_cases(changing[0])}."


def without_case_names(sentence: str) -> str:
    """The sentence about single cases without their names; every other sentence as it is.

    Examples
    --------
    >>> without_case_names("Leaving out the single case case-07 would change who is first.")
    'Leaving out a single case would change who is first.'
    """
    if match := _SINGLE_CASE.match(sentence):
        return f"Leaving out a single case would {match.group(1)}."
    return _SINGLE_UNIT.sub(r"\1.", sentence)


def _cases(names: Sequence[str]) -> str:
    return joined(names) if len(names) <= MOST_NAMED else f"{names[0]} and {len(names) - 1} other cases"


def _tests(facts: Facts) -> Mapping[str, Any] | None:
    """Return the entry if its pairs were tested; combined rankings have no such tests."""
    entry = facts.entry
    return entry if not is_combined(entry) and entry.get("tests") else None


def _least(tested: Mapping[str, Any]) -> int:
    """The fewest units with which any pair can be significant: all differ in one direction, and by the same.

    Equal differences have the smallest variance, so their p-value is below that of differences without ties.
    """
    count = len(tested["algorithms"])
    units = 1
    while ndtr(2.0 / ((units + 1.0) * units**0.5) - units**0.5) * count * (count - 1) > tested["tests"]["alpha"]:
        units += 1
    return units


def _no_test_possible(facts: Facts) -> bool:
    tested = _tests(facts)
    if tested is None or tested["tests"]["stratified"]:  # the fewest units are not known within strata
        return False
    return bool(tested["tests"]["units"] < _least(tested))


def _impossible(facts: Facts) -> str:
    tested = _tests(facts)
    assert tested is not None
    units = tested["tests"]["units"]
    verb = "is" if units == 1 else "are"
    return (
        f"With {len(tested['algorithms'])} algorithms a comparison needs at least {_least(tested)} differing {facts.units} "
        f"to be significant after Holm’s adjustment; there {verb} {units}, so no test can be significant."
    )


def _significance(facts: Facts) -> str:
    tested = facts.entry
    wins, count = sum(map(sum, tested["significantly_better"])), len(tested["algorithms"])
    pairs = count * (count - 1) // 2
    how = f"({'stratified Wilcoxon' if tested['tests']['stratified'] else 'Wilcoxon'}, adjusted by Holm’s method)"
    if pairs == 1:
        if not wins:
            return f"Neither of the two is significantly better case by case {how}."
        better = next(name for name, row in zip(facts.names, tested["significantly_better"], strict=True) if any(row))
        return f"{better} is significantly better case by case {how}."
    verb = "differs" if wins == 1 else "differ"
    return f"{wins} of the {pairs} pairs of algorithms {verb} significantly {how}."


def _level(facts: Facts) -> str:
    return str((facts.document or {}).get("resampling", {}).get("resample", ["case"])[0])


def _few_drawn(facts: Facts) -> bool:
    units = facts.entry.get("drawn_units")
    return _level(facts) != "case" and units is not None and units < _FEW_CLUSTERS and _resampled(facts)


def _few(facts: Facts) -> str:
    units = facts.entry["drawn_units"]
    noun = _level(facts) if units == 1 else plural(_level(facts))
    return (
        f"Only {units} {noun} could be drawn: with fewer than about {_FEW_CLUSTERS}, resampling ranges are unreliable."
    )


def _given(facts: Facts) -> list[str]:
    """Return the metrics of the entry with one externally measured value for the whole data set."""
    given = (facts.document or {}).get("resampling", {}).get("given", {}).get("metrics", {})
    metric = facts.entry.get("metric")
    return [name for name in given if metric in (None, name)]


def _lacking(facts: Facts) -> list[tuple[str, int]]:
    # Of values of the whole data set without their evidence nothing is known of single cases.
    if not facts.entry.get("cases", 1) or _given(facts):
        return []
    return [(row["name"], row["missing"]) for row in facts.rows if row.get("missing")]


def _missing(facts: Facts) -> str:
    counts = "; ".join(f"{name}, {count} {'case' if count == 1 else 'cases'}" for name, count in _lacking(facts))
    return f"Missing predictions: {counts}."


def _valueless(facts: Facts) -> list[str]:
    """Algorithms without a value of the whole data set in the entry of its metric."""
    if is_combined(facts.entry) or not _given(facts):
        return []
    return [row["name"] for row in facts.rows if row.get("missing")]


RESAMPLES: Final = CATALOGUE.group(
    Claim(
        "resamples.others_first",
        "Resampled, and not everybody is first.",
        lambda facts: _resampled(facts) and facts.entry["others_first"] is not None and _beaten(facts) > 0,
        _others_first,
        "2 of the 4 other algorithms came first in at least one resample.",
    ),
    Claim(
        "resamples.order",
        "Resampled, four algorithms or more, and τ is defined in some resample.",
        lambda facts: _tells_order(facts) and facts.entry["kendall_tau"]["median"] is not None,
        _order,
        "The median agreement (Kendall’s τ) of the resamples with this order is 0.92. It describes these resamples and proves no order.",
    ),
    Claim(
        "resamples.order_undefined",
        "Resampled, four algorithms or more, and all are tied in some resample.",
        lambda facts: _tells_order(facts) and bool(facts.entry["kendall_tau"]["undefined"]),
        lambda facts: (
            f"In {facts.entry['kendall_tau']['undefined']} "
            f"{'resample' if facts.entry['kendall_tau']['undefined'] == 1 else 'resamples'} all algorithms are "
            "tied, which says nothing about their order."
        ),
        "In 12 resamples all algorithms are tied, which says nothing about their order.",
    ),
    Claim(
        "resamples.range",
        "Resampled, and one algorithm alone is first.",
        lambda facts: _resampled(facts) and len(facts.winners) == 1 and facts.rows[0]["rank_interval"] is not None,
        _range,
        "The resampling range of unet is 1–3.",
    ),
    Claim(
        "resamples.all_tied",
        "Resampled, and all algorithms share the first rank.",
        lambda facts: _resampled(facts) and len(facts.winners) == len(facts.rows) > 1,
        lambda _: "All algorithms are tied on the full data; whatever order a resample shows is chance.",
        "All algorithms are tied on the full data; whatever order a resample shows is chance.",
    ),
    Claim(
        "resamples.single_case",
        "Resampled, and each unit that is drawn was left out in turn.",
        lambda facts: _resampled(facts) and facts.entry.get("leave_one_out") is not None,
        _deciding,
        "Leaving out the single case case-07 would change who is first.",
    ),
    Claim(
        "tests.impossible",
        "The entry of one metric and region was tested with fewer units than any significant result needs after adjustment.",
        _no_test_possible,
        _impossible,
        "With 5 algorithms a comparison needs at least 9 differing cases to be significant after Holm’s adjustment; "
        "there are 7, so no test can be significant.",
    ),
    Claim(
        "tests.significant",
        "The entry of one metric and region was tested, with enough cases, which are not possibly alike.",
        lambda facts: _tests(facts) is not None and not _no_test_possible(facts) and not facts.may_be_clustered,
        _significance,
        "6 of the 10 pairs of algorithms differ significantly (Wilcoxon, adjusted by Holm’s method).",
    ),
    Claim(
        "resamples.few_clusters",
        "Resampled by a level of which fewer than ten are there.",
        _few_drawn,
        _few,
        "Only 4 sites could be drawn: with fewer than about 10, resampling ranges are unreliable.",
    ),
    Claim(
        "missing.predictions",
        "Algorithms lack predictions for some cases.",
        lambda facts: bool(_lacking(facts)),
        _missing,
        "Missing predictions: unet, 1 case; vnet, 3 cases.",
    ),
    Claim(
        "missing.values",
        "Algorithms lack the one value of the whole data set that somebody else measured.",
        lambda facts: bool(_valueless(facts)),
        lambda facts: f"No value of {facts.entry['metric']} was submitted for {joined(_valueless(facts))}.",
        "No value of fid was submitted for unet and vnet.",
    ),
)


@dataclass(frozen=True)
class _Pair:
    """Two algorithms of which the lower ranked one wins the test."""

    better: str
    higher: str
    p: float
    places: tuple[int, int]
    """Of the two in the order of the ranking, the better one by the test first."""
    averages: bool
    """True if scores are means of values; a few bad cases can then decide."""
    test: str


def _contradicting(entry: Entry) -> Iterator[_Pair]:
    tested, p_values = entry.get("significantly_better"), entry.get("p_adjusted")
    if tested is None or p_values is None:
        return
    averages = entry["sets"]["method"] == "sign_flips" and get_scheme(entry["scheme"]).aggregates_values
    names = [row["name"] for row in entry["algorithms"]]
    ranks = [row["rank"] for row in entry["algorithms"]]
    for low in range(len(names)):
        for high in range(low):
            if tested[low][high] and ranks[low] > ranks[high]:
                yield _Pair(names[low], names[high], p_values[low][high], (low, high), averages, test_of_pairs(entry))


CONTRADICTIONS: Final = CATALOGUE.group(
    Claim(
        "comparisons.test_contradicts",
        "Scores are means of values, and the test (Holm) finds the lower ranked one significantly better.",
        lambda pair: pair.averages,
        lambda pair: (
            f"{pair.better} is usually better than {pair.higher} case by case, {pair.higher} on average: a few bad cases of "
            f"{pair.better} decide ({pair.test}, adjusted by Holm’s method: p = {pair.p:.2g})."
        ),
        "vnet is usually better than unet case by case, unet on average: a few bad cases of vnet decide (one-sided Wilcoxon signed rank "
        "test, adjusted by Holm’s method: p = 0.003).",
        parts=_contradicting,
    )
)


CROSSES: Final = CATALOGUE.group(
    Claim(
        "comparisons.cross",
        "The test (Holm) finds the lower ranked one significantly better.",
        lambda _: True,
        lambda pair: (
            f"{pair.better} is significantly better than {pair.higher} case by case ({pair.test}, adjusted by Holm’s method: "
            f"p = {pair.p:.2g}), and ranks lower by the score that is registered."
        ),
        "vnet is significantly better than unet case by case (one-sided Wilcoxon signed rank test, adjusted by Holm’s method: "
        "p = 0.003), and ranks lower by the score that is registered.",
    )
)
"""Meaning of a cross on a map of pairs, for any kind of score."""


def disagreement(entry: Entry) -> list[Said]:
    """Pairs that the signed rank test and the ranking order differently, first those of the best ranks."""
    return CONTRADICTIONS.all(entry)


def crosses(entry: Entry) -> list[tuple[int, int, Said]]:
    """Return the pairs that the test and the ranking order differently, each with its sentence.

    A pair is identified by the positions of both algorithms in the ranking, the lower ranked algorithm first.
    """
    return [
        (*pair.places, next(sentence for claim in (*CONTRADICTIONS, *CROSSES) for sentence in _of_pair(claim, pair)))
        for pair in _contradicting(entry)
    ]


def _of_pair(claim: Claim[Any], pair: _Pair) -> Iterator[Said]:
    if claim.true(pair):
        yield Said(claim.words(pair), claim.id)
