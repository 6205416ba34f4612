"""What may be said about a ranking: every sentence with the condition under which it is true.

All functions take entries of a ranking document of schema 2 and nothing else; so whoever has the document can check
every sentence.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from evaluation.ranking.explain import joined, plural
from evaluation.ranking.schemes import get_scheme

Entry = Mapping[str, Any]
_NAMED: Final = 3
_MINUTE: Final = 1e-12


@dataclass(frozen=True)
class Facts:
    """One entry of a ranking document, read.

    Attributes
    ----------
    entry
        Of a metric and region, or an overall one.
    document
        The document, for what is drawn; cases if it is not given.
    closed
        Whether no further result can come; else the headline says "so far".
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
        """How many others there are."""
        return len(self.rows) - 1

    @property
    def winners(self) -> list[str]:
        """Those that share the best rank."""
        return list(self.entry["winners"])

    @property
    def reason(self) -> str:
        """Why a winner is named or not."""
        return str(self.entry["winner"]["reason"])

    @property
    def against(self) -> list[str]:
        """Those that would tie or beat the first if only the two had taken part."""
        return list(self.entry["sensitivity"]["head_to_head"])

    @cached_property
    def reach(self) -> list[str]:
        """The others whose set of ranks starts at 1."""
        return [row["name"] for row in self.rows[1:] if row["within_reach"]]

    @property
    def units(self) -> str:
        """What varies, in the plural: "cases", "patients"."""
        drawn = (self.document or {}).get("resampling", {}).get("unit", "case")
        return plural(drawn)

    def counted(self, number: int) -> str:
        """So many units."""
        return f"{number} {self.units if number != 1 else self._unit}"

    @property
    def _unit(self) -> str:
        return str((self.document or {}).get("resampling", {}).get("unit", "case"))

    @property
    def so_far(self) -> str:
        """Said while results can still come."""
        return "" if self.closed else " so far"

    @property
    def alpha(self) -> str:
        """The registered ceiling for naming a winner wrongly."""
        return percent(self.entry["winner"]["alpha"])

    @cached_property
    def stratum(self) -> Mapping[str, Any]:
        """The stratum with the fewest units."""
        few = [warning for warning in self.entry["warnings"] if warning["code"] == "stratum_few"]
        return min(few, key=lambda warning: warning["units"])

    def same_results(self, names: Sequence[str]) -> bool:
        """Whether these gave the same results throughout: no pair differs in any unit."""
        p_own = self.entry["p_own"]
        if p_own is None:
            return False
        places = [self.names.index(name) for name in names]
        scores = {self.rows[place]["score"] for place in places}
        return len(scores) == 1 and all(p_own[a][b] == 1 and p_own[b][a] == 1 for a in places for b in places if a != b)


@dataclass(frozen=True)
class Claim:
    """A sentence and when it is true."""

    code: str
    true: Callable[[Facts], bool]
    words: Callable[[Facts], str]


_CANNOT: Final = {
    "not_resampled": "the ranking was not resampled",
    "no_evidence": "the evidence is missing",
    "operator": "the smallest and largest values of a sample say too little about those of others",
    "too_few_draws": "there were fewer than 200 resamples",
    "sampled_groups": "whole groups of cases are drawn, and each of them is ranked on its own",
}


def _no_result(facts: Facts) -> bool:
    failures = [row["failure"] for row in facts.rows]
    if all(failure is not None and failure["failed"] == failure["of"] for failure in failures):
        return True
    return all(row["score"] is None for row in facts.rows)


def _leads(facts: Facts, verb: str = "ranks first") -> str:
    """Who is first on the data as they are."""
    if len(facts.winners) == 1:
        return f"{facts.first} {verb}{facts.so_far}"
    return f"{_sharing(facts)} share first place{facts.so_far}"


def _sharing(facts: Facts) -> str:
    return joined(facts.winners) if len(facts.winners) <= _NAMED else f"{len(facts.winners)} algorithms"


