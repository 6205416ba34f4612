"""Every number of a ranking document, counted once more: slowly, sample by sample, with exact fractions."""

from __future__ import annotations

import math
import statistics
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from evaluation.assessment import parse
from evaluation.ranking import rank
from evaluation.ranking.evaluate import make_plan
from evaluation.ranking.scores import spread_around_median
from tests.sizes import size

BOOTSTRAP = 40
CASES = ["c1", "c2", "c3", "c4", "c5", "c6", "c7"]
METADATA = pd.DataFrame(
    {
        "case": CASES,
        "patient": ["p1", "p1", "p1", "p2", "p2", "p3", "p4"],
        "site": ["s1", "s1", "s1", "s1", "s1", "s2", "s2"],
    }
)
NAMES = ["a", "b", "c", "d"]
MEAN = {"scheme": "aggregate_then_rank", "operator": "mean"}
MEDIAN = {"scheme": "aggregate_then_rank", "operator": "median", "ties": "average"}
LOW = {"scheme": "aggregate_then_rank", "operator": {"percentile": 30}, "ties": "max"}
RANKS = {"scheme": "rank_then_aggregate", "operator": "mean", "ties": "dense"}
PATIENTS = {
    "aggregation": {"levels": ["case", "patient"], "operator": "mean"},
    "uncertainty": {"resample": ["patient"]},
}


def quantile(values, share):
    ordered = sorted(values)
    position = share * (len(ordered) - 1)
    low = math.floor(position)
    high = math.ceil(position)
    return ordered[low] + (ordered[high] - ordered[low]) * (position - low)


def aggregate(values, operator, *, higher=True):
    if not values:
        return None
    if operator == "mean":
        return sum(values) / len(values)
    if operator == "median":
        return quantile(values, Fraction(1, 2))
    share = Fraction(operator["percentile"], 100)
    return quantile(values, share if higher else 1 - share)


def ranked(scores, *, higher, ties):
    """Return the ranks of one row; algorithms without a score are behind all others."""
    keys = [None if score is None else (-score if higher else score) for score in scores]
    known = sorted(key for key in keys if key is not None)
    distinct = sorted(set(known))
    found = []
    for key in keys:
        if key is None:
            found.append(None)
            continue
        first, count = known.index(key) + 1, known.count(key)
        found.append(
            {
                "min": Fraction(first),
                "max": Fraction(first + count - 1),
                "average": Fraction(2 * first + count - 1, 2),
                "dense": Fraction(distinct.index(key) + 1),
            }[ties]
        )
    assert None not in found, "boards of this test have a score for everybody"
    return found


class Board:
    """Values of several metrics and regions on the same cases."""

    def __init__(self, document, seed, *, metrics=("quality",), regions=("all",), directions=None, missing=()):
        random = np.random.default_rng(seed)
        directions = directions or {}
        self.document = {
            "problem": "external",
            "regions": [{"name": name, "labels": [name]} for name in regions] if regions != ("all",) else [],
            "metrics": [
                {"id": name, "direction": directions.get(name, "higher"), "policy": {"missing": -1}} for name in metrics
            ],
            **document,
        }
        self.assessment = parse(self.document)
        self.rule = self.assessment.rankings[0]
        self.higher = {name: directions.get(name, "higher") == "higher" for name in metrics}
        self.values = {}
        rows = []
        for name in NAMES:
            for metric in metrics:
                for region in regions:
                    for case in CASES:
                        value = Fraction(int(random.integers(0, 9)), 8)
                        gone = (name, case) in missing
                        self.values[metric, region, name, case] = Fraction(-1) if gone else value
                        where = "" if regions == ("all",) else region
                        outcome = "missing" if gone else "ok"
                        rows.append((name, case, where, metric, None if gone else float(value), outcome))
        self.results = pd.DataFrame(rows, columns=["algorithm", "case", "region", "metric", "value", "outcome"])
        self.tables = [(metric, region) for metric in metrics for region in regions]
        self.plan = make_plan(self.assessment, CASES, METADATA, bootstrap=BOOTSTRAP, seed=12)
        self.made = rank(self.assessment, self.results, cases=METADATA, bootstrap=BOOTSTRAP, seed=12)

    @property
    def levels(self):
        return [level for level in self.assessment.aggregation.levels if level != "case"]

    def samples(self):
        """For each sample, the cases drawn, each with the copies that it belongs to."""
        drawn = self.plan.drawn
        found = [[] for _ in range(self.plan.number)]
        for place, (case, sample) in enumerate(zip(drawn.cases, drawn.samples, strict=True)):
            copies = {level: int(own[place]) for level, own in drawn.copies.items()}
            found[sample].append((CASES[case], copies))
        return found

    def scores(self, table, sample):
        """Of each algorithm, on the cases of one sample."""
        metric, region = table
        higher = self.higher[metric]
        per_case = []
        for case, copies in sample:
            own = [self.values[metric, region, name, case] for name in NAMES]
            if self.document["ranking"]["scheme"] == "rank_then_aggregate":
                own = ranked(own, higher=higher, ties=self.rule.ties)
            per_case.append((case, copies, own))
        if self.document["ranking"]["scheme"] == "rank_then_aggregate":
            higher = False
        operator = self.document["ranking"].get("operator", "mean")
        found = []
        for column in range(len(NAMES)):
            values = [own[column] for _, _, own in per_case]
            for level in self.levels:
                groups = {}
                for case, copies, own in per_case:
                    key = (copies.get(level), METADATA.set_index("case").loc[case, level])
                    groups.setdefault(key, []).append(own[column])
                values = [aggregate(own, "mean") for own in groups.values()]
            found.append(aggregate(values, operator, higher=higher))
        return found, higher

    def ranks(self, table):
        """Scores and ranks of one table in every sample."""
        found = []
        for sample in self.samples():
            scores, higher = self.scores(table, sample)
            found.append((scores, ranked(scores, higher=higher, ties=self.rule.ties)))
        return found

    def overall(self):
        """Of the mean rank over all tables."""
        tables = [self.ranks(table) for table in self.tables]
        found = []
        for rows in zip(*tables, strict=True):
            means = [sum(row[1][place] for row in rows) / len(rows) for place in range(len(NAMES))]
            found.append((means, ranked(means, higher=False, ties=self.rule.ties)))
        return found


