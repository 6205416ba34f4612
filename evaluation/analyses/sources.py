"""Data source of figures: a ranking document with its results, each derived table computed once."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import pandas as pd

from evaluation.analyses.case_groups import FEW_SAMPLES, MOST_TEAMS_RESAMPLED, Grouping, groupings
from evaluation.analyses.difficulty import Difficulty
from evaluation.assessment.model import Assessment
from evaluation.ranking import ResultsError, rank
from evaluation.ranking.characteristics import Characteristic, characteristics_of
from evaluation.ranking.comparison import (
    across_schemes,
    alternative_schemes,
    without_pairwise,
)
from evaluation.ranking.counted import counted_results, left_out
from evaluation.ranking.gaming import gaming_check
from evaluation.ranking.raw import raw_values

if TYPE_CHECKING:
    from evaluation.scoring.evidence import Evidence

Figure = dict[str, Any]
Order = Mapping[str, Any]
"""One way to sort the algorithms: `ranking`, and `metric`, `region` and `task`, which are None where several are combined."""

MOST_TEAMS_TESTED = 60
"""Maximum number of teams whose pairs are tested again for a comparison.

Above it, the cost exceeds the benefit.
"""
MOST_TEAMS_WITHHOLDING = 30


@dataclass
class Sources:
    """Data that a figure may need.

    Attributes
    ----------
    results
        Results of all teams.
    cases
        The case metadata that the ranking depends on.
    characteristics
        All case metadata, for its relation to the results of the teams.
    length_unit
        Unit of distances where the images do not state their spacing.
    annotated_results
        By annotator, the results of all teams under that annotator's references.
    annotated_evidence
        By annotator, the evidence behind their values of the whole data set.
    deciding_annotator
        Annotator whose references the ranking itself uses, where nothing is merged.
    read_evidence
        Reads the evidence behind values of the whole data set.
    unranked
        Filled with `annotated`: by annotator, the reason for a missing ranking.
    kept
        Names of metrics whose values of single cases must not be disclosed. Nothing about groups of cases is then
        disclosed.
    """

    document: Mapping[str, Any]
    assessment: Assessment
    results: pd.DataFrame
    cases: pd.DataFrame | None
    characteristics: pd.DataFrame | None = None
    length_unit: str = "mm"
    annotated_results: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    annotated_evidence: "Mapping[str, Evidence]" = field(default_factory=dict)
    deciding_annotator: str = ""
    read_evidence: "Callable[[], Evidence | None]" = lambda: None
    unranked: dict[str, str] = field(default_factory=dict)
    kept: frozenset[str] = frozenset()

    @cached_property
    def raw(self) -> dict[tuple[Any, ...], Mapping[str, Any]]:
        """Values of single cases by metric, region and task."""
        entries = raw_values(self.assessment, self.results)
        return {
            place_of(entry): entry | {"unit": self.length_unit if entry["unit"] == "mm" else entry["unit"]}
            for entry in entries
            if entry["metric"] not in self.kept
        }

    @cached_property
    def schemes(self) -> dict[tuple[Any, ...] | None, Mapping[str, Any]]:
        """Comparison of the registered scheme with the usual ones, by metric, region and task; None for the overall one."""
        schemes = alternative_schemes(self.assessment.rankings[0])
        if self.teams > MOST_TEAMS_TESTED:
            schemes = without_pairwise(schemes)
        try:
            comparisons = across_schemes(self.assessment, self.results, cases=self.cases, schemes=schemes)
        except (ResultsError, StopIteration):  # values of the whole data set, or a registered scheme that was left out
            return {}
        return {None if entry.get("overall") else place_of(entry): entry for entry in comparisons}

    @cached_property
    def withholding(self) -> dict[tuple[Any, ...], Mapping[str, Any]]:
        """Effect of withholding bad cases, by metric, region and task."""
        if self.teams > MOST_TEAMS_WITHHOLDING:
            return {}
        try:
            checks = gaming_check(self.assessment, self.results, cases=self.cases)
        except ResultsError:
            return {}
        return {place_of(entry): entry for entry in checks}

    @cached_property
    def subgroups(self) -> list[Grouping]:
        """The cases in groups by their characteristics, each group ranked on its own."""
        if self.kept:
            return []
        has_whole = bool((self.results["case"].isna() | (self.results["case"] == "")).any())
        evidence = self.evidence if has_whole else None
        return groupings(self.assessment, self.results, self.cases, self.known, evidence)

    @cached_property
    def annotated(self) -> dict[str, Mapping[str, Any]]:
        """Ranking document under the references of each annotator, of those under which all can be ranked."""
        bootstrap = FEW_SAMPLES if self.teams > MOST_TEAMS_RESAMPLED else None
        documents: dict[str, Mapping[str, Any]] = {}
        for name, table in self.annotated_results.items():
            # An annotator who left out a whole region has nothing to rank it by.
            try:
                documents[name] = rank(
                    self.assessment,
                    table,
                    cases=self.cases,
                    evidence=self.annotated_evidence.get(name),
                    bootstrap=bootstrap,
                )
            except ResultsError as error:
                self.unranked[name] = str(error)
        return documents

    @cached_property
    def known(self) -> list[Characteristic]:
        """Everything that is known of the cases that count, each with its kind: declared, else used as a name, else guessed."""
        given = self.characteristics
        if given is not None and self.assessment.exclusions:
            excluded = left_out(self.assessment, self.cases if self.cases is not None else given)
            given = given[~given["case"].astype(str).isin(excluded)]
        return characteristics_of(self.assessment, given)

    @cached_property
    def evidence(self) -> "Evidence | None":
        """Evidence behind values of the whole data set."""
        return self.read_evidence()

    @cached_property
    def counted_evidence(self) -> "Evidence | None":
        """The same of the cases that count."""
        if self.evidence is None or not self.assessment.exclusions:
            return self.evidence
        # Single cases that do not count are gone from the results already: the evidence names all.
        whole = self.results[self.results["case"] == ""]
        return counted_results(self.assessment, whole, cases=self.cases, evidence=self.evidence).evidence

    @property
    def difficulty(self) -> Difficulty:
        """Possible causes of difficult cases."""
        return Difficulty(self.assessment, self.known)

    @property
    def teams(self) -> int:
        return len(self.document["rankings"][0]["algorithms"])

    def is_first_ranking(self, order: Order) -> bool:
        """Return whether an order belongs to the first registered ranking.

        Only the first ranking is compared with alternatives.
        """
        return bool(order["ranking"] == self.assessment.rankings[0].name)

    def raw_of(self, order: Order, *, most: int) -> Mapping[str, Any] | None:
        """Values of single cases of an order, unless there are too many of them to draw."""
        raw = self.raw.get(place_of(order)) if order["metric"] and self.is_first_ranking(order) else None
        return raw if raw and len(raw["cases"]) * len(raw["algorithms"]) <= most else None

    def scheme_comparison(self, order: Order) -> Mapping[str, Any] | None:
        """The comparison of schemes that an order is about."""
        if not self.is_first_ranking(order):
            return None
        return self.schemes.get(place_of(order) if order["metric"] else None)


def place_of(entry: Mapping[str, Any]) -> tuple[Any, ...]:
    """Metric, region and task that an entry or an order is about."""
    return entry["metric"], entry["region"] or None, entry["task"] or None


def selection(order: Order) -> dict[str, Any]:
    """Return the keys that identify the entry of an order in a document."""
    return {key: order[key] for key in ("metric", "region", "task")} | {"name": order["ranking"]}


def titled(comparison: Mapping[str, Any], assessment: Assessment) -> dict[str, Any]:
    """A comparison of metrics with their names as people write them."""
    labels = [readable(label, assessment) for label in comparison["labels"]]
    names = dict(zip(comparison["labels"], labels, strict=True))
    return {**comparison, "labels": labels, "reference": names[comparison["reference"]]}


def readable(label: str, assessment: Assessment) -> str:
    """The label of a ranking with the names of metrics as people write them."""
    titles = {metric.name: metric.title for metric in assessment.metrics}
    return ", ".join(titles.get(part, part) for part in label.split(", "))
