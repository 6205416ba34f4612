"""Rules by which verdict, letters, rank sets, intervals, differences and sentences of one board agree with each other.

They read the ranking document, its sentences and the stored table, for every kind of problem and every scheme. What the raw
values say is compared elsewhere.
"""

import math
import re
from collections.abc import Iterator

from evaluation.boards import board
from evaluation.boards.differences import texts_of
from evaluation.boards.effects import effects_of

Rule = tuple[str, bool]
SMALL = 1e-9
STORED = 1e-5
"""Relative error of numbers in a stored table."""
LOWER_END = re.compile(r"(?:> )?−?\d[\d,]*(?:\.\d+)?")


def contradictions(entry: dict, document: dict, sentences: list[str], order: dict, table: dict) -> list[str]:
    """Return what contradicts itself on a board, each as a short text; empty if nothing does.

    Parameters
    ----------
    entry
        A ranking of the document.
    sentences
        All sentences about it, the headline first.
    order, table
        The order of the stored table that belongs to it, and the table.
    """
    if "lead" not in entry:  # documents of schema 2
        return []
    rules = [
        *_pairs(entry),
        *_differences(entry),
        *_leads(entry),
        *_sentences(entry, sentences),
        *_scores(entry, document),
        *_page(entry, order, table),
    ]
    return sorted({text for text, holds in rules if not holds})


def _is_above(low: str, margin: float) -> bool:
    """Return whether the text of a lower end is above the margin."""
    return low.startswith("> ") or float(low.replace("−", "-").replace(",", "")) > margin


def _pairs(entry: dict) -> Iterator[Rule]:
    """Letters, rank sets and ranks against the matrix of pairs."""
    rows, shown = entry["algorithms"], entry["shown_better"]
    if shown is None:
        return
    for i, row in enumerate(rows):
        if row["rank_set"]:
            low, high = 1 + sum(one[i] for one in shown), len(rows) - sum(shown[i])
            ends = [min(low, math.floor(row["rank"])), max(high, math.ceil(row["rank"]))]
            yield "a set follows from the comparisons", row["rank_set"] == ends
        for j, other in enumerate(rows):
            if i == j:
                continue
            if shown[i][j]:
                yield "who is better ranks ahead", row["rank"] < other["rank"]
            if row["letters"] and other["letters"]:
                shared = bool(set(row["letters"]) & set(other["letters"]))
                yield "a letter is shared where neither is better", shared != (shown[i][j] or shown[j][i])
                if row["rank_set"] and other["rank_set"] and row["rank_set"][1] < other["rank_set"][0]:
                    yield "sets without a common rank have no common letter", not shared
            if row["rank_set"] and other["rank_set"] and shown[i][j]:
                yield "the set of who is better begins earlier", row["rank_set"][0] < other["rank_set"][0]
                yield "the set of who is better ends earlier", row["rank_set"][1] < other["rank_set"][1]


def _differences(entry: dict) -> Iterator[Rule]:
    """Intervals of differences against verdicts, letters and sets."""
    rows, margin = entry["algorithms"], entry["margin"] or 0.0
    first = rows[0]
    for row in rows[1:]:
        difference = row["difference_from_first"]
        if difference is None:
            continue
        better = difference["verdict"] == "better"
        yield "no algorithm behind the first is ahead of it", difference["estimate"] >= -SMALL
        if row["letters"] and first["letters"]:
            shared = bool(set(row["letters"]) & set(first["letters"]))
            yield "who is worse than the first shares no letter with it", better != shared
        if row["rank_set"] is not None and better:
            yield "who is worse than the first cannot be first", row["rank_set"][0] > 1
        if difference["interval"] is not None:
            low, high = difference["interval"]
            yield "the interval of a difference contains it", low - SMALL <= difference["estimate"] <= high + SMALL
            yield "the interval allows that the first is better", high > -SMALL
            if entry["winner"]["reason"] != "exploratory":
                yield "only an interval above the margin is better", better or low <= margin
                yield "an interval below the margin is not better", not better or low >= margin
            if difference["verdict"] == "equivalent":
                yield "equivalent is within the margin", -margin < low and high < margin


def _leads(entry: dict) -> Iterator[Rule]:
    """The lead against verdict, differences and probabilities."""
    lead, named, margin = entry["lead"], entry["winner"]["named"], entry["margin"] or 0.0
    reason, rows = entry["winner"]["reason"], entry["algorithms"]
    yield (
        "a verdict above leaning is that of a named winner",
        (entry["verdict"] in ("confirmed", "significant")) == named,
    )
    shown = entry["shown_better"]
    if lead is not None and lead.get("interval") is not None:
        low, high = lead["interval"]
        yield "the interval of the lead contains it", low - SMALL <= lead["estimate"] <= high + SMALL
        if reason != "exploratory":
            family = entry.get("family") or {}
            is_later = family.get("tests") != family.get("rankings") and low == margin
            yield (
                "a winner is named exactly where the lead is above the margin",
                named == (low > margin or (named and is_later)),
            )
        observed = lead.get("interval_as_observed")
        if observed is not None:
            yield "only a lead that a failure could cost has a second interval", reason == "one_more_failure"
            yield (
                "the interval with observed failures contains the lead",
                (observed[0] - SMALL <= lead["estimate"] <= observed[1] + SMALL),
            )
            yield "a lead that a failure could cost is above the margin without it", observed[0] > margin
    probable = entry.get("false_claim_probability")
    if probable is not None and named:
        yield "a named winner is better more probably than worse", probable["better"] > probable["worse"]
    for needed in entry.get("cases_to_settle") or ():
        place = next(place for place, row in enumerate(rows) if row["name"] == needed["algorithm"])
        yield "what is to be settled is not shown", shown is None or not shown[0][place]
    units = entry["sets"]["units"]
    if entry.get("cases_to_confirm") is not None:
        yield "what is to be confirmed is significant", entry["verdict"] == "significant"
    fewest = entry.get("fewest_cases_to_unseat")
    if fewest is not None:
        yield "no more units can be left out than there are", 0 <= fewest["units"] <= units
        if named and fewest["is_exact"]:
            yield "one favourable unit does not unseat a winner", fewest["units"] > 1