def check(entry, counted, board):
    """Compare an entry of the document with scores and ranks in every sample.

    The samples are the full data, the resamples, and the samples that leave one out.
    """
    plan = board.plan
    full, drawn, left = counted[0], counted[1 : 1 + BOOTSTRAP], counted[1 + BOOTSTRAP :]
    scores, ranks = full
    order = sorted(range(len(NAMES)), key=lambda place: (ranks[place], NAMES[place]))
    assert [row["name"] for row in entry["algorithms"]] == [NAMES[place] for place in order]
    for row, place in zip(entry["algorithms"], order, strict=True):
        own = sorted(float(sample[1][place]) for sample in drawn)
        assert row["rank"] == float(ranks[place])
        assert row["score"] == pytest.approx(float(scores[place]))
        low, high = own[math.ceil(BOOTSTRAP / 40) - 1], own[math.ceil(BOOTSTRAP * 39 / 40) - 1]
        assert row["rank_interval"] == [math.floor(low), math.ceil(high)]
        assert row["rank_median"] == statistics.median(own)
        edges = np.quantile([float(sample[0][place]) for sample in drawn], [0.025, 0.975])
        assert row["score_interval"] == pytest.approx(list(edges))
        assert row["share_first"] == sum(sample[1][place] == min(sample[1]) for sample in drawn) / BOOTSTRAP
        assert row["rank_frequencies"] == [
            sum(math.floor(own) == number for own in (sample[1][place] for sample in drawn))
            for number in range(1, len(NAMES) + 1)
        ]
    winners = [place for place in range(len(NAMES)) if ranks[place] == min(ranks)]
    assert entry["winners"] == [NAMES[place] for place in sorted(winners, key=lambda place: NAMES[place])]

    def first_places(samples):
        firsts = [[sample[1][place] == min(sample[1]) for place in range(len(NAMES))] for sample in samples]
        together = all(len({first[place] for place in winners}) == 1 for first in firsts)
        stays = sum(first[winners[0]] for first in firsts) / len(firsts) if together else None
        others = [place for place in range(len(NAMES)) if place not in winners]
        ever = [sum(first[place] for first in firsts) / len(firsts) for place in others]
        if not others:
            return stays, None, None, firsts
        return (
            stays,
            sum(share > 0 for share in ever) / len(others),
            sum(share >= 0.01 for share in ever) / len(others),
            firsts,
        )

    stays, others, often, _ = first_places(drawn)
    assert entry["winner_stays"] == (stays if stays is None else pytest.approx(stays))
    assert entry["others_first"] == (others if others is None else pytest.approx(others))
    assert entry["others_first_1_percent"] == (often if often is None else pytest.approx(often))
    taus = [
        stats.kendalltau([float(own) for own in ranks], [float(own) for own in sample[1]]).statistic for sample in drawn
    ]
    known = [tau for tau in taus if not math.isnan(tau)]
    said = entry["kendall_tau"]
    assert said["undefined"] == len(taus) - len(known)
    assert sum(said["histogram"]) == len(known)
    if known:
        low, middle, high = np.quantile(known, [0.25, 0.5, 0.75])
        told = (said["mean"], said["median"], said["q25"], said["q75"], said["min"])
        assert told == pytest.approx((np.mean(known), middle, low, high, min(known)), abs=1e-9)
    stays, others, _, firsts = first_places(left)
    assert entry["leave_one_out"]["winner_stays"] == (stays if stays is None else pytest.approx(stays))
    assert entry["leave_one_out"]["others_first"] == (others if others is None else pytest.approx(others))
    first = [place in winners for place in range(len(NAMES))]
    changed = [number for number, own in enumerate(firsts) if own != first]
    column = CASES if not board.levels else list(METADATA["patient"])
    names = sorted(set(column))
    assert entry["leave_one_out"]["changed_by"] == [
        [case for case, own in zip(CASES, column, strict=True) if own == names[number]] for number in changed
    ]
    assert entry["drawn_units"] == len(names) == plan.left_out
    assert entry["cases"] == len(CASES)
    assert entry["resampled"]


