"""Meanings of sentences in the sections of a whole report; each sentence is compared with the raw tables."""

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from unittest.mock import patch

import pandas as pd

from evaluation.claims.catalogue import Said
from evaluation.documents import DocumentBuilder
from evaluation.reporting import build
from tests.claims import said_of_costs  # noqa: F401 (their meanings are registered on import)
from tests.claims.raw import Raw
from tests.claims.scene import NAME, NAMES, NOUNS, near
from tests.claims.section_meanings import MEANINGS, means

GROUP_COLUMNS = ("site", "patient")


class Recorder(DocumentBuilder):
    """Document builder that records each sentence of a report separately, with the heading above it."""

    def __init__(self) -> None:
        super().__init__()
        self.said: list[tuple[str, str]] = []
        self.below = ""

    def heading(self, level: int, text: str) -> None:
        """Remember the heading."""
        super().heading(level, text)
        self.below = text

    def text(self, sentences: Iterable[str], **options: str) -> None:
        """Keep the sentences of a paragraph."""
        kept = list(sentences)
        self.said += [(self.below, sentence) for sentence in kept if sentence]
        super().text(kept, **options)

    def points(self, sentences: Iterable[str]) -> None:
        """Keep the points of a list."""
        kept = list(sentences)
        self.said += [(self.below, sentence) for sentence in kept]
        super().points(kept)


@dataclass(frozen=True)
class Section:
    """A sentence of a report: the challenge, the ranking document, and the heading above the sentence."""

    raw: Raw
    document: dict
    below: str

    @property
    def entries(self) -> list[dict]:
        return [
            *filter(None, [self.document.get("overall"), *self.document.get("by_task", [])]),
            *self.document["rankings"],
        ]

    @cached_property
    def single(self) -> list[dict]:
        """Rankings of one metric, region and task that the heading may mean."""
        return [
            entry
            for entry in self.document["rankings"]
            if all(str(entry[key]) in self.below for key in ("metric", "region", "task") if entry.get(key))
        ]

    @property
    def several_strata(self) -> bool:
        """True if the cases belong to different strata."""
        strata = list(self.raw.assessment.uncertainty.strata)
        return bool(strata) and len(self.raw.metadata[strata].drop_duplicates()) > 1

    def rows_of(self, entry: dict) -> pd.DataFrame:
        """The rows that an entry is made of."""
        rows = self.raw.results
        for key in ("metric", "region", "task"):
            if entry.get(key) and key in rows:
                rows = rows[rows[key] == entry[key]]
        return rows

    @cached_property
    def sizes(self) -> dict[str, int]:
        """Cases by group of the column that the heading names."""
        column = next(name for name in GROUP_COLUMNS if name in self.below)
        return self.raw.metadata[column].astype(str).value_counts().to_dict()


def report_of(raw: Raw, document: dict) -> list[tuple[str, str]]:
    """Every sentence of the report about a challenge, with the heading above it."""
    made = raw.challenge
    known = [] if made.cases is None else [name for name in GROUP_COLUMNS if name in made.cases]
    page = Recorder()
    with patch.object(build, "DocumentBuilder", lambda: page):
        build.report_blocks(
            made.assessment, made.results, cases=made.cases, evidence=made.evidence, document=document, subgroups=known
        )
    return page.said


def false_in_report(raw: Raw, document: dict) -> tuple[list[str], int]:
    """Return the false sentences of the sections of a challenge's report, and the number of sentences."""
    return false_sentences(raw, document, report_of(raw, document))


def false_sentences(raw: Raw, document: dict, report: Iterable[tuple[str, str]]) -> tuple[list[str], int]:
    """Return the false sentences of the sections of a report, and the number of sentences."""
    sentences = [
        (below, said)
        for below, said in report
        if isinstance(said, Said) and said.claim.startswith(("sections.", "costs."))
    ]
    wrong = [found for below, said in sentences for found in MEANINGS.false([said], Section(raw, document, below))]
    return wrong, len(sentences)


@means(r"The ranking was not resampled, so nothing can be said about its stability\.")
def _(section: Section) -> bool:
    return not any(row["rank_frequencies"] for entry in section.entries for row in entry["algorithms"])


