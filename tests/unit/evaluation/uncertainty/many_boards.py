"""Random boards of all schemes and kinds, with roles and looks, and what must never contradict itself on any of them.

A board follows from its seed alone. ``make boards`` checks 10,000 of them and lists those with contradictions by seed.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from evaluation.analyses.catalogue import orders_of
from evaluation.assessment import parse
from evaluation.boards.effects import effect_cells
from evaluation.boards.stored import build
from evaluation.claims.ranking import sentences_of
from evaluation.ranking import rank
from evaluation.ranking.uncertainty.looks import Look
from evaluation.ranking.uncertainty.sign_flips import flip_matrix
from evaluation.ranking.uncertainty.studentized import drawn_counts
from evaluation.scoring.evidence import make_evidence
from evaluation.scoring.given_evidence import Given, shared_of
from tests.claims.consistency import contradictions as of_page
from tests.unit.evaluation.uncertainty.boards import results

NAMES = [f"team {letter}" for letter in "ABCDEF"]
SCHEMES = {
    "mean": {"scheme": "aggregate_then_rank"},
    "median": {"scheme": "aggregate_then_rank", "operator": "median"},
    "percentile": {"scheme": "aggregate_then_rank", "operator": {"percentile": 10}},
    "ranks": {"scheme": "rank_then_aggregate"},
    "tests": {"scheme": "test_then_rank"},
    "re-ranked": {"scheme": "aggregate_then_rank", "combine": {"over": ["metric"], "rerank": True}},
    "averaged ranks": {"scheme": "rank_then_aggregate", "combine": {"over": ["metric"], "rerank": False}},
    "ranks of cases": {"scheme": "rank_then_aggregate", "combine": {"over": ["metric"]}},
    "roles": {"scheme": "aggregate_then_rank"},
    "given errors": {"scheme": "one_score"},
}
COMMON = ("mean", "mean", "mean", *SCHEMES)
"""Schemes from which one is drawn: a mean has most rules."""
FAILED = 0.0
SMALL = 1e-9


@dataclass(frozen=True)
class Board:
    """A board as the input of a ranking.

    Attributes
    ----------
    seed
        The seed from which it follows.
    scheme
        Name of its scheme.
    tables
        Values of each metric, cases × algorithms.
    names
        Names of the algorithms.
    document
        The assessment.
    strata
        Stratum of each case; ``None`` without strata.
    patients
        Patient of each case; ``None`` without patients.
    look
        The change of the field that this board is; ``None`` if it is ranked once.
    errors
        Given standard error of each algorithm, for values of the whole data set.
    """

    seed: int
    scheme: str
    tables: tuple[np.ndarray, ...]
    names: list[str]
    document: dict
    strata: list[str] | None
    margin: float = 0.0
    bounded: bool = False
    missing: object = FAILED
    uncertainty: dict = field(default_factory=dict)
    patients: list[str] | None = None
    look: Look | None = None
    errors: list[float] | None = None

    @property
    def assessment(self):
        """The parsed assessment."""
        return parse(self.document)

    @property
    def has_plain_error(self):
        """True if a winner may use the whole error, and every case is a unit."""
        return self.look is None and self.patients is None and self.scheme != "roles"

    def ranked(self):
        """The ranking document."""
        if self.errors is not None:
            return self._ranked_by_errors()
        columns = {"scanner": self.strata, "patient": self.patients}
        known = {name: values for name, values in columns.items() if values is not None}
        count = len(self.tables[0])
        cases = pd.DataFrame({"case": [f"c{case:03d}" for case in range(count)], **known}) if known else None
        rows = [
            results(values, self.names).assign(metric=f"metric{number}") for number, values in enumerate(self.tables)
        ]
        return rank(self.assessment, pd.concat(rows, ignore_index=True), cases=cases, look=self.look)

    def _ranked_by_errors(self):
        values = np.nan_to_num(self.tables[0], nan=FAILED).mean(axis=0)
        rows = [
            {
                "algorithm": name,
                "case": "",
                "metric": "metric0",
                "region": "",
                "value": value,
                "outcome": "ok",
                "task": "",
            }
            for name, value in zip(self.names, values, strict=True)
        ]
        blocks = [
            Given(float(value), standard_error=error).block("metric0", name, "")
            for name, value, error in zip(self.names, values, self.errors, strict=True)
        ]
        shared = shared_of([f"c{case:03d}" for case in range(len(self.tables[0]))])
        evidence = make_evidence(self.assessment, blocks, parts={"metric0": "metric0"}, shared=shared)
        return rank(self.assessment, pd.DataFrame(rows), evidence=evidence, look=self.look)


def random_board(seed):
    """Draw a board with 2 to 6 algorithms and 2 to 40 cases."""
    random = np.random.default_rng(seed)
    scheme = str(random.choice(COMMON))
    algorithms, cases = int(random.integers(2, 7)), int(random.integers(2, 41))
    is_given = scheme == "given errors"
    several = "combine" in SCHEMES[scheme]
    missing = "exclude" if random.random() < 0.25 and not is_given else FAILED
    count = 3 if scheme == "roles" else 2 if several else 1
    tables = tuple(_values(random, cases, algorithms, missing) for _ in range(count))
    bounded = random.random() < 0.6
    policy = {"missing": missing, **({"allow_gaming": True} if missing == "exclude" else {})}
    metrics = [
        {"id": f"metric{number}", "direction": "higher", "policy": policy, **({"range": [0, 1]} if bounded else {}),
         **({"level": "dataset"} if is_given else {})}
        for number in range(len(tables))
    ]  # fmt: skip
    margin = float(random.choice([0.005, 0.02, 0.1])) if scheme == "mean" and random.random() < 0.4 else 0.0
    uncertainty = {"bootstrap": 200, **({"margin": {"metric0": margin}} if margin else {})}
    if random.random() < 0.2:
        uncertainty["interval"] = 0.9
    strata, patients, levels = None, None, {}
    if is_given:
        pass
    elif random.random() < 0.15:
        patients = [f"p{int(number):02d}" for number in random.integers(0, max(2, cases // 2), cases)]
        if random.random() < 0.5:
            levels = {"aggregation": {"levels": ["case", {"name": "patient", "role": "random"}], "operator": "mean"}}
    elif random.random() < 0.3:
        strata = ["x" if random.random() < 0.6 else "y" for _ in range(cases)]
        if len(set(strata)) < 2:
            strata = None
        else:
            levels = {"aggregation": {"levels": ["case", {"name": "scanner", "role": "fixed"}], "operator": "mean"}}
    ranking = {"combine": None, **SCHEMES[scheme]}
    if scheme == "roles":
        roles = random.choice(["primary", "secondary", "exploratory"], count)
        ranking = [
            {"name": f"ranking {number}", "metrics": [f"metric{number}"], "role": str(role), **ranking}
            for number, role in enumerate(roles)
        ]
    look = None
    if random.random() < 0.2:
        planned = int(random.integers(1, 13)) if random.random() < 0.5 else None
        look = Look(int(random.integers(1, 13)), planned)
    document = {
        "problem": "external",
        "metrics": metrics,
        "ranking": ranking,
        "uncertainty": uncertainty,
        **levels,
    }
    names = NAMES[:algorithms]
    errors = [float(error) for error in random.choice([0.001, 0.02, 0.1], algorithms)] if is_given else None
    return Board(
        *(seed, scheme, tables, names, document, strata, margin, bounded, missing, uncertainty),
        patients=patients,
        look=look,
        errors=errors,
    )


def _values(random, cases, algorithms, missing):
    """Values in [0, 1] with differences of one of several shapes, ties, failures and missing values."""
    gap = float(random.choice([0.0, 0.01, 0.05, 0.2]))
    spread = float(random.choice([0.001, 0.02, 0.1]))
    level = random.uniform(0.3, 0.6, (cases, 1)) + 0.3 - gap * random.permutation(algorithms)
    noise = {
        "normal": lambda: random.normal(0, 1, (cases, algorithms)),
        "bad cases": lambda: 1 - random.lognormal(0, 1, (cases, algorithms)),
        "good cases": lambda: random.exponential(1, (cases, algorithms)) - 1,
        "none": lambda: np.zeros((cases, algorithms)),
    }[str(random.choice(["normal", "normal", "bad cases", "good cases", "none"]))]()
    values = np.clip(level + spread * noise, 0.02, 1.0).round(int(random.choice([2, 4])))
    if random.random() < 0.2:
        values[:, -1] = values[:, 0]
    if random.random() < 0.4:
        values[random.random((cases, algorithms)) < random.choice([0.02, 0.1], size=algorithms)] = FAILED
    if random.random() < 0.3:
        gone = random.random((cases, algorithms)) < 0.05
        if missing == "exclude":
            gone[0] = False  # every algorithm has a value
        values[gone] = np.nan
    return values


def contradictions(board):
    """Return what contradicts itself on a board, each as a short text; empty if nothing does."""
    document = board.ranked()
    found = []
    overall = [{"metric": None, **document["overall"]}] if document["overall"] else []
    for entry in [*document["rankings"], *overall]:
        found += [text for text, holds in rules_of(board, entry) if not holds]
        found += [text for text, holds in _rules_of_sentences(entry, sentences_of(entry, document)) if not holds]
    table = build(document, board.assessment)
    found += [text for text, holds in _rules_of_tables(document, table) if not holds]
    for order, entry in orders_of(document, table):
        found += of_page(entry, document, sentences_of(entry, document), order, table)
    return found


def _rules_of_sentences(entry, sentences):
    """The headline and every other sentence against the verdict, the letters and the numbers."""
    rows, verdict, first = entry["algorithms"], entry["verdict"], entry["algorithms"][0]["name"]
    reason = entry["winner"]["reason"]
    words, text = str(sentences[0]), " ".join(map(str, sentences))
    yield "the headline of a winner is that of a confirmed one", (" is the winner" in words) == (verdict == "confirmed")
    says = "significantly better than" in words
    yield "the headline is significant where the verdict is", says == (verdict == "significant")
    if reason == "exploratory":
        yield "nothing is significant in exploratory rankings", not re.search(r"signific(?!ance)|confirm|letter", text)
    if len(rows) == 2:
        yield "two are not all others", "all others" not in text
    interval = re.search(r"(\d+(?:\.\d+)? %) interval", words)
    if interval:
        yield "the level of the headline is that of the ranking", interval[1] == f"{100 * entry['lead']['level']:g} %"
    tied = re.search(r"(\d+) teams are statistically tied", words)
    if tied:
        yield "the tied are those within reach", int(tied[1]) == sum(row["within_reach"] for row in rows)
    worse = re.search(r"(\d+) teams are not significantly worse", words)
    if worse and entry["shown_better"] is not None:
        yield (
            "the not worse are those of the matrix",
            int(worse[1]) == sum(not one for one in entry["shown_better"][0][1:]),
        )
    shown = re.search(r"(\d+) of the \d+ others (?:is|are) shown", text)
    if shown:
        yield "the worse are those of the matrix", int(shown[1]) == sum(entry["shown_better"][0])
    for row in rows[1:]:
        if f"{row['name']} is equivalent to {first}" in text:
            yield "equivalent is a verdict", row["difference_from_first"]["verdict"] == "equivalent"


def _rules_of_tables(document, table):
    """The stored table of a page and the columns of files against the document."""
    entries = document["rankings"] + ([document["overall"]] if document["overall"] else [])
    yield "every ranking is an order", len(table["orders"]) == len(entries)
    teams = table["teams"]
    by_key = {(order["ranking"], order["metric"]): order for order in table["orders"]}
    for entry in entries:
        order = by_key[entry.get("name"), entry.get("metric")]
        cells = effect_cells(order, teams[0])
        yield "the file has the verdict", cells["verdict"] == entry["verdict"]
        yield "the file has the winner", cells["winner"] == entry["winner"]["algorithm"]
        for row in entry["algorithms"]:
            place = teams.index(row["name"])
            low, high = row["rank_set"] or (None, None)
            yield "the page has the sets", (order["set_low"][place], order["set_high"][place]) == (low, high)
            difference = row["difference_from_first"] or {}
            yield "the page has the differences", order["difference_verdict"][place] == difference.get("verdict")
        if order["score_interval_kind"] == "confidence":
            pairs = [
                (order["score_low"][index], order["score"][index], order["score_high"][index])
                for index in range(len(teams))
            ]
            yield (
                "a confidence interval contains its score",
                all(low - 1e-5 <= score <= high + 1e-5 for low, score, high in pairs),
            )


def rules_of(board, entry):
    """Yield each rule with whether it applies to one entry of the document."""
    rows = entry["algorithms"]
    first, others = rows[0], rows[1:]
    winner, verdict, margin = entry["winner"], entry["verdict"], entry["margin"] or 0.0
    named = winner["named"]
    if winner["reason"] == "exploratory":
        yield "an exploratory ranking decides nothing", (named, verdict, entry["shown_better"]) == (False, None, None)
        verdicts = {(row["difference_from_first"] or {}).get("verdict") for row in rows}
        yield "an exploratory ranking describes differences", not verdicts & {"better", "equivalent"}
        return
    shown = np.array(entry["shown_better"], dtype=bool)
    yield "a verdict above leaning is that of a named winner", (verdict in ("confirmed", "significant")) == named
    yield "known verdicts", verdict in ("confirmed", "significant", "leaning", "open", None)
    yield "a winner is named where its reason is shown", named == (winner["reason"] == "shown")
    yield "one of two is not better than itself", not (shown & shown.T).any() and not shown.diagonal().any()
    if named:
        yield "the winner is first", winner["algorithm"] == first["name"]
        yield "the winner is first alone", all(row["rank"] > first["rank"] for row in others)
        yield "the winner's set is 1 to 1", first["rank_set"] == [1, 1]
        yield "no other set reaches 1", all(row["rank_set"][0] > 1 for row in others)
        yield "the winner is better than all others", bool(shown[0, 1:].all())
        yield "the winner shares no letter", not set(first["letters"]) & set("".join(row["letters"] for row in others))
        yield "nobody beats the winner in a contest of two", not entry["sensitivity"]["head_to_head"]
    yield "one more failure is a lead", winner["reason"] != "one_more_failure" or verdict == "leaning"
    yield "confirmed leads are of bounded values", verdict != "confirmed" or _may_be_confirmed(board, entry)
    for i, row in enumerate(rows):
        for j in range(i):
            shared = bool(set(row["letters"]) & set(rows[j]["letters"]))
            yield "a letter is shared where neither is better", shared == (not shown[i, j] and not shown[j, i])
        if row["rank_set"] is not None:
            low, high = row["rank_set"]
            yield "a set holds the displayed rank", low <= row["rank"] <= high
            yield "a set follows from the matrix", low == min(1 + shown[:, i].sum(), math.floor(row["rank"]))
            yield "a set follows from the matrix", high == max(len(rows) - shown[i].sum(), math.ceil(row["rank"]))
            yield "within reach is a set from 1", row["within_reach"] == (low == 1)
    yield from _rules_of_differences(entry, shown, margin, named)
    yield from _rules_of_numbers(entry, named, verdict)
    if (
        board.scheme == "mean"
        and board.has_plain_error
        and (board.missing != "exclude" or not np.isnan(board.tables[0]).any())
    ):
        yield from _rules_of_linear(board, entry, margin)


def _may_be_confirmed(board, entry):
    """Return whether all values of an entry are bounded and none is excluded."""
    if board.scheme in ("median", "percentile", "tests", "given errors"):
        return False
    numbers = [number for number in range(len(board.tables)) if entry["metric"] in (None, f"metric{number}")]
    has_gaps = board.missing == "exclude" and any(np.isnan(board.tables[number]).any() for number in numbers)
    return not has_gaps and (board.bounded or "ranks" in board.scheme)


def _rules_of_differences(entry, shown, margin, named):
    rows = entry["algorithms"]
    yield "the first has no difference from itself", rows[0]["difference_from_first"] is None
    for place, row in enumerate(rows[1:], 1):
        difference = row["difference_from_first"]
        if difference is None:
            continue
        is_better = difference["verdict"] == "better"
        yield "a difference is better where the matrix is", is_better == bool(shown[0, place])
        if difference["interval"] is None:
            yield "no equivalence without an interval", difference["verdict"] != "equivalent"
            continue
        low, high = difference["interval"]
        yield "an interval contains the estimate", low - SMALL <= difference["estimate"] <= high + SMALL
        if low > margin + SMALL:
            yield "an interval above the margin is better", is_better
        if is_better:
            yield "better is an interval from the margin", low >= margin - SMALL
            yield "better is an estimate above the margin", difference["estimate"] > margin - SMALL
        if named:
            yield "all intervals of a winner are above the margin", low > margin or (low == margin and _is_later(entry))
        inside = margin > 0 and -margin < low and high < margin
        if not is_better:
            yield "equivalent is within the margin", (difference["verdict"] == "equivalent") == inside


def _is_later(entry):
    """Return whether a winner is one of a later step of Holm's method, whose lead is above the margin by an unknown amount."""
    family = entry.get("family") or {}
    return family.get("tests") != family.get("rankings")