@pytest.mark.parametrize("scheme", [MEAN, MEDIAN, LOW, RANKS], ids=["mean", "median", "percentile", "ranks"])
@pytest.mark.parametrize("more", [{}, PATIENTS], ids=["cases", "patients"])
@pytest.mark.parametrize("seed", size([1], [1, 2]))
def test_one_metric(scheme, more, seed):
    board = Board({"ranking": scheme, **more}, seed, missing={("b", "c2")})
    check(board.made["rankings"][0], board.ranks(board.tables[0]), board)


def test_a_metric_of_which_less_is_better():
    for scheme in (MEAN, LOW, RANKS):
        board = Board({"ranking": scheme}, 3, directions={"quality": "lower"})
        check(board.made["rankings"][0], board.ranks(board.tables[0]), board)


@pytest.mark.parametrize("scheme", [MEAN, MEDIAN, RANKS], ids=["mean", "median", "ranks"])
def test_metrics_and_regions_are_ranked_each_on_its_own_and_then_by_their_mean_rank(scheme):
    board = Board(
        {"ranking": {**scheme, "combine": {"over": ["metric", "region"], "ties": scheme.get("ties", "min")}}},
        4,
        metrics=("quality", "distance"),
        regions=("left", "right"),
        directions={"distance": "lower"},
        missing={("c", "c1"), ("c", "c4")},
    )
    entries = {(entry["metric"], entry["region"]): entry for entry in board.made["rankings"]}
    assert list(entries) == board.tables
    for table, entry in entries.items():
        check(entry, board.ranks(table), board)
    check(board.made["overall"], board.overall(), board)
    assert board.made["overall"]["over"] == ["metric", "region"]
    assert {row["name"]: row["missing"] for row in board.made["overall"]["algorithms"]} == {
        "a": 0,
        "b": 0,
        "c": 2,
        "d": 0,
    }


def test_rankings_over_metrics_alone_are_one_a_region():
    board = Board(
        {"ranking": {**MEAN, "combine": {"over": ["metric"]}}},
        5,
        metrics=("quality", "distance", "score"),
        regions=("left", "right"),
        directions={"distance": "lower"},
    )
    assert [entry["region"] for entry in board.made["overall"]] == ["left", "right"]
    every = board.tables
    for entry in board.made["overall"]:
        board.tables = [table for table in every if table[1] == entry["region"]]
        check(entry, board.overall(), board)
        assert "metric" not in entry


def test_a_ranking_over_metrics_counts_what_is_missing_in_its_own_region():
    rows = [
        (team, case, region, metric, None if gone else 0.5 + 0.1 * index, "missing" if gone else "ok")
        for index, team in enumerate(NAMES)
        for case in CASES
        for region in ("left", "right")
        for metric in ("quality", "distance")
        for gone in [region == "left" and (team, case) in {("b", "c2"), ("b", "c5"), ("d", "c1")}]
    ]
    document = {
        "problem": "external",
        "regions": [{"name": name, "labels": [name]} for name in ("left", "right")],
        "metrics": [{"id": name, "direction": "higher", "policy": {"missing": -1}} for name in ("quality", "distance")],
        "ranking": {**MEAN, "combine": {"over": ["metric"]}},
    }
    frame = pd.DataFrame(rows, columns=["algorithm", "case", "region", "metric", "value", "outcome"])
    document_ranked = rank(parse(document), frame, bootstrap=BOOTSTRAP, seed=1)
    missing = {
        entry["region"]: {row["name"]: row["missing"] for row in entry["algorithms"]}
        for entry in document_ranked["overall"]
    }
    assert missing == {"left": {"a": 0, "b": 2, "c": 0, "d": 1}, "right": dict.fromkeys(NAMES, 0)}


def test_the_spread_of_draws_is_told_around_the_median_of_all():
    deviation = np.array([[1.0, 2.0, 6.0], [-3.0, 0.0, 1.0]])
    assert spread_around_median(deviation) == pytest.approx([(1 + 9) / 2, 0.0, (16 + 1) / 2])