def _tie(facts: Facts) -> str:
    same = "they gave the same results" if facts.same_results(facts.winners) else "it is open who is best"
    return f"{_leads(facts)}; {same}."


def _leaning(facts: Facts) -> str:
    again = (
        f"on as many fresh {facts.units} it would come first again in about {_five(facts.entry['first_again'])} of 100"
    )
    if facts.reach:
        return f"{_leads(facts, 'leads')}, but it is not shown to be better than {listed(facts.reach)}: {again}."
    return f"{_leads(facts, 'leads')}, but not clearly enough to be named the winner: {again}."


def _open(facts: Facts) -> str:
    if facts.reach:
        verb = "is" if len(facts.reach) == 1 else "are"
        return (
            f"It is open who is best: {facts.first} ranks first{facts.so_far}, and {listed(facts.reach)} {verb} "
            "within its reach."
        )
    return f"It is open who is best: {facts.first} ranks first{facts.so_far}, but not clearly enough to be named the winner."


def _too_few(facts: Facts) -> str:
    least = facts.entry["sets"]["units_needed"]["winner"]
    number = facts.entry["sets"]["units"]
    verb = "is" if number == 1 else "are"
    return (
        f"{_leads(facts)}, but {facts.counted(number)} {verb} too few to say whether that is more than chance; "
        f"{least} are the least."
    )


def _stratum(facts: Facts) -> str:
    stratum = facts.stratum
    return (
        f"{_leads(facts)}, but {stratum['stratum']} has only {facts.counted(stratum['units'])}: too few to say whether "
        "that is more than chance."
    )


def _wins(facts: Facts) -> str:
    whom = f"each of the other {facts.others} algorithms" if facts.others > 1 else facts.names[1]
    return (
        f"{facts.first} wins{facts.so_far}: it is better than {whom}. "
        f"(A claim like this is wrong in at most {facts.alpha} of such challenges.)"
    )


HEADLINES: Final = (
    Claim("no_result", _no_result, lambda _: "No algorithm has a usable result."),
    Claim("only_one", lambda f: f.others == 0, lambda f: f"{f.first} is the only algorithm so far."),
    Claim(
        "cannot_be_said",
        lambda f: f.reason in _CANNOT,
        lambda f: f"{_leads(f)}; how certain that is cannot be said, because {_CANNOT[f.reason]}.",
    ),
    Claim("too_few", lambda f: f.reason == "too_few_units", _too_few),
    Claim("small_stratum", lambda f: f.reason == "stratum_too_small", _stratum),
    Claim("clear", lambda f: bool(f.entry["winner"]["named"]), _wins),
    Claim("tie", lambda f: len(f.winners) > 1, _tie),
    Claim(
        "depends_on_entries",
        lambda f: bool(f.against),
        lambda f: (
            f"{_leads(f)}, but {listed(f.against, last='or')} would if only the two had taken part: the first place "
            "depends on who else did."
        ),
    ),
    Claim("leaning", lambda f: f.entry["verdict"] == "leaning", _leaning),
    Claim("open", lambda _: True, _open),
)
"""What stands above a board: the first that is true."""


def headline(entry: Entry, document: Mapping[str, Any] | None = None, *, closed: bool = True) -> str:
    """The one sentence that belongs above a leaderboard."""
    facts = Facts(entry, document, closed)
    return next(claim.words(facts) for claim in HEADLINES if claim.true(facts))


def certainty(entry: Entry, document: Mapping[str, Any] | None = None, *, closed: bool = True) -> list[str]:
    """The headline, and everything that holds beside it about certainty, in the order in which it matters."""
    facts = Facts(entry, document, closed)
    said = [headline(entry, document, closed=closed)]
    if _no_result(facts) or facts.others == 0:
        return said
    for make in (_sets, _resampled_otherwise, _worse, _equivalent, _ties_below, _failures, _entries, _warnings):
        said += make(facts)
    return said