@means(
    r"The rankings(?: of (tra))? were computed again in ([\d,]+) bootstrap samples?, the same for all algorithms, metrics and regions\. Resampling "
    r"ranges hold the middle (.+ %) of these samples: they describe how far the ranks move when (.+) are drawn again, guarantee no "
    r"coverage, and say nothing of what is not drawn\."
)
def _(section: Section, of_cases: str | None, samples: str, level: str, what: str) -> bool:
    number = int(samples.replace(",", ""))
    sent = any(known != "nothing" for known in section.raw.given.values())
    counts = [
        sum(row["rank_frequencies"])
        for entry in section.entries
        for row in entry["algorithms"]
        if row["rank_frequencies"] and of_cases in (None, entry.get("metric"))
    ]
    if bool(of_cases) != sent:
        return False
    drawn = section.raw.assessment.uncertainty.resample
    return (
        bool(counts)
        and all(abs(count - number) < 1e-6 for count in counts)
        and near(section.raw.assessment.uncertainty.interval, level)
        and re.split(r", | and ", what) == [NOUNS.get(one, f"{one}s") for one in drawn]
    )


@means(
    r"The rankings of (\w+(?: and \w+)?) were computed again in ([\d,]+) draws from submitted replicates or "
    r"standard errors\. Resampling ranges contain the middle (.+ %) of these draws and are only as good as what was submitted\."
)
def _(section: Section, what: str, samples: str, level: str) -> bool:
    number = int(samples.replace(",", ""))
    sent = sorted(name for name, known in section.raw.given.items() if known != "nothing")
    counts = [
        sum(row["rank_frequencies"])
        for entry in section.document["rankings"]
        for row in entry["algorithms"]
        if entry["metric"] in sent
    ]
    return (
        sorted(what.split(" and ")) == sent
        and bool(counts)
        and all(abs(count - number) < 1e-6 for count in counts)
        and near(section.raw.assessment.uncertainty.interval, level)
    )


@means(
    r"Seed (\d+), ([\d,]+) (?:draws?|bootstrap samples?, resampling algorithm (podium-resample-1), drawn: cases;),? of "
    r"(\w+(?: and \w+)?) what was sent, by podium-given-1\."
)
def _(section: Section, seed: str, samples: str, here: str | None, what: str) -> bool:
    if bool(here) != bool(section.raw.tables):
        return False
    uncertainty = section.raw.assessment.uncertainty
    sent = sorted(name for name, known in section.raw.given.items() if known != "nothing")
    return (
        int(seed) == uncertainty.seed
        and int(samples.replace(",", "")) == uncertainty.bootstrap
        and sorted(what.split(" and ")) == sent
    )


@means(r"Seed (\d+), (nothing was resampled|([\d,]+) bootstrap samples?, resampling algorithm (\S+), drawn: (.+))\.")
def _(section: Section, seed: str, words: str, samples: str | None, version: str | None, drawn: str | None) -> bool:
    resampled = any(row["rank_frequencies"] for entry in section.entries for row in entry["algorithms"])
    if int(seed) != section.raw.assessment.uncertainty.seed or resampled == (words == "nothing was resampled"):
        return False
    return not resampled or (
        int(samples.replace(",", "")) == section.raw.assessment.uncertainty.bootstrap
        and version == section.document["resampling"]["version"]
        and drawn.split(", then ") == [NOUNS.get(one, f"{one}s") for one in section.raw.assessment.uncertainty.resample]
    )


@means(
    r"One-sided (Wilcoxon signed rank tests|stratified Wilcoxon signed rank tests) between all algorithms, adjusted by Holm’s "
    r"method within each ranking\. A significant difference need not be a relevant one\."
)
def _(section: Section, which: str) -> bool:
    return which.startswith("stratified") == section.several_strata and any(
        use.level == "case" for use in section.raw.assessment.metrics
    )


@means(r"(?:.+: )?[Tt]ested within strata \(van Elteren\), on (\d+) (\w+)\.")
def _(section: Section, number: str, noun: str) -> bool:
    return (
        section.several_strata
        and noun in ((drawn := section.raw.assessment.uncertainty.resample[0]), NOUNS[drawn])
        and (noun == drawn) == (number == "1")
        and int(number) == section.raw.units
    )


@means(
    r"(?:.+: )?[Ww]ith (\d+) algorithms, and no two differences equally large, a comparison needs (\d+) differing (\w+) to be "
    r"significant \((\d+) without adjustment\); there (is|are) (\d+)\."
)
def _(section: Section, algorithms: str, needed: str, noun: str, alone: str, verb: str, units: str) -> bool:
    """Differences of one sign without ties, by the normal approximation with a correction for continuity."""
    alpha = next(entry["tests"]["alpha"] for entry in section.entries if entry.get("tests"))
    pairs = len(section.raw.names) * (len(section.raw.names) - 1)
    drawn = section.raw.assessment.uncertainty.resample[0]

    def enough(number: int, level: float) -> bool:
        return p_of_one_sign(number) <= level < p_of_one_sign(number - 1)

    return (
        int(algorithms) == len(section.raw.names)
        and enough(int(needed), alpha / pairs)
        and enough(int(alone), alpha)
        and noun == NOUNS[drawn]
        and (verb == "is") == (units == "1")
        and int(units) == section.raw.units
        and not section.several_strata
    )


