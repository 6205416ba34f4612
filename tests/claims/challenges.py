"""Challenges at random: 1 to 30 teams, 1 to 500 cases, every kind of problem, ties, clones, missing and excluded cases."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from evaluation.assessment import Assessment, parse
from evaluation.scoring.classification_evidence import PART, make_block, value_of
from evaluation.scoring.evidence import Evidence, make_evidence
from tests.claims.answers import ANSWER_KINDS, answered
from tests.claims.costs import with_costs
from tests.claims.given import measured

TEAMS = (1, 2, 2, 2, 3, 3, 4, 4, 5, 7)
CASES = (1, 2, 3, 4, 5, 6, 6, 7, 7, 8, 8, 9, 10, 12, 25)
NAMES = [f"team {letter}" for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"] + [f"team {letter}2" for letter in "ABCD"]
# Metrics of single cases by kind of problem, with the largest value that they take.
METRICS = {
    "semantic_segmentation": ({"id": "dsc"}, {"id": "iou"}),
    "instance_segmentation": (
        {"id": "fbeta", "options": {"scale": "image"}},
        {"id": "sensitivity", "options": {"scale": "image"}},
    ),
    "object_detection": (
        {"id": "fbeta", "options": {"scale": "image"}},
        {"id": "sensitivity", "options": {"scale": "image"}},
    ),
    "landmarks": ({"id": "radial_error"},),
    "registration": ({"id": "tre"}, {"id": "dsc"}),
    "image_to_image": ({"id": "ssim"}, {"id": "image_mae"}),
    "external": (
        {"id": "tra", "direction": "higher", "range": [0, 1]},
        {"id": "cost", "direction": "lower", "range": [0, None]},
    ),
}
LOWER = ("radial_error", "tre", "image_mae", "cost")
SETTINGS: dict[str, dict[str, Any]] = {
    "landmarks": {"unit": "mm", "penalty": 40},
    "registration": {"field": "voxel"},
    "image_to_image": {"data_range": [0, 255]},
}
KINDS = {
    "table": 0.27,
    "semantic_segmentation": 0.24,
    "image_classification": 0.14,
    "instance_segmentation": 0.05,
    "object_detection": 0.06,
    "landmarks": 0.03,
    "registration": 0.03,
    "image_to_image": 0.03,
    "external": 0.03,
    "regression": 0.03,
    "multilabel_classification": 0.03,
    "survival": 0.03,
    "failure_detection": 0.03,
}
REASONS = ("reference_error", "image_damaged", "duplicate")
CLASSES = ("benign", "malignant")
DECIDED = "decided"
"""Not a kind of problem: challenges with so many cases that winners are named, some of them confirmed."""
# A challenge, its cases, and those without an answer by team where the rows of its results do not tell.
Made = tuple["Challenge", list[str], dict[str, set[str]]]


@dataclass(frozen=True)
class Challenge:
    """An assessment with the raw tables of a phase.

    Attributes
    ----------
    results
        As passed to `evaluation.ranking.rank`; ``outcome`` is ``missing`` if a case has no prediction.
    cases
        Metadata of the cases, or None.
    unanswered
        For values of the whole data set, the number of cases without an answer by team.
    absent
        The cases without an answer, if cases belong to several data sets.
    """

    seed: int
    assessment: Assessment
    results: pd.DataFrame
    cases: pd.DataFrame | None
    evidence: Evidence | None
    unanswered: dict[str, int]
    closed: bool
    absent: dict[str, set[str]] | None = None


def challenge(seed: int, *, large: bool = False, kind: str = "") -> Challenge:
    """The challenge of a number.

    Parameters
    ----------
    large
        Whether up to 30 teams and 500 cases are among what may come; else up to 8 and 30.
    kind
        The kind of problem, where it is not left to chance.
    """
    random = np.random.default_rng(seed)
    drawn = random.choice(list(KINDS), p=list(KINDS.values()))
    kind = kind or str(drawn)
    big = large and random.random() < 0.25
    teams = int(random.integers(9, 31)) if big and random.random() < 0.5 else int(random.choice(TEAMS))
    cases = int(random.integers(31, 501)) if big and random.random() < 0.5 else int(random.choice(CASES))
    names = [str(name) for name in random.permutation(NAMES[:teams])]
    make = _classification if kind == "image_classification" else _answers if kind in ANSWER_KINDS else _of_cases
    if kind == DECIDED:
        make, teams = _decided, int(random.integers(2, 5))
        names, cases = names[:teams] if len(names) >= teams else NAMES[:teams], int(random.integers(20, 121))
    if kind == "external" and random.random() < 0.7:
        make = _given
    generated, identities, absent = make(seed, random, kind, names, cases)
    return with_roles(with_costs(generated, identities, absent))


def with_roles(challenge: Challenge) -> Challenge:
    """The challenge with a role for each ranking, in one of seven challenges."""
    random = np.random.default_rng([challenge.seed, 1])
    if random.random() > 0.15:
        return challenge
    document = dict(challenge.assessment.document)
    registered = document["ranking"]
    rankings = registered if isinstance(registered, list) else [registered]
    roles = ("primary", "secondary", "exploratory", "")
    role = str(random.choice(roles))
    apart = {"combine": None} if random.random() < 0.5 else {}
    with_role = [{**ranking, **apart, **({"role": role} if role else {})} for ranking in rankings]
    document["ranking"] = with_role if isinstance(registered, list) else with_role[0]
    return replace(challenge, assessment=parse(document))


def _exclusions(random: np.random.Generator, cases: list[str]) -> dict[str, Any]:
    """Return, in some challenges, cases that do not count for any team; otherwise an empty dictionary."""
    if len(cases) < 4 or random.random() < 0.85:
        return {}
    chosen = sorted(random.choice(cases, int(random.integers(1, len(cases) // 2)), replace=False).tolist())
    return {"exclusions": {"cases": [{"case": case, "reason": str(random.choice(REASONS))} for case in chosen]}}


def _excluded(assessment: Assessment) -> set[str]:
    return set(assessment.exclusions.cases)


def _answers(seed: int, random: np.random.Generator, kind: str, names: list[str], cases: int) -> Made:
    identities = [f"case-{number:03d}" for number in range(cases)]
    uncertainty, exclusions = _uncertainty(random), _exclusions(random, identities)
    made = answered(random, kind, names, identities, uncertainty, exclusions)
    unanswered = {name: len(absent - _excluded(made.assessment)) for name, absent in made.absent.items()}
    # Without evidence, nothing could be computed anew.
    kept = made.evidence if exclusions or random.random() < 0.85 else None
    closed = bool(random.random() < 0.7)
    challenge = Challenge(seed, made.assessment, made.results, made.cases, kept, unanswered, closed, made.absent)
    return challenge, identities, made.absent


def _given(seed: int, random: np.random.Generator, _kind: str, names: list[str], cases: int) -> Made:
    """Return a challenge with values of the whole data set that were measured elsewhere."""
    identities = [f"case-{number:03d}" for number in range(cases)]
    made = measured(random, names, identities, _uncertainty(random))
    closed = bool(random.random() < 0.7)
    return Challenge(seed, made.assessment, made.results, None, made.evidence, made.missing, closed), identities, {}


def _uncertainty(random: np.random.Generator) -> dict[str, Any]:
    chosen: dict[str, Any] = {"bootstrap": int(random.choice([0, 20, 200], p=[0.08, 0.62, 0.3])), "seed": 1}
    if random.random() < 0.2:
        chosen["interval"] = float(random.choice([0.9, 0.99]))
    if random.random() < 0.1:
        chosen["unseen_failures"] = "jeffreys"
    return chosen


def _schemes(random: np.random.Generator) -> dict[str, Any]:
    return dict(
        random.choice(
            [
                {"scheme": "aggregate_then_rank"},
                {"scheme": "aggregate_then_rank", "operator": "median"},
                {"scheme": "aggregate_then_rank", "operator": {"percentile": 5}},
                {"scheme": "aggregate_then_rank", "operator": "min"},
                {"scheme": "rank_then_aggregate"},
                {"scheme": "rank_then_aggregate", "operator": "median"},
                {"scheme": "test_then_rank"},
            ],
            p=[0.44, 0.1, 0.04, 0.04, 0.18, 0.06, 0.14],
        )
    )


def _of_cases(seed: int, random: np.random.Generator, kind: str, names: list[str], cases: int) -> Made:
    tasks = [None] if kind != "table" or random.random() < 0.6 else ["liver", "spleen"]
    metrics = [dict(metric) for metric in METRICS.get(kind, ({"id": "value"},))]
    metrics = metrics[: int(random.integers(1, len(metrics) + 1))]
    regions = (
        [None]
        if kind in ("table", "external", "landmarks")
        else [[{"name": "whole"}], [{"name": "whole"}, {"name": "core"}]][random.random() < 0.3]
    )
    ranking = _schemes(random)
    missing = _missing_policy(random, by_ranks=ranking["scheme"] == "rank_then_aggregate")
    for metric in metrics:
        metric["policy"] = {"missing": missing} | ({"allow_gaming": True} if missing == "exclude" else {})
        if kind == "table":
            metric["direction"] = str(random.choice(["higher", "lower"]))
        if missing == 0 and (metric["id"] in LOWER or metric.get("direction") == "lower"):
            metric["policy"]["missing"] = 1
    identities = [f"case-{number:03d}" for number in range(cases)]
    frames, absent = [], _absent(random, names, identities)
    for task in tasks:
        for metric in metrics:
            for region in regions:
                values = _values(random, cases, len(names))
                frames.append(_rows(values, names, identities, metric["id"], region, task, absent))
    results = pd.concat(frames, ignore_index=True)
    over = [
        name
        for name, number in (("metric", len(metrics)), ("region", len(regions)), ("task", len(tasks)))
        if number > 1
    ]
    if over:
        ranking["combine"] = {"over": over, "operator": str(random.choice(["mean", "median"])), "rerank": True}
    document: dict[str, Any] = {
        "problem": kind,
        "metrics": metrics,
        "ranking": ranking,
        "uncertainty": _uncertainty(random),
    }
    if kind in SETTINGS:
        document["settings"] = SETTINGS[kind]
    document |= _exclusions(random, identities)
    if regions != [None]:
        document["regions"] = [{**region, "labels": [number]} for number, region in enumerate(regions, 1)]
    metadata = _levels(random, document, identities)
    of_means = ranking == {"scheme": "aggregate_then_rank"}
    if kind == "table" and random.random() < 0.3 and of_means and document["uncertainty"]["bootstrap"]:
        document["uncertainty"]["margin"] = {metrics[0]["id"]: float(random.choice([0.01, 0.1, 0.5]))}
    closed = bool(random.random() < 0.7)
    return Challenge(seed, parse(document), results, metadata, None, {}, closed), identities, {}


def _decided(seed: int, random: np.random.Generator, _kind: str, names: list[str], cases: int) -> Made:
    """Return a challenge of bounded values with a lead from small to large, few failures, and one metric or two."""
    metrics = [dict(metric) for metric in METRICS["semantic_segmentation"][: int(random.integers(1, 3))]]
    for metric in metrics:
        metric["policy"] = {"missing": "exclude", "allow_gaming": True} if random.random() < 0.15 else {"missing": 0}
    identities = [f"case-{number:03d}" for number in range(cases)]
    ranking: dict[str, Any] = {"scheme": "aggregate_then_rank"}
    if len(metrics) > 1:
        ranking["combine"] = {"over": ["metric"], "operator": "mean", "rerank": True}
    elif random.random() < 0.3:
        ranking["scheme"] = str(random.choice(["rank_then_aggregate", "test_then_rank"]))
    elif random.random() < 0.2:
        ranking["operator"] = "median"
    gaps = np.cumsum([0.0, float(random.choice([0.003, 0.01, 0.03, 0.1, 0.3])), *random.uniform(0, 0.05, len(names))])
    noise, level = float(random.choice([0.01, 0.05])), random.normal(0.7, 0.1, (cases, 1))
    failing = float(random.choice([0.0, 0.0, 0.02]))
    absent = {(name, case) for name in names for case in identities if random.random() < failing}
    frames = [
        _rows(
            (level - gaps[: len(names)] + random.normal(0, noise, (cases, len(names)))).clip(0, 1).round(6),
            names, identities, metric["id"], {"name": "whole"}, None, absent,
        )
        for metric in metrics
    ]  # fmt: skip
    document = {
        "problem": "semantic_segmentation",
        "regions": [{"name": "whole", "labels": [1]}],
        "metrics": metrics,
        "ranking": ranking,
        "uncertainty": {"bootstrap": 200, "seed": 1},
    }
    if random.random() < 0.2:
        document["uncertainty"]["winner_alpha"] = 0.01
    closed = bool(random.random() < 0.7)
    if len(metrics) == 1 and ranking == {"scheme": "aggregate_then_rank"} and random.random() < 0.3:
        document["uncertainty"]["margin"] = {metrics[0]["id"]: float(random.choice([0.002, 0.02, 0.1]))}
    results = pd.concat(frames, ignore_index=True)
    return Challenge(seed, parse(document), results, None, None, {}, closed), identities, {}


def _missing_policy(random: np.random.Generator, *, by_ranks: bool) -> Any:
    return [0, 0, 0, "worst_rank" if by_ranks else 0, "exclude"][int(random.integers(5))]


def _absent(random: np.random.Generator, names: list[str], cases: list[str]) -> set[tuple[str, str]]:
    if random.random() < 0.55:
        return set()
    if random.random() < 0.06:
        return {(name, case) for name in names for case in cases}
    share = float(random.choice([0.02, 0.1, 0.4]))
    return {(name, case) for name in names for case in cases if random.random() < share}


def _values(random: np.random.Generator, cases: int, teams: int) -> np.ndarray:
    """Values between 0 and 1 with gaps from none to clear; some rounded to ties, some teams copies of others."""
    gap = float(random.choice([0.0, 0.0, 0.02, 0.1, 0.5]))
    level = 0.6 - gap * np.arange(teams) / max(1, teams) + random.normal(0, 0.15, (cases, 1))
    noise = float(random.choice([0.005, 0.05, 0.2]))
    values = level + random.normal(0, noise, (cases, teams))
    if random.random() < 0.15:  # a few very bad cases
        values[random.random(values.shape) < 0.08] = 0.0
    values = values.clip(0, 1).round(int(random.choice([0, 1, 2, 6], p=[0.08, 0.17, 0.25, 0.5])))
    if teams > 1 and random.random() < 0.25:  # clones
        values[:, int(random.integers(teams))] = values[:, int(random.integers(teams))]
    if random.random() < 0.04:
        values[:] = values[:, :1]
    return values


def _rows(
    values: np.ndarray,
    names: list[str],
    cases: list[str],
    metric: str,
    region: dict[str, str] | None,
    task: str | None,
    absent: set[tuple[str, str]],
) -> pd.DataFrame:
    # Names as Python's own text: to make pandas' text of them takes longer than to rank a small challenge.
    columns: dict[str, Any] = {
        "algorithm": _texts(names).repeat(len(cases)),
        "case": np.tile(_texts(cases), len(names)),
        "value": values.T.ravel(),
    }
    lacking = np.array([(name, case) in absent for name in names for case in cases])
    columns["value"] = np.where(lacking, np.nan, columns["value"])
    columns["outcome"] = _texts(("ok", "missing"))[lacking.astype(int)]
    if metric != "value":
        region_name = region["name"] if region else ""
        length = len(lacking)
        columns |= {"metric": _texts([metric]).repeat(length), "region": _texts([region_name]).repeat(length)}
        columns["image_diagonal"] = 60.0
    if task is not None:
        columns["task"] = _texts([task]).repeat(len(lacking))
    is_text = [name for name in columns if name not in ("value", "image_diagonal")]
    return pd.DataFrame(columns | {name: pd.Series(columns[name], dtype=object) for name in is_text})


def _texts(names: Sequence[str]) -> np.ndarray:
    return np.array(names, dtype=object)


def _levels(random: np.random.Generator, document: dict[str, Any], cases: list[str]) -> pd.DataFrame | None:
    """Sometimes patients with several cases, or sites that are all there are; sometimes a column that only looks like one."""
    chosen = random.random()
    number = len(cases)
    patients = [f"patient-{index:03d}" for index in random.integers(0, max(1, number // 2), number)]
    sites = [f"site-{index}" for index in sorted(random.integers(0, 2, number).tolist())]
    if chosen < 0.7:
        return None
    if chosen < 0.8:
        document["aggregation"] = {"levels": ["case", "patient"]}
        return pd.DataFrame({"case": cases, "patient": patients})
    if chosen < 0.9:
        document["aggregation"] = {"levels": ["case", {"name": "site", "role": "fixed"}]}
        return pd.DataFrame({"case": cases, "site": sites})
    return pd.DataFrame({"case": cases, "patient": patients})


def _classification(seed: int, random: np.random.Generator, kind: str, names: list[str], cases: int) -> Made:
    document = {
        "problem": kind,
        "classes": list(CLASSES),
        "metrics": [{"id": "accuracy"}, {"id": "balanced_accuracy"}][: int(random.integers(1, 3))],
        "ranking": {"scheme": "one_score"},
        "uncertainty": _uncertainty(random),
    }
    if len(document["metrics"]) > 1:
        document["ranking"] = {
            "scheme": "one_score",
            "combine": {"over": ["metric"], "operator": "mean", "rerank": True},
        }
    identities = [f"case-{number:03d}" for number in range(cases)]
    document |= _exclusions(random, identities)
    assessment = parse({key: value for key, value in document.items() if key != "classes"})
    counted = np.array([case not in _excluded(assessment) for case in identities])
    labels = random.integers(0, 2, cases)
    blocks, unanswered, absent = [], {}, {}
    for index, name in enumerate(names):
        right = random.random(cases) < 0.9 - float(random.choice([0.0, 0.05, 0.3])) * index / len(names)
        answered = random.random(cases) >= float(random.choice([0.0, 0.0, 0.1]))
        absent[name] = {case for case, was_answered in zip(identities, answered, strict=True) if not was_answered}
        unanswered[name] = int((~answered & counted).sum())
        blocks.append(
            make_block(
                name, identities, labels, decision=np.where(right, labels, 1 - labels), scores=None, answered=answered
            )
        )
    evidence = make_evidence(
        assessment,
        blocks,
        parts={use.name: PART for use in assessment.metrics},
        shared={"classes": list(CLASSES), "regions": {}},
    )
    rows = [
        (name, "", "", use.name, result.value, str(result.outcome), str(result.flag))
        for name in names
        for use in assessment.metrics
        for result in [value_of(use, evidence.select(use.name, name, ""))]
    ]
    results = pd.DataFrame(rows, columns=["algorithm", "case", "region", "metric", "value", "outcome", "flag"])
    kept = evidence if not counted.all() or random.random() < 0.85 else None
    closed = bool(random.random() < 0.7)
    return Challenge(seed, assessment, results, None, kept, unanswered, closed), identities, absent
