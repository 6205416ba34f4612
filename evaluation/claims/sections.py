"""Text of report sections on resampling, tests and omissions, in addition to figures and tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from evaluation.claims.catalogue import CATALOGUE, Claim
from evaluation.claims.numbers import level
from evaluation.ranking.reading import exact_end, listed, score_intervals_cover, score_range
from evaluation.wording import counted, joined, plural

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evaluation.ranking.reading import Entry


@dataclass(frozen=True)
class Drawn:
    """A ranking document and how many of its rankings were resampled."""

    document: Mapping[str, Any]
    resampled: int

    @property
    def samples(self) -> int:
        """Number of resamples; 0 if nothing was resampled."""
        return int(self.document["bootstrap"]) if self.resampled else 0

    @property
    def levels(self) -> list[str]:
        """Levels that are resampled, outermost first."""
        return [str(level) for level in self.document["resampling"]["resample"]]

    @property
    def given(self) -> list[str]:
        """Metrics measured elsewhere whose draws were sent, as replicates or as standard errors."""
        sources = self.document["resampling"].get("given", {}).get("metrics", {})
        return [name for name, source in sources.items() if source != "nothing"]

    @property
    def drawn_here(self) -> list[str]:
        """Metrics whose rankings were recomputed with resamples made here."""
        sources = self.document["resampling"].get("given", {}).get("metrics", {})
        return list(
            dict.fromkeys(entry["metric"] for entry in self.document["rankings"] if entry["metric"] not in sources)
        )


def _anew(facts: Drawn) -> str:
    what = joined([plural(level) for level in facts.levels])
    which = f"The rankings of {joined(facts.drawn_here)}" if facts.given else "The rankings"
    return (
        f"{which} were computed again in {counted(facts.samples, 'bootstrap sample')}, the same for all algorithms, metrics "
        f"and regions. Resampling ranges hold the middle {level(facts.document['resampling']['interval'])} of these samples: they "
        f"describe how far the ranks move when {what} are drawn again, guarantee no coverage, and say nothing of what is not drawn."
    )


def _sent(facts: Drawn) -> str:
    return (
        f"The rankings of {joined(facts.given)} were computed again in {counted(facts.samples, 'draw')} from submitted replicates or "
        "standard errors. Resampling ranges contain the middle "
        f"{level(facts.document['resampling']['interval'])} of these draws and are only as good as what was submitted."
    )


DRAWN: Final = CATALOGUE.group(
    Claim(
        "sections.not_resampled",
        "No ranking was resampled.",
        lambda facts: facts.samples == 0,
        lambda _: "The ranking was not resampled, so nothing can be said about its stability.",
        "The ranking was not resampled, so nothing can be said about its stability.",
    ),
    Claim(
        "sections.resampled",
        "A ranking was resampled here.",
        lambda facts: facts.samples > 0 and bool(facts.drawn_here),
        _anew,
        "The rankings were computed again in 1,000 bootstrap samples, the same for all algorithms, metrics and regions.",
    ),
    Claim(
        "sections.given",
        "Values of the whole data set were measured elsewhere, and draws of them were sent.",
        lambda facts: facts.samples > 0 and bool(facts.given),
        _sent,
        "The rankings of fid were computed again in 1,000 draws from submitted replicates or standard errors. Resampling "
        "ranges contain the middle 95 % of these draws and are only as good as what was submitted.",
    ),
)
"""Claims about the number of resamples and their meaning."""


@dataclass(frozen=True)
class Tested:
    """Rankings whose pairs were tested with the same number of units, algorithms and strata.

    `which` contains their names if there are other rankings.
    """

    alike: Sequence[Entry]
    unit: str
    which: str = ""

    @property
    def tests(self) -> Mapping[str, Any]:
        """Description of the tests of these rankings."""
        tests: Mapping[str, Any] = self.alike[0]["tests"]
        return tests

    @property
    def stratified(self) -> bool:
        """True if the tests compare within strata."""
        return bool(self.tests["stratified"])


def _needed(facts: Tested) -> str:
    tests, algorithms = facts.tests, len(facts.alike[0]["algorithms"])
    words = (
        f"with {algorithms} algorithms, and no two differences equally large, a comparison needs "
        f"{tests['cases_needed']} differing {plural(facts.unit)} to be significant ({tests['cases_needed_unadjusted']} without "
        f"adjustment); there {'is' if tests['units'] == 1 else 'are'} {tests['units']}."
    )
    return f"{facts.which}: {words}" if facts.which else words[:1].upper() + words[1:]


def _within_strata(facts: Tested) -> str:
    words = f"tested within strata (van Elteren), on {counted(facts.tests['units'], facts.unit)}."
    return f"{facts.which}: {words}" if facts.which else words[:1].upper() + words[1:]


TESTS: Final = CATALOGUE.group(
    Claim(
        "sections.tests",
        "Some pairs were tested.",
        bool,
        lambda tested: (
            f"One-sided {joined(_names_of_tests(tested))} between all algorithms, adjusted by Holm’s method within each "
            "ranking. A significant difference need not be a relevant one."
        ),
        "One-sided Wilcoxon signed rank tests between all algorithms, adjusted by Holm’s method within each ranking.",
    ),
)
"""Claims about the tests used, over all tested rankings."""
UNITS_TESTED: Final = CATALOGUE.group(
    Claim(
        "sections.tested_in_strata",
        "Pairs were tested within strata.",
        lambda facts: facts.stratified,
        _within_strata,
        "Tested within strata (van Elteren), on 40 cases.",
    ),
    Claim(
        "sections.units_needed",
        "Pairs were tested without strata.",
        lambda facts: not facts.stratified,
        _needed,
        "With 4 algorithms, a comparison needs 10 differing cases to be significant (5 without adjustment); there are 40.",
    ),
)
"""With how many units was tested, and how many it takes."""


def _names_of_tests(tested: Sequence[Entry]) -> list[str]:
    strata = {bool(entry["tests"]["stratified"]) for entry in tested}
    names = {False: "Wilcoxon signed rank tests", True: "stratified Wilcoxon signed rank tests"}
    return [names[key] for key in sorted(strata)]


def _maps(compared: Sequence[Entry]) -> str:
    words = "Every two algorithms compared by the statistic that ranks. Each map agrees with the rank sets and letters of its ranking"
    if any(entry.get("tests") for entry in compared):
        return f"{words}; a cross marks where the signed rank test, which asks who is better case by case, contradicts the order."
    return f"{words}."


MAPS: Final = CATALOGUE.group(
    Claim(
        "sections.maps",
        "Two algorithms or more of some ranking are compared by the statistic that ranks, and rank sets are stated.",
        bool,
        _maps,
        "Every two algorithms compared by the statistic that ranks.",
    )
)
"""Claims that explain how to read a map of pairs."""


@dataclass(frozen=True)
class Values:
    """The values of one ranking: of how many algorithms and cases, by outcome, and which pairs had no row."""

    entry: Entry

    @property
    def outcomes(self) -> dict[str, int]:
        """Values without a number, by outcome."""
        counts: dict[str, int] = {}
        for algorithm in self.entry["algorithms"]:
            for name, number in algorithm["outcomes"].items():
                if name != "ok" and number:
                    counts[name] = counts.get(name, 0) + number
        return counts

    @property
    def inserted(self) -> int:
        """Pairs of case and algorithm that had no row."""
        return len(self.entry.get("inserted", ()))


def _values(facts: Values) -> str:
    outcomes = ", ".join(f"{name.replace('_', ' ')} {number}" for name, number in facts.outcomes.items())
    algorithms = counted(len(facts.entry["algorithms"]), "algorithm")
    return f"{algorithms} on {counted(facts.entry['cases'], 'case')}; values without a number: {outcomes or 'none'}."


def _inserted(facts: Values) -> str:
    pairs, were = ("pair", "was") if facts.inserted == 1 else ("pairs", "were")
    return f"{facts.inserted} {pairs} of case and algorithm without a row {were} inserted as missing."


VALUES: Final = CATALOGUE.group(
    Claim(
        "sections.values",
        "Always.",
        lambda _: True,
        _values,
        "4 algorithms on 40 cases; values without a number: missing 3.",
    ),
    Claim(
        "sections.inserted",
        "A pair of case and algorithm had no row.",
        lambda facts: facts.inserted > 0,
        _inserted,
        "3 pairs of case and algorithm without a row were inserted as missing.",
    ),
)
"""Claims about the values that a ranking is based on."""


@dataclass(frozen=True)
class Followed:
    """Events and follow-up of the people whose times to an event are predicted.

    Attributes
    ----------
    people, events
        Their numbers; ``None`` if they are not known.
    median
        Median follow-up by the reverse Kaplan-Meier estimate; ``None`` if it cannot be estimated.
    unit
        Unit of the times; empty if none is registered.
    """

    people: int | None
    events: int | None
    median: float | None
    unit: str = ""


def _followed(facts: Followed) -> str:
    had = f"The event was observed in {facts.events} of {facts.people} cases."
    if facts.median is None:
        return f"{had} The median follow-up is not reached: the reverse Kaplan–Meier estimate stays above one half."
    unit = f" {facts.unit}" if facts.unit else ""
    median = f"{facts.median:.0f}" if facts.median >= 1000 else f"{facts.median:.3g}"
    return f"{had} The median follow-up is {median}{unit}, by the reverse Kaplan–Meier estimate."


FOLLOWED: Final = CATALOGUE.group(
    Claim(
        "sections.followed",
        "Times to an event are predicted, and the evidence contains them.",
        lambda facts: facts.people is not None,
        _followed,
        "The event was observed in 43 of 120 cases. The median follow-up is 14.2 months, by the reverse Kaplan–Meier estimate.",
    ),
    Claim(
        "sections.not_followed",
        "Times to an event are predicted, and there is no evidence.",
        lambda facts: facts.people is None,
        lambda _: "The number of events and the follow-up are not available in this report.",
        "The number of events and the follow-up are not available in this report.",
    ),
)
"""Claims about events and follow-up in reports of survival."""


@dataclass(frozen=True)
class Ranges:
    """Ranges and intervals of the scores of one ranking."""

    entry: Entry

    @property
    def exact(self) -> list[str]:
        """Algorithms whose value has an exact one-sided bound."""
        return [row["name"] for row in self.entry["algorithms"] if exact_end(row) is not None]

    @property
    def constant(self) -> list[str]:
        """Algorithms whose resamples all gave the same value, which has no exact bound."""
        if score_intervals_cover(self.entry):
            return []
        return [
            row["name"]
            for row in self.entry["algorithms"]
            if row.get("score_confidence_interval") is None
            and row["score_interval"] is not None
            and score_range(row, covers=False) is None
        ]


def _exact(facts: Ranges) -> str:
    names = facts.exact
    what = f"The score of {names[0]} is" if len(names) == 1 else f"The scores of {listed(names)} are"
    bound = "an exact one-sided bound" if len(names) == 1 else "exact one-sided bounds"
    return (
        f"{what} at an end of the range, where resamples do not vary. The table shows {bound}, which only "
        f"{'assumes' if len(names) == 1 else 'assume'} independent cases."
    )


RANGES: Final = CATALOGUE.group(
    Claim(
        "sections.exact_bounds",
        "A value of the whole data set is the best or the worst possible one, and the number of independent trials behind it is known.",
        lambda facts: bool(facts.exact),
        _exact,
        "The score of unet is at an end of the range, where resamples do not vary. The table shows an exact one-sided bound, which only "
        "assumes independent cases.",
    ),
    Claim(
        "sections.constant_scores",
        "All resamples gave an algorithm the same score, which has no exact bound.",
        lambda facts: bool(facts.constant),
        lambda facts: (
            f"All resamples gave the same score to {listed(facts.constant)}. No interval of it can be given from these data."
        ),
        "All resamples gave the same score to unet. No interval of it can be given from these data.",
    ),
)
"""Claims about scores without a range of resamples."""


@dataclass(frozen=True)
class LeftOut:
    """Content that a report shows only in part or omits; ``None`` if it is complete.

    Attributes
    ----------
    top
        Number of first ranks whose algorithms are shown.
    podium
        Numbers of cases and algorithms, if these are too large for a podium plot.
    """

    top: int | None = None
    podium: tuple[int, int] | None = None


def _top(facts: LeftOut) -> str:
    ranks = "rank" if facts.top == 1 else f"{facts.top} ranks"
    return f"Shown are the algorithms of the first {ranks}; ranks and intervals are those of the whole field."


def _podium(facts: LeftOut) -> str:
    cases, algorithms = facts.podium or (0, 0)
    return (
        f"A podium plot is left out: {counted(cases, 'case')} of {counted(algorithms, 'algorithm')} could not be read."
    )


LEFT_OUT: Final = CATALOGUE.group(
    Claim(
        "sections.top",
        "Only the algorithms of the first ranks are shown.",
        lambda facts: facts.top is not None,
        _top,
        "Shown are the algorithms of the first 5 ranks; ranks and intervals are those of the whole field.",
    ),
    Claim(
        "sections.no_podium",
        "There are too many lines or columns for a podium plot.",
        lambda facts: facts.podium is not None,
        _podium,
        "A podium plot is left out: 400 cases of 12 algorithms could not be read.",
    ),
)
"""Claims about content that a report does not show."""


@dataclass(frozen=True)
class Groups:
    """The cases grouped by a characteristic: cases of each group, in how many the lead has an interval, and how many groups are shown."""

    sizes: Mapping[str, int]
    with_interval: int
    shown: int


@dataclass(frozen=True)
class OneOfGroups:
    """A ranked group of cases among the `ranked` groups by the characteristic `title`."""

    title: str
    ranked: int


@dataclass(frozen=True)
class NotRanked:
    """Numbers of groups with fewer than `fewest` cases, and of groups beyond the `most` that are ranked."""

    small: int
    beyond: int
    fewest: int
    most: int


@dataclass(frozen=True)
class Folded:
    """Number of groups, and number of groups that are shown unfolded."""

    groups: int
    open: int


def _not_ranked(facts: NotRanked) -> str:
    left_out = []
    if facts.small:
        left_out.append(f"{facts.small} with fewer than {counted(facts.fewest, 'case')}")
    if facts.beyond:
        left_out.append(f"{facts.beyond} beyond the {facts.most} with most cases")
    return f"Groups not ranked: {' and '.join(left_out)}."


GROUPS_NOT_RANKED: Final = CATALOGUE.group(
    Claim(
        "sections.groups_not_ranked",
        "Groups are too small, or too many, to be ranked.",
        lambda facts: bool(facts.small or facts.beyond),
        _not_ranked,
        "Groups not ranked: 2 with fewer than 5 cases.",
    )
)
"""Claims about groups without a ranking, next to a table or figure of the ranked groups."""
FOLDED: Final = CATALOGUE.group(
    Claim(
        "sections.groups_folded",
        "There are more groups than stand open.",
        lambda facts: facts.groups > facts.open,
        lambda facts: (
            f"{facts.groups} groups, ordered by how far the ranks change; {facts.groups - facts.open} that change less are folded."
        ),
        "14 groups, ordered by how far the ranks change; 4 that change less are folded.",
    )
)
"""Claims about the number of groups that a figure folds."""
_NOT_ADJUSTED: Final = "Rankings of groups are exploratory: their intervals are not adjusted for the number of groups, and no test compares groups."
GROUPS_ARE_EXPLORATORY: Final = CATALOGUE.group(
    Claim(
        "sections.groups_are_exploratory",
        "A figure shows rankings of groups of cases.",
        lambda _: True,
        lambda _: _NOT_ADJUSTED,
        _NOT_ADJUSTED,
    )
)
"""Claims below figures of groups."""
LEADS_BY_GROUP: Final = CATALOGUE.group(
    Claim(
        "sections.leads_by_group",
        "The interval of a lead is known in at least one group.",
        lambda facts: facts.with_interval > 0,
        lambda facts: (
            f"Each group is ranked separately. The lead has an interval in {facts.with_interval} of {counted(len(facts.sizes), 'group')}. "
            f"{_NOT_ADJUSTED}"
        ),
        "Each group is ranked separately. The lead has an interval in 2 of 3 groups. Rankings of groups are exploratory: their intervals "
        "are not adjusted for the number of groups, and no test compares groups.",
    ),
    Claim(
        "sections.no_leads_by_group",
        "The interval of a lead is known in no group.",
        lambda facts: facts.with_interval == 0,
        lambda _: (
            f"Each group is ranked separately. No lead has an interval here, so the table names no leader. {_NOT_ADJUSTED}"
        ),
        "Each group is ranked separately. No lead has an interval here, so the table names no leader. Rankings of groups are exploratory: "
        "their intervals are not adjusted for the number of groups, and no test compares groups.",
    ),
)
"""Claims about the first places in groups."""
ONE_OF_GROUPS: Final = CATALOGUE.group(
    Claim(
        "sections.one_of_groups",
        "The ranking is that of one of several groups of cases.",
        lambda facts: facts.ranked > 1,
        lambda facts: (
            f"This is one of {facts.ranked} ranked groups by {facts.title}. Rankings of groups are exploratory: rank sets and intervals "
            "are not adjusted for the number of groups, and with many groups, some leads can be due to chance."
        ),
        "This is one of 3 ranked groups by site. Rankings of groups are exploratory: rank sets and intervals are not adjusted for the "
        "number of groups, and with many groups, some leads can be due to chance.",
    )
)
"""Claims next to the ranking of a single group."""
SHOWN_GROUPS: Final = CATALOGUE.group(
    Claim(
        "sections.groups_shown",
        "A table shows fewer groups than there are.",
        lambda facts: facts.shown < len(facts.sizes),
        lambda facts: (
            f"The table shows the {facts.shown} groups in which the ranks change most; {len(facts.sizes) - facts.shown} more are "
            "counted above."
        ),
        "The table shows the 10 groups in which the ranks change most; 4 more are counted above.",
    )
)
"""Of how many groups a table shows the ranks."""
SIZES: Final = CATALOGUE.group(
    Claim(
        "sections.sizes",
        "Always.",
        lambda _: True,
        lambda facts: f"Cases by group: {', '.join(f'{label} {number}' for label, number in facts.sizes.items())}.",
        "Cases by group: site A 12, site B 8.",
    )
)
"""Claims about the number of cases in each group."""

CONSENSUS: Final = CATALOGUE.group(
    Claim(
        "sections.consensus",
        "There are two rankings or more of the same algorithms.",
        lambda rankings: rankings > 1,
        lambda _: (
            "The consensus is the mean of fractional ranks over all rankings. Only ranks enter it: rankings may agree although "
            "one metric or task is far harder than another."
        ),
        "The consensus is the mean of fractional ranks over all rankings.",
    )
)
"""Claims about several rankings seen together, by their number."""
NO_DENDROGRAM: Final = CATALOGUE.group(
    Claim(
        "sections.no_dendrogram",
        "There are fewer than three rankings.",
        lambda rankings: rankings < 3,
        lambda _: "For a dendrogram there have to be more than two rankings.",
        "For a dendrogram there have to be more than two rankings.",
    )
)
"""Claims that explain why there is no dendrogram, by the number of rankings."""


def _again(facts: Drawn) -> str:
    resampling = facts.document["resampling"]
    if not facts.samples:
        return f"Seed {facts.document['seed']}, nothing was resampled."
    how = []
    if facts.drawn_here:
        levels = ", then ".join(plural(level) for level in facts.levels)
        how.append(f"resampling algorithm {resampling['version']}, drawn: {levels}")
    if facts.given:
        how.append(f"of {joined(facts.given)} what was sent, by {resampling['given']['version']}")
    samples = counted(facts.samples, "bootstrap sample" if facts.drawn_here else "draw")
    return f"Seed {facts.document['seed']}, {samples}, {'; '.join(how)}."


AGAIN: Final = CATALOGUE.group(
    Claim(
        "sections.again",
        "Always.",
        lambda _: True,
        _again,
        "Seed 1, 1,000 bootstrap samples, resampling algorithm podium-resample-1, drawn: cases.",
    )
)
"""With what the ranking can be computed again."""