def _rules_of_numbers(entry, named, verdict):
    rows, lead, margin = entry["algorithms"], entry["lead"], entry["margin"] or 0.0
    if lead is not None:
        of_other = next(row["difference_from_first"] for row in rows if row["name"] == lead["over"])
        if of_other is not None:
            yield (
                "the lead is the difference from the runner-up",
                math.isclose(lead["estimate"], of_other["estimate"], abs_tol=SMALL),
            )
        every = [row["difference_from_first"]["estimate"] for row in rows if row["difference_from_first"]]
        yield "the lead is the smallest difference", not every or lead["estimate"] <= min(every) + SMALL
        if lead["interval"] is not None:
            low, high = lead["interval"]
            yield "the interval of the lead contains it", low - SMALL <= lead["estimate"] <= high + SMALL
            if named:
                yield "the lead of a winner is above the margin", low > margin or (low == margin and _is_later(entry))
            else:
                yield "without a winner the interval of the lead is not above the margin", low <= margin + SMALL
    rate = entry["break_even_failure_rate"]
    if rate is not None:
        yield "rates are in order", 0 <= rate["rate"] <= rate["estimate"] + SMALL <= 1 + SMALL
        yield "the bound is above the observed rate", rate["upper"] >= rate["failed"] / rate["of"]
        yield "a significant winner may fail at some rate", verdict != "significant" or rate["rate"] > 0
    probability = entry["false_claim_probability"]
    if probability is not None:
        shares = [probability[key] for key in ("better", "equivalent", "worse")]
        yield "probabilities sum to one", math.isclose(sum(shares), 1.0, abs_tol=SMALL) and min(shares) >= 0
    yield "cases to confirm are of a significant winner", entry["cases_to_confirm"] is None or verdict == "significant"
    if named:
        yield "a winner has nothing to settle", not entry["cases_to_settle"]