def p_of_one_sign(number: int) -> float:
    """One-sided p of a signed rank sum of that many positive differences."""
    away = number * (number + 1) / 4 - 0.5
    spread = math.sqrt(number * (number + 1) * (2 * number + 1) / 24)
    return 0.5 * math.erfc(away / spread / math.sqrt(2))


@means(
    r"Every two algorithms compared by the statistic that ranks\. Each map agrees with the rank sets and letters of its ranking"
    r"(; a cross marks where the signed rank test, which asks who is better case by case, contradicts the order)?\."
)
def _(section: Section, cross: str | None) -> bool:
    mapped = [
        entry
        for entry in section.entries
        if entry["shown_better"] and entry["sets"]["reason"] is None and len(entry["algorithms"]) > 1
    ]
    return bool(mapped) and bool(cross) == any(entry.get("tests") for entry in mapped)


@means(r"(\d+) (algorithms?) on (\d+) (cases?); values without a number: (.+)\.")
def _(section: Section, algorithms: str, one: str, cases: str, case: str, outcomes: str) -> bool:
    if (one == "algorithm") != (algorithms == "1") or (case == "case") != (cases == "1"):
        return False
    told = {} if outcomes == "none" else dict(part.rsplit(" ", 1) for part in outcomes.split(", "))
    return any(
        int(algorithms) == len(section.raw.names)
        and int(cases) == section.raw.number_of_cases(entry)
        # Values of the whole data set without its excluded cases are computed anew, and may have none then.
        and (
            (section.raw.of_whole(entry) and section.raw.excluded) or as_numbers(told) == without_number(section, entry)
        )
        for entry in section.single
    )


def as_numbers(told: dict[str, str]) -> dict[str, int]:
    return {name: int(number) for name, number in told.items()}


def without_number(section: Section, entry: dict) -> dict[str, int]:
    """Rows of an entry that have no value, by outcome, and pairs without a row as missing ones."""
    rows = section.rows_of(entry)
    found = rows.loc[rows["outcome"] != "ok", "outcome"].str.replace("_", " ").value_counts().to_dict()
    if not section.raw.of_whole(entry) and (gone := len(section.raw.cases) * len(section.raw.names) - len(rows)):
        found["missing"] = found.get("missing", 0) + gone
    return found


@means(r"(\d+) (pairs?) of case and algorithm without a row (was|were) inserted as missing\.")
def _(section: Section, number: str, noun: str, verb: str) -> bool:
    if ((noun, verb) == ("pair", "was")) != (number == "1"):
        return False
    pairs = len(section.raw.cases) * len(section.raw.names)
    return any(int(number) == pairs - len(section.rows_of(entry)) for entry in section.single)


@means(r"A podium plot is left out: (\d+) cases? of (\d+) algorithms? could not be read\.")
def _(section: Section, cases: str, algorithms: str) -> bool:
    return (int(cases) > 150 or int(algorithms) > 10) and int(algorithms) == len(section.raw.names)


@means(r"The consensus is the mean of fractional ranks over all rankings\. Only ranks enter it: .+\.")
def _(section: Section) -> bool:
    return len(section.document["rankings"]) > 1


@means(r"For a dendrogram there have to be more than two rankings\.")
def _(section: Section) -> bool:
    return len(section.document["rankings"]) == 2


@means(r"Cases by group: (.+)\.")
def _(section: Section, text: str) -> bool:
    told = {label: int(number) for label, number in (part.rsplit(" ", 1) for part in text.split(", "))}
    large = {label: number for label, number in section.sizes.items() if number >= 5}
    return told == large if len(large) <= 100 else set(told.items()) <= set(large.items())


@means(
    rf"The scores? of {NAMES} (is|are) at an end of the range, where resamples do not vary\. The table shows (an exact one-sided bound|exact one-sided "
    r"bounds), which only assumes? independent cases\."
)
def _(section: Section, who: str, verb: str, _bounds: str) -> bool:
    """Only values of the whole data set, of 0 or 1; the bound is wide enough for one error per case."""
    return any(
        listed_alike(who, at_end := at_an_end(section, entry)) and verb == ("is" if len(at_end) == 1 else "are")
        for entry in section.single
    )


