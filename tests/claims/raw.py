"""Facts of the raw tables of a challenge, counted and ranked without the code that is tested."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from evaluation.assessment import MetricUse
from tests.claims.challenges import Challenge

DIGITS = 9


def counts_as(use: MetricUse) -> float:
    """Return the value that a missing case counts as; NaN if it has none."""
    policy = use.policy.missing
    if policy == "worst" and use.worst is not None:
        return use.worst
    return float(policy) if isinstance(policy, (int, float)) else np.nan


@dataclass(frozen=True)
class Table:
    """Values of one metric, region and task, cases × teams; NaN where a missing case has no value."""

    metric: str
    region: str
    task: str | None
    numbers: np.ndarray
    absent: np.ndarray
    sign: int


class Raw:
    """A challenge, counted and ranked by hand.

    Attributes
    ----------
    names
        The teams, ascending.
    """

    def __init__(self, challenge: Challenge) -> None:
        self.challenge = challenge
        self.assessment = challenge.assessment
        self.excluded = set(challenge.assessment.exclusions.cases)
        self.results = challenge.results[~challenge.results["case"].isin(self.excluded)]
        self.names = sorted(set(self.results["algorithm"]))
        self.whole = bool(challenge.unanswered)
        self.scheme = challenge.assessment.document["ranking"]
        self._ranked: dict[tuple, dict[str, float]] = {}
        self._gaps: dict[tuple, float] = {}

    @cached_property
    def given(self) -> dict[str, str]:
        """Metrics with one value of the whole data set, measured elsewhere, and the form of its uncertainty."""
        if self.assessment.problem != "external":
            return {}
        known = dict.fromkeys((use.name for use in self.assessment.metrics if use.level == "dataset"), "nothing")
        for block in () if self.challenge.evidence is None else self.challenge.evidence.blocks.values():
            if not self.assessment.metric(block.part).options.get("without_uncertainty"):
                known[block.part] = "replicates" if block.counts[0] > 0 else "standard errors"
        return known

    def given_of(self, entry: dict) -> set[str]:
        """Return the forms of uncertainty of such values in an entry."""
        return {known for name, known in self.given.items() if entry.get("metric") in (None, "", name)}

    @cached_property
    def cases(self) -> list[str]:
        if self.whole:
            evidence = self.challenge.evidence
            if evidence is not None and self.given:
                return sorted(evidence.header["shared"]["given"]["cases"])
            if evidence is None or not evidence.blocks:
                # Costs of runs are known for single cases all the same.
                return sorted(set(self.results["case"]) - {""})
            block = next(iter(evidence.blocks.values()))
            return [case for case in block.cases if case not in self.excluded]
        return sorted(set(self.results["case"]))

    @cached_property
    def followed(self) -> list[tuple[float, bool]]:
        """Time of each counted person of a survival challenge, and whether the event happened; empty without evidence."""
        evidence = self.challenge.evidence
        if self.assessment.problem != "survival" or evidence is None or not evidence.blocks:
            return []
        block = next(iter(evidence.blocks.values()))
        numbers = block.values  # noqa: PD011  (no data frame)
        times = dict(zip(block.cases, numbers[block.value_starts[:-1]], strict=True))
        events = dict(zip(block.cases, numbers[block.value_starts[:-1] + 1], strict=True))
        return [(float(times[case]), bool(events[case] == 1)) for case in self.cases]

    @property
    def data_sets(self) -> str:
        """The column that distinguishes data sets; empty if all cases belong to one."""
        return str(self.assessment.settings.get("dataset") or "")

    def cases_of(self, entry: dict) -> list[str]:
        """The cases that an entry is made of."""
        if not self.data_sets or not entry.get("region"):
            return self.cases
        known = self.metadata
        inside = set(known.loc[known[self.data_sets] == entry["region"], "case"])
        return [case for case in self.cases if case in inside]

    @cached_property
    def tasks(self) -> list[str | None]:
        return sorted(set(self.results["task"])) if "task" in self.results else [None]

    @cached_property
    def tables(self) -> list[Table]:
        found = []
        places = {case: place for place, case in enumerate(self.cases)}
        teams = {name: place for place, name in enumerate(self.names)}
        of_cases = self.results[self.results["case"] != ""]
        columns = {
            name: of_cases[name].to_numpy(dtype=object)
            for name in ("case", "algorithm", "metric", "region", "task")
            if name in of_cases
        }
        rows_of = np.array([places[case] for case in columns["case"]])
        column_of = np.array([teams[name] for name in columns["algorithm"]])
        values = of_cases["value"].to_numpy(dtype=float)
        for task in self.tasks:
            for use in [use for use in self.assessment.metrics if use.level == "case"]:
                for region in [""] if use.is_by_run else [region.name for region in self.assessment.regions] or [""]:
                    chosen = np.ones(len(values), dtype=bool)
                    if "metric" in columns:
                        chosen &= (columns["metric"] == use.name) & (columns["region"] == region)
                    if task is not None:
                        chosen &= columns["task"] == task
                    wide = np.full((len(places), len(teams)), np.nan)
                    wide[rows_of[chosen], column_of[chosen]] = values[chosen]
                    absent = np.isnan(wide)
                    numbers = np.where(absent, counts_as(use), wide)
                    found.append(Table(use.name, region, task, numbers, absent, 1 if use.direction == "higher" else -1))
        return found

    def tables_of(self, entry: dict) -> list[Table]:
        """The tables that an entry of a document is made of."""
        wanted = {key: entry.get(key) for key in ("metric", "region", "task")}
        ranked_by = None if entry.get("metric") else self.scheme.get("metrics")
        return [
            table
            for table in self.tables
            if (ranked_by is None or table.metric in ranked_by)
            and all(value in (None, "", getattr(table, key)) for key, value in wanted.items())
        ]

    @property
    def plain(self) -> bool:
        """True if the ranking can be repeated here: no levels, no tests, no values of the whole data set."""
        return (
            not self.whole
            and "aggregation" not in self.challenge_document
            and self.scheme["scheme"] in ("aggregate_then_rank", "rank_then_aggregate")
            and self.scheme["operator"] in ("mean", "median")
            # The last rank of a case is the one after the worst that somebody has, whatever ties.
            and all(use.policy.missing != "worst_rank" for use in self.assessment.metrics)
        )

    @cached_property
    def challenge_document(self) -> dict:
        """The assessment without levels that contain only single cases."""
        document = dict(self.assessment.document)
        if len(self.assessment.aggregation.levels) == 1:
            document.pop("aggregation", None)
        return document

    def ranks(
        self,
        entry: dict,
        *,
        teams: list[str] | None = None,
        without: str | None = None,
        failing: tuple[str, int] | None = None,
        case: int | None = None,
    ) -> dict[str, float] | None:
        """Return the ranks of the teams; `None` if they cannot be repeated here.

        Parameters
        ----------
        teams, without
            Only these teams, or all except this team.
        failing
            A team and the number of a case on which it fails as well.
        case
            A case that is excluded.
        """
        if not self.plain or (not entry.get("metric") and len(self.tasks) > 1):  # ranks over tasks are fractions
            return None
        key = (
            *(entry.get(name) for name in ("metric", "region", "task")),
            None if teams is None else tuple(teams),
            without,
            failing,
            case,
        )
        if key not in self._ranked:
            self._ranked[key] = self._ranks(entry, teams=teams, without=without, failing=failing, case=case)
        return self._ranked[key]

    def _ranks(
        self,
        entry: dict,
        *,
        teams: list[str] | None,
        without: str | None,
        failing: tuple[str, int] | None,
        case: int | None,
    ) -> dict[str, float]:
        kept = teams if teams is not None else [name for name in self.names if name != without]
        columns = [self.names.index(name) for name in kept]
        each = []
        for table in self.tables_of(entry):
            values = table.numbers.copy()
            if failing is not None:
                name, number = failing
                use = self.assessment.metric(table.metric)
                values[number, self.names.index(name)] = counts_as(use)
            if case is not None:
                values = np.delete(values, case, axis=0)
            each.append(self._of_table(values[:, columns], table))
        if len(each) == 1 and "over" not in entry:  # what is combined is ranked again, also of one table
            return dict(zip(kept, each[0], strict=True))
        step = self.scheme["combine"][0] if isinstance(self.scheme["combine"], list) else self.scheme["combine"]
        operator = np.mean if step["operator"] == "mean" else np.median
        return dict(zip(kept, ranked(operator(np.stack(each), axis=0).round(DIGITS)), strict=True))

    def _of_table(self, values: np.ndarray, table: Table) -> np.ndarray:
        operator = np.nanmean if self.scheme["operator"] == "mean" else np.nanmedian
        signed = -table.sign * values
        if self.scheme["scheme"] == "rank_then_aggregate":
            signed = ranked(signed.round(DIGITS))
        with np.errstate(all="ignore"):
            empty = np.isnan(signed).all(axis=0)
            scores = np.where(empty, np.nan, operator(np.where(empty, 0.0, signed), axis=0))
        ranks = ranked(scores.round(DIGITS))
        # Who has no value at all stands on the rank after the last, as in challengeR.
        return np.where(empty, np.nanmax(ranks) + 1 if not empty.all() else 1.0, ranks)

    def winners(self, entry: dict, **changes) -> list[str] | None:
        """Return the teams with the best rank, in ascending order."""
        ranks = self.ranks(entry, **changes)
        return None if ranks is None else sorted(name for name, rank in ranks.items() if rank == min(ranks.values()))

    def of_whole(self, entry: dict) -> bool:
        """Return whether everything in an entry has one value of the whole data set."""
        return self.whole and not self.tables_of(entry)

    def same(self, entry: dict, names: list[str]) -> bool:
        """Return whether teams have the same value on every case."""
        alike = not self.whole or self._same_whole(entry, names)
        if not alike or not self.tables_of(entry):
            return alike
        columns = [self.names.index(name) for name in names]
        return all(
            np.array_equal(table.numbers[:, columns[0]], table.numbers[:, column], equal_nan=True)
            for table in self.tables_of(entry)
            for column in columns
        )

    def _same_whole(self, entry: dict, names: list[str]) -> bool:
        """Return whether values of the whole data set are based on the same answers or submitted values."""
        groups: dict[tuple[str, str], list] = {}
        for (part, name, region), block in self.challenge.evidence.blocks.items():
            if name in names and not (self.given and entry.get("metric") not in (None, "", part)):
                groups.setdefault((part, region), []).append(block)
        return all(
            len(blocks) == len(names)
            and np.array_equal(block.counts, blocks[0].counts)
            and np.array_equal(block.values, blocks[0].values)
            for blocks in groups.values()
            for block in blocks
        )

    def usual_gap(self, table: Table) -> float:
        """Return the usual difference between two teams on a case.

        This is the median over all pairs of their median difference, where it has bounds.
        """
        key = (table.metric, table.region, table.task)
        if key not in self._gaps:
            first, other = np.triu_indices(len(self.names), 1)
            medians = np.nanmedian(apart(table.numbers[:, first], table.numbers[:, other]), axis=0)
            self._gaps[key] = float(np.nanmedian(medians[np.isfinite(medians)]))
        return self._gaps[key]

    def missing(self, entry: dict, name: str) -> int:
        """On how many cases a team has no prediction, over the tasks."""
        if self.given:
            rows = self.results[(self.results["algorithm"] == name) & (self.results["outcome"] == "missing")]
            lacking = set(rows["metric"]) & {entry.get("metric") or metric for metric in self.given}
            # A ranking of both counts the cases of those that say on which of them they rest.
            if entry.get("metric") in self.given or not self.tables:
                return len(self.cases) if lacking else 0
            return int((rows["case"] != "").sum())
        if self.data_sets and entry.get("region"):
            return len(self.challenge.absent[name] & set(self.cases_of(entry)))
        if self.whole:
            return self.challenge.unanswered[name]
        column = self.names.index(name)
        by_task: dict[str | None, int] = {}
        for table in self.tables_of(entry):
            by_task[table.task] = max(by_task.get(table.task, 0), int(table.absent[:, column].sum()))
        return sum(by_task.values())

    def number_of_cases(self, entry: dict) -> int:
        return (
            len(self.cases) * len({table.task for table in self.tables_of(entry)})
            if not self.whole
            else len(self.cases_of(entry))
        )

    @cached_property
    def metadata(self) -> pd.DataFrame:
        cases = self.challenge.cases
        return pd.DataFrame({"case": self.cases}) if cases is None else cases[~cases["case"].isin(self.excluded)]

    def units_of(self, entry: dict) -> int:
        """Return the number of units that are resampled for an entry.

        If the entry has several data sets, this is the number in the smallest one.
        """
        if not self.data_sets or (entry.get("metric") and not entry.get("region")):
            return self.units
        if entry.get("region"):
            return len(self.cases_of(entry))
        return int(self.metadata[self.data_sets].value_counts().min())

    @cached_property
    def units(self) -> int:
        """Number of units that are resampled."""
        drawn = self.assessment.uncertainty.resample[0]
        return len(self.cases) if drawn == "case" else int(self.metadata[drawn].nunique())


def apart(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Differences: without bound where only one of two has a value, and none where neither has."""
    return np.where(np.isnan(one) != np.isnan(other), np.inf, np.abs(one - other))


def ranked(scores: np.ndarray) -> np.ndarray:
    """Rank along the last axis, the smallest first; equal ones share the better rank, what is no number has none."""
    ranks = 1.0 + (scores[..., None, :] < scores[..., :, None]).sum(axis=-1)
    return np.where(np.isnan(scores), np.nan, ranks)
