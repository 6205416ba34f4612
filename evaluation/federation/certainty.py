"""Certainty of a pooled ranking: winner, rank sets and letters from resamples (``docs/ranking.md``)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt

from evaluation.ranking.combination import Part, combine
from evaluation.ranking.families import share_without_steps
from evaluation.ranking.plans import FIRST_RULES, RULES, SCHEMA, SCHEMA_BEFORE
from evaluation.ranking.schemes import rank_scores
from evaluation.ranking.stability import head_to_head
from evaluation.ranking.uncertainty import effects
from evaluation.ranking.uncertainty.budgets import FEWEST_DRAWN_UNITS, FEWEST_DRAWS, budget
from evaluation.ranking.uncertainty.draws import Draws, Spread
from evaluation.ranking.uncertainty.elementary import Elementary, Ranking
from evaluation.ranking.uncertainty.failures import failure
from evaluation.ranking.uncertainty.pairs import MOST_IN_MATRICES, difference, letters, with_consequences
from evaluation.ranking.uncertainty.schema_2 import difference_of_schema_2
from evaluation.ranking.uncertainty.statements import LEADING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evaluation.assessment.model import Assessment, RankingScheme, Step
    from evaluation.ranking.plans import Evaluated
    from evaluation.ranking.uncertainty.budgets import Budget

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]
IntArray = npt.NDArray[np.int64]


@dataclass(frozen=True)
class PooledElementary(Elementary):
    """One ranking that goes into a pooled one: scores alone, no cases behind them."""

    higher: bool = True

    @property
    def higher_is_better(self) -> bool:
        """Direction of the scores."""
        return self.higher


@dataclass(frozen=True)
class PooledRanking(Ranking):
    """A ranking whose cases are at sites.

    Attributes
    ----------
    names
        Algorithms in the order of all arrays.
    """

    names: tuple[str, ...] = ()

    @cached_property
    def algorithms(self) -> tuple[str, ...]:
        """Names, in the order of all arrays."""
        return self.names

    def final(self, scores: Sequence[FloatArray]) -> FloatArray:
        """Final ranks from elementary scores; between steps scores keep all digits."""
        parts = []
        for part, given in zip(self.elementary, scores, strict=True):
            ranked = rank_scores(given, self.registered, higher_is_better=part.higher_is_better)
            parts.append(Part(part.key, given, ranked.ranks, np.full(len(given), part.cases[0])))
        if not self.steps:
            return parts[0].ranks
        return combine(parts, self.steps, self.registered.missing_rank)[0].ranks

    def scores_among(self, part: Elementary, columns: IntArray) -> FloatArray:
        """Scores of some algorithms; those that are means of values do not depend on who else takes part."""
        return np.asarray(part.scores[0, columns])


@dataclass(frozen=True)
class Base:
    """Amount of data that a ranking is based on.

    Attributes
    ----------
    units, strata, smallest
        Number of resampled units, their number of strata, and the number of units in the smallest stratum. Units are
        units within sites, or sites.
    cases
        All units, for rates of failure.
    why_not
        Reason why nothing was resampled.
    schema
        Schema of the document.
    rules
        Revision of the rules within the schema.
    """

    units: int
    strata: int
    smallest: int
    cases: int
    why_not: str | None = None
    schema: int = SCHEMA
    rules: int = RULES


def elementary(part: Part, *, higher: bool) -> PooledElementary:
    """One ranking that goes into a pooled one."""
    return PooledElementary(cast("Evaluated", None), None, part.key, part.scores, part.cases, higher)


def ranking_of(
    parts: Sequence[PooledElementary],
    final: Part,
    steps: Sequence[Step],
    registered: RankingScheme,
    assessment: Assessment,
    names: Sequence[str],
    *,
    is_part: bool,
    rules: int = RULES,
) -> PooledRanking:
    """A pooled ranking with the rankings that it is made of."""
    if rules == FIRST_RULES:
        is_part = registered.combine is not None and not steps
    share = share_without_steps(registered, assessment, is_part=is_part, rules=rules)
    return PooledRanking(
        tuple(parts), registered, assessment, tuple(steps), final.ranks, final.scores, share, tuple(names)
    )


def pooled_statements(
    ranking: PooledRanking, order: IntArray, base: Base, failed: Sequence[int], *, contests: bool, margin: float | None
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return the certainty statements of a pooled ranking, for the entry and for each algorithm in order.

    Parameters
    ----------
    contests
        Whether contests of two algorithms are known. They are not if ranks depend on the other algorithms, an effect
        that sums cannot undo.
    margin
        The registered relevant difference, for a single metric.
    """
    count, drawn = len(ranking.algorithms), len(ranking.ranks) - 1
    names, first, ranks = np.array(ranking.algorithms), int(order[0]), ranking.ranks[0]
    shares = budget(ranking.assessment.uncertainty, count, None, ranking.share)
    is_exploratory = ranking.share is not None and ranking.share.is_exploratory
    reason = _reason(drawn, base)
    alone = int((ranks == ranks.min()).sum()) == 1
    better = np.zeros((count, count), dtype=bool)
    p_own, wins, again, draws, inflation = None, False, None, None, 1.0
    limit: float | None = None
    against = head_to_head(ranking, first) if contests and alone else []
    if drawn and base.smallest > 1:
        spread = Spread(base.units, base.strata, base.smallest)
        draws = Draws(ranking, drawn, spread, excepts_infinite=base.schema > SCHEMA_BEFORE)
        again = draws.first_again(first) if alone else None
    if draws is not None and reason is None:
        better, inflation = draws.shown(shares.sets)
        if base.schema > SCHEMA_BEFORE:
            better = with_consequences(better)
        p_own, wins = draws.p_own(), alone and draws.wins(first, shares.winner)
        if alone and count > 1 and not ranking.combined and base.schema > SCHEMA_BEFORE:
            others = np.arange(count) != first
            limit = float(draws.winner_limits(first, shares.winner)[others].min())
            wins = wins and limit > (margin or 0.0)
    decision = reason or _decision(alone=alone, wins=wins, against=against)
    if is_exploratory and reason not in ("not_resampled", "too_few_draws"):
        decision = "exploratory"
    if decision == "shown":
        better[first], better[:, first], better[first, first] = True, False, False
    too_many = is_exploratory or count > MOST_IN_MATRICES
    words = None if too_many else letters(better[np.ix_(order, order)])
    entry: dict[str, Any] = {
        "winner": {
            "named": decision == "shown",
            "algorithm": str(names[first]) if decision == "shown" else None,
            "alpha": shares.alpha,
            "reason": decision,
        },
        "verdict": _verdict(decision, reason, alone=alone, against=against, again=again, schema=base.schema),
        "shown_better": None if too_many else better[np.ix_(order, order)].tolist(),
        "p_own": None if too_many else _p_values(p_own, order, count),
        "sets": {
            "method": "draws",
            "level": ranking.assessment.uncertainty.interval,
            "units": base.units,
            "units_needed": {"sets": FEWEST_DRAWN_UNITS, "winner": FEWEST_DRAWN_UNITS},
            "reason": reason,
            "flips": None,
        },
        "left_out": _left_out(too_many=too_many, words=words, is_exploratory=is_exploratory),
        "margin": margin,
        "first_again": again,
        **_shared(ranking, shares),
        **_effects(
            ranking,
            draws if reason is None and alone else None,
            first,
            margin,
            schema=base.schema,
            is_named=decision == "shown",
        ),
        "sensitivity": {
            "teams": None,
            "head_to_head": sorted(str(names[j]) for j in against),
            "duplicates": [],
            "without_duplicates": None,
        },
        "warnings": [],
    }
    low = np.minimum(1 + better.sum(axis=0), np.floor(ranks).astype(np.int64))
    high = np.maximum(count - better.sum(axis=1), np.ceil(ranks).astype(np.int64))
    stated = reason not in ("not_resampled", "too_few_draws")
    rows: list[dict[str, Any]] = []
    for position, j in enumerate(map(int, order)):
        rows.append(
            {
                "rank_set": [int(low[j]), int(high[j])] if stated else None,
                "within_reach": bool(stated and low[j] == 1),
                "letters": None if words is None else words[position],
                "difference_from_first": None
                if draws is None or reason is not None or ranking.combined or j == first
                else _difference(
                    draws,
                    first,
                    j,
                    inflation,
                    margin,
                    is_better=bool(better[first, j]),
                    limit=limit if decision == "shown" else None,
                    schema=base.schema,
                    is_descriptive=is_exploratory,
                ),
                "failure": failure(failed[j], base.cases),
                "rank_if_one_more_failed": None,
            }
        )
    if entry.get("lead") is not None:
        places = {str(names[j]): position for position, j in enumerate(order)}
        of_other = rows[places[entry["lead"]["over"]]]["difference_from_first"]
        level = ranking.assessment.uncertainty.interval
        ends = _lead_interval(of_other, limit, margin or 0.0, decision=decision)
        entry["lead"] |= {"interval": ends, "level": level}
    return entry, rows