def _sentences(entry: dict, sentences: list[str]) -> Iterator[Rule]:
    """The headline against the verdict, and every sentence against the numbers that decide."""
    headline, rest = str(sentences[0]), " ".join(map(str, sentences[1:]))
    claim = getattr(sentences[0], "claim", "")
    shown = entry["shown_better"]
    if "it is open who is best" in headline and shown is not None:
        best = [place for place, row in enumerate(entry["algorithms"]) if row["name"] in entry["winners"]]
        yield "none of those who share first place is better", not any(shown[i][j] for i in best for j in best)
    verdict, reason = entry["verdict"], entry["winner"]["reason"]
    for name in ("confirmed", "significant"):
        yield f"the headline is {name} where the verdict is", (claim == f"headline.{name}") == (verdict == name)
    if claim == "headline.open":
        yield "no clear leader is an open verdict", verdict == "open"
    if claim in ("headline.leaning", "headline.one_more_failure"):
        yield "who leads without a winner is a leaning verdict", verdict == "leaning"
    if verdict not in ("confirmed", "significant"):
        yield (
            "a winner is called so where one is named",
            not re.search(r"is the winner|significantly better than", headline),
        )
    said = f"{headline} {rest}"
    if reason == "exploratory":
        yield "nothing is significant in exploratory rankings", not re.search(r"signific(?!ance)|confirm", said)
    margin = entry["margin"] or 0.0
    interval = re.search(
        r"(?:interval|others(?: it is)?|is \S+(?: \S+)?) \(?(?:approximately )?((?:> )?−?[\d.]+) to (−?[\d.]+)",
        headline,
    )
    if interval and reason != "exploratory":
        above = verdict in ("confirmed", "significant") or reason == "one_more_failure"
        yield "the interval of the headline agrees with its words", _is_above(interval[1], margin) == above
    rows = {row["name"]: row for row in entry["algorithms"]}
    for name, row in rows.items():
        verdict_of_row = (row["difference_from_first"] or {}).get("verdict")
        if f"to show a difference from {name}" in rest:
            yield "a difference that is shown needs no more cases", verdict_of_row != "better"


def _scores(entry: dict, document: dict) -> Iterator[Rule]:
    """Scores and their intervals against ranks and differences."""
    rows = entry["algorithms"]
    if entry.get("metric") is None or "score_direction" not in entry:
        return
    sign = 1.0 if entry["score_direction"] == "higher" else -1.0
    scored = [row for row in rows if row["score"] is not None]
    for row in scored:
        known = row.get("score_confidence_interval")
        if known:
            low, high = known["interval"]
            yield "a score interval contains its score", low - SMALL <= row["score"] <= high + SMALL
    if not scored or rows[0]["score"] is None:
        return
    first = rows[0]
    for row in scored[1:]:
        difference = row["difference_from_first"]
        gap = sign * (first["score"] - row["score"])
        yield "a better rank has the better score", gap >= -SMALL * max(1.0, abs(row["score"]))
        if difference is None or entry["scheme"] == "test_then_rank":
            continue
        yield "the difference is that of the scores", abs(gap - difference["estimate"]) <= 1e-7 * max(1.0, abs(gap))
        own, other = first.get("score_confidence_interval"), row.get("score_confidence_interval")
        if own and other and difference["verdict"] == "equivalent":
            apart = max(own["interval"][0] - other["interval"][1], other["interval"][0] - own["interval"][1])
            yield "equivalent scores have intervals that nearly meet", apart <= (entry["margin"] or 0.0)


def _page(entry: dict, order: dict, table: dict) -> Iterator[Rule]:
    """Rounded numbers of the page against the document."""
    margin = entry["margin"] or 0.0
    by_name = {row["name"]: row for row in entry["algorithms"]}
    named = entry["winner"]["named"]
    for place, team in enumerate(table["teams"]):
        row = by_name.get(team)
        if row is None:
            continue
        texts, difference = texts_of(order, place), row["difference_from_first"]
        if texts is not None and texts.interval and difference is not None and difference["interval"] is not None:
            is_above = _is_above(texts.low, margin)
            if entry["winner"]["reason"] != "exploratory":
                yield (
                    "the interval on the page agrees with the verdict",
                    is_above == (difference["verdict"] == "better"),
                )
        known = row.get("score_confidence_interval")
        bound = order["score_bound"][place]
        is_exact = bool(known) and known["method"] == "exact_one_sided"
        yield "an exact bound of the document is in the table", (bound is not None) == is_exact
    effects = {effect.key: effect for effect in effects_of(order, table["teams"])}
    if "lead" in effects and entry["lead"]["interval"] is not None and entry["winner"]["reason"] != "exploratory":
        low = re.search(LOWER_END, effects["lead"].value.partition("(")[2])
        yield "the lead in numbers agrees with the verdict", bool(low) and _is_above(low[0], margin) == named
    shown = board(table, by=order["key"])
    yield (
        "the page marks who can be first",
        {row.team for row in shown.rows if row.in_front}
        == {
            name
            for name, row in by_name.items()
            if row["within_reach"] or row["rank"] == min(one["rank"] for one in by_name.values())
        },
    )
