"""One score: a value for all cases together is the score."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

from evaluation.assessment.model import Operator
from evaluation.ranking.procedure.groups import groups_of
from evaluation.ranking.procedure.statements import Aggregate, RankScores
from evaluation.ranking.schemes.aggregate_then_rank import limit_aggregates
from evaluation.ranking.schemes.base import Scheme
from evaluation.ranking.schemes.challenges import aggregate_cases

if TYPE_CHECKING:
    from evaluation.advice.simulation.model import PartModel
    from evaluation.assessment.model import Aggregation, RankingScheme
    from evaluation.ranking.drawn import Samples
    from evaluation.ranking.procedure.statements import Statement
    from evaluation.ranking.schemes.base import FloatArray, Values
    from evaluation.ranking.schemes.challenges import Challenges

_MEAN: Final = Operator("mean")


class OneScore(Scheme):
    """Rank values of the whole data set; values of cases, should there be any, are averaged."""

    id: ClassVar = "one_score"
    title: ClassVar = "One score for all cases"
    design_kind: ClassVar = "data_set_score"
    one_value: ClassVar = True
    simulated: ClassVar = True

    def scores(self, table: Values, samples: Samples, registered: RankingScheme) -> tuple[FloatArray, bool]:  # noqa: ARG002
        """Means of the values."""
        return table.aggregated(samples, _MEAN), table.higher_is_better

    def sentence(self, registered: RankingScheme, *, each: str, units: str) -> str:  # noqa: ARG002
        """See `Scheme.sentence`."""
        return f"{each}{ONE_VALUE}"

    def statements(self, registered: RankingScheme, aggregation: Aggregation) -> tuple[Statement, ...]:
        """See `Scheme.statements`."""
        groups, unit = groups_of(aggregation)
        return (*groups, Aggregate(_MEAN, unit), RankScores("best", registered.ties, registered.missing_rank))

    def score_name(self, registered: RankingScheme) -> str:  # noqa: ARG002
        """The value."""
        return "value"

    def simulated_scores(self, challenges: Challenges, registered: RankingScheme) -> tuple[FloatArray, bool]:  # noqa: ARG002
        """See `Scheme.simulated_scores`."""
        higher = challenges.higher_is_better
        return aggregate_cases(challenges.values, None, higher=higher), higher

    def limit_scores(
        self,
        model: PartModel,
        quality: FloatArray,
        registered: RankingScheme,  # noqa: ARG002
    ) -> tuple[FloatArray, bool]:
        """Expectations under the model."""
        return limit_aggregates(model, quality, None), model.metric.higher_is_better


SCHEME: Final = OneScore()


ONE_VALUE: Final = "there is one value for all cases together; the best value gets rank 1."
"""Description of metrics of the whole data set under every scheme."""