def _lead_interval(
    of_other: dict[str, Any] | None, limit: float | None, margin: float, *, decision: str
) -> list[float] | None:
    """Return the interval of the lead: from the limit over the best of the others to the upper end for the next algorithm.

    Without a winner the lower end is not above the margin. There is none where the first place depends on other entries, since the
    difference does not decide it.
    """
    if decision == "depends_on_entries":
        return None
    if of_other is None or of_other["interval"] is None or limit is None or not np.isfinite(limit):
        return None
    high = of_other["interval"][1]
    low = min(limit, high) if decision in ("shown", "exploratory") else min(limit, high, margin)
    return [low, high]


def _reason(drawn: int, base: Base) -> str | None:
    if not drawn:
        return "not_resampled"
    if drawn < FEWEST_DRAWS:
        return "too_few_draws"
    if base.units < FEWEST_DRAWN_UNITS:
        return "too_few_units"
    return None if base.smallest > 1 else "stratum_too_small"


def _decision(*, alone: bool, wins: bool, against: Sequence[int]) -> str:
    if not alone:
        return "tie"
    if not wins:
        return "not_shown"
    return "depends_on_entries" if against else "shown"


def _verdict(
    decision: str, reason: str | None, *, alone: bool, against: Sequence[int], again: float | None, schema: int
) -> str | None:
    if reason in ("not_resampled", "too_few_draws") or decision == "exploratory":
        return None
    if decision == "shown":
        return "significant" if schema > SCHEMA_BEFORE else "clear"
    return "leaning" if reason is None and alone and not against and (again or 0.0) >= LEADING else "open"


