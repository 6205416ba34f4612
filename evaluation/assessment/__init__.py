"""The assessment document: what is measured, what a missing value counts as, and how the winner is found."""

from evaluation.assessment.errors import AssessmentError
from evaluation.assessment.levels import GROUP_RULES, undeclared_level
from evaluation.assessment.metrics import check_ignored_options
from evaluation.assessment.model import (
    Aggregation,
    Assessment,
    MetricUse,
    Operator,
    Policy,
    PolicyValue,
    RankingScheme,
    Region,
    Step,
    Uncertainty,
)
from evaluation.assessment.parse import SCHEMA, parse
from evaluation.assessment.ranking import MISSING_RANKS, TIES

__all__ = [
    "GROUP_RULES",
    "MISSING_RANKS",
    "SCHEMA",
    "TIES",
    "Aggregation",
    "Assessment",
    "AssessmentError",
    "MetricUse",
    "Operator",
    "Policy",
    "PolicyValue",
    "RankingScheme",
    "Region",
    "Step",
    "Uncertainty",
    "check_ignored_options",
    "parse",
    "undeclared_level",
]