def _rules_of_linear(board, entry, margin):
    """The lower end of the lead, recomputed, against the decision."""
    reason = entry["winner"]["reason"]
    if reason not in ("shown", "not_shown", "one_more_failure"):
        return
    values = np.nan_to_num(board.tables[0], nan=FAILED)
    first = board.names.index(entry["algorithms"][0]["name"])
    limits = lower_limits(board, values, first)
    end = float(limits.min())
    if abs(end - margin) > SMALL and entry["verdict"] != "confirmed":
        yield "a winner is named where the recomputed end is above the margin", (end > margin) == (reason == "shown")
    significant = float(limits[:2].min())
    if abs(significant - margin) > SMALL and entry["verdict"] != "confirmed":
        yield "not shown is a limit of flips or draws", (significant <= margin) == (reason == "not_shown")


def lower_limits(board, values, first):
    """Limits of the lead over each other one: by flips, by bootstrap-t, and after one more failure; limits × others."""
    cases, algorithms = values.shape
    names = [f"c{case:03d}" for case in range(cases)]
    total = round(1 - board.uncertainty.get("interval", 0.95), 12)
    level = (total if algorithms == 2 else 2 * total / 3) / 2
    strata = np.zeros(cases, dtype=int)
    weights = np.full(cases, 1 / cases)
    if board.strata is not None:
        strata = np.array([sorted(set(board.strata)).index(name) for name in board.strata])
        sizes = np.bincount(strata)
        weights = 1 / len(sizes) / sizes[strata]
        by_stratum = np.argsort(strata, kind="stable")  # units are numbered stratum by stratum
        values, strata, weights = values[by_stratum], strata[by_stratum], weights[by_stratum]
    others = [j for j in range(algorithms) if j != first]
    plain = values[:, [first]] - values[:, others]
    parts = weights[:, None] * plain
    estimate = parts.sum(axis=0)
    signs = flip_matrix(cases, bootstrap=200, seed=1, cases=names).astype(float)
    turned = (signs < 0).astype(float)
    with np.errstate(invalid="ignore", divide="ignore"):
        ratio = np.where(turned.any(axis=1)[:, None], (turned @ parts) / (turned @ weights)[:, None], -np.inf)
    by_flips = np.sort(ratio, axis=0)[math.floor(level * len(ratio) + SMALL)]
    # Units are not gathered here, so weights are equal within each stratum: plain means and variances of strata.
    counts = np.concatenate(list(drawn_counts(strata, seed=1, cases=names)))

    def of_resamples(rows):
        mean, variance = np.zeros((len(rows), len(others))), np.zeros((len(rows), len(others)))
        for stratum in np.unique(strata):
            inside = strata == stratum
            size, share, own = inside.sum(), weights[inside].sum(), plain[inside]
            drawn = rows[:, inside]
            its_mean = drawn @ own / size
            squares = np.maximum(drawn @ own**2 / size - its_mean**2, 0.0)
            squares[squares < 1e-13 * np.maximum(drawn @ own**2 / size, 1e-300)] = 0.0
            mean += share * its_mean
            variance += share**2 * squares / max(size - 1, 1)
        return mean, np.sqrt(variance)

    _, error = of_resamples(np.ones((1, cases)))
    mean, errors = of_resamples(counts)
    shift = mean - estimate
    with np.errstate(invalid="ignore", divide="ignore"):
        statistics = np.where(errors > 0, shift / errors, np.where(shift > 1e-12, np.inf, -np.inf))
        allowed = math.floor(level * 2001 + SMALL) - 1
        edge = -np.sort(-statistics, axis=0)[allowed]
        by_draws = np.where(error[0] > 0, estimate - edge * error[0], estimate)
    after = np.full(len(others), np.inf)
    if board.missing != "exclude":
        after = estimate - (weights * (values[:, first] - FAILED)).max()
    return np.stack([by_flips, by_draws, after])
