"""Costs of running on single cases, which are kept from all but the named organizers as long as the cases are hidden."""

from collections.abc import Iterable, Mapping
from typing import Any

from rules import test_rule

from challenges.models import Phase
from evaluation.assessment import Assessment
from evaluation.assessment.model import BY_RUN


def costs_in(assessment: Assessment) -> frozenset[str]:
    """Names of the metrics of an assessment that are costs of running an algorithm."""
    return frozenset(use.name for use in assessment.by_run)


def costs_scored(provenance: Mapping[str, Any]) -> frozenset[str]:
    """The same of the assessment that a result was scored by, which a later one may have replaced."""
    metrics = provenance.get("metrics") or {}
    return frozenset(name for name, use in metrics.items() if (use.get("options") or {}).get("by") == BY_RUN)


def kept_from(user: Any, phase: Phase, costs: Iterable[str]) -> frozenset[str]:
    """Return the metrics whose values of single cases are hidden from a person, usually none.

    Parameters
    ----------
    user
        The person; an anonymous user for information that is visible to anyone.
    phase
        Phase of the cases.
    costs
        Names of metrics, from `costs_in` or `costs_scored`.
    """
    cost_names = frozenset(costs)
    return frozenset() if not cost_names or test_rule("executions.view_costs_of_cases", user, phase) else cost_names
