"""What a ranking says, in plain sentences made from its numbers and from nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evaluation.figures.layout import interval_words, number, percent
from evaluation.figures.selection import Entry, is_combined, label, main_entry, overall

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_FEW_CASES = 20
_NAMED = 4
_CLEAR = 0.95
_FEW_CLUSTERS = 10


def headline(document: Mapping[str, Any]) -> str:
    """The one sentence that belongs above a leaderboard."""
    return headline_of(main_entry(document))


def headline_of(entry: Entry) -> str:
    """Who leads, and whether that is certain.

    Examples
    --------
    >>> entry = {"resampled": True, "winners": ["unet-b"], "algorithms": [
    ...     {"name": "unet-b", "group": 1, "share_first": 0.61, "score": 1.5, "rank": 1, "rank_frequencies": [61, 39]},
    ...     {"name": "unet-a", "group": 1, "share_first": 0.39, "score": 1.6, "rank": 2, "rank_frequencies": [39, 61]}]}
    >>> headline_of(entry)
    'unet-b and unet-a cannot be told apart: unet-b leads in 61 % of resamples.'
    """
    winners = [a for a in entry["algorithms"] if a["name"] in entry["winners"]]
    leaders = [a["name"] for a in winners]
    if len(entry["algorithms"]) == 1:
        return f"{leaders[0]} is the only algorithm so far."
    if not entry["resampled"]:
        verb = "ranks first" if len(leaders) == 1 else "share first place"
        return f"{_joined(leaders)} {verb}; how certain that is cannot be said, since the ranking was not resampled."
    group = [a["name"] for a in entry["algorithms"] if a["group"] == 1]
    others = [name for name in group if name not in leaders]
    first = winners[0]
    if not others:
        return _clear(leaders, winners)
    if len(leaders) == 1:
        lead = f"{first['name']} leads in {_resamples(first['share_first'])}"
    elif _identical(winners):
        lead = f"{_joined(leaders)} share first place exactly and lead together in {_resamples(first['share_first'])}"
    else:
        lead = f"{_joined(leaders)} share first place"
    if first["share_first"] >= _CLEAR:
        return f"{lead}; the rank {_intervals(others)} its own."
    if len(group) <= _NAMED:
        return f"{_joined(leaders + others)} cannot be told apart: {lead}."
    them = "it" if len(leaders) == 1 else "them"
    return f"{lead}, but {len(others)} others cannot be told apart from {them}."


def sentences(document: Mapping[str, Any]) -> list[str]:
    """All that is worth saying about the main ranking of a document."""
    return sentences_of(main_entry(document), document)


def sentences_of(entry: Entry, document: Mapping[str, Any]) -> list[str]:
    """Say who leads, how stable that is, who is tied exactly, and what tests and few cases allow at all.

    Parameters
    ----------
    entry
        One of the rankings of the document, or an overall one.
    document
        The whole document, for what an overall ranking does not hold itself.
    """
    said = [headline_of(entry)]
    said += _exact_ties(entry)
    if entry["resampled"]:
        said += _stability(entry)
    said += _left_out(entry)
    said += _significance(entry, document)
    said += _few_clusters(entry, document)
    if entry["cases"] < _FEW_CASES and entry["cases"] > 0:
        said.append(
            f"There are only {entry['cases']} cases: resampling them understates what another {entry['cases']} cases could change."
        )
    said += _missing(entry)
    return said


def _intervals(others: Sequence[str]) -> str:
    if len(others) == 1:
        return f"interval of {others[0]} overlaps"
    whose = _joined(others) if len(others) < _NAMED else f"{len(others)} others"
    return f"intervals of {whose} overlap"


def _clear(leaders: Sequence[str], winners: Sequence[Mapping[str, Any]]) -> str:
    share = _resamples(winners[0]["share_first"])
    if len(leaders) == 1:
        return f"{leaders[0]} ranks first in {share}; no other algorithm’s rank interval overlaps."
    if _identical(winners):
        return f"{_joined(leaders)} share first place exactly and come first together in {share}."
    each = _joined([f"{a['name']} {percent(a['share_first'])}" for a in winners])
    return f"{_joined(leaders)} share first place; first in resamples: {each}."


def _exact_ties(entry: Entry) -> list[str]:
    """Algorithms with the same score and the same rank in every resample, below the first place."""
    said = []
    tied: dict[tuple[Any, ...], list[str]] = {}
    for algorithm in entry["algorithms"]:
        frequencies = algorithm["rank_frequencies"]
        key = (algorithm["score"], algorithm["rank"], None if frequencies is None else tuple(frequencies))
        tied.setdefault(key, []).append(algorithm["name"])
    for (_, rank, _), members in tied.items():
        if len(members) > 1 and set(members) != set(entry["winners"]):
            said.append(f"{_joined(members)} share rank {rank:g} exactly, in the ranking and in all resamples.")
    return said


def _stability(entry: Entry) -> list[str]:
    said = []
    total = len(entry["algorithms"]) - len(entry["winners"])
    if entry["others_first"] is not None and total:
        said.append(_others_first(entry, round(entry["others_first"] * total), total))
    tau = entry["kendall_tau"]
    if tau["median"] is not None:
        said.append(
            f"The order as a whole: Kendall’s τ between the ranking and its resamples has the median "
            f"{number(tau['median'], 2)} (quartiles {number(tau['q25'], 2)} to {number(tau['q75'], 2)})."
        )
    if tau["undefined"]:
        said.append(f"In {tau['undefined']} resamples τ is undefined, because all algorithms are tied.")
    first = entry["algorithms"][0]
    low, high = first["rank_interval"] or (None, None)
    if len(entry["winners"]) == 1 and low == high == 1:
        said.append(f"The rank interval of {first['name']} is rank 1 alone.")
    elif len(entry["winners"]) == 1:
        said.append(f"The rank interval of {first['name']} is {interval_words(first['rank_interval'])}.")
    elif len(entry["winners"]) == len(entry["algorithms"]):
        said.append("All algorithms are tied on the full data; whatever order a resample shows is chance.")
    return said


def _others_first(entry: Entry, ever: int, total: int) -> str:
    if ever == 0:
        return (
            "None of the other algorithms came first in any resample."
            if total > 1
            else "The other one never came first."
        )
    # Where the winner always stays first, nobody else can have been first alone.
    whom = "it" if len(entry["winners"]) == 1 else "them"
    did = f"shared first place with {whom}" if entry["winner_stays"] == 1.0 else "came first"
    who = f"{ever} of the {total} other algorithms" if total > 1 else "The other algorithm"
    return f"{who} {did} in at least one resample."


def _left_out(entry: Entry) -> list[str]:
    result = entry.get("leave_one_out")
    if result is None or not entry["resampled"]:
        return []
    changing = result["changed_by"]
    if not changing:
        return ["Leaving out any single case does not change who is first."]
    if len(changing) == 1:
        return [f"Leaving out the single case {', '.join(changing[0])} would change who is first."]
    return [f"Leaving out a single case would change who is first for {len(changing)} of the cases."]


def _significance(entry: Entry, document: Mapping[str, Any]) -> list[str]:
    """Whether any comparison could be significant, and how many are."""
    members = (
        [entry] if not is_combined(entry) else [e for e in document["rankings"] if e.get("name") == entry.get("name")]
    )
    tested = [member for member in members if member.get("tests")]
    if not tested:
        return []
    needed, units = tested[0]["tests"]["cases_needed"], tested[0]["tests"]["units"]
    count = len(tested[0]["algorithms"])
    if units < needed:
        words = (
            f"With {count} algorithms a comparison needs at least {needed} differing cases to be significant after "
            f"Holm’s adjustment; there are {units}, so no test can tell any two algorithms apart."
        )
        return [words]
    if is_combined(entry):
        return []
    wins = sum(map(sum, entry["significantly_better"]))
    pairs = count * (count - 1) // 2
    return [f"{wins} of the {pairs} pairs of algorithms differ significantly (Wilcoxon, adjusted by Holm’s method)."]


def _few_clusters(entry: Entry, document: Mapping[str, Any]) -> list[str]:
    """A warning where few clusters are drawn: whatever is said about uncertainty then rests on little."""
    drawn = document.get("resampling", {}).get("resample", ["case"])
    units = entry.get("drawn_units")
    if drawn[0] == "case" or units is None or units >= _FEW_CLUSTERS or not entry["resampled"]:
        return []
    return [
        f"Only {units} {drawn[0]}s could be drawn: with fewer than about {_FEW_CLUSTERS}, intervals are unreliable."
    ]


def _missing(entry: Entry) -> list[str]:
    lacking = [f"{a['name']} {a['missing']}" for a in entry["algorithms"] if a.get("missing")]
    if not lacking:
        return []
    return [f"Cases without a usable prediction: {_joined(lacking)}."]


def _identical(algorithms: Sequence[Mapping[str, Any]]) -> bool:
    first = algorithms[0]
    return all(a["score"] == first["score"] and a["rank_frequencies"] == first["rank_frequencies"] for a in algorithms)


def _resamples(share: float) -> str:
    return "all resamples" if share == 1.0 else f"{percent(share)} of resamples"


def _joined(words: Sequence[str]) -> str:
    return "".join(words) if len(words) < 2 else f"{', '.join(words[:-1])} and {words[-1]}"


def titled(document: Mapping[str, Any]) -> list[tuple[str, list[str]]]:
    """Sentences of every ranking, each under what it is about: the overall ones first."""
    both = [*overall(document), *document["rankings"]]
    return [(label(entry), sentences_of(entry, document)) for entry in both]
