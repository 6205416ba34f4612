"""What a ranking says, in plain sentences made from its numbers and from nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evaluation.figures.layout import interval_words, number
from evaluation.figures.selection import Entry, is_combined, label, main_entry, overall
from evaluation.ranking import verdict

if TYPE_CHECKING:
    from collections.abc import Mapping

_DISAGREEING = 3
_FEW_CLUSTERS = 10
_LEAST_ORDERED = 4
# Medians of Kendall's tau from which an order is called stable, or partly so.
_STABLE, _PARTLY_STABLE = 0.8, 0.5


def headline(document: Mapping[str, Any], *, closed: bool = True) -> str:
    """The one sentence that belongs above a leaderboard; `closed` unless results can still come."""
    return verdict.headline(main_entry(document), document, closed=closed)


def headline_of(entry: Entry, document: Mapping[str, Any] | None = None, *, closed: bool = True) -> str:
    """Who leads, and whether that is certain."""
    return verdict.headline(entry, document, closed=closed)


def sentences(document: Mapping[str, Any]) -> list[str]:
    """All that is worth saying about the main ranking of a document."""
    return sentences_of(main_entry(document), document)


def certainty_of(entry: Entry, document: Mapping[str, Any], *, closed: bool = True) -> list[str]:
    """Who leads, how sure that is, and what it hangs on; without what only describes the resamples."""
    return [*verdict.certainty(entry, document, closed=closed), *verdict.disagreement(entry)[:_DISAGREEING]]


def sentences_of(entry: Entry, document: Mapping[str, Any], *, closed: bool = True) -> list[str]:
    """Say who leads, how stable that is, who is tied exactly, and what tests and few cases allow at all.

    Parameters
    ----------
    entry
        One of the rankings of the document, or an overall one.
    document
        The whole document, for what an overall ranking does not hold itself.
    closed
        Whether no further result can come; else the headline says "so far".
    """
    said = certainty_of(entry, document, closed=closed)
    if entry["resampled"]:
        said += _stability(entry)
    said += _left_out(entry)
    said += _significance(entry, document)
    said += _few_clusters(entry, document)
    said += _missing(entry)
    return said


def _stability(entry: Entry) -> list[str]:
    said = []
    total = len(entry["algorithms"]) - len(entry["winners"])
    if entry["others_first"] is not None and total:
        said.append(_others_first(entry, round(entry["others_first"] * total), total))
    tau = entry["kendall_tau"]
    # Of three algorithms there are six orders: an agreement between them says next to nothing.
    tells_agreement = len(entry["algorithms"]) >= _LEAST_ORDERED
    if tau["median"] is not None and tells_agreement:
        said.append(f"The order as a whole is {_stable(tau['median'])} (agreement {number(tau['median'], 2)} of 1).")
    if tau["undefined"] and tells_agreement:
        said.append(f"In {tau['undefined']} resamples τ is undefined, because all algorithms are tied.")
    first = entry["algorithms"][0]
    low, high = first["rank_interval"] or (None, None)
    if len(entry["winners"]) == 1 and low == high == 1:
        said.append(f"The resampling range of {first['name']} is rank 1 alone.")
    elif len(entry["winners"]) == 1:
        said.append(f"The resampling range of {first['name']} is {interval_words(first['rank_interval'])}.")
    elif len(entry["winners"]) == len(entry["algorithms"]):
        said.append("All algorithms are tied on the full data; whatever order a resample shows is chance.")
    return said


def _stable(tau: float) -> str:
    """In words, the median of Kendall's τ between a ranking and its resamples, from -1 to 1."""
    if tau >= _STABLE:
        return "stable"
    return "partly stable" if tau >= _PARTLY_STABLE else "not stable"


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
            f"Holm’s adjustment; there are {units}, so no test can be significant."
        )
        return [words]
    if is_combined(entry):
        return []
    wins = sum(map(sum, entry["significantly_better"]))
    pairs = count * (count - 1) // 2
    if pairs == 1:
        differ = "differ" if wins else "do not differ"
        return [f"The two {differ} significantly (Wilcoxon, adjusted by Holm’s method)."]
    return [f"{wins} of the {pairs} pairs of algorithms differ significantly (Wilcoxon, adjusted by Holm’s method)."]


def _few_clusters(entry: Entry, document: Mapping[str, Any]) -> list[str]:
    """A warning where few clusters are drawn: whatever is said about uncertainty then rests on little."""
    drawn = document.get("resampling", {}).get("resample", ["case"])
    units = entry.get("drawn_units")
    if drawn[0] == "case" or units is None or units >= _FEW_CLUSTERS or not entry["resampled"]:
        return []
    return [
        f"Only {units} {drawn[0]}s could be drawn: with fewer than about {_FEW_CLUSTERS}, resampling ranges are unreliable."
    ]


def _missing(entry: Entry) -> list[str]:
    lacking = [(a["name"], a["missing"]) for a in entry["algorithms"] if a.get("missing")]
    if not lacking:
        return []
    counts = "; ".join(f"{name}, {count} {'case' if count == 1 else 'cases'}" for name, count in lacking)
    return [f"Missing predictions: {counts}."]


def titled(document: Mapping[str, Any]) -> list[tuple[str, list[str]]]:
    """Sentences of every ranking, each under what it is about: the overall ones first."""
    both = [*overall(document), *document["rankings"]]
    return [(label(entry), sentences_of(entry, document)) for entry in both]
