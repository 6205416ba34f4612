"""Rankings that say how sure they are."""

from evaluation.aggregation import ResultsError
from evaluation.ranking.document import digest, rank
from evaluation.ranking.explain import describe
from evaluation.ranking.resampling import VERSION as RESAMPLING_VERSION

__all__ = ["RESAMPLING_VERSION", "ResultsError", "describe", "digest", "rank"]