def _sets(facts: Facts) -> list[str]:
    """Only where every set is stated."""
    sets = facts.entry["sets"]
    if sets["reason"] is not None:
        return []
    if sets["method"] == "sign_flips":
        return [f"All rank sets hold together in {percent(sets['level'])} of such challenges."]
    return [f"All rank sets hold together in about {percent(sets['level'])} of such challenges."]


def _resampled_otherwise(facts: Facts) -> list[str]:
    """Only where another one is first in strictly more resamples than the first."""
    shares = {row["name"]: row["share_first"] for row in facts.rows}
    if any(share is None for share in shares.values()) or len(facts.winners) > 1:
        return []
    most = max(facts.names, key=lambda name: shares[name])
    if shares[most] <= shares[facts.first] + _MINUTE:
        return []
    return [
        (
            f"{most} is first in more resamples ({percent(shares[most])}) than {facts.first} "
            f"({percent(shares[facts.first])}): a few {facts.units} of {facts.first} or {most} decide."
        )
    ]


def _worse(facts: Facts) -> list[str]:
    """Only with several others, some of whom are shown to be worse, and no winner that is better than all."""
    shown = facts.entry["shown_better"]
    if shown is None or facts.others < 2 or facts.entry["winner"]["named"] or len(facts.winners) > 1:
        return []
    count = sum(shown[0])
    if not count:
        return []
    verb = "is" if count == 1 else "are"
    return [f"{count} of the {facts.others} others {verb} shown to be worse than {facts.first}."]


def _equivalent(facts: Facts) -> list[str]:
    """Only where a margin is registered and holds."""
    margin = facts.entry["margin"]
    rows = [row for row in facts.rows if (row["difference_from_first"] or {}).get("verdict") == "equivalent"]
    if margin is None or not rows:
        return []
    within = f"the difference is within ±{margin:g}" if len(rows) == 1 else f"the differences are within ±{margin:g}"
    verb = "is" if len(rows) == 1 else "are"
    return [f"{listed([row['name'] for row in rows])} {verb} equivalent to {facts.first}: {within}."]


def _ties_below(facts: Facts) -> list[str]:
    """Algorithms below the first place with one rank and the same results."""
    shared: dict[float, list[str]] = {}
    for row in facts.rows:
        if row["name"] not in facts.winners and row["rank"] is not None:
            shared.setdefault(row["rank"], []).append(row["name"])
    return [
        f"{listed(names)} share rank {rank:g} and gave the same results."
        for rank, names in shared.items()
        if len(names) > 1 and facts.same_results(names)
    ]


def _failures(facts: Facts) -> list[str]:
    """For the first, and for everyone within reach who failed."""
    said = []
    for row in facts.rows:
        failure = row["failure"]
        if failure is None or not failure["of"]:
            continue
        first = row["name"] == facts.first
        if not first and not (row["within_reach"] and failure["failed"]):
            continue
        said.append(failure_sentence(row))
    return said


def failure_sentence(row: Mapping[str, Any]) -> str:
    """How many cases of an algorithm failed, how many more could have, and what one more would do."""
    failure, name, after = row["failure"], row["name"], row["rank_if_one_more_failed"]
    bound = f"a failure rate of up to {percent(failure['upper'], 1)} could have gone unseen"
    if failure["failed"] == 0:
        what = f"No case of {name} failed among {failure['of']}; {bound}."
    else:
        count = failure["failed"]
        noun = "case" if count == 1 else "cases"
        what = (
            f"{count} {noun} of {name} failed among {failure['of']}; the rate of failures may be up to "
            f"{percent(failure['upper'], 1)}."
        )
    if after is None:
        return what
    if row["rank"] is not None and after <= row["rank"]:
        return f"{what} With one more failed case {name} would still be at rank {after}."
    return f"{what} With one more failed case {name} would be at rank {after}."