def at_an_end(section: Section, entry: dict) -> list[str]:
    """Algorithms with a value of the whole data set of 0 or 1, all of whose cases are independent."""
    if not section.raw.of_whole(entry):
        return []
    found = []
    for row in entry["algorithms"]:
        known = row["score_confidence_interval"]
        if known is None or row["score"] not in (0, 1):
            continue
        low, high = known["interval"]
        # At least as wide as the bound from all cases as independent trials of one decision each.
        trials = 2 * section.raw.number_of_cases(entry)
        widest = (1 - section.raw.assessment.uncertainty.interval) ** (1 / trials)
        if (high == 1 and low <= widest) or (low == 0 and high >= 1 - widest):
            found.append(row["name"])
    return found


def listed_alike(text: str, names: list[str]) -> bool:
    """Return whether a list names exactly these, or their number if there are more than three."""
    named = re.findall(NAME, text)
    return sorted(named) == sorted(names) if named else int(text.split(maxsplit=1)[0]) == len(names) > 3


@means(rf"All resamples gave the same score to {NAMES}\. No interval of it can be given from these data\.")
def _(section: Section, who: str) -> bool:
    def constant(entry: dict) -> list[str]:
        known = {row["name"]: row.get("score_confidence_interval") or {} for row in entry["algorithms"]}
        return [
            row["name"]
            for row in entry["algorithms"]
            if row["score_interval"] is not None
            and len(set(row["score_interval"])) == 1
            and known[row["name"]].get("method") != "exact_one_sided"
        ]

    overall = [entry for entry in section.entries if "metric" not in entry]
    return any(listed_alike(who, constant(entry)) for entry in [*section.single, *overall])


@means(
    r"The event was observed in (\d+) of (\d+) cases\. The median follow-up is (?:(not) reached: the reverse Kaplan–Meier estimate stays above one half|"
    r"([\d.e+-]+) ?(\w*), by the reverse Kaplan–Meier estimate)\."
)
def _(section: Section, events: str, people: str, no: str | None, median: str | None, unit: str | None) -> bool:
    """Kaplan and Meier's product by hand, over the people who left without the event."""
    pairs = section.raw.followed
    left, median_by_hand = 1.0, None
    for time in sorted({time for time, _ in pairs}):
        at_risk = sum(other >= time for other, _ in pairs)
        left *= 1 - sum(other == time and not event for other, event in pairs) / at_risk
        if left <= 0.5 + 1e-12 and median_by_hand is None:
            median_by_hand = time
    stated = None if no else float(median)
    return (
        int(people) == len(pairs)
        and int(events) == sum(event for _, event in pairs)
        and (stated is None) == (median_by_hand is None)
        and (stated is None or (abs(stated - median_by_hand) <= 0.006 * abs(median_by_hand)))
        and (stated is None or unit == section.raw.assessment.settings["unit"])
    )


@means(r"The number of events and the follow-up are not available in this report\.")
def _(section: Section) -> bool:
    return section.raw.assessment.problem == "survival" and not section.raw.followed


@means(r"Groups not ranked: (\d+) with fewer than 5 cases\.")
def _(section: Section, number: str) -> bool:
    return int(number) == sum(size < 5 for size in section.sizes.values())


@means(
    r"Each group is ranked separately\. (?:The lead has an interval in (\d+) of (\d+) groups?|No lead has an interval here, so the "
    r"table names no leader)\. Rankings of groups are exploratory: their intervals are not adjusted for the number of groups, and no test compares groups\."
)
def _(section: Section, number: str | None, groups: str | None) -> bool:
    """A lead has no interval in combinations of ranks, and where nothing is resampled."""
    if number is None:
        return True
    large = sum(size >= 5 for size in section.sizes.values())
    return not section.document.get("overall") and 0 < int(number) <= int(groups) <= min(large, 100)


@means(
    r"This is one of (\d+) ranked groups by (.+)\. Rankings of groups are exploratory: rank sets and intervals are not adjusted for the "
    r"number of groups, and with many groups, some leads can be due to chance\."
)
def _(section: Section, number: str, title: str) -> bool:
    return title in section.below and 1 < int(number) == min(sum(size >= 5 for size in section.sizes.values()), 100)


@means(r"The table shows the (\d+) groups in which the ranks change most; (\d+) more are counted above\.")
def _(section: Section, shown: str, more: str) -> bool:
    large = sum(size >= 5 for size in section.sizes.values())
    return int(shown) + int(more) == min(large, 100) and int(more) > 0