def _p_values(p_own: FloatArray | None, order: IntArray, count: int) -> list[list[float | None]]:
    if p_own is None:
        return [[None] * count for _ in range(count)]
    ordered = p_own[np.ix_(order, order)]
    plain = ordered.astype(object)
    plain[np.isnan(ordered)] = None
    rows: list[list[float | None]] = plain.tolist()
    return rows


def _shared(ranking: PooledRanking, shares: Budget) -> dict[str, Any]:
    """Return the part of the error of a ranking, where several rankings share it."""
    share = ranking.share
    if share is None:
        return {}
    return {"spent_level": shares.winner if share.tests > 1 else None, "family": share.document}


def _left_out(*, too_many: bool, words: list[str] | None, is_exploratory: bool = False) -> dict[str, str]:
    if is_exploratory:
        return dict.fromkeys(("shown_better", "p_own", "letters"), "exploratory")
    if too_many:
        return dict.fromkeys(("shown_better", "p_own", "letters"), "too_many_algorithms")
    return {} if words is not None else {"letters": "too_many_letters"}


def _difference(
    draws: Draws,
    first: int,
    other: int,
    inflation: float,
    margin: float | None,
    *,
    is_better: bool,
    limit: float | None,
    schema: int,
    is_descriptive: bool = False,
) -> dict[str, Any] | None:
    estimate, interval = draws.interval(first, other, inflation)
    if not np.isfinite(estimate):
        return None
    if schema == SCHEMA_BEFORE:
        return difference_of_schema_2(estimate, interval, margin, is_better=is_better)
    return difference(
        estimate,
        interval,
        margin=margin or 0.0,
        is_better=is_better,
        limit=limit,
        level=draws.ranking.assessment.uncertainty.interval,
        is_descriptive=is_descriptive,
    )


def _effects(
    ranking: PooledRanking, draws: Draws | None, first: int, margin: float | None, *, schema: int, is_named: bool
) -> dict[str, Any]:
    """Numbers about the lead; none in documents of schema 2."""
    if schema == SCHEMA_BEFORE:
        return {}
    return effects.of_draws(ranking, draws, first, margin or 0.0, level="significant" if is_named else None)
