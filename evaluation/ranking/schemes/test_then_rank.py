"""Test-then-rank: a score is the share of the others that an algorithm is significantly better than."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Final

import numpy as np

from evaluation.ranking.hierarchy import unit_values, whole_units, without_levels
from evaluation.ranking.procedure.groups import groups_of
from evaluation.ranking.procedure.statements import Compare, RankScores
from evaluation.ranking.schemes.base import Scheme
from evaluation.ranking.schemes.challenges import signed_rank_p_values
from evaluation.ranking.scores import snap
from evaluation.ranking.significance import holm, wilcoxon_matrices

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evaluation.advice.simulation.model import PartModel
    from evaluation.assessment.model import Aggregation, RankingScheme
    from evaluation.assessment.reading import Place
    from evaluation.ranking.drawn import Samples
    from evaluation.ranking.procedure.statements import Statement
    from evaluation.ranking.schemes.base import FloatArray, Values
    from evaluation.ranking.schemes.challenges import Challenges

ADJUSTMENTS: Final = ("none", "holm")


class TestThenRank(Scheme):
    """One-sided Wilcoxon signed rank tests between all algorithms, then ranks of the shares of wins."""

    __test__ = False  # no test of pytest's, whatever its name begins with

    id: ClassVar = "test_then_rank"
    title: ClassVar = "Test, then rank"
    design_kind: ClassVar = "test_based"
    compares_pairs: ClassVar = True
    option_names: ClassVar = ("alpha", "adjust")
    simulated: ClassVar = True

    def read_options(self, section: Place) -> Mapping[str, Any]:
        """Level and adjustment of the tests."""
        return {
            "alpha": section.number("alpha", 0.05, "a number above 0 and below 1", lambda number: 0 < number < 1),
            "adjust": section.choice("adjust", ADJUSTMENTS, "none"),
        }

    def option_document(self, registered: RankingScheme) -> dict[str, Any]:
        """Level and adjustment of the tests."""
        return {"alpha": registered.alpha, "adjust": registered.adjust}

    def scores(self, table: Values, samples: Samples, registered: RankingScheme) -> tuple[FloatArray, bool]:
        """Shares of the others that each algorithm is significantly better than."""
        shares = win_shares(_p_values(table, samples), alpha=registered.alpha, adjust=registered.adjust)
        # Who has no value in a sample was compared with nobody: no share, and not the share 0 of who lost.
        present = samples.counts.T.astype(np.float64) @ ~np.isnan(table.values)
        return np.where(present > 0, shares, np.nan), True

    def sentence(self, registered: RankingScheme, *, each: str, units: str) -> str:
        """See `Scheme.sentence`."""
        holm_words, none_words = "adjusted by Holm's method", "not adjusted for the number of comparisons"
        adjusted = holm_words if registered.adjust == "holm" else none_words
        return (
            f"{each}every algorithm is compared with every other one by a one-sided Wilcoxon signed rank test on the same "
            f"{units} (level {registered.alpha:g}, {adjusted}); an algorithm's score is the share of the others that it is "
            "significantly better than, and the highest share gets rank 1."
        )

    def statements(self, registered: RankingScheme, aggregation: Aggregation) -> tuple[Statement, ...]:
        """See `Scheme.statements`."""
        groups, unit = groups_of(aggregation, without=aggregation.fixed)
        return (
            *groups,
            Compare(registered.alpha, registered.adjust, unit),
            RankScores("highest", registered.ties, registered.missing_rank),
        )

    def score_name(self, registered: RankingScheme) -> str:  # noqa: ARG002
        """The share of wins."""
        return "share of teams beaten"

    def is_linear(self, registered: RankingScheme) -> bool:  # noqa: ARG002
        """The rank sum of a pair is a sum over units."""
        return True

    def averaged_values(self, table: Values, registered: RankingScheme) -> FloatArray:  # noqa: ARG002
        """The values, negated where lower is better."""
        return table.values if table.higher_is_better else -table.values

    def contributions(self, differences: FloatArray) -> FloatArray:
        """Signed mid-ranks of the sizes among those that are not zero, pair by pair."""
        from scipy.stats import rankdata

        sizes = np.where(differences == 0.0, np.nan, np.abs(differences))
        ranks = np.nan_to_num(rankdata(sizes, axis=0, nan_policy="omit"))
        return np.asarray(np.sign(differences) * ranks)

    def simulated_scores(self, challenges: Challenges, registered: RankingScheme) -> tuple[FloatArray, bool]:
        """See `Scheme.simulated_scores`."""
        values = challenges.values if challenges.higher_is_better else -challenges.values
        p_values = signed_rank_p_values(values)
        return win_shares(p_values, alpha=registered.alpha, adjust=registered.adjust), True

    def limit_scores(
        self,
        model: PartModel,  # noqa: ARG002
        quality: FloatArray,
        registered: RankingScheme,  # noqa: ARG002
    ) -> tuple[FloatArray, bool]:
        """With infinitely many cases the better algorithm always wins."""
        ahead = quality[:, :, None] > quality[:, None, :]
        return ahead.sum(axis=2) / max(quality.shape[1] - 1, 1), True

    def usual_forms(self) -> Mapping[str, Mapping[str, Any]]:
        """Unadjusted at 0.05."""
        return {"significance tests": {}}


SCHEME: Final = TestThenRank()


def win_shares(p_values: FloatArray, *, alpha: float, adjust: str) -> FloatArray:
    """Share of the other algorithms that each one is significantly better than, from p-values of every sample.

    Notes
    -----
    A comparison counts at p ≤ alpha; an undefined one does not count. The divisor is the number of other algorithms.
    """
    decided = holm(p_values) if adjust == "holm" else p_values
    wins = (decided <= alpha).sum(axis=-1)
    return snap(wins / max(p_values.shape[-1] - 1, 1))


def _p_values(table: Values, samples: Samples) -> FloatArray:
    """One-sided p-values in every sample, on the outermost groups that are a sample where there are levels."""
    values, higher = table.values, table.higher_is_better
    hierarchy = without_levels(table.hierarchy, table.aggregation.fixed)
    if hierarchy is None:
        return wilcoxon_matrices(values, samples.counts, higher_is_better=higher)
    operator = table.aggregation.operator
    whole = whole_units(values, samples, hierarchy, operator, higher_is_better=higher)
    if whole is not None:
        return wilcoxon_matrices(*whole, higher_is_better=higher)
    units = unit_values(values, samples, hierarchy, operator, higher_is_better=higher)
    return np.stack([wilcoxon_matrices(block, np.ones((len(block), 1)), higher_is_better=higher)[0] for block in units])
