"""Costs of runs, added to some generated challenges: ranked with the other metrics, or reported without a rank."""

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from evaluation import problems
from evaluation.assessment import parse

if TYPE_CHECKING:
    from tests.claims.challenges import Challenge

WORST = 20.0
COSTS = (("run_wall_time", "Wall time"), ("run_peak_memory", "Peak memory"))
SHARE = 0.3


def with_costs(made: "Challenge", cases: list[str], absent: Mapping[str, Collection[str]]) -> "Challenge":
    """Return the challenge with the costs of its runs, if its seed selects this.

    The costs use a separate random generator, so that nothing else of the challenge changes.

    Parameters
    ----------
    cases
        Cases of the phase. If metrics give one value for all of them, only a cost has rows of single cases.
    absent
        The cases without an answer by team, if rows do not show them.
    """
    random = np.random.default_rng([made.seed, 17])
    if not problems.get(made.assessment.problem).takes_algorithms or random.random() > SHARE:
        return made
    document: dict[str, Any] = dict(made.assessment.document)
    ranking = dict(document["ranking"])
    by_ranks = ranking["scheme"] == "rank_then_aggregate"
    chosen = COSTS[: int(random.integers(1, 3))]
    policy = {"missing": "worst_rank" if by_ranks and random.random() < 0.3 else "worst"}
    names = [metric.name for metric in made.assessment.metrics]
    document["metrics"] = [
        *document["metrics"],
        *({"id": identity, "by": "run", "worst": WORST, "policy": policy} for identity, _ in chosen),
    ]
    if random.random() < 0.3:
        ranking["metrics"] = names  # reported, and nothing is ranked by them
    else:
        ranking["combine"] = {
            "over": ["metric", "region"],
            "operator": str(random.choice(["mean", "median"])),
            "rerank": True,
        }
    document["ranking"] = ranking
    whole = made.assessment.is_pooled
    of_cases = _all_cases(made.results, cases, absent) if whole else _first_rows(made.results)
    rows = [made.results, *(_rows(random, of_cases, name) for _, name in chosen)]
    return replace(made, assessment=parse(document), results=pd.concat(rows, ignore_index=True))


def _first_rows(results: pd.DataFrame) -> pd.DataFrame:
    """The rows of one metric and region: one of each case and team."""
    return results[(results["metric"] == results["metric"].iloc[0]) & (results["region"] == results["region"].iloc[0])]


def _all_cases(results: pd.DataFrame, cases: list[str], absent: Mapping[str, Collection[str]]) -> pd.DataFrame:
    """A row of each case and team, missing where the team gave no answer."""
    outcomes = [
        (team, case, "missing" if case in absent.get(team, ()) else "ok")
        for team in dict.fromkeys(results["algorithm"])
        for case in cases
    ]
    return pd.DataFrame(outcomes, columns=["algorithm", "case", "outcome"])


def _rows(random: np.random.Generator, of_cases: pd.DataFrame, name: str) -> pd.DataFrame:
    """One value a case and team: about that of the team, sometimes the same for all, and none where there is no prediction."""
    teams = sorted(set(of_cases["algorithm"]))
    level = dict(zip(teams, random.uniform(1, 15, len(teams)).round(int(random.integers(0, 3))), strict=True))
    if random.random() < 0.15:
        level = dict.fromkeys(teams, 4.0)
    noise = float(random.choice([0.0, 0.5, 3.0]))
    values = np.array([level[team] for team in of_cases["algorithm"]]) + random.normal(0, noise, len(of_cases)).round(2)
    gone = (of_cases["outcome"] == "missing").to_numpy()
    return of_cases.assign(metric=name, region="", value=np.where(gone, np.nan, values.clip(0.1, WORST)))