def _entries(facts: Facts) -> list[str]:
    """What hangs on who else took part."""
    sensitivity, said = facts.entry["sensitivity"], []
    if facts.against and facts.reason in _CANNOT | dict.fromkeys(("too_few_units", "stratum_too_small")):
        said += [
            f"{name} would rank first if only {facts.first} and {name} had taken part."
            for name in facts.against[:_NAMED]
        ]
    said += [f"{listed(names, last='and')} are nearly the same." for names in sensitivity["duplicates"]]
    changing = [team for team in sensitivity["teams"] or () if team["winner_changes"]]
    for team in changing[:_NAMED]:
        if team["without"] in facts.winners:
            continue
        verb = "would rank first" if len(team["winners"]) == 1 else "would share first place"
        said.append(f"Without {team['without']}, {listed(team['winners'])} {verb}.")
    return said


def _warnings(facts: Facts) -> list[str]:
    said = []
    for warning in facts.entry["warnings"]:
        code = warning["code"]
        if code == "stratum_few" and facts.reason != "stratum_too_small":
            said.append(
                f"{warning['stratum']} has only {facts.counted(warning['units'])}: statements rest on few of them."
            )
        elif code == "possible_clusters":
            noun = plural(warning["column"])
            said.append(
                f"{warning['clusters']} {noun} have {warning['cases']} cases: if cases of one {warning['column']} are "
                "alike, the sets are too narrow."
            )
        elif code == "level_undeclared":
            said.append(
                f"Nothing says whether the {plural(warning['level'])} are all there are or a sample; they are drawn as a "
                "sample would be."
                if warning["level"] in (facts.document or {}).get("resampling", {}).get("resample", ())
                else f"Nothing says whether the {plural(warning['level'])} are all there are or a sample."
            )
        elif code == "failures_clustered":
            said.append(
                f"Failed cases of one {facts._unit} may have one cause: the bounds of failure rates count cases."  # noqa: SLF001
            )
        elif code == "failures_left_out":
            said.append(f"A missing case is left out of {warning['metric']}: what a failure would cost does not show.")
    return said


def disagreement(entry: Entry) -> list[str]:
    """Pairs that the signed rank test and the ranking order differently, first those of the best ranks.

    True only where scores are means of values and the test (Holm) finds the lower ranked one significantly better.
    """
    tested, p_values = entry.get("significantly_better"), entry.get("p_adjusted")
    if tested is None or p_values is None or entry["sets"]["method"] != "sign_flips":
        return []
    if not get_scheme(entry["scheme"]).aggregates_values:
        return []
    names = [row["name"] for row in entry["algorithms"]]
    ranks = [row["rank"] for row in entry["algorithms"]]
    return [
        f"{names[low]} is usually better than {names[high]} case by case, {names[high]} on average: a few bad cases of "
        f"{names[low]} decide. (p = {p_values[low][high]:.2g})"
        for low in range(len(names))
        for high in range(low)
        if tested[low][high] and ranks[low] > ranks[high]
    ]


def listed(names: Sequence[str], last: str = "and") -> str:
    """Up to three names, else their number.

    Examples
    --------
    >>> listed(["a", "b"]), listed(["a", "b", "c", "d"])
    ('a and b', '4 others')
    """
    return joined(names, last) if len(names) <= _NAMED else f"{len(names)} others"


def percent(share: float, digits: int = 0) -> str:
    """A share as people read it, never rounded to 0 or 100 when it is neither.

    Examples
    --------
    >>> percent(0.95), percent(0.0487, 1), percent(0.9999)
    ('95 %', '4.9 %', 'over 99 %')
    """
    if digits == 0 and 0.995 <= share < 1.0:
        return "over 99 %"
    if digits == 0 and 0.0 < share < 0.005:
        return "under 1 %"
    text = f"{100 * share:.{digits}f}"
    return f"{text.rstrip('0').rstrip('.') if digits else text} %"


def _five(share: float) -> int:
    return int(5 * round(20 * share))
