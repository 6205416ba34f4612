"""Reading of ranking documents: access to a ranking and its content, and the format of names and shares."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from evaluation.ranking.schemes import get_scheme
from evaluation.wording import joined, plural

Entry = Mapping[str, Any]
MOST_NAMED: Final = 3
EXACT: Final = "exact_one_sided"
"""Method of the interval of a value of the whole data set that is 0 or 1, see `evaluation.ranking.uncertainty.score_intervals`."""


def select(
    document: Mapping[str, Any],
    *,
    metric: str | None = None,
    region: str | None = None,
    task: str | None = None,
    name: str | None = None,
) -> Entry:
    """Return the ranking of one metric, region and task, or the overall ranking if no metric is named.

    Parameters
    ----------
    document
        A ranking document.
    metric, region, task
        As in the entries of ``rankings``; an entry matches if every argument that is given does.
    name
        Name of the ranking where the assessment registers several.

    Raises
    ------
    LookupError
        If nothing matches.
    """
    wanted = {"metric": metric, "region": region, "task": task, "name": name}
    given = {key: value for key, value in wanted.items() if value is not None}
    combined = overall(document) if metric is None and region is None else []
    for entry in combined or entries(document):
        if all(entry.get(key) == value for key, value in given.items()):
            return entry
    what = ", ".join(f"{key} {value!r}" for key, value in given.items()) or "overall ranking"
    message = f"the document has no ranking for {what}"
    raise LookupError(message)


def entries(document: Mapping[str, Any]) -> list[Entry]:
    """All rankings of single metrics, regions and tasks."""
    return list(document["rankings"])


def is_ranked(document: Mapping[str, Any], values: Mapping[str, Any]) -> bool:
    """Return whether a document ranks the metric, region and task of an entry.

    Named rankings can leave out a region of a metric, which still has values of cases.

    Examples
    --------
    >>> document = {"rankings": [{"metric": "dsc", "region": "tumour", "task": None}]}
    >>> [is_ranked(document, {"metric": "dsc", "region": each, "task": None}) for each in ("tumour", "node")]
    [True, False]
    """
    keys = ("metric", "region", "task")
    return any(all(entry.get(key) == values[key] for key in keys) for entry in entries(document))


def overall(document: Mapping[str, Any]) -> list[Entry]:
    """The overall rankings: none, one, or several."""
    rankings = document.get("overall") or []
    return list(rankings) if isinstance(rankings, list) else [rankings]


def main_entry(document: Mapping[str, Any]) -> Entry:
    """The ranking that a page shows first: the overall one, else the first there is."""
    return (overall(document) or entries(document))[0]


def names(entry: Entry) -> list[str]:
    """Algorithms of a ranking, best first."""
    return [algorithm["name"] for algorithm in entry["algorithms"]]


def is_combined(entry: Entry) -> bool:
    """Return whether an entry is a ranking combined from others.

    Other rankings are of one metric, region and task.
    """
    return "over" in entry or "metric" not in entry


def score_intervals_cover(entry: Entry) -> bool:
    """Return whether every algorithm of a ranking has a confidence interval of its score.

    Otherwise all rows show the range of their resamples, so that a table never mixes two kinds of interval, except for exact bounds.
    """
    return all(algorithm.get("score_confidence_interval") for algorithm in entry["algorithms"])


def score_range(row: Mapping[str, Any], *, covers: bool) -> tuple[float, float] | None:
    """Return the interval of the score of an algorithm, or the range of its resamples.

    Parameters
    ----------
    covers
        Whether the interval is shown; otherwise the range.

    Returns
    -------
    tuple or None
        ``None`` where there is none, and where all resamples gave the same value: they then say nothing about its uncertainty.

    Examples
    --------
    >>> score_range({"score_interval": [0.8, 0.9]}, covers=False), score_range({"score_interval": [1, 1]}, covers=False)
    ((0.8, 0.9), None)
    """
    ends = (row.get("score_confidence_interval") or {}).get("interval") if covers else row.get("score_interval")
    return None if not ends or ends[0] == ends[1] else (ends[0], ends[1])


def exact_end(row: Mapping[str, Any]) -> tuple[str, float, float] | None:
    """Return the exact one-sided end of a value that is the best or the worst possible one, with its level.

    Examples
    --------
    >>> exact_end({"score_confidence_interval": {"method": "exact_one_sided", "interval": [0.74, 1.0], "level": 0.95}})
    ('at least', 0.74, 0.95)
    """
    interval = row.get("score_confidence_interval") or {}
    if interval.get("method") != EXACT:
        return None
    low, high = interval["interval"]
    return ("at least", low, interval["level"]) if high == 1.0 else ("at most", high, interval["level"])


def label(entry: Entry) -> str:
    """Return the subject of a ranking, for headings.

    Examples
    --------
    >>> label({"metric": "dsc", "region": "anterior", "task": None})
    'dsc, anterior'
    >>> label({"algorithms": []})
    'overall'
    """
    parts = [str(entry[key]) for key in ("name", "task", "metric", "region") if entry.get(key)]
    if is_combined(entry):
        parts.append("overall")
    return ", ".join(parts)


@dataclass(frozen=True)
class Facts:
    """Parsed entry of a ranking document.

    Attributes
    ----------
    entry
        Entry of a metric and region, or an overall one.
    document
        The document, which contains the resampled unit. Without it, the unit is cases.
    closed
        Whether no further result is possible; otherwise the headline contains "so far".
    """

    entry: Entry
    document: Mapping[str, Any] | None = None
    closed: bool = True

    @property
    def rows(self) -> Sequence[Mapping[str, Any]]:
        """The algorithms, best first."""
        rows: Sequence[Mapping[str, Any]] = self.entry["algorithms"]
        return rows

    @property
    def names(self) -> list[str]:
        """Names of the algorithms, best first."""
        return [row["name"] for row in self.rows]

    @property
    def first(self) -> str:
        """The first in the order of the document."""
        return self.names[0]

    @property
    def others(self) -> int:
        """Number of algorithms other than the first."""
        return len(self.rows) - 1

    @property
    def winners(self) -> list[str]:
        """Those that share the best rank."""
        return list(self.entry["winners"])

    @property
    def reason(self) -> str:
        """Reason why a winner is named or not."""
        return str(self.entry["winner"]["reason"])

    @property
    def against(self) -> list[str]:
        """Those that would tie or beat the first if only the two had taken part."""
        return list(self.entry["sensitivity"]["head_to_head"])

    @cached_property
    def reach(self) -> list[str]:
        """The others whose set of ranks starts at 1."""
        return [row["name"] for row in self.rows[1:] if row["within_reach"]]

    @cached_property
    def not_worse(self) -> list[str]:
        """The others that are not significantly worse than the first; those whose set starts at 1 if pairs are left out."""
        better = self.entry["shown_better"]
        if better is None:
            return self.reach
        return [row["name"] for row, is_worse in zip(self.rows[1:], better[0][1:], strict=True) if not is_worse]

    @property
    def units(self) -> str:
        """Name of the resampled units, in the plural: "cases", "patients"."""
        drawn = (self.document or {}).get("resampling", {}).get("unit", "case")
        return plural(drawn)

    def counted(self, number: int) -> str:
        """Return a number of units with the noun in the correct form."""
        return f"{number} {self.units if number != 1 else self.unit}"

    @property
    def unit(self) -> str:
        """Name of the resampled unit, in the singular."""
        return str((self.document or {}).get("resampling", {}).get("unit", "case"))

    @property
    def so_far(self) -> str:
        """Addition to sentences while further results are possible."""
        return "" if self.closed else " so far"

    @property
    def is_by_earlier_rule(self) -> bool:
        """True for a document of schema 2, whose winner was named under other assumptions."""
        return "lead" not in self.entry

    @property
    def is_by_draws(self) -> bool:
        """True if resamples or given standard errors decide, which is approximate."""
        return bool(self.entry["sets"]["method"] != "sign_flips")

    @property
    def is_confirmed(self) -> bool:
        """True if the winner does not depend on rare failures."""
        return bool(self.entry["winner"]["named"] and self.entry["verdict"] == "confirmed")

    @property
    def is_significant(self) -> bool:
        """True if a winner is named that rare failures could refute."""
        return bool(self.entry["winner"]["named"] and self.entry["verdict"] == "significant")

    @property
    def may_be_clustered(self) -> bool:
        """True if cases may be alike by a column that is not declared, so that they cannot be counted as independent."""
        return self.reason == "possible_clusters"

    @property
    def is_exploratory(self) -> bool:
        """True for a ranking without a statement of significance."""
        return self.reason == "exploratory"

    @property
    def family(self) -> Mapping[str, Any] | None:
        """Role of the ranking and number of rankings that share its error; ``None`` if no role is registered."""
        family: Mapping[str, Any] | None = self.entry.get("family")
        return family

    @cached_property
    def final_rankings(self) -> list[Facts]:
        """Rankings of the document that are not parts of a combined one."""
        if self.document is None:
            return [self]
        combined = overall(self.document)
        with_parts = {entry.get("name") for entry in combined}
        apart = [entry for entry in entries(self.document) if entry.get("name") not in with_parts]
        return [Facts(entry, self.document, self.closed) for entry in [*combined, *apart]]

    @property
    def share_of_all(self) -> float:
        """Share of the error that naming a winner may use in all rankings together.

        These are the rankings of the family, which share it, or else all final rankings, whose shares add up.
        """
        if self.family is not None:
            return self.winner_share * float(self.family["tests"])
        return min(1.0, sum(facts.winner_share for facts in self.final_rankings))

    @property
    def change(self) -> int | None:
        """Number of the change of the board; ``None`` for a ranking that is computed once."""
        look = (self.document or {}).get("look")
        return None if look is None else int(look["change"])

    @property
    def winner_share(self) -> float:
        """Share of the error that naming a winner may use."""
        if self.entry.get("spent_level") is not None:
            return float(self.entry["spent_level"])
        return self.whole_share

    @property
    def whole_share(self) -> float:
        """Share of the error that naming a winner may use in all changes of the board and all rankings of its family."""
        return share_of_winner(self.entry["winner"]["alpha"], self.entry["sets"]["level"], len(self.rows))

    @property
    def margin(self) -> float:
        """Registered difference that does not matter; 0 if there is none."""
        return float(self.entry.get("margin") or 0.0)

    @property
    def lead(self) -> Mapping[str, Any] | None:
        """Difference of the first from the strongest other algorithm; ``None`` if it has no meaning.

        A difference of combined ranks has none, since it depends on who takes part.
        """
        lead: Mapping[str, Any] | None = None if is_combined(self.entry) else self.entry.get("lead")
        return lead

    @property
    def break_even(self) -> Mapping[str, Any] | None:
        """Failure rate that would cancel the lead; ``None`` if a failure has no value."""
        rate: Mapping[str, Any] | None = self.entry.get("break_even_failure_rate")
        return rate

    @property
    def score_unit(self) -> str:
        """Unit of differences of scores, after a space; empty if there is none."""
        scheme = get_scheme(self.entry["scheme"]) if self.entry.get("scheme") else None
        if scheme is not None and scheme.ranks_cases:
            return " ranks"
        unit = self.entry.get("unit")
        return f" {unit}" if unit and scheme is not None and scheme.aggregates_values else ""

    @cached_property
    def stratum(self) -> Mapping[str, Any]:
        """The stratum with the fewest units."""
        few = [warning for warning in self.entry["warnings"] if warning["code"] == "stratum_few"]
        return min(few, key=lambda warning: warning["units"])

    @property
    def several_tasks(self) -> bool:
        """True if the combined rankings are of several tasks, each with separate cases."""
        if "task" not in self.entry.get("over", ()):
            return False
        members = [e for e in (self.document or {}).get("rankings", ()) if e.get("name") == self.entry.get("name")]
        return len({entry["task"] for entry in members}) > 1

    def same_results(self, names: Sequence[str]) -> bool:
        """Return whether these algorithms had the same results throughout, as far as the document proves it.

        Sums over cases that never differ, for any flipped signs, are those of the same values. Medians of resamples,
        wins of tests and sums over the cases of a patient may be the same without equal values.
        """
        if "over" not in self.entry:
            return self._same_values(self.entry, names)
        members = [
            entry
            for entry in (self.document or {}).get("rankings", ())
            if all(self.entry.get(key) in (None, entry.get(key)) for key in ("name", "task", "metric", "region"))
        ]
        return bool(members) and all(self._same_values(member, names) for member in members)

    def _same_values(self, entry: Entry, names: Sequence[str]) -> bool:
        p_own = entry["p_own"]
        if p_own is None or self.unit != "case" or entry["sets"]["method"] != "sign_flips":
            return False
        if get_scheme(entry["scheme"]).compares_pairs:
            return False
        places = [index for index, row in enumerate(entry["algorithms"]) if row["name"] in names]
        # Ranks, and means without missing cases, may agree where one has a value and the other has none.
        by_ranks = get_scheme(entry["scheme"]).ranks_cases
        left_out = any(warning["code"] == "failures_left_out" for warning in entry["warnings"])
        if (by_ranks or left_out) and any(entry["algorithms"][index].get("missing") for index in places):
            return False
        scores = {entry["algorithms"][index]["score"] for index in places}
        return len(scores) == 1 and all(p_own[a][b] == 1 and p_own[b][a] == 1 for a in places for b in places if a != b)


def share_of_winner(alpha: float, level: float, algorithms: int) -> float:
    """Return the share of the error that naming a winner may use; with three algorithms or more, the sets use a third.

    Parameters
    ----------
    alpha
        Registered ceiling.
    level
        Level of the rank sets.
    algorithms
        Number of ranked algorithms.

    Examples
    --------
    >>> share_of_winner(0.05, 0.95, 2), round(share_of_winner(0.05, 0.95, 3), 4), share_of_winner(0.01, 0.95, 3)
    (0.05, 0.0333, 0.01)
    """
    total = round(1.0 - level, 12)
    return min(total if algorithms <= 2 else 2.0 * total / 3.0, alpha)


def listed(names: Sequence[str], last: str = "and") -> str:
    """Up to three names, else their number.

    Examples
    --------
    >>> listed(["a", "b"]), listed(["a", "b", "c", "d"])
    ('a and b', '4 others')
    """
    return joined(names, last) if len(names) <= MOST_NAMED else f"{len(names)} others"


def percent(share: float, digits: int = 0) -> str:
    """Format a share as a percentage that is never rounded to 0 or 100 when it is neither.

    With `digits`, further digits are added where needed.

    Examples
    --------
    >>> percent(0.95), percent(0.0487, 1), percent(0.9999), percent(0.0003, 1)
    ('95 %', '4.9 %', 'over 99 %', '0.03 %')
    """
    if digits == 0 and 0.995 <= share < 1.0:
        return "over 99 %"
    if digits == 0 and 0.0 < share <= 0.005:
        return "under 1 %"
    text = f"{100 * share:.{digits}f}"
    while 0.0 < share < 1.0 and float(text) in (0.0, 100.0):
        digits += 1
        text = f"{100 * share:.{digits}f}"
    return f"{text.rstrip('0').rstrip('.') if digits else text} %"


def of_hundred(share: float) -> str:
    """An estimated share to the nearest five of a hundred; none and all are no estimates.

    Examples
    --------
    >>> of_hundred(0.62), of_hundred(0.63), of_hundred(0.99), of_hundred(0.0)
    ('about 60 of 100', 'about 65 of 100', 'more than 95 of 100', 'fewer than 5 of 100')
    """
    nearest = int(5 * round(20 * share))
    if nearest == 100:
        return "more than 95 of 100"
    return f"about {nearest} of 100" if nearest else "fewer than 5 of 100"
